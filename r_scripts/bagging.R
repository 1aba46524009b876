# Bagged clustering: which features make the clusters, by bagging K-means over rows and features
# (Quetti, Ballante, Figini, Giudici, doi:10.48550/arXiv.2603.19840). Base R.

# x             numeric matrix, standardised: see xc_standardize(); it is taken as it is
# resampling    "basic": x itself; "efron": rows with replacement; "bbc": proper Bayesian bootstrap
# max_features  features drawn for a replica (NULL: all but one)
# prior_weight  of the Gaussian mixture in "bbc"
# n_init        K-means starts per replica; the published rows have 1, and 20 for "bbc"
# algorithm     of kmeans(): "Hartigan-Wong", R's default, or "Lloyd", to compare with software that has only that
# quality_space "subspace" or "full": features in which the quality of a replica is measured
# information   "auto", "kde" (as published) or "discrete": see xc_mutual_information(). Unless it is "kde", columns
#               without a density enter on another scale: see xc_comparable_scale()
# consensus     "weighted": K-means on all rows and columns, which count by their importances as far as that helps:
#               see xc_consensus_space(); "medoid", as published: the replica's partition nearest to all others
# cap           nats at which a feature counts as fully informative (NULL: no cap)
# replicas      randomness given instead of drawn, as a list, one row per replica: `features` (0/1 per column
#               of x) and either `labels` (of each row of x), or `rows` (rows of x that make the replica) and
#               `centers` (rows of x, distinct points, to start Lloyd's K-means from)
# Returns importance, importance_std (weighted spread over replicas), importance_error (standard error of importance as an
# estimate of what infinitely many replicas would give), labels (consensus, clusters numbered from
# the largest), consensus_index (the replica nearest to all others), the replicas (labels, features, weights, importances; NA: not drawn), and
# discrete_share: of its replicas, those in which the information of a column was counted.
xc_bagging <- function(x, n_clusters, resampling = "efron", max_features = NULL, n_replicas = 100,
                       prior_weight = 0.1, n_init = 3L, quality_space = "subspace", algorithm = "Hartigan-Wong",
                       information = "auto", cap = 1, consensus = "weighted", replicas = NULL) {
  names_of_columns <- colnames(x)
  x <- unname(xc_check_matrix(x))
  if (ncol(x) < 2L) stop("x must have at least 2 columns; got ", ncol(x), call. = FALSE)
  n_clusters <- xc_check_count(n_clusters, "n_clusters", 2L, nrow(x))
  xc_check_choice(resampling, "resampling", c("basic", "efron", "bbc"))
  xc_check_choice(quality_space, "quality_space", c("subspace", "full"))
  xc_check_choice(algorithm, "algorithm", c("Hartigan-Wong", "Lloyd"))
  xc_check_choice(information, "information", c("auto", "kde", "discrete"))
  xc_check_choice(consensus, "consensus", c("weighted", "medoid"))
  if (information != "kde") x <- sweep(x, 2L, xc_comparable_scale(x), "/")
  if (is.null(cap)) cap <- Inf
  if (!is.numeric(cap) || length(cap) != 1L || !isTRUE(cap > 0)) {
    stop("cap must be a positive number of nats, or NULL; got ", paste(format(cap), collapse = " "), call. = FALSE)
  }
  if (!is.numeric(prior_weight) || length(prior_weight) != 1L || !isTRUE(prior_weight >= 0 && prior_weight < 1)) {
    stop("prior_weight must be at least 0 and below 1; got ", paste(format(prior_weight), collapse = " "), call. = FALSE)
  }
  if (is.null(max_features)) max_features <- ncol(x) - 1L
  max_features <- xc_check_count(max_features, "max_features", 1L, ncol(x))
  n_replicas <- xc_check_count(n_replicas, "n_replicas")
  n_init <- xc_check_count(n_init, "n_init")

  if (is.null(replicas)) {
    draw <- xc_resampler(x, n_clusters, resampling, prior_weight)
    features <- t(replicate(n_replicas, seq_len(ncol(x)) %in% sample.int(ncol(x), max_features)))
    cluster <- function(b) xc_centers(draw()[, features[b, ], drop = FALSE], n_clusters, n_init, algorithm)
  } else {
    xc_bagging_check_replicas(replicas, x, n_clusters)
    features <- replicas$features == 1
    cluster <- function(b) {
      subspace <- x[, features[b, ], drop = FALSE]
      xc_lloyd(subspace[replicas$rows[b, ], , drop = FALSE], subspace[replicas$centers[b, ], , drop = FALSE])
    }
  }
  labels <- replicas$labels
  if (is.null(labels)) {
    labels <- t(vapply(seq_len(nrow(features)), function(b) {
      xc_nearest_center(x[, features[b, ], drop = FALSE], cluster(b))
    }, integer(nrow(x))))
  }
  fit <- xc_bagging_summary(x, labels, features, quality_space, information, cap)
  chosen <- labels[fit$consensus_index, ]
  if (consensus == "weighted") {
    weighted <- sweep(x, 2L, xc_consensus_space(x, fit$importance, n_clusters, algorithm), "*")
    chosen <- xc_nearest_center(weighted, xc_centers(weighted, n_clusters, 20L, algorithm))
  }
  sizes <- table(chosen)
  names(fit$importance) <- names_of_columns
  xc_importance(
    c(fit, list(labels = match(chosen, names(sizes)[order(-sizes)])), package = "reference implementation"),
    paste("Bagged clustering,", resampling)
  )
}

