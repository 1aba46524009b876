root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

golden <- function(name) jsonlite::fromJSON(file.path(root, "tests", "data", name), simplifyDataFrame = FALSE)
centers_of <- function(run) if (is.null(run$centers_init)) NULL else matrix(unlist(run$centers_init), run$k)

for (file in c("wskm_iris.json", "wskm_two_blobs.json")) {
  testthat::test_that(paste("FGKM is wskm's, run for run:", file), {
    data <- golden(file)
    runs <- Filter(function(run) run$fun == "fgkm", data$runs)
    testthat::expect_gt(length(runs), 7L)
    for (run in runs) {
      for (running_max in c(FALSE, TRUE)) {
        fit <- xc_fgkm(
          data$data, run$k, run$groups, run$lambda, run$eta, centers_of(run),
          seed = run$seed, running_max = running_max
        )
        testthat::expect_identical(fit$labels, run$cluster)
        testthat::expect_equal(fit$n_iter, run$iterations)
        testthat::expect_equal(fit$n_restarts, run$restarts)
        testthat::expect_lt(max(abs(fit$feature_weights - run$feature_weight)), 1e-8)
        testthat::expect_lt(max(abs(fit$group_weights - run$group_weight)), 1e-8)
        testthat::expect_lt(max(abs(fit$centers - run$centers)), 1e-8)
      }
    }
  })
}

testthat::test_that("importance is the largest product of feature and group weight", {
  fit <- xc_fgkm(scale(datasets::iris[, 1:4]), 3, groups = c("b", "b", "a", "a"), seed = 1)
  products <- fit$feature_weights * fit$group_weights[, c(2, 2, 1, 1)]
  testthat::expect_equal(unname(fit$importance), apply(products, 2, max))
  testthat::expect_equal(rowSums(fit$group_weights), rep(1, 3))
  testthat::expect_equal(rowSums(fit$feature_weights), rep(2, 3))
})

testthat::test_that("a tie goes to the last cluster, an empty cluster to new starting rows", {
  x <- matrix(c(0, 1, 2, 10, 11), ncol = 1)
  fit <- xc_fgkm(x, 2, centers = matrix(c(0, 2), ncol = 1), max_iter = 1, seed = 1) |> suppressWarnings()
  testthat::expect_identical(fit$labels, c(1L, 2L, 2L, 2L, 2L))
  fit <- xc_fgkm(x, 2, centers = matrix(5, 2, 1), seed = 1)
  testthat::expect_gte(fit$n_restarts, 1L)
  testthat::expect_identical(lengths(split(x, fit$labels), use.names = FALSE), c(3L, 2L)[rank(-tabulate(fit$labels))])
})

testthat::test_that("more clusters than distinct rows is a warning, as many clusters as rows is not", {
  x <- matrix(rep(c(0, 1), each = 5), ncol = 1)
  testthat::expect_warning(fit <- xc_fgkm(x, 3, seed = 1), "1 of 3 clusters stayed empty after 10 restarts")
  testthat::expect_true(all(is.finite(fit$feature_weights)))
  testthat::expect_identical(xc_fgkm(matrix(c(0, 5, 9), ncol = 1), 3)$labels, 1:3)
})

testthat::test_that("with wskm, its fields are read and its seed argument is used", {
  problem <- xc_weighted_problem(
    scale(datasets::iris[, 1:4]), 3, c(1, 1, 2, 2), 6, 30, NULL, 42, 100, 1e-6, 10
  )
  own <- xc_weighted_solve(problem, per_cluster = TRUE)
  # Arguments and fields as in wskm's manual.
  stand_in <- function(x, centers, groups, lambda, eta, maxiter, delta, maxrestart, seed) {
    testthat::expect_identical(list(centers, seed, maxiter), list(3L, 42L, 100L))
    list(
      cluster = own$labels, centers = own$centers, featureWeight = own$feature_weights,
      groupWeight = own$group_weights, iterations = own$n_iter, restarts = own$n_restarts
    )
  }
  read <- xc_weighted_wskm(problem, per_cluster = TRUE, solver = stand_in)
  testthat::expect_equal(read, own[names(read)])
})

testthat::test_that("arguments that cannot be used are named with their values", {
  x <- scale(datasets::iris[, 1:4])
  testthat::expect_error(xc_fgkm(x, 151), "n_clusters must be a whole number from 1 to 150; got 151")
  testthat::expect_error(xc_fgkm(x, 3, groups = 1:3), "each of the 4 features; got 3")
  testthat::expect_error(xc_fgkm(x, 3, centers = x[1:2, ]), "centers must be 3 x 4; got 2 x 4")
  testthat::expect_error(xc_fgkm(x, 3, eta = 0), "eta must be a positive number; got 0")
})
