root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

testthat::test_that("without ties the scores are diptest's own", {
  set.seed(1)
  x <- cbind(stats::rnorm(60), stats::rnorm(60, rep(c(0, 6), 30)))
  fit <- xc_dip(x)
  testthat::expect_identical(fit$importance, unname(apply(x, 2, diptest::dip)))
  testthat::expect_match(fit$package, "^diptest [0-9.-]+$")
})

testthat::test_that("equal values are laid out over the room that rounding took", {
  testthat::expect_equal(xc_spread_ties(c(1, 1, 2, 2, 2, 7)), c(0.75, 1.25, 1.75, 2.25, 2.75, 7))
  testthat::expect_identical(xc_spread_ties(c(3, 3)), c(3, 3))
})

testthat::test_that("coins, constants and three rows have no dip", {
  x <- cbind(rep(0:1, 50), 0)
  testthat::expect_equal(xc_dip(x)$importance, c(1, 1) / 200)
  testthat::expect_equal(xc_dip(x[1:3, ])$importance, c(1, 1) / 6)
})
