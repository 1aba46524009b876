root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

iris4 <- scale(as.matrix(datasets::iris[, 1:4]))
signal_and_noise <- function(n = 100) {
  cluster <- rep(0:1, length.out = n)
  cbind(stats::rnorm(n, 4 * cluster), stats::rnorm(n, 4 * cluster), stats::rnorm(n))
}

testthat::test_that("the scores are randomForest's own on the same rows", {
  permuted <- apply(iris4, 2, rev)
  rows <- unname(rbind(iris4, permuted))
  class <- factor(rep(1:2, each = nrow(iris4)))
  set.seed(5)
  forest <- randomForest::randomForest(rows, class, ntree = 50, mtry = 2, nodesize = 1)
  set.seed(5)
  fit <- xc_urf(iris4, n_trees = 50, permuted = permuted)
  testthat::expect_identical(unname(fit$importance), as.vector(randomForest::importance(forest)))
  testthat::expect_match(fit$package, "^randomForest [0-9.-]+$")

  set.seed(6)
  forest <- randomForest::randomForest(rows, class, ntree = 50, mtry = 3, nodesize = 1, importance = TRUE)
  set.seed(6)
  fit <- xc_urf(iris4, "permutation", n_trees = 50, mtry = 3, permuted = permuted)
  testthat::expect_identical(
    unname(fit$importance), as.vector(randomForest::importance(forest, type = 1, scale = FALSE))
  )
})

testthat::test_that("the scores are ranger's own where it is asked for", {
  testthat::skip_if_not_installed("ranger")
  permuted <- apply(iris4, 2, rev)
  rows <- data.frame(unname(rbind(iris4, permuted)))
  class <- factor(rep(1:2, each = nrow(iris4)))
  for (measure in c(gini = "impurity", permutation = "permutation")) {
    set.seed(5)
    forest <- ranger::ranger(
      x = rows, y = class, num.trees = 50, mtry = 2, min.node.size = 1, importance = measure, num.threads = 1
    )
    set.seed(5)
    importance <- if (measure == "impurity") "gini" else "permutation"
    fit <- xc_urf(iris4, importance, n_trees = 50, permuted = permuted, r_package = "ranger")
    testthat::expect_identical(unname(fit$importance), as.vector(forest$variable.importance))
    testthat::expect_match(fit$package, "^ranger [0-9.-]+$")
  }
})

testthat::test_that("factors and text are categories, ordered factors ranks", {
  sizes <- factor(rep(c("S", "M", "L"), 50), c("S", "M", "L"), ordered = TRUE)
  x <- data.frame(iris[1:2], Species = iris$Species, color = rep(letters[1:5], 30), size = sizes)
  codes <- cbind(as.matrix(iris[1:2]), as.integer(iris$Species), rep(1:5, 30), as.integer(sizes))
  permuted <- apply(codes, 2, rev)
  rows <- as.data.frame(unname(rbind(codes, permuted)))
  rows[3:4] <- lapply(rows[3:4], factor)
  class <- factor(rep(1:2, each = 150))
  set.seed(5)
  forest <- randomForest::randomForest(rows, class, ntree = 50, mtry = 2, nodesize = 1)
  set.seed(5)
  fit <- xc_urf(x, n_trees = 50, permuted = permuted)
  testthat::expect_identical(unname(fit$importance), as.vector(randomForest::importance(forest)))
  testthat::expect_named(fit$importance, names(x))
  set.seed(5)
  testthat::expect_identical(unname(xc_urf(unname(codes), n_trees = 50, nominal = 3:4, permuted = permuted)$importance),
                             unname(fit$importance))
  x$color[7] <- NA
  testthat::expect_error(xc_urf(x), "finite numbers only; got 1 missing")
  testthat::expect_error(xc_urf(data.frame(a = 1:2, b = as.Date("2020-01-01"))), "numbers only; got Date in b")
  many <- data.frame(a = 1:60, b = rep(sprintf("town %d", 1:20), 3))
  testthat::expect_error(xc_urf(many, r_package = "ranger"), "all subsets of up to 16 levels; got 20: leave these")
})

testthat::test_that("a feature that goes with no other scores lowest", {
  set.seed(1)
  x <- signal_and_noise()
  for (importance in c("gini", "permutation")) {
    testthat::expect_identical(which.min(unname(xc_urf(x, importance)$importance)), 3L)
  }
})

testthat::test_that("the paper's protocol gives a good forest the same negative score for every feature", {
  set.seed(2)
  cluster <- rep(1:4, each = 30)
  x <- cbind(
    matrix(stats::rnorm(120 * 15, rep(cluster, 15), 0.3), 120),
    matrix(stats::runif(120 * 6, 0, 5), 120)
  )
  scores <- xc_urf(scale(x), "permutation", "paper")$importance
  testthat::expect_lte(max(scores), 0)
  testthat::expect_lt(diff(range(scores)), 0.01)
})

testthat::test_that("a seed fixes the scores", {
  set.seed(3)
  first <- xc_urf(iris4, n_trees = 20)
  set.seed(3)
  testthat::expect_identical(xc_urf(iris4, n_trees = 20), first)
})

testthat::test_that("arguments that cannot be used are named with their values", {
  testthat::expect_error(xc_urf(iris4, "entropy"), "importance must be one of \"gini\", \"permutation\"; got entropy")
  testthat::expect_error(xc_urf(matrix(1, 20, 3)), "at least 1 column that varies; got 0")
  testthat::expect_error(xc_urf(iris4, protocol = "bag"), "protocol must be one of \"oob\", \"paper\"; got bag")
  testthat::expect_error(
    xc_urf(iris4, r_package = "party"), "r_package must be one of \"randomForest\", \"ranger\"; got party"
  )
  testthat::expect_error(xc_urf(iris4, n_trees = 0), "n_trees must be a whole number of at least 1; got 0")
  testthat::expect_error(xc_urf(iris4, mtry = 5), "mtry must be a whole number from 1 to 4; got 5")
  testthat::expect_error(xc_urf(iris4, permuted = iris4[-1, ]), "as large as x, 150 x 4; got 149 x 4")
  testthat::expect_error(xc_urf(iris4[, 1, drop = FALSE]), "at least 2 columns; got 1")
})