# Weights and importances of given replicas, and which is the nearest to all others: the part without randomness.
xc_bagging_summary <- function(x, labels, features, quality_space, information, cap) {
  seen <- if (information == "kde") x else xc_near_tails(x)
  entropy <- xc_kde_entropies(seen, information != "kde")
  constant <- apply(x, 2L, function(column) min(column) == max(column))
  always <- xc_always_discrete(x, information)
  counted <- rep(0, ncol(x))
  weights <- numeric(nrow(features))
  shares <- matrix(NA_real_, nrow(features), ncol(x))
  pairs <- xc_pairs(nrow(x))
  distances <- xc_subspace_distances(x, pairs)
  if (quality_space == "full") distance <- distances(rep(TRUE, ncol(x)))
  for (b in seq_len(nrow(features))) {
    drawn <- features[b, ]
    if (quality_space == "subspace") distance <- distances(drawn)
    weights[b] <- xc_dunn(x, labels[b, ], distance, pairs)
    nats <- xc_mutual_information(seen[, drawn, drop = FALSE], labels[b, ], entropy[drawn], information,
                                  always[drawn], near = TRUE)
    counted[drawn] <- counted[drawn] + attr(nats, "discrete")
    nats <- pmin(pmax(as.vector(nats), 0), cap)
    shares[b, drawn] <- nats / if (max(nats) > 0) max(nats) else 1
    shares[b, drawn & constant] <- 0
  }
  counted <- counted / pmax(colSums(features), 1)
  often <- counted >= 0.1 & !constant
  if (any(often)) {
    warning("no density exists for columns ", paste(which(often), collapse = ", "), " (at most two values, most rows ",
            "at one value, or constant in a cluster): information counted value by value", call. = FALSE)
  }

  usable <- weights
  if (any(is.infinite(weights))) { # clusters without extent are infinitely good
    usable <- as.numeric(is.infinite(weights))
  } else if (all(weights == 0)) {
    warning("no replica separates any clusters (all weights are 0), so all replicas count alike", call. = FALSE)
    usable <- rep(1, length(weights))
  }
  never <- colSums(features) == 0
  if (any(never)) {
    warning("never drawn, so importance 0 says nothing about columns ", paste(which(never), collapse = ", "), call. = FALSE)
  }
  mass <- usable * features
  mass[, colSums(mass) == 0] <- features[, colSums(mass) == 0] # drawn only in replicas of weight 0
  total <- pmax(colSums(mass), .Machine$double.xmin)
  known <- ifelse(is.na(shares), 0, shares)
  importance <- colSums(mass * known) / total
  off <- sweep(known, 2L, importance)^2
  spread <- sqrt(colSums(mass * off) / total)
  used <- colSums(mass > 0)
  error <- ifelse(used > 1, sqrt(colSums(mass^2 * off) * used / pmax(used - 1, 1)) / total, Inf)

  list(
    importance = importance, importance_std = spread, importance_error = error,
    consensus_index = xc_consensus(labels, usable)$index, replica_labels = labels, replica_features = features * 1L,
    replica_weights = weights, replica_importances = shares, discrete_share = counted
  )
}

