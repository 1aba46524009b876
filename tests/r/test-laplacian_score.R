root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

iris_scaled <- unname(scale(as.matrix(datasets::iris[, 1:4])))
score <- function(...) xc_laplacian_score(...)$importance

testthat::test_that("Rdimtools' own outputs", {
  golden <- jsonlite::fromJSON(file.path(root, "tests", "data", "rdimtools_lscore.json"), simplifyVector = FALSE)
  n_cases <- 0
  for (set in golden$sets) {
    # The file's iris has 15 digits, which breaks ties between distances another way.
    x <- if (set$name == "iris_scaled") iris_scaled else do.call(rbind, lapply(set$data, unlist))
    for (case in set$cases) {
      got <- xc_laplacian_score(x, case$type[[1]], as.numeric(case$type[[2]]), case$t, package = "reference")
      testthat::expect_equal(got$importance, unlist(case$score), tolerance = 1e-12)
      testthat::expect_identical(got$package, "reference implementation")
      n_cases <- n_cases + 1
    }
  }
  testthat::expect_identical(n_cases, 6)
})

testthat::test_that("breast: the published row, within 0.005", {
  raw <- score(scale(as.matrix(stats::na.omit(MASS::biopsy)[, 2:10])))
  published <- c(1, .65, .70, .81, .84, .78, .85, .78, .99)
  testthat::expect_lt(max(abs(raw / max(raw) - published)), 0.005)
})

testthat::test_that("the definition, with every matrix in full", {
  set.seed(1)
  x <- matrix(round(stats::rnorm(120), 1), 30)
  joined <- as.matrix(stats::dist(x)) < 1.5
  diag(joined) <- FALSE
  s <- exp(-as.matrix(stats::dist(x))^2 / 3) * joined
  d <- diag(rowSums(s))
  expected <- apply(x, 2, function(f) {
    f <- f - sum(d %*% f) / sum(d)
    drop(f %*% (d - s) %*% f) / drop(f %*% d %*% f)
  })
  testthat::expect_equal(score(x, "radius", 1.5, 3), expected, tolerance = 1e-12)
})

testthat::test_that("constant features and isolated points get the worst score", {
  x <- cbind(0.1, iris_scaled)
  testthat::expect_equal(score(x), c(2, score(iris_scaled)), tolerance = 1e-12)
  far <- cbind(c(0, 0.1, 0.2, 50), c(0, 0, 0, 3)) # the second varies at the far point only
  testthat::expect_identical(score(far, "radius", 0.15)[2], 2)
  testthat::expect_identical(score(far, "radius", 0.05), c(2, 2))
  testthat::expect_identical(score(matrix(1:5 + 0, 5), "radius", 1), 2)
})

testthat::test_that("rows and features in any order, one feature, two rows", {
  rows <- rev(seq_len(150))
  testthat::expect_equal(score(iris_scaled[rows, 4:1], "knn", 7), rev(score(iris_scaled, "knn", 7)), tolerance = 1e-10)
  testthat::expect_length(score(iris_scaled[, 1, drop = FALSE], "proportion", 0.2), 1)
  testthat::expect_equal(score(matrix(c(0, 1, 1, 1), 2)), c(2, 2))
})

testthat::test_that("bad arguments are named, with their value", {
  testthat::expect_error(score(iris_scaled, "knn", 150), "from 1 to 149; got 150", fixed = TRUE)
  testthat::expect_error(score(iris_scaled, "knn", 2.5), "got 2.5", fixed = TRUE)
  testthat::expect_error(score(iris_scaled, "proportion", 1.5), "at most 1; got 1.5", fixed = TRUE)
  testthat::expect_error(score(iris_scaled, "radius", -1), "positive number; got -1", fixed = TRUE)
  testthat::expect_error(score(iris_scaled, "enn", 1), "got enn", fixed = TRUE)
  testthat::expect_error(score(iris_scaled, t = 0), "t must be a positive number; got 0", fixed = TRUE)
  testthat::expect_error(score(replace(iris_scaled, 3, NA)), "1 missing or infinite", fixed = TRUE)
})
