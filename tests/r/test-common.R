root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

testthat::test_that("a numeric matrix passes, integers become doubles, a data frame becomes a matrix", {
  x <- matrix(1:6, 3, dimnames = list(NULL, c("a", "b")))
  testthat::expect_identical(xc_check_matrix(x), x + 0)
  testthat::expect_identical(xc_check_matrix(as.data.frame(x)), x + 0)
})

testthat::test_that("anything else is refused with what was got", {
  testthat::expect_error(xc_check_matrix(1:3), "x must be a numeric matrix; got integer of type integer")
  testthat::expect_error(xc_check_matrix(matrix("a")), "got matrix of type character")
  frame <- data.frame(a = 1:3, b = factor(1:3), c = "x")
  testthat::expect_error(xc_check_matrix(frame), "x must hold numbers only; got factor in b, c: leave it out")
  testthat::expect_identical(xc_check_matrix(data.frame(a = c(TRUE, FALSE))), cbind(a = c(1, 0)))
  testthat::expect_error(xc_check_matrix(matrix(1)), "at least 2 rows and 1 column; got 1 x 1")
  testthat::expect_error(xc_check_matrix(matrix(0, 3, 0)), "got 3 x 0")
  testthat::expect_error(xc_check_matrix(matrix(c(1, NA, Inf, NaN), 2)), "finite numbers only; got 3 missing or infinite: leave")
  testthat::expect_error(xc_check_matrix(data.frame(a = 1:3, b = c(1, NA, 3))), "got 1 missing or infinite in b: leave those rows out")
})

testthat::test_that("counts are whole numbers in a range", {
  testthat::expect_identical(xc_check_count(3, "k"), 3L)
  testthat::expect_error(xc_check_count(0, "k"), "k must be a whole number of at least 1; got 0")
  testthat::expect_error(xc_check_count(9, "k", upper = 5), "k must be a whole number from 1 to 5; got 9")
  for (bad in list(1.5, NA, "a", NULL, c(1, 2))) testthat::expect_error(xc_check_count(bad, "k"), "k must be")
})

testthat::test_that("versions of packages", {
  testthat::expect_identical(xc_package_version("stats"), paste("stats", getRversion()))
  testthat::expect_null(xc_package_version("no.such.package"))
})

testthat::test_that("standardised columns have mean 0 and sample variance 1; constant columns become 0", {
  x <- cbind(a = c(1, 2, 4, 9), b = 0.1, c = c(1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3))
  z <- xc_standardize(x)
  testthat::expect_equal(unname(colMeans(z)), c(0, 0, 0))
  testthat::expect_equal(unname(apply(z, 2L, stats::var)), c(1, 0, 1))
  testthat::expect_identical(colnames(z), colnames(x))
})

testthat::test_that("two values on either side of the most frequent one leave no gaps", {
  z <- xc_standardize(cbind(c(rep(1, 50), 0, 2)))
  testthat::expect_equal(c(mean(z), stats::var(as.vector(z))), c(0, 1))
})

testthat::test_that("importances go by the names of the columns", {
  x <- xc_standardize(as.matrix(iris[, 1:4]))
  set.seed(1)
  found <- list(
    xc_bagging(x, 3, n_replicas = 3), xc_refined(x, 3, rounds = 1, n_replicas = 3), xc_cubt(x, 3), xc_twkm(x, 3),
    xc_fgkm(x, 3), xc_laplacian_score(x)
  )
  for (fit in found) testthat::expect_named(fit$importance, colnames(x))
  testthat::expect_null(names(xc_cubt(unname(x), 3)$importance))
})
