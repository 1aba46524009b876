# Processor seconds of a call, without what it takes to get there.
processor_time <- function(method, arguments) {
  began <- proc.time()
  do.call(method, arguments)
  spent <- proc.time() - began
  list(seconds = spent[["user.self"]] + spent[["sys.self"]])
}

# The forest of URF by the ranger package: real rows against permuted ones, grown to pure leaves, one thread.
ranger_urf <- function(x, permuted, importance, n_trees, mtry) {
  class <- factor(rep(c("real", "synthetic"), each = nrow(x)))
  rows <- rbind(x, permuted)
  colnames(rows) <- paste0("x", seq_len(ncol(rows)))
  ranger::ranger(x = rows, y = class, num.trees = n_trees, mtry = mtry, min.node.size = 1,
                 importance = if (importance == "gini") "impurity" else "permutation", num.threads = 1,
                 verbose = FALSE)
}

# Bagged consensus of K-means by the clue package, with as many replicas.
clue_bag <- function(x, n_clusters, n_replicas) {
  clue::cl_bag(x, B = n_replicas, k = n_clusters, algorithm = "kmeans")
}