# What to multiply columns by before all rows are clustered: the root of their importances, the fourth root, or 1.
# Each is compared with the same data with permuted columns, and the one whose clusters lie farther apart than chance
# explains by the largest factor is taken (the gap statistic of sparse K-means, doi:10.1198/jasa.2010.tm09415). Of many
# rows, 2,000 evenly spaced ones.
xc_consensus_space <- function(x, importance, n_clusters, algorithm = "Hartigan-Wong") {
  if (!any(importance > 0)) importance <- rep(1, ncol(x))
  some <- x[unique(floor(seq(1, nrow(x), length.out = min(nrow(x), 2000L)))), , drop = FALSE]
  between <- function(y) {
    centers <- xc_centers(y, n_clusters, 3L, algorithm)
    within <- sum((y - centers[xc_nearest_center(y, centers), , drop = FALSE])^2)
    log(max(sum(scale(y, scale = FALSE)^2) - within, .Machine$double.xmin))
  }
  spaces <- lapply(c(0, 0.5, 1), function(strength) sqrt(importance^strength))
  tables <- c(list(some), replicate(4L, apply(some, 2L, sample), simplify = FALSE))
  gaps <- vapply(spaces, function(space) {
    apart <- vapply(tables, function(table) between(sweep(table, 2L, space, "*")), 0)
    apart[1L] - mean(apart[-1L])
  }, 0)
  spaces[[which.max(gaps)]]
}

# A function that draws one replica of the rows of x.
xc_resampler <- function(x, n_clusters, resampling, prior_weight) {
  n <- nrow(x)
  if (resampling == "basic") return(function() x)
  if (resampling == "efron") return(function() x[sample.int(n, replace = TRUE), , drop = FALSE])
  prior <- xc_prior(x, n_clusters)
  k <- n * prior_weight / (1 - prior_weight)
  function() {
    atoms <- x[sample.int(n, replace = TRUE), , drop = FALSE]
    invented <- which(stats::runif(n) < prior_weight)
    atoms[invented, ] <- prior(length(invented))
    dirichlet <- stats::rgamma(n, (n + k) / n)
    atoms[sample.int(n, replace = TRUE, prob = dirichlet), , drop = FALSE]
  }
}

# A function that draws points from the Gaussian mixture elicited by K-means on x. Square roots of covariances
# are taken by eigenvalues, so that a singleton or flat cluster does no harm.
xc_prior <- function(x, n_clusters) {
  p <- ncol(x)
  groups <- split.data.frame(x, xc_nearest_center(x, xc_centers(x, n_clusters, 20L)))
  root <- function(group) {
    if (nrow(group) < 2L) return(matrix(0, p, p))
    parts <- eigen(stats::cov(group), symmetric = TRUE)
    sqrt(pmax(parts$values, 0)) * t(parts$vectors)
  }
  means <- lapply(groups, colMeans)
  roots <- lapply(groups, root)
  function(size) {
    component <- sample.int(length(groups), size, replace = TRUE, prob = vapply(groups, nrow, 1L))
    noise <- matrix(stats::rnorm(size * p), size, p)
    t(vapply(seq_len(size), function(i) means[[component[i]]] + as.vector(noise[i, ] %*% roots[[component[i]]]), numeric(p)))
  }
}

# Centres of K-means with random starts, at most 50 iterations (reaching them is part of the method, not worth a
# warning). Fewer distinct points than clusters are themselves the centres.
xc_centers <- function(x, n_clusters, n_init, algorithm = "Hartigan-Wong") {
  distinct <- unique(x)
  if (nrow(distinct) <= n_clusters) return(distinct)
  suppressWarnings(stats::kmeans(x, n_clusters, iter.max = 50L, nstart = n_init, algorithm = algorithm))$centers
}

# Centres of Lloyd's algorithm from given centres.
xc_lloyd <- function(x, centers) {
  suppressWarnings(stats::kmeans(x, unname(centers), iter.max = 50L, algorithm = "Lloyd"))$centers
}

# Nearest centre of each row, the first of equals.
xc_nearest_center <- function(x, centers) {
  distance <- apply(centers, 1L, function(center) colSums((t(x) - center)^2))
  max.col(-matrix(distance, nrow(x)), ties.method = "first")
}

# Stop unless the given replicas fit the data.
xc_bagging_check_replicas <- function(replicas, x, n_clusters) {
  expect <- function(name, columns) {
    given <- replicas[[name]]
    if (!is.matrix(given) || ncol(given) != columns || nrow(given) != NROW(replicas$features)) {
      stop("replicas$", name, " must be a matrix with a row per replica and ", columns, " columns; got ",
           paste(dim(given), collapse = " x "), call. = FALSE)
    }
  }
  expect("features", ncol(x))
  if (any(rowSums(replicas$features == 1) == 0)) stop("every replica needs a feature; got one without", call. = FALSE)
  if (!is.null(replicas$labels)) return(expect("labels", nrow(x)))
  expect("rows", nrow(x))
  expect("centers", n_clusters)
}
