root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

fit <- xc_importance(
  list(importance = c(a = 0.5, b = 2, c = 2), labels = c(1L, 1L, 2L), package = "none 1.0", importance_error = c(0.1, 0, 0)),
  "A method"
)
smaller <- xc_importance(list(importance = c(0.5, 2), package = "none 1.0"), "Another", larger_is_better = FALSE)

testthat::test_that("a summary ranks features, the most important first", {
  testthat::expect_identical(
    summary(fit),
    data.frame(feature = c("b", "c", "a"), importance = c(2, 2, 0.5), rank = c(1L, 1L, 3L), error = c(0, 0, 0.1))
  )
  testthat::expect_identical(
    summary(smaller), data.frame(feature = c("x1", "x2"), importance = c(0.5, 2), rank = 1:2)
  )
})

testthat::test_that("printing names the method, the software, the clusters and the features", {
  shown <- utils::capture.output(value <- print(fit, n_features = 1L))
  testthat::expect_identical(shown[1:3], c("A method, none 1.0", "Cluster sizes: 2 1 ", "Importance:"))
  testthat::expect_match(shown[5L], "^ +b +2 +1 +0$")
  testthat::expect_identical(shown[6L], "and 2 more features: see summary()")
  testthat::expect_identical(value, fit)
  testthat::expect_identical(utils::capture.output(print(smaller))[2L], "Importance (smaller is more important):")
})

testthat::test_that("plots are drawn", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  plot(fit)
  plot(xc_compare(iris[1:4], 3, methods = c("cubt", "ls")))
  grDevices::dev.off()
  testthat::expect_gt(file.size(file), 1000)
})
