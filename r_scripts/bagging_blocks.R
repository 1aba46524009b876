# The building blocks of bagged clustering, each usable on its own: entropy, information, quality, consensus.

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

# The same for every column of a matrix, with one Fourier transform for all: what density() does, step by step.
# Equal to xc_kde_entropy() up to rounding, and several times as fast.
# resolved: whether a bandwidth is at least a step of the grid; bw.nrd0() may be less, where most values lie close
# together and a few far off, and the density then does not integrate to 1.
xc_kde_entropies <- function(x, resolved = FALSE) {
  n <- nrow(x)
  columns <- ncol(x)
  grid <- 512L # points of density()'s grid
  centred <- x - rep(colMeans(x), each = n)
  sorted <- matrix(x[order(col(x), x)], n)
  range <- sorted[n, ] - sorted[1L, ]
  bandwidth <- xc_bandwidths(sorted, sqrt(colSums(centred^2) / max(n - 1L, 1L)) * (range > 0))
  if (resolved) bandwidth <- pmax(bandwidth, range / grid)
  # Widths in bandwidths: the grid of the result reaches 3 past the data, the working grid 4 further.
  width <- range / bandwidth + 14

  # Linear binning: each value shares its weight between the two grid points it lies between.
  position <- (sorted - rep(sorted[1L, ] - 7 * bandwidth, each = n)) * rep((grid - 1L) / (width * bandwidth), each = n)
  left <- floor(position)
  cell <- as.vector(left) + rep((seq_len(columns) - 1L) * 2L * grid, each = n) + 1
  binned <- rowsum(c(1 - position + left, position - left), c(cell, cell + 1), reorder = FALSE)
  mass <- matrix(0, 2L * grid, columns)
  mass[unique(c(cell, cell + 1))] <- binned / n

  # The kernel by distance in bandwidths, going round: up to half way, and back.
  kernel <- stats::dnorm(outer(0:grid, 2 * width / (2L * grid - 1L)))[c(0:grid, (grid - 1L):1L) + 1L, , drop = FALSE]
  smooth <- Re(stats::mvfft(stats::mvfft(mass) * Conj(stats::mvfft(kernel)), inverse = TRUE))
  smooth <- pmax(smooth, 0) / (2L * grid)

  # Linear interpolation from the working grid to the grid of the result.
  position <- outer(0:(grid - 1L), 1 - 8 / width) + rep(4 * (grid - 1L) / width, each = grid)
  left <- floor(position)
  cell <- as.vector(left) + rep((seq_len(columns) - 1L) * 2L * grid, each = grid) + 1
  low <- smooth[cell]
  f <- (low + (smooth[cell + 1] - low) * (position - left)) / rep(bandwidth, each = grid)
  f <- pmax(f, .Machine$double.eps)
  -colSums(f * log(f)) * (width - 8) * bandwidth / (grid - 1L)
}

# bw.nrd0() of every column of a matrix with sorted columns and these standard deviations; a constant column, or one
# of a single row, takes the value itself (1 when it is 0) as the spread.
xc_bandwidths <- function(sorted, deviation) {
  n <- nrow(sorted)
  quartile <- function(share) {
    rank <- 1 + (n - 1L) * share
    below <- sorted[floor(rank), ]
    below + (rank - floor(rank)) * (sorted[ceiling(rank), ] - below)
  }
  spread <- pmin(deviation, (quartile(0.75) - quartile(0.25)) / 1.34)
  for (fallback in list(deviation, abs(sorted[1L, ]), 1)) spread <- ifelse(spread > 0, spread, fallback)
  0.9 * spread * n^-0.2
}

# Mutual information of each column with a partition: H(X_j) - sum over clusters of n_c / n H(X_j | c).
# entropy      H(X_j), where it is known already
# information  "kde": from densities, as published. "auto": counted value by value where no density exists (at most two
#              values, an interquartile range of 0, the same value in all rows of a cluster; a single row tells
#              nothing). "discrete": so are all columns of few values, at most sqrt(n).
# always       columns counted whatever the partition, where they are known already
# The columns that were counted are the attribute "discrete".
# near         whether far values of x have been brought nearer already: see xc_near_tails(). Unless it is "kde", they are.
xc_mutual_information <- function(x, labels, entropy = NULL, information = "auto",
                                  always = xc_always_discrete(x, information), near = FALSE) {
  resolved <- information != "kde"
  if (resolved && !near) x <- xc_near_tails(x)
  if (is.null(entropy)) entropy <- xc_kde_entropies(x, resolved)
  clusters <- split(seq_along(labels), labels)
  counted <- always
  conditional <- 0
  for (rows in clusters) {
    within <- x[rows, , drop = FALSE]
    if (information == "kde" || length(rows) > 1L) {
      conditional <- conditional + length(rows) / nrow(x) * xc_kde_entropies(within, resolved)
    } else {
      conditional <- conditional + entropy / nrow(x)
    }
    if (information != "kde" && length(rows) > 1L) {
      counted <- counted | colSums(within != rep(within[1L, ], each = length(rows))) == 0
    }
  }
  result <- if (length(clusters) == 1L) 0 * entropy else entropy - conditional
  for (j in which(counted)) result[j] <- xc_discrete_information(xc_value_codes(x[, j]), labels)
  structure(result, discrete = counted)
}

