root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

testthat::test_that("one column alone is found, and a flag alone is not", {
  set.seed(1)
  x <- matrix(stats::rnorm(1000), 200)
  x[1:100, 2] <- x[1:100, 2] + 5
  fit <- xc_refined(scale(x), 2, rounds = 3, n_replicas = 20)
  testthat::expect_identical(which.max(fit$importance), 2L)
  testthat::expect_gt(fit$importance[2], 0.9)
  testthat::expect_gt(mean(fit$labels[1:100] == fit$labels[1]), 0.95)
  x[, 2] <- rep(0:1, each = 100)
  fit <- xc_refined(scale(x), 2, rounds = 3, n_replicas = 20)
  testthat::expect_identical(fit$needs_company, c(FALSE, TRUE, FALSE, FALSE, FALSE))
  testthat::expect_lt(fit$importance[2], 0.1)
})

testthat::test_that("a density gap by hand", {
  x <- cbind(c(-1, 0, 1, 5, -5, 11, 12, 13, 12))
  testthat::expect_equal(xc_density_gap(x, rep(1:2, c(5, 4))), 1)
  testthat::expect_identical(xc_density_gap(x, rep(1, 9)), 0)
})

testthat::test_that("tied values are spread as in Python", {
  x <- cbind(c(1, 1, 2, 2, 2, 7), 1:6)
  found <- xc_untied(x, c(TRUE, FALSE))
  testthat::expect_equal(sort(found[, 1]), c(0.75, 1.25, 1.75, 2.25, 2.75, 7))
  testthat::expect_identical(order(found[, 1])[6], 6L)
  testthat::expect_identical(found[, 2], x[, 2])
})

testthat::test_that("whitened columns have unit covariance", {
  set.seed(2)
  x <- matrix(stats::rnorm(180), 60) %*% matrix(c(2, 1, 0, 0, 1, 1, 1, 0, 3), 3)
  testthat::expect_equal(stats::cov(xc_whitened(x, rep(FALSE, 3))), diag(3))
  testthat::expect_identical(xc_whitened(x[1:29, ], rep(FALSE, 3)), x[1:29, ])
})

testthat::test_that("errors say what was expected", {
  x <- matrix(stats::rnorm(40), 10)
  testthat::expect_error(xc_refined(x, 11), "n_clusters must be a whole number from 2 to 10; got 11")
  testthat::expect_error(xc_refined(x, 2, rounds = 0), "rounds must be a whole number of at least 1; got 0")
  testthat::expect_error(xc_refined(x, 2, exponent = -1), "exponent must be a number of at least 0; got -1")
  testthat::expect_error(xc_refined(x[, 1, drop = FALSE], 2), "x must have at least 2 columns; got 1")
})

testthat::test_that("importances have the names of the columns", {
  x <- scale(as.matrix(iris[1:60, 1:4]))
  fit <- xc_refined(x, 2, rounds = 1, n_replicas = 2)
  testthat::expect_named(fit$importance, colnames(x))
})
