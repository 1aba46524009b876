root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

testthat::test_that("scores are put on a common scale, larger for the more important", {
  runs <- function(..., larger = TRUE) lapply(list(...), function(s) xc_importance(list(importance = s), "", larger))
  testthat::expect_identical(xc_normalized(runs(c(-1, 1, 4), c(2, 2, 2)), "max"), cbind(c(0, 0.25, 1), 1))
  testthat::expect_identical(xc_normalized(runs(c(-1, 1, 4), c(2, 2, 2)), "minmax"), cbind(c(0, 0.4, 1), 1))
  testthat::expect_identical(xc_normalized(runs(c(0, 0.5)), "none"), cbind(c(0, 0.5)))
  testthat::expect_identical(xc_normalized(runs(c(1, 2, 5), larger = FALSE), "max"), cbind(c(1, 0.75, 0)))
})

testthat::test_that("methods stand side by side, whatever else runs and in whatever order", {
  both <- xc_compare(iris[1:4], 3, methods = c("twkm", "cubt"), n_runs = 2, seed = 1)
  testthat::expect_identical(dimnames(both$table), list(c("twkm", "cubt"), names(iris)[1:4]))
  testthat::expect_identical(both$n_runs, c(twkm = 2L, cubt = 1L))
  x <- xc_standardize(iris[1:4])
  testthat::expect_identical(both$table["cubt", ], xc_cubt(x, 3)$importance / max(xc_cubt(x, 3)$importance))
  other <- xc_compare(iris[1:4], 3, methods = c("cubt", "twkm"), n_runs = 2, seed = 1)
  testthat::expect_identical(both$table["twkm", ], other$table["twkm", ])
  testthat::expect_identical(both$labels, other$labels[c("twkm", "cubt")])
  testthat::expect_identical(unname(apply(both$ranks, 1L, min)), c(1L, 1L))
})

testthat::test_that("a seed leaves the generator as it was", {
  set.seed(5)
  before <- .Random.seed
  xc_compare(iris[1:4], 3, methods = "twkm", seed = 1)
  testthat::expect_identical(.Random.seed, before)
})

testthat::test_that("a method that fails is left out with its reason", {
  found <- xc_compare(iris[c(1, 50, 51, 100, 101, 150), 1:4], 6, methods = c("clustvarsel", "ls"))
  testthat::expect_identical(rownames(found$table), "ls")
  testthat::expect_named(found$failures, "clustvarsel")
  shown <- utils::capture.output(print(found))
  testthat::expect_match(shown[length(shown)], "^left out: clustvarsel, ")
  testthat::expect_error(xc_compare(iris[1:6, 1:4], 6, methods = "clustvarsel"), "no method could run: clustvarsel: ")
})

testthat::test_that("requests that cannot be met get one line", {
  testthat::expect_error(xc_compare(iris, 3), "numbers only; got factor in Species: leave it out, or code it as numbers")
  testthat::expect_error(xc_compare(iris[1:4], 3, methods = "kmeans"), "methods must be one of \"basic\", .*; got kmeans")
  testthat::expect_error(xc_compare(iris[1], 3), "at least 2 columns; got 1")
  testthat::expect_error(xc_compare(cbind(1:9, 2), 3), "at least 2 columns that vary; got 1")
})

testthat::test_that("features are listed by refined where it ran, else by their mean rank", {
  table <- rbind(refined = c(a = 0.1, b = 1, c = 0.5), ls = c(1, 0, 0.5), dip = c(1, 0, 0.5))
  made <- function(rows) {
    part <- table[rows, , drop = FALSE]
    structure(list(table = part, ranks = t(apply(-part, 1L, rank))), class = "xc_comparison")
  }
  testthat::expect_identical(summary(made(1:3))$feature, c("b", "c", "a"))
  testthat::expect_identical(summary(made(2:3))$feature, c("a", "c", "b"))
})
