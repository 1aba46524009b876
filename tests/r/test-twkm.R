root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

golden <- function(name) jsonlite::fromJSON(file.path(root, "tests", "data", name), simplifyDataFrame = FALSE)
centers_of <- function(run) if (is.null(run$centers_init)) NULL else matrix(unlist(run$centers_init), run$k)

for (file in c("wskm_iris.json", "wskm_two_blobs.json")) {
  testthat::test_that(paste("TWKM is wskm's, run for run:", file), {
    data <- golden(file)
    runs <- Filter(function(run) run$fun == "twkm", data$runs)
    testthat::expect_gt(length(runs), 7L)
    for (run in runs) {
      fit <- xc_twkm(
        data$data, run$k, run$groups, run$lambda, run$eta, centers_of(run), seed = run$seed
      )
      testthat::expect_identical(fit$labels, run$cluster)
      testthat::expect_equal(fit$n_iter, run$iterations)
      testthat::expect_equal(fit$n_restarts, run$restarts)
      testthat::expect_lt(max(abs(fit$feature_weights - run$feature_weight)), 1e-8)
      testthat::expect_lt(max(abs(fit$group_weights - run$group_weight)), 1e-8)
      testthat::expect_lt(max(abs(fit$centers - run$centers)), 1e-8)
    }
  })
}

testthat::test_that("importance is feature weight times group weight, and sums to 1", {
  fit <- xc_twkm(scale(datasets::iris[, 1:4]), 3, groups = c("b", "b", "a", "a"), lambda = 50, eta = 50, seed = 1)
  testthat::expect_equal(unname(fit$importance), fit$feature_weights * fit$group_weights[c(2, 2, 1, 1)])
  testthat::expect_equal(sum(unname(fit$importance)), 1)
})

testthat::test_that("with wskm, weights may come as vectors", {
  problem <- xc_weighted_problem(
    scale(datasets::iris[, 1:4]), 3, c(1, 1, 2, 2), 6, 30, NULL, 42, 100, 1e-6, 10
  )
  own <- xc_weighted_solve(problem, per_cluster = FALSE)
  # Arguments and fields as in wskm's manual.
  stand_in <- function(x, centers, groups, lambda, eta, maxiter, delta, maxrestart, seed) {
    list(
      cluster = own$labels, centers = own$centers, featureWeight = as.vector(own$feature_weights),
      groupWeight = as.vector(own$group_weights), iterations = own$n_iter, restarts = own$n_restarts
    )
  }
  read <- xc_weighted_wskm(problem, per_cluster = FALSE, solver = stand_in)
  testthat::expect_equal(read, own[names(read)])
})