# Columns without a density: at most two values (for "discrete": few), or an interquartile range of 0.
xc_always_discrete <- function(x, information) {
  if (information == "kde") return(rep(FALSE, ncol(x)))
  few <- if (information == "discrete") xc_few_values(nrow(x)) else 2L
  apply(x, 2L, function(column) length(unique(column)) <= few || xc_iqr(column) == 0)
}

# What to divide columns without a density by, so that a rare value is no outlier (1 for all others): rows off the most
# frequent value then lie 2 from it (root mean square), as in a standardised flag that is set in half of the rows.
xc_comparable_scale <- function(x) {
  scale <- rep(1, ncol(x))
  for (j in which(xc_always_discrete(x, "auto"))) {
    values <- sort(unique(x[, j]))
    off <- x[, j] - values[which.max(tabulate(match(x[, j], values)))]
    if (any(off != 0)) scale[j] <- sqrt(mean(off[off != 0]^2)) / 2
  }
  scale
}

# Interquartile range by R's type 7, exactly 0 where the quartiles are equal values.
xc_iqr <- function(x) {
  sorted <- sort(x)
  rank <- 1 + (length(x) - 1L) * c(0.25, 0.75)
  below <- sorted[floor(rank)]
  diff(below + (rank - floor(rank)) * (sorted[ceiling(rank)] - below))
}

# How many different values can be counted one by one in n rows.
xc_few_values <- function(n) max(2L, as.integer(floor(sqrt(n))))

# Values as codes to count by: one per value; where there are more than the limit, one for values of about the same rank.
xc_value_codes <- function(x, limit = xc_few_values(length(x))) {
  if (length(unique(x)) > limit) x <- ((rank(x, ties.method = "min") - 1) * limit) %/% length(x)
  match(x, sort(unique(x)))
}

# Mutual information of two partitions by counting. What chance gives on average, (v - 1) (k - 1) / 2n for v values
# and k clusters (Miller, 1955), is taken off, and the rest stretched so that a copy of the labels keeps their entropy.
xc_discrete_information <- function(codes, labels) {
  n <- length(labels)
  codes <- match(codes, unique(codes))
  labels <- match(labels, unique(labels))
  table <- matrix(tabulate(codes + max(codes) * (labels - 1L), max(codes) * max(labels)), max(codes))
  entropy <- function(counts) log(n) - sum(counts[counts > 0] * log(counts[counts > 0])) / n
  most <- entropy(colSums(table))
  chance <- (nrow(table) - 1) * (ncol(table) - 1) / (2 * n)
  if (chance >= most) return(0) # too few rows to tell, or a single cluster
  information <- most + entropy(rowSums(table)) - entropy(table)
  most * (information - chance) / (most - chance)
}

# Dunn index: smallest distance between clusters over the largest distance within one. 0 for a single cluster and where
# clusters share a point, otherwise Inf when no cluster has an extent. distance: of the pairs, in the order of dist(),
# where it is known already.
xc_dunn <- function(x, labels, distance = stats::dist(x), pairs = xc_pairs(nrow(x))) {
  same <- labels[pairs$first] == labels[pairs$second]
  if (all(same)) return(0)
  separation <- min(distance[!same])
  diameter <- max(0, distance[same])
  if (separation == 0) 0 else if (diameter > 0) separation / diameter else Inf
}

# All pairs of n points, in the order of dist().
xc_pairs <- function(n) {
  list(first = rep(seq_len(n - 1L), (n - 1L):1L), second = sequence((n - 1L):1L, seq_len(n - 1L) + 1L))
}

# A function that gives the distances of all pairs in the features where `drawn` is TRUE. Small data keeps the squared
# differences of each feature, so that a subspace costs no more than their sum.
xc_subspace_distances <- function(x, pairs) {
  if (length(pairs$first) * ncol(x) > 2^21) return(function(drawn) stats::dist(x[, drawn, drop = FALSE]))
  squares <- (x[pairs$first, , drop = FALSE] - x[pairs$second, , drop = FALSE])^2
  function(drawn) sqrt(as.vector(squares %*% drawn))
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
    stop("weights must be ", nrow(labels), " finite numbers, not negative and not all 0; got ",
         paste(format(weights), collapse = " "), call. = FALSE)
  }
  cost <- round(as.vector(xc_pairwise_vi(labels) %*% (weights / sum(weights))), 12)
  index <- which.min(cost)
  list(labels = labels[index, ], index = index, cost = cost)
}
