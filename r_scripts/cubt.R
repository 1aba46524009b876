# CUBT, clustering using unsupervised binary trees (Fraiman, Ghattas, Svarc 2013, doi:10.1007/s11634-013-0129-3), and
# the importance its maximal tree gives each feature (Ghattas, Michel, Boyer 2019, doi:10.1007/s00180-018-0857-0).
# The authors' package `cubt` is on no registry, so this is always the implementation below.

# x: numeric matrix, standardised by the caller. A node with at least min_split points and above max_depth is
# split if both children have at least min_size points and the split takes away more than min_dev times what the
# root's does. Siblings less than min_dist apart are pruned (NULL: the 0.8 quantile of all siblings' dissimilarities;
# quantile: the share of nearest points it is the mean over), then leaves are joined down to n_clusters.
# Returns the importance (deviance taken away by each feature's surrogate splits), labels and the tree: a list of
# vectors by node, the root first; feature, left and right are 0 and cluster is 0 where there is none.
xc_cubt <- function(x, n_clusters = NULL, min_split = 4, min_size = 10, min_dev = 0.001, max_depth = 7,
                    min_dist = NULL, quantile = 0.3) {
  x <- xc_check_matrix(x)
  if (!is.null(n_clusters)) n_clusters <- xc_check_count(n_clusters, "n_clusters")
  min_split <- xc_check_count(min_split, "min_split", 2L)
  min_size <- xc_check_count(min_size, "min_size")
  max_depth <- xc_check_count(max_depth, "max_depth")
  xc_check_between(min_dev, "min_dev", 0, 1)
  if (!is.null(min_dist)) xc_check_between(min_dist, "min_dist", 0, Inf)
  xc_check_between(quantile, "quantile", 0, 1)
  grown <- xc_cubt_grow(x, min_split, min_size, min_dev, max_depth)
  tree <- grown$tree
  leaf <- xc_cubt_prune(x, tree, grown$members, if (is.null(n_clusters)) 1L else n_clusters, min_dist, quantile)
  tree$cluster[leaf] <- xc_cubt_join(x, grown$members[leaf], if (is.null(n_clusters)) length(leaf) else n_clusters)
  labels <- integer(nrow(x))
  for (node in leaf) labels[grown$members[[node]]] <- tree$cluster[node]
  if (all(grown$importance == 0)) warning("the tree has no split, so all importances are 0", call. = FALSE)
  if (!is.null(n_clusters) && max(labels) < n_clusters) {
    warning("n_clusters is ", n_clusters, ", but the tree has only ", max(labels), " leaves", call. = FALSE)
  }
  xc_importance(
    list(
      importance = stats::setNames(grown$importance, colnames(x)), labels = labels, tree = tree,
      package = "reference implementation"
    ),
    "CUBT"
  )
}

# Stop unless value is one number from lower to upper.
xc_check_between <- function(value, name, lower, upper) {
  if (!is.numeric(value) || length(value) != 1L || is.na(value) || value < lower || value > upper) {
    range <- if (is.finite(upper)) paste("from", lower, "to", upper) else paste("of at least", lower)
    stop(name, " must be a number ", range, "; got ", paste(format(value), collapse = " "), call. = FALSE)
  }
}

# The maximal tree, the importances, and the rows in each node.
xc_cubt_grow <- function(x, min_split, min_size, min_dev, max_depth) {
  n <- nrow(x)
  p <- ncol(x)
  centred <- sweep(x, 2L, colMeans(x))
  members <- list(seq_len(n))
  depth <- 0L
  node_of <- function(rows) {
    local <- centred[rows, , drop = FALSE]
    data.frame(feature = 0L, threshold = NaN, left = 0L, right = 0L, n_samples = length(rows),
               deviance = sum(sweep(local, 2L, colMeans(local))^2) / n, gain = 0, cluster = 0L)
  }
  nodes <- list(node_of(members[[1L]]))
  importance <- numeric(p)
  root_gain <- NULL
  node <- 0L
  while (node < length(nodes)) {
    node <- node + 1L
    rows <- members[[node]]
    size <- length(rows)
    if (depth[node] == max_depth || size < min_split) next
    search <- xc_cubt_search(x[rows, , drop = FALSE], centred[rows, , drop = FALSE])
    if (!any(search$cuts)) next
    gains <- search$gains / n
    best <- max(gains)
    if (is.null(root_gain)) root_gain <- best
    at <- which(gains >= best * (1 - 1e-9))[1L]  # gains this close are equal: rounding must not choose a split
    feature <- (at - 1L) %/% (size - 1L) + 1L
    cut <- at - (feature - 1L) * (size - 1L)
    if (min(cut, size - cut) < min_size || best <= max(min_dev, 1e-12) * root_gain * (1 + 1e-9)) next

    left <- rep(FALSE, size)
    left[search$order[seq_len(cut), feature]] <- TRUE
    importance <- importance + xc_cubt_surrogates(gains, search$cuts, search$order, left)
    edge <- x[rows, feature][search$order[cut + 0:1, feature]]
    middle <- edge[1L] / 2 + edge[2L] / 2
    nodes[[node]][c("feature", "threshold", "left", "right", "gain")] <-
      list(feature, if (middle < edge[2L]) middle else edge[1L], length(nodes) + 1L, length(nodes) + 2L, gains[at])
    for (child in list(rows[left], rows[!left])) {
      members[[length(members) + 1L]] <- child
      nodes[[length(nodes) + 1L]] <- node_of(child)
      depth <- c(depth, depth[node] + 1L)
    }
  }
  list(tree = as.list(do.call(rbind, nodes)), members = members, importance = importance)
}

