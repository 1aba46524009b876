# What every method returns, and how it is shown: a list with `importance`, mostly `labels`, and `package`.

# fields            of the result
# title             of the method
# larger_is_better  whether a large score means an important feature
xc_importance <- function(fields, title, larger_is_better = TRUE) {
  structure(fields, class = "xc_importance", title = title, larger_is_better = larger_is_better)
}

# Names of the columns of the data; x1, x2, ... where they have none.
xc_feature_names <- function(importance) {
  if (is.null(names(importance))) paste0("x", seq_along(importance)) else names(importance)
}

summary.xc_importance <- function(object, ...) {
  scores <- object$importance
  rank <- rank(if (attr(object, "larger_is_better")) -scores else scores, ties.method = "min")
  table <- data.frame(feature = xc_feature_names(scores), importance = unname(scores), rank = unname(rank))
  table$error <- object$importance_error
  table <- table[order(table$rank), ]
  rownames(table) <- NULL
  table
}

print.xc_importance <- function(x, digits = 3L, n_features = 20L, ...) {
  table <- summary(x)
  cat(attr(x, "title"), ", ", x$package, "\n", sep = "")
  if (!is.null(x$labels)) cat("Cluster sizes:", tabulate(x$labels), "\n")
  cat("Importance", if (!attr(x, "larger_is_better")) " (smaller is more important)", ":\n", sep = "")
  print(utils::head(table, n_features), digits = digits, row.names = FALSE)
  if (nrow(table) > n_features) cat("and", nrow(table) - n_features, "more features: see summary()\n")
  invisible(x)
}

plot.xc_importance <- function(x, n_features = 20L, xlab = "importance", main = attr(x, "title"), ...) {
  table <- utils::head(summary(x), n_features)
  graphics::dotchart(rev(table$importance), labels = rev(table$feature), xlab = xlab, main = main, pch = 19, ...)
  invisible(x)
}
