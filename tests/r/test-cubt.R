root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

iris_scaled <- unname(scale(as.matrix(datasets::iris[, 1:4])))
biopsy <- unname(scale(as.matrix(stats::na.omit(MASS::biopsy)[, 2:10])))
deviance_of <- function(x) sum(sweep(x, 2, colMeans(x))^2)

testthat::test_that("breast: the published row, within 0.008", {
  raw <- xc_cubt(biopsy)$importance
  published <- c(.68, 1, .97, .83, .92, .83, .92, .83, .64)
  testthat::expect_lt(max(abs(raw / max(raw) - published)), 0.008)
})

testthat::test_that("the root's split and its surrogates, one candidate at a time", {
  fit <- xc_cubt(iris_scaled, max_depth = 1)
  n <- nrow(iris_scaled)
  candidates <- do.call(rbind, lapply(1:4, function(j) {
    values <- sort(unique(iris_scaled[, j]))
    do.call(rbind, lapply(seq_along(values)[-length(values)], function(i) {
      left <- iris_scaled[, j] <= values[i]
      gain <- deviance_of(iris_scaled) - deviance_of(iris_scaled[left, , drop = FALSE]) -
        deviance_of(iris_scaled[!left, , drop = FALSE])
      data.frame(j = j, threshold = mean(values[i + 0:1]), gain = gain / n)
    }))
  }))
  best <- candidates[which.max(candidates$gain), ]
  testthat::expect_identical(fit$tree$feature, c(best$j, 0L, 0L))
  testthat::expect_equal(fit$tree$threshold[1], best$threshold)
  testthat::expect_equal(fit$tree$gain[1], best$gain)
  left <- iris_scaled[, best$j] <= best$threshold
  surrogate <- vapply(1:4, function(j) {
    mine <- candidates[candidates$j == j, ]
    agree <- vapply(mine$threshold, function(v) sum((iris_scaled[, j] <= v) == left), 0)
    c(mine$gain, 0)[which.max(c(agree, sum(left)))]
  }, 0)
  testthat::expect_equal(fit$importance, surrogate)
  testthat::expect_identical(fit$labels, ifelse(left, 1L, 2L))
})

testthat::test_that("deviance is divided up, and clusters are as many as asked for", {
  fit <- xc_cubt(biopsy, n_clusters = 3)
  leaf <- fit$tree$feature == 0L
  testthat::expect_equal(fit$tree$deviance[1], sum(fit$tree$gain) + sum(fit$tree$deviance[leaf]))
  testthat::expect_identical(sum(fit$tree$n_samples[leaf]), 683L)
  testthat::expect_setequal(fit$labels, 1:3)
  testthat::expect_identical(xc_cubt(biopsy, n_clusters = 2)$importance, fit$importance)
})

testthat::test_that("equal features: the first splits, both are as important", {
  x <- iris_scaled[, c(3, 3)]
  fit <- xc_cubt(x)
  testthat::expect_true(all(fit$tree$feature %in% 0:1))
  testthat::expect_equal(fit$importance[1], fit$importance[2])
})

testthat::test_that("nothing to split is said", {
  testthat::expect_warning(fit <- xc_cubt(matrix(1, 30, 2)), "no split")
  testthat::expect_identical(fit$importance, c(0, 0))
  testthat::expect_identical(fit$labels, rep(1L, 30))
  testthat::expect_warning(xc_cubt(iris_scaled, n_clusters = 100), "n_clusters is 100, but the tree has only", fixed = TRUE)
})

testthat::test_that("bad arguments are named, with their value", {
  testthat::expect_error(xc_cubt(iris_scaled, n_clusters = 0), "n_clusters must be a whole number of at least 1; got 0", fixed = TRUE)
  testthat::expect_error(xc_cubt(iris_scaled, min_size = 2.5), "min_size must be a whole number", fixed = TRUE)
  testthat::expect_error(xc_cubt(iris_scaled, min_dev = -1), "min_dev must be a number from 0 to 1; got -1", fixed = TRUE)
  testthat::expect_error(xc_cubt(iris_scaled, min_dist = -1), "min_dist must be a number of at least 0; got -1", fixed = TRUE)
  testthat::expect_error(xc_cubt(datasets::iris), "numbers only; got factor in Species", fixed = TRUE)
})
