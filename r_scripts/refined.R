# Refined clustering: rounds of bagging in which features are drawn by what the round before found. Base R. Needs
# bagging_blocks.R and bagging.R.

# x           numeric matrix, standardised
# rounds      the first draws columns uniformly, and so does a quarter of the replicas of all others but the last
# n_replicas  in each round
# exponent    power of the importance by which columns are drawn
# n_init      K-means starts per replica; the partition has 20
# algorithm   of kmeans(), as in xc_bagging()
# Returns importance (mean of all rounds but the first), round_importances, labels (clusters numbered from the largest),
# feature_weights (of squared distances in the partition) and needs_company (columns of few values, which count only as
# far as others share their groups).
xc_refined <- function(x, n_clusters, rounds = 5L, n_replicas = 60L, exponent = 2, n_init = 3L,
                       algorithm = "Hartigan-Wong") {
  names_of_columns <- colnames(x)
  x <- unname(xc_check_matrix(x))
  if (ncol(x) < 2L) stop("x must have at least 2 columns; got ", ncol(x), call. = FALSE)
  n_clusters <- xc_check_count(n_clusters, "n_clusters", 2L, nrow(x))
  rounds <- xc_check_count(rounds, "rounds")
  n_replicas <- xc_check_count(n_replicas, "n_replicas")
  n_init <- xc_check_count(n_init, "n_init")
  xc_check_choice(algorithm, "algorithm", c("Hartigan-Wong", "Lloyd"))
  if (!is.numeric(exponent) || length(exponent) != 1L || !isTRUE(exponent >= 0)) {
    stop("exponent must be a number of at least 0; got ", paste(format(exponent), collapse = " "), call. = FALSE)
  }
  x <- sweep(x, 2L, xc_comparable_scale(x), "/")
  few <- xc_needs_company(x, n_clusters)
  change <- xc_symmetry(x)
  scales <- list(x)
  spread <- list(xc_untied(x, few))
  if (length(change$columns) > 0L) {
    scales[[2L]] <- xc_symmetric(x, change)
    spread[[2L]] <- xc_symmetric(spread[[1L]], change)
  }
  factors <- lapply(scales, xc_factors)
  importance <- as.numeric(apply(x, 2L, function(column) min(column) < max(column)))
  found <- matrix(0, rounds, ncol(x))
  for (round in seq_len(rounds)) {
    draw <- xc_refined_drawing(importance, exponent)
    labels <- matrix(0L, n_replicas, nrow(x))
    features <- matrix(0L, n_replicas, ncol(x))
    whitened <- stats::runif(n_replicas) < 0.5
    scale <- sample.int(length(scales), n_replicas, replace = TRUE)
    n_factors <- vapply(factors, function(one) ncol(one$scores), 0L)[scale]
    removed <- (stats::runif(n_replicas) < 0.6) * ceiling(stats::runif(n_replicas) * n_factors)
    sizes <- xc_subspace_sizes(n_replicas, ncol(x))
    explored <- if (round == 1L) n_replicas else if (round == rounds) 0L else n_replicas %/% 4L
    for (b in seq_len(n_replicas)) {
      chosen <- if (b <= explored) {
        xc_draw_by_weight(rep(1, ncol(x)), sizes[b], few)
      } else {
        xc_draw_by_weight(draw$weights, draw$m, few)
      }
      subspace <- xc_without_factors(scales[[scale[b]]], factors[[scale[b]]], chosen, removed[b])
      if (whitened[b]) subspace <- xc_whitened(subspace, few[chosen])
      rows <- sample.int(nrow(x), replace = TRUE)
      labels[b, ] <- xc_nearest_center(subspace, xc_centers(subspace[rows, , drop = FALSE], n_clusters, n_init, algorithm))
      features[b, chosen] <- 1L
    }
    importance <- xc_refined_round(
      x, spread[[1L]], labels, features, whitened, removed, few, importance,
      scale == 2L, if (length(scales) > 1L) scales[[2L]], if (length(scales) > 1L) spread[[2L]]
    )$importance
    found[round, ] <- importance
  }
  importance <- colMeans(if (rounds > 1L) found[-1L, , drop = FALSE] else found)
  weights <- importance / if (max(importance) > 0) max(importance) else 1
  deepest <- -Inf
  for (at in seq_along(scales)) for (root in list(diag(ncol(x)), xc_whitening(scales[[at]], few))) {
    if (is.null(root)) next
    seen <- sweep(scales[[at]] %*% root, 2L, sqrt(weights), "*")
    partition <- xc_nearest_center(seen, xc_centers(seen, n_clusters, 20L, algorithm))
    depth <- xc_density_gap(sweep(spread[[at]] %*% root, 2L, sqrt(weights), "*"), partition)
    if (depth > deepest + 2) {
      deepest <- depth
      labels <- partition
    }
  }
  sizes <- table(labels)
  xc_importance(
    list(
      importance = stats::setNames(importance, names_of_columns), round_importances = found,
      labels = match(labels, names(sizes)[order(-sizes)]), feature_weights = weights, needs_company = few,
      package = "reference implementation"
    ),
    "Refined clustering"
  )
}

