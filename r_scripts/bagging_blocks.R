# The building blocks of bagged clustering, each usable on its own: entropy, information, quality, consensus.

# A block's value as a named list, for callers that want one: xc_value("xc_dunn", x = x, labels = labels).
xc_value <- function(block, ...) list(value = get(block, mode = "function")(...))

# Differential entropy of a sample from its Gaussian kernel density, in nats. The density is that of density()
# with R's default bandwidth; a constant sample or a single value, for which bw.nrd0() leaves the spread open,
# takes the value itself (1 when it is 0) as the spread.
xc_kde_entropy <- function(x) {
  constant <- min(x) == max(x)
  bandwidth <- if (constant) 0.9 * (if (x[1L] == 0) 1 else abs(x[1L])) * length(x)^-0.2 else stats::bw.nrd0(x)
  arguments <- list(x, bw = bandwidth)
  # R 4.4 moved the grid of density(); the published numbers are older.
  if ("old.coords" %in% names(formals(utils::getS3method("density", "default")))) arguments$old.coords <- TRUE
  estimate <- do.call(stats::density, arguments)
  f <- pmax(estimate$y, .Machine$double.eps)
  -sum(f * log(f)) * (estimate$x[2L] - estimate$x[1L])
}

# Mutual information of each column with a partition: H(X_j) - sum over clusters of n_c / n H(X_j | c).
# entropy: H(X_j), where it is known already.
xc_mutual_information <- function(x, labels, entropy = apply(x, 2L, xc_kde_entropy)) {
  conditional <- function(column) {
    groups <- split(column, labels)
    sum(lengths(groups) * vapply(groups, xc_kde_entropy, 0)) / length(column)
  }
  as.vector(entropy - apply(x, 2L, conditional))
}

# Dunn index: smallest distance between clusters over the largest distance within one. 0 for a single cluster,
# Inf when no cluster has an extent.
xc_dunn <- function(x, labels) {
  if (all(labels == labels[1L])) return(0)
  distance <- as.matrix(stats::dist(x))
  same <- outer(labels, labels, "==")
  diameter <- max(distance[same])
  if (diameter > 0) min(distance[!same]) / diameter else Inf
}

# Variation of information between two partitions: H(a) + H(b) - 2 I(a, b), in nats.
xc_vi <- function(a, b) xc_pairwise_vi(rbind(a, b))[1L, 2L]

# Variation of information between all rows of a matrix of labels.
xc_pairwise_vi <- function(labels) {
  n <- ncol(labels)
  codes <- t(apply(labels, 1L, function(row) match(row, unique(row))))
  partition <- rep(seq_len(nrow(codes)), apply(codes, 1L, max))
  # One column per cluster of any partition: products of columns count shared samples.
  member <- do.call(cbind, lapply(seq_len(nrow(codes)), function(b) outer(codes[b, ], seq_len(max(codes[b, ])), "==")))
  share <- crossprod(member) / n
  terms <- ifelse(share > 0, -share * log(share), 0)
  entropy <- as.vector(rowsum(diag(terms), partition))
  joint <- rowsum(t(rowsum(terms, partition)), partition)
  vi <- unname(2 * joint - outer(entropy, entropy, "+"))
  vi[vi < 1e-12] <- 0 # equal partitions, up to rounding
  vi
}

# The row of a matrix of labels with the smallest weighted mean variation of information to all rows;
# the first of equals. Rounding must not decide between equals.
xc_consensus <- function(labels, weights = rep(1, nrow(labels))) {
  if (length(weights) != nrow(labels) || any(!is.finite(weights)) || any(weights < 0) || sum(weights) == 0) {
    stop("weights must be ", nrow(labels), " finite numbers, not negative and not all 0, got ",
         paste(format(weights), collapse = " "), call. = FALSE)
  }
  cost <- round(as.vector(xc_pairwise_vi(labels) %*% (weights / sum(weights))), 12)
  index <- which.min(cost)
  list(labels = labels[index, ], index = index, cost = cost)
}
