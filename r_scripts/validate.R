# The R side of the validation run: the building blocks of bagged clustering on given partitions, in one call.

# x         numeric matrix, standardised
# labels    partitions of its rows, one a row, any whole numbers
# features  0/1, one row per partition: its subspace
# weights   of the partitions, for the consensus
# n_split   how many of the partitions to take entropies within
# Returns entropy (of each column, by density() itself: a row for all of it, then one for each cluster of the first
# n_split partitions); with a row per partition information_auto, information_kde, information_discrete, dunn_subspace,
# dunn_full; vi (of all pairs); consensus_index and consensus_cost.
xc_blocks <- function(x, labels, features, weights, n_split = nrow(labels)) {
  x <- unname(xc_check_matrix(x))
  partitions <- seq_len(nrow(labels))
  within <- function(b) do.call(rbind, lapply(split.data.frame(x, labels[b, ]), apply, 2L, xc_kde_entropy))
  information <- function(how) {
    t(vapply(partitions, function(b) as.vector(xc_mutual_information(x, labels[b, ], information = how)), numeric(ncol(x))))
  }
  consensus <- xc_consensus(labels, weights)
  list(
    entropy = rbind(apply(x, 2L, xc_kde_entropy), unname(do.call(rbind, lapply(seq_len(n_split), within)))),
    information_auto = information("auto"), information_kde = information("kde"),
    information_discrete = information("discrete"),
    dunn_subspace = vapply(partitions, function(b) xc_dunn(x[, features[b, ] == 1, drop = FALSE], labels[b, ]), 0),
    dunn_full = vapply(partitions, function(b) xc_dunn(x, labels[b, ]), 0),
    vi = xc_pairwise_vi(labels), consensus_index = consensus$index, consensus_cost = consensus$cost
  )
}