# How columns are drawn: their weights, the largest 1, and how many at a time, half of those worth drawing.
xc_refined_drawing <- function(importance, exponent = 2) {
  weights <- importance^exponent
  weights <- if (max(weights) > 0) pmax(weights / max(weights), 1e-12) else rep(1, length(weights))
  list(weights = weights, m = max(2L, as.integer(ceiling(0.5 * sum(weights)^2 / sum(weights^2) - 1e-9))))
}

# Subspace sizes of replicas that draw columns uniformly: 2, 3, a quarter and a half of them, in turn.
xc_subspace_sizes <- function(n_replicas, n_columns) {
  sizes <- c(2L, 3L, max(2L, n_columns %/% 4L), max(2L, as.integer(ceiling(n_columns / 2))))
  pmin(rep_len(sizes, n_replicas), n_columns)
}

# Columns for a replica: m by their weights. Of the columns of few values each stands aside in a quarter of the replicas, to
# be judged by them.
xc_draw_by_weight <- function(weights, m, few) {
  order <- order(stats::rexp(length(weights)) / weights)
  ready <- order[!(few & stats::runif(length(weights)) < 0.25)[order]]
  if (length(ready) == 0L) ready <- order[1L]
  sort(ready[seq_len(min(m, length(ready)))])
}

# x with its columns, but for those of few values, times the inverse root of their covariance, so that no direction is
# longer than another; x itself where there are fewer than ten rows per column, or less than two columns to whiten.
xc_whitened <- function(x, few) {
  root <- xc_whitening(x, few)
  if (is.null(root)) x else x %*% root
}

# What x is multiplied with to whiten it; NULL where it is not whitened.
xc_whitening <- function(x, few) {
  if (nrow(x) < 10L * ncol(x) || sum(!few) < 2L) return(NULL)
  parts <- eigen(stats::cov(x[, !few, drop = FALSE]), symmetric = TRUE)
  kept <- parts$values > 1e-6 * max(parts$values)
  vectors <- parts$vectors[, kept, drop = FALSE]
  root <- diag(ncol(x))
  root[!few, !few] <- vectors %*% (t(vectors) / sqrt(parts$values[kept]))
  root
}

# Squared loadings of the columns on the differences between cluster means in whitened columns, the largest 1.
xc_cut_loadings <- function(whitened, labels, root) {
  sizes <- tabulate(match(labels, sort(unique(labels))))
  means <- rowsum(whitened, labels) / sizes
  squares <- colSums(sizes * (sweep(means, 2L, colMeans(means)) %*% root)^2)
  squares / if (max(squares) > 0) max(squares) else 1
}

