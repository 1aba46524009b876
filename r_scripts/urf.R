# Unsupervised random forest: what tells the data from its own shuffled columns
# (Shi and Horvath 2006, https://doi.org/10.1198/106186006X94072), with randomForest.

# x          numeric matrix, rows are observations
# importance "gini": mean decrease of the Gini index; "permutation": accuracy lost when a feature is permuted
# protocol   of the permutation importance: "oob" compares out-of-bag accuracies (randomForest's own);
#            "paper" sets the out-of-bag accuracy against in-bag predictions, as the published row does
# permuted   the synthetic rows, same shape as x; NULL permutes every column of x independently
xc_urf <- function(x, importance = "gini", protocol = "oob", n_trees = 500, mtry = 2,
                   permuted = NULL) {
  x <- unname(xc_check_matrix(x))
  if (ncol(x) < 2L) stop("x must have at least 2 columns; got ", ncol(x), call. = FALSE)
  xc_check_choice(importance, "importance", c("gini", "permutation"))
  xc_check_choice(protocol, "protocol", c("oob", "paper"))
  n_trees <- xc_check_count(n_trees, "n_trees")
  mtry <- xc_check_count(mtry, "mtry", 1L, ncol(x))
  if (is.null(permuted)) permuted <- apply(x, 2L, sample)
  permuted <- unname(xc_check_matrix(permuted))
  if (!identical(dim(permuted), dim(x))) {
    stop("permuted must be as large as x, ", paste(dim(x), collapse = " x "), "; got ",
         paste(dim(permuted), collapse = " x "), call. = FALSE)
  }
  rows <- rbind(x, permuted)
  class <- factor(rep(c("real", "synthetic"), each = nrow(x)))
  own_permutation <- importance == "permutation" && protocol == "oob"
  forest <- randomForest::randomForest(rows, class, ntree = n_trees, mtry = mtry, nodesize = 1,
                                       importance = own_permutation)
  scores <- if (importance == "gini") {
    forest$importance[, "MeanDecreaseGini"]
  } else if (own_permutation) {
    forest$importance[, "MeanDecreaseAccuracy"]
  } else {
    xc_urf_paper_loss(forest, rows, class)
  }
  list(importance = as.numeric(scores), package = xc_package_version("randomForest"))
}

# Out-of-bag accuracy minus the accuracy on all rows, in bag included, with one feature permuted.
xc_urf_paper_loss <- function(forest, rows, class) {
  judged <- !is.na(forest$predicted) # rows out of some tree's bag
  out_of_bag <- if (any(judged)) mean((forest$predicted == class)[judged]) else 0
  permuted_accuracy <- function(j) {
    rows[, j] <- rows[sample.int(nrow(rows)), j]
    mean(stats::predict(forest, rows) == class)
  }
  out_of_bag - vapply(seq_len(ncol(rows)), permuted_accuracy, numeric(1))
}