# Order of the points by each feature, where the feature can be cut (after point k of the order), and the sum of
# squares each cut takes away: |s|^2 n / (k (n - k)), s the sum of the k points on the left from the node's mean.
xc_cubt_search <- function(x, centred) {
  n <- nrow(x)
  k <- seq_len(n - 1L)
  local <- sweep(centred, 2L, colMeans(centred))
  order <- apply(x, 2L, order)
  gains <- vapply(seq_len(ncol(x)), function(j) {
    sums <- apply(local[order[k, j], , drop = FALSE], 2L, cumsum)
    rowSums(matrix(sums, n - 1L)^2) * (n / (k * (n - k)))
  }, numeric(n - 1L))
  values <- matrix(x[cbind(as.vector(order), rep(seq_len(ncol(x)), each = n))], n)
  cuts <- values[-n, , drop = FALSE] < values[-1L, , drop = FALSE]
  gains <- matrix(gains, n - 1L)
  gains[!cuts] <- -Inf
  list(order = order, cuts = cuts, gains = gains)
}

# What each feature's best imitation of a split takes away: x <= v sending most points to the split's sides, the
# smallest such v of the feature's values; at the largest, all points go left and nothing is gained.
xc_cubt_surrogates <- function(gains, cuts, order, left) {
  vapply(seq_len(ncol(cuts)), function(j) {
    agreeing <- 2 * cumsum(left[order[, j]]) - seq_along(left)
    allowed <- which(c(cuts[, j], TRUE))
    c(gains[, j], 0)[allowed[which.max(agreeing[allowed])]]
  }, numeric(1L))
}

# Leaves of the pruned tree, from left to right. The least dissimilar siblings that are both leaves go first.
xc_cubt_prune <- function(x, tree, members, at_least, min_dist, quantile) {
  inner <- which(tree$feature > 0L)
  apart <- rep(Inf, length(tree$feature))
  for (node in inner) {
    apart[node] <- xc_cubt_apart(x[members[[tree$left[node]]], , drop = FALSE],
                                 x[members[[tree$right[node]]], , drop = FALSE], quantile)
  }
  if (is.null(min_dist)) min_dist <- if (length(inner)) stats::quantile(apart[inner], 0.8, names = FALSE) else 0
  is_leaf <- tree$feature == 0L
  n_leaves <- sum(is_leaf)
  while (n_leaves > at_least) {
    near <- apart[inner] < min_dist * (1 - 1e-9)  # as for gains, rounding must not choose
    open <- inner[near & !is_leaf[inner] & is_leaf[tree$left[inner]] & is_leaf[tree$right[inner]]]
    if (!length(open)) break
    is_leaf[open[apart[open] <= min(apart[open]) * (1 + 1e-9)][1L]] <- TRUE
    n_leaves <- n_leaves - 1L
  }
  leaves <- function(node) if (is_leaf[node]) node else c(leaves(tree$left[node]), leaves(tree$right[node]))
  leaves(1L)
}

# Dissimilarity of two sets of points: the mean of the smallest share of the distances to the nearest point of the
# other set; the larger of the two directions.
xc_cubt_apart <- function(a, b, share) {
  squares <- outer(rowSums(a^2), rowSums(b^2), "+") - 2 * tcrossprod(a, b)
  near_mean <- function(from, to, nearest) {
    distance <- sort(sqrt(rowSums((from - to[nearest, , drop = FALSE])^2)))
    mean(distance[seq_len(max(1, ceiling(share * length(distance))))])
  }
  max(near_mean(a, b, max.col(-squares, "first")), near_mean(b, a, max.col(-t(squares), "first")))
}

# Cluster of each leaf: join the two with the least (R(union) - R(one) - R(other)) / R(union) until n_clusters are left.
xc_cubt_join <- function(x, leaves, n_clusters) {
  x <- sweep(x, 2L, colMeans(x))
  size <- lengths(leaves)
  mean <- do.call(rbind, lapply(leaves, function(rows) colMeans(x[rows, , drop = FALSE])))
  within <- vapply(seq_along(leaves), function(i) sum(sweep(x[leaves[[i]], , drop = FALSE], 2L, mean[i, ])^2), 0)
  cluster <- seq_along(leaves)
  while (length(size) > n_clusters) {
    between <- as.matrix(stats::dist(mean))^2 * outer(size, size) / outer(size, size, "+")
    union <- between + outer(within, within, "+")
    loss <- ifelse(union > 0, between / union, 0)
    loss[!lower.tri(loss)] <- Inf  # column i < row j, and which() goes by columns
    pair <- arrayInd(which(loss <= min(loss) * (1 + 1e-9))[1L], dim(loss))
    i <- pair[2L]
    j <- pair[1L]
    within[i] <- union[j, i]
    mean[i, ] <- (size[i] * mean[i, ] + size[j] * mean[j, ]) / (size[i] + size[j])
    size[i] <- size[i] + size[j]
    cluster[cluster == j] <- i
    cluster[cluster > j] <- cluster[cluster > j] - 1L
    within <- within[-j]
    size <- size[-j]
    mean <- mean[-j, , drop = FALSE]
  }
  cluster
}