# Importances that a round of replicas gives, `before` where it tells nothing, and the weights of the replicas: the part
# without randomness. untied: x with tied values spread; labels: one partition a row; features: 1 where a replica drew
# the column; whitened: whether it whitened them; removed: how many common factors it removed before; symmetric: whether it
# saw x_symmetric and untied_symmetric, where skewed columns are made symmetric. A replica is evidence for a column that it drew only as far as there is
# a density gap: none for columns of few values, and less for the others the more columns have few.
xc_refined_round <- function(x, untied, labels, features, whitened, removed, few, before, symmetric = NULL,
                             x_symmetric = NULL, untied_symmetric = NULL) {
  scales <- list(x, x_symmetric)
  spread <- list(untied, untied_symmetric)
  factors <- list(xc_factors(x), if (!is.null(x_symmetric)) xc_factors(x_symmetric))
  codes <- apply(x, 2L, xc_value_codes, limit = min(xc_few_values(nrow(x)), 20L))
  entropies <- apply(codes, 2L, xc_plug_in_entropy)
  weights <- numeric(nrow(labels))
  mass <- shares <- matrix(0, nrow(labels), ncol(x))
  for (b in seq_len(nrow(labels))) {
    drawn <- features[b, ] == 1
    at <- if (isTRUE(symmetric[b] == 1)) 2L else 1L
    subspace <- xc_without_factors(scales[[at]], factors[[at]], which(drawn), removed[b])
    root <- if (whitened[b]) xc_whitening(subspace, few[drawn]) else NULL
    apart <- xc_without_factors(spread[[at]], factors[[at]], which(drawn), removed[b])
    if (!is.null(root)) {
      subspace <- subspace %*% root
      apart <- apart %*% root
    }
    weights[b] <- (1 + xc_density_gap(apart, labels[b, ])^2)^2
    nats <- apply(codes, 2L, xc_discrete_information, labels = labels[b, ])
    # A flag, or a count that is mostly zero, cannot tell all of several clusters apart.
    whole <- xc_plug_in_entropy(labels[b, ])
    held <- pmin(entropies, whole)
    relative <- ifelse(held > 0, nats * sqrt(whole / held), 0)
    largest <- max(relative[drawn])
    shares[b, ] <- pmin(relative / if (largest > 0) largest else 1, 1)
    if (!is.null(root)) shares[b, drawn] <- pmax(shares[b, drawn], xc_cut_loadings(subspace, labels[b, ], root))
    mass[b, ] <- ifelse(drawn, ifelse(few, 0, weights[b] - mean(few)), weights[b])
  }
  total <- colSums(mass)
  # What chance gives is as often below 0 as above: only its mean is cut.
  list(importance = pmax(ifelse(total > 0, colSums(mass * shares) / total, before), 0), weights = weights)
}

# Entropy of codes in nats.
xc_plug_in_entropy <- function(codes) {
  shares <- table(codes) / length(codes)
  -sum(shares * log(shares))
}

# How many standard errors fewer points lie between clusters than about their centres: 0 for a cut through a cloud. For
# more than two clusters, the smallest of each and any other, averaged.
xc_density_gap <- function(x, labels) {
  members <- split(seq_along(labels), labels)
  if (length(members) < 2L) return(0)
  centers <- lapply(members, function(rows) colMeans(x[rows, , drop = FALSE]))
  found <- matrix(Inf, length(members), length(members))
  for (k in seq_along(members)) for (other in seq_along(members)[-seq_len(k)]) {
    direction <- centers[[other]] - centers[[k]]
    rows <- c(members[[k]], members[[other]])
    way <- (as.vector(x[rows, , drop = FALSE] %*% direction) - sum(direction * centers[[k]])) /
      max(sum(direction^2), .Machine$double.xmin)
    near <- function(at) sum(round(abs(way - at), 9L) < 1 / 6)
    about <- min(near(0), near(1))
    found[k, other] <- found[other, k] <- max(0, (about - near(0.5)) / sqrt(max(about + near(0.5), 1)))
  }
  mean(apply(found, 1L, min))
}

# What makes strongly skewed columns symmetric: a Yeo-Johnson transformation, by maximum likelihood on 5,000 rows at most.
xc_symmetry <- function(x) {
  some <- x[trunc(seq(1, nrow(x), length.out = min(nrow(x), 5000L))), , drop = FALSE]
  skewness <- apply(some, 2L, function(column) {
    centered <- column - mean(column)
    if (length(unique(column)) < 3L) 0 else mean(centered^3) / mean(centered^2)^1.5
  })
  columns <- which(abs(skewness) > 1)
  change <- vapply(columns, function(j) {
    column <- some[, j]
    jacobian <- sum(sign(column) * log1p(abs(column)))
    likelihood <- function(lambda) {
      moved <- xc_yeo_johnson(column, lambda)
      (lambda - 1) * jacobian - nrow(some) / 2 * log(mean((moved - mean(moved))^2))
    }
    lambda <- stats::optimize(likelihood, c(-10, 10), maximum = TRUE, tol = 1e-10)$maximum
    moved <- xc_yeo_johnson(column, lambda)
    c(lambda, mean(moved), sqrt(mean((moved - mean(moved))^2)))
  }, numeric(3L))
  list(columns = columns, lambda = change[1L, ], mean = change[2L, ], deviation = change[3L, ])
}

