# Unsupervised random forest: what tells the data from its own shuffled columns
# (Shi and Horvath 2006, https://doi.org/10.1198/106186006X94072), with randomForest or ranger.

# x          numeric matrix, rows are observations; or a data frame, where factors and text are categories and ordered
#            factors enter by rank
# importance "gini": mean decrease of the Gini index; "permutation": accuracy lost when a feature is permuted
# protocol   of the permutation importance: "oob" compares out-of-bag accuracies (randomForest's own);
#            "paper" sets the out-of-bag accuracy against in-bag predictions, as the published row does
# nominal    columns of a matrix that hold codes of categories, by number
# permuted   the synthetic rows, same shape as x; NULL permutes every column of x independently
# r_package  what grows the forest: "randomForest", or "ranger" by the same rules on the same scale
# n_forests  forests that the trees are divided into, each with synthetic rows of its own, which lowers the Monte Carlo
#            error; NULL: 20, or fewer above 50,000 values; one with the paper's protocol or with permuted
xc_urf <- function(x, importance = "gini", protocol = "oob", n_trees = 500, mtry = 2,
                   nominal = NULL, permuted = NULL, r_package = "randomForest", n_forests = NULL) {
  features <- colnames(x)
  if (is.data.frame(x)) {
    nominal <- c(nominal, which(vapply(x, function(column) is.character(column) || is.factor(column) && !is.ordered(column), NA)))
    levelled <- vapply(x, function(column) is.character(column) || is.factor(column), NA)
    x[levelled] <- lapply(x[levelled], function(column) as.integer(as.factor(column)))
  }
  x <- unname(xc_check_matrix(x))
  if (ncol(x) < 2L) stop("x must have at least 2 columns; got ", ncol(x), call. = FALSE)
  xc_check_varies(x, 1L) # randomForest would never return
  xc_check_choice(importance, "importance", c("gini", "permutation"))
  xc_check_choice(protocol, "protocol", c("oob", "paper"))
  xc_check_choice(r_package, "r_package", c("randomForest", "ranger"))
  n_trees <- xc_check_count(n_trees, "n_trees")
  mtry <- xc_check_count(mtry, "mtry", 1L, ncol(x))
  by_paper <- importance == "permutation" && protocol == "paper"
  most_forests <- if (by_paper || !is.null(permuted)) 1L else n_trees
  if (is.null(n_forests)) n_forests <- max(1, min(20, most_forests, 1e6 %/% length(x)))
  n_forests <- xc_check_count(n_forests, "n_forests", 1L, most_forests)
  if (!is.null(permuted)) permuted <- unname(xc_check_matrix(permuted))
  if (!is.null(permuted) && !identical(dim(permuted), dim(x))) {
    stop("permuted must be as large as x, ", paste(dim(x), collapse = " x "), "; got ",
         paste(dim(permuted), collapse = " x "), call. = FALSE)
  }
  class <- factor(rep(c("real", "synthetic"), each = nrow(x)))
  most <- max(0L, lengths(lapply(nominal, function(j) unique(x[, j]))))
  if (r_package == "ranger" && most > 16L) {
    stop("ranger tries all subsets of up to 16 levels; got ", most, ": leave these categories to randomForest", call. = FALSE)
  }
  grow <- if (r_package == "ranger") xc_grow_ranger else xc_grow_random_forest
  one_forest <- function(n_trees) {
    rows <- rbind(x, if (is.null(permuted)) apply(x, 2L, sample) else permuted)
    if (length(nominal)) {
      rows <- as.data.frame(rows)
      rows[nominal] <- lapply(rows[nominal], factor)
    }
    forest <- grow(rows, class, n_trees, mtry, if (by_paper) "gini" else importance)
    if (by_paper) xc_urf_paper_loss(forest, rows, class) else forest$importance
  }
  sizes <- tabulate(((seq_len(n_trees) - 1) * n_forests) %/% n_trees + 1, n_forests)
  scores <- vapply(sizes, one_forest, numeric(ncol(x))) %*% (sizes / n_trees)
  xc_importance(
    list(importance = stats::setNames(as.numeric(scores), features), package = xc_package_version(r_package)),
    paste("Unsupervised random forest,", importance)
  )
}

# A forest of either package: its importances, what it says of rows out of its trees' bags (NA: in all of them), and
# of any rows. Trees are grown to pure leaves.
xc_grow_random_forest <- function(rows, class, n_trees, mtry, importance) {
  forest <- randomForest::randomForest(rows, class, ntree = n_trees, mtry = mtry, nodesize = 1,
                                       importance = importance == "permutation")
  measure <- if (importance == "gini") "MeanDecreaseGini" else "MeanDecreaseAccuracy"
  list(
    importance = forest$importance[, measure],
    out_of_bag = forest$predicted,
    predict = function(rows) stats::predict(forest, rows)
  )
}

xc_grow_ranger <- function(rows, class, n_trees, mtry, importance) {
  colnames(rows) <- paste0("x", seq_len(ncol(rows))) # ranger wants names
  measure <- if (importance == "gini") "impurity" else "permutation"
  forest <- ranger::ranger(x = rows, y = class, num.trees = n_trees, mtry = mtry, min.node.size = 1,
                           importance = measure, num.threads = 1, respect.unordered.factors = "partition")
  list(
    importance = forest$variable.importance,
    out_of_bag = forest$predictions,
    predict = function(rows) {
      colnames(rows) <- forest$forest$independent.variable.names
      stats::predict(forest, rows, num.threads = 1)$predictions
    }
  )
}

# Out-of-bag accuracy minus the accuracy on all rows, in bag included, with one feature permuted.
xc_urf_paper_loss <- function(forest, rows, class) {
  judged <- !is.na(forest$out_of_bag) # rows out of some tree's bag
  out_of_bag <- if (any(judged)) mean((forest$out_of_bag == class)[judged]) else 0
  permuted_accuracy <- function(j) {
    rows[, j] <- rows[sample.int(nrow(rows)), j]
    mean(forest$predict(rows) == class)
  }
  out_of_bag - vapply(seq_len(ncol(rows)), permuted_accuracy, numeric(1))
}
