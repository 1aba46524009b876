root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)
if (!nzchar(system.file(package = "mclust"))) testthat::skip("mclust is not installed")

testthat::test_that("the regression is that of lm(), on the columns that its BIC keeps", {
  x <- as.matrix(iris[, 1:4])
  found <- xc_regression_bic(x[, 1], x[, 2:4])
  sets <- list(0, 2, 3, 4, 2:3, c(2, 4), 3:4, 2:4)
  bic <- vapply(sets, function(set) stats::BIC(stats::lm(x[, 1] ~ ., data.frame(one = 1, x[, set]))), 0)
  testthat::expect_equal(found, -min(bic))
  testthat::expect_identical(xc_regression_bic(2 * x[, 1] + 1, x), Inf)
  testthat::expect_identical(xc_regression_bic(rep(0, 9), matrix(0, 9, 0)), Inf)
})

testthat::test_that("evidence is the difference of mclust's BICs", {
  x <- xc_standardize(as.matrix(iris[, 3:4]))
  fit <- xc_clustvarsel(x, 3)
  bic <- function(columns) xc_fit_mixture(x[, columns, drop = FALSE], 3L)$bic
  testthat::expect_setequal(fit$selected, 1:2)
  testthat::expect_equal(unname(fit$importance)[2], bic(1:2) - bic(1) - xc_regression_bic(x[, 2], x[, 1, drop = FALSE]))
  mclustBIC <- mclust::mclustBIC
  direct <- mclust::Mclust(x, 3, xc_mixture_models, verbose = FALSE)
  testthat::expect_equal(bic(1:2), direct$bic)
  testthat::expect_identical(fit$labels, as.integer(direct$classification))
  testthat::expect_match(fit$package, "^mclust [0-9.]+$")
})

testthat::test_that("a cluster on a single value is no fit", {
  coin <- cbind(rep(0:1, 50))
  testthat::expect_null(xc_fit_mixture(xc_standardize(coin), 2L))
  set.seed(1)
  x <- cbind(stats::rnorm(100, rep(c(0, 8), 50)), coin, 0)
  fit <- xc_clustvarsel(x, 2)
  testthat::expect_identical(fit$selected, 1L)
  testthat::expect_identical(which.max(unname(fit$importance)), 1L)
})

testthat::test_that("it draws nothing, and the scale of a column plays no part", {
  x <- as.matrix(iris[, 1:4])
  set.seed(1)
  fit <- xc_clustvarsel(x, 3)
  again <- stats::runif(1)
  set.seed(1)
  testthat::expect_identical(stats::runif(1), again)
  testthat::expect_equal(xc_clustvarsel(sweep(x, 2, c(1, 10, 1e3, 1e-3), "*"), 3)$importance, fit$importance)
})

testthat::test_that("what cannot be is refused", {
  testthat::expect_error(xc_clustvarsel(matrix(0, 20, 2), 2), "must fit at least one feature on its own; got none")
  testthat::expect_error(xc_clustvarsel(as.matrix(iris[, 1:4]), 1), "n_clusters must be a whole number from 2 to 150; got 1")
})