# x with its skewed columns made symmetric.
xc_symmetric <- function(x, change = xc_symmetry(x)) {
  for (at in seq_along(change$columns)) {
    j <- change$columns[at]
    x[, j] <- (xc_yeo_johnson(x[, j], change$lambda[at]) - change$mean[at]) / change$deviation[at]
  }
  x
}

# Yeo and Johnson (2000): powers of x + 1 above 0, and of 1 - x below.
xc_yeo_johnson <- function(x, lambda) {
  power <- function(base, exponent) if (abs(exponent) < 1e-12) log(base) else (base^exponent - 1) / exponent
  above <- x >= 0
  x[above] <- power(x[above] + 1, lambda)
  x[!above] <- -power(1 - x[!above], 2 - lambda)
  x
}

# Common factors: the leading principal components of the standardised columns, four at most, each with an eigenvalue
# well above those of independent columns and with a single mode. loadings: one row per column of x; scores: of unit
# length, one column per factor.
xc_factors <- function(x) {
  none <- list(loadings = matrix(0, ncol(x), 0L), scores = matrix(0, nrow(x), 0L))
  if (ncol(x) < 6L || nrow(x) < 40L) return(none)
  centered <- sweep(x, 2L, colMeans(x))
  lengths <- sqrt(colSums(centered^2))
  parts <- svd(sweep(centered, 2L, ifelse(lengths > 0, lengths, Inf), "/"), nv = 0L)
  large <- parts$d^2 > 1.5 * (1 + sqrt(ncol(x) / nrow(x)))^2
  count <- min(match(FALSE, large, nomatch = length(large) + 1L) - 1L, 4L)
  several <- vapply(seq_len(count), function(k) xc_several_modes(parts$u[, k]), NA)
  count <- match(TRUE, several, nomatch = count + 1L) - 1L
  scores <- parts$u[, seq_len(count), drop = FALSE]
  list(loadings = crossprod(centered, scores), scores = scores)
}

# Whether a split of x at one of its quantiles has a density gap of two standard errors.
xc_several_modes <- function(x) {
  x <- x[floor(seq(0, length(x) - 1, length.out = min(length(x), 5000L))) + 1]
  splits <- stats::quantile(x, seq(0.1, 0.9, length.out = 17L), names = FALSE)
  any(vapply(splits, function(split) xc_density_gap(cbind(x), as.integer(x > split)), 0) >= 2)
}

# x in some columns, without the first common factors.
xc_without_factors <- function(x, factors, columns, removed) {
  some <- x[, columns, drop = FALSE]
  first <- seq_len(removed)
  if (removed == 0) return(some)
  some - tcrossprod(factors$scores[, first, drop = FALSE], factors$loadings[columns, first, drop = FALSE])
}

# x with the tied values of some columns spread evenly, in random order, over their rounding interval: half way to the
# neighbouring values, and at most twice as far to one side as to the other.
xc_untied <- function(x, which) {
  for (j in base::which(which)) {
    values <- sort(unique(x[, j]))
    if (length(values) < 2L || length(values) == nrow(x)) next
    half <- diff(values) / 2
    left <- c(half[1L], half)
    right <- c(half, half[length(half)])
    reach <- cbind(pmin(left, 2 * right), pmin(right, 2 * left))
    for (k in seq_along(values)) {
      rows <- base::which(x[, j] == values[k])
      if (length(rows) == 1L) next
      position <- (sample.int(length(rows)) - 0.5) / length(rows)
      x[rows, j] <- values[k] - reach[k, 1L] + position * sum(reach[k, ])
    }
  }
  x
}

# Columns of few values (at most 10, or two per cluster if that is more), or with most rows at one.
xc_needs_company <- function(x, n_clusters) {
  few <- max(10L, 2L * n_clusters)
  xc_always_discrete(x, "auto") | apply(x, 2L, function(column) length(unique(column)) <= few)
}
