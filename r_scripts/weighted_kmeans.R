# Weighted k-means: the part that fgkm.R and twkm.R share.
#
# Labels, centres, feature weights and group weights in turn, each minimising one cost with the rest held.
# Weights have one row per cluster (per_cluster, FGKM) or one row for all (TWKM).

# Checked arguments of one run; `groups` becomes codes 1, 2, ... in sorted order.
xc_weighted_problem <- function(x, n_clusters, groups, lambda, eta, centers, seed, max_iter, tol, max_restarts) {
  x <- unname(xc_check_matrix(x, min_rows = 1L))
  n_clusters <- xc_check_count(n_clusters, "n_clusters", 1L, nrow(x))
  if (is.null(groups)) groups <- rep(1L, ncol(x))
  if (length(groups) != ncol(x) || anyNA(groups)) {
    stop("groups must name a group for each of the ", ncol(x), " features; got ", length(groups), call. = FALSE)
  }
  if (!is.null(centers)) {
    centers <- unname(xc_check_matrix(centers, min_rows = 1L))
    if (!identical(dim(centers), c(n_clusters, ncol(x)))) {
      stop("centers must be ", n_clusters, " x ", ncol(x), "; got ", nrow(centers), " x ", ncol(centers), call. = FALSE)
    }
  }
  for (name in c("lambda", "eta")) {
    value <- get(name)
    if (!is.numeric(value) || length(value) != 1L || !is.finite(value) || value <= 0) {
      stop(name, " must be a positive number; got ", paste(format(value), collapse = " "), call. = FALSE)
    }
  }
  if (!is.null(seed)) {
    seed <- xc_check_count(seed, "seed", 0L, .Machine$integer.max)
    if (seed == 0L) seed <- .Machine$integer.max # wskm takes a seed of 0 for none
  }
  list(
    x = x, n_clusters = n_clusters, groups = match(groups, sort(unique(groups), method = "radix")),
    lambda = lambda, eta = eta, centers = centers, seed = seed,
    max_iter = xc_check_count(max_iter, "max_iter"), tol = tol,
    max_restarts = xc_check_count(max_restarts, "max_restarts", 0L)
  )
}

# The solution and what computed it: wskm where it is installed and comes to an end, else the code below.
xc_weighted_fit <- function(problem, per_cluster, running_max = FALSE) {
  package <- xc_package_version("wskm")
  solution <- NULL
  if (!is.null(package)) {
    if (is.null(problem$seed)) problem$seed <- sample.int(.Machine$integer.max, 1L)
    solution <- xc_weighted_wskm(problem, per_cluster)
  }
  if (is.null(solution)) {
    package <- "reference implementation"
    solution <- xc_weighted_solve(problem, per_cluster, running_max)
  }
  if (!solution$settled) {
    warning("the cost did not converge to tol=", problem$tol, " in ", solution$n_iter, " iterations", call. = FALSE)
  }
  c(list(package = package), solution)
}

# Run from the starting centres; where a cluster empties, start again from new rows.
xc_weighted_solve <- function(problem, per_cluster, running_max = FALSE) {
  if (!is.null(problem$seed)) set.seed(problem$seed, kind = "Mersenne-Twister")
  centers <- problem$centers
  for (n_restarts in 0:problem$max_restarts) {
    if (is.null(centers)) {
      centers <- problem$x[xc_starting_rows(nrow(problem$x), problem$n_clusters), , drop = FALSE]
    }
    last_chance <- n_restarts == problem$max_restarts
    solution <- xc_weighted_descend(problem, centers, per_cluster, running_max, keep_empty = last_chance)
    if (!is.null(solution)) break
    centers <- NULL
  }
  n_empty <- problem$n_clusters - length(unique(solution$labels))
  if (n_empty > 0L) {
    warning(
      n_empty, " of ", problem$n_clusters, " clusters stayed empty after ", n_restarts,
      " restarts: fewer distinct groups of rows than clusters?", call. = FALSE
    )
  }
  c(solution, n_restarts = n_restarts)
}

# Distinct rows, drawn as wskm draws them, which leaves the last row out.
xc_starting_rows <- function(n, n_clusters) {
  if (n_clusters == n) return(seq_len(n)) # the draws below could never end
  rows <- integer()
  while (length(rows) < n_clusters) {
    rows <- unique(c(rows, as.integer((n - 1) * stats::runif(1L)) + 1L))
  }
  rows
}

# Alternate the four steps until the cost settles; NULL where a cluster empties, unless it may.
xc_weighted_descend <- function(problem, centers, per_cluster, running_max, keep_empty) {
  x <- problem$x
  groups <- problem$groups
  n_groups <- max(groups)
  n_rows <- if (per_cluster) problem$n_clusters else 1L
  feature_weights <- matrix(1 / tabulate(groups)[groups], n_rows, ncol(x), byrow = TRUE)
  group_weights <- matrix(1 / n_groups, n_rows, n_groups)
  cost <- Inf
  for (n_iter in seq_len(problem$max_iter)) {
    labels <- xc_weighted_nearest(x, centers, feature_weights * group_weights[, groups, drop = FALSE])
    sizes <- tabulate(labels, problem$n_clusters)
    filled <- which(sizes > 0L)
    if (length(filled) < problem$n_clusters && !keep_empty) return(NULL)
    centers[filled, ] <- rowsum(x, labels) / sizes[filled]
    dispersion <- xc_dispersion(x, labels, centers, per_cluster)
    feature_weights <- xc_softmax_within(
      -group_weights[, groups, drop = FALSE] * dispersion / problem$eta, groups, ncol(x), running_max
    )
    by_group <- unname(t(rowsum(t(feature_weights * dispersion), groups)))
    group_weights <- xc_softmax_within(-by_group / problem$lambda, rep(1L, n_groups), n_groups, running_max)
    previous <- cost
    cost <- xc_weighted_cost(problem, dispersion, feature_weights, group_weights)
    settled <- abs(previous - cost) <= problem$tol * abs(cost)
    if (settled) break
  }
  list(
    labels = labels, centers = centers, feature_weights = feature_weights, group_weights = group_weights,
    cost = cost, n_iter = n_iter, settled = settled
  )
}

# Nearest centre of each row, ties to the last. Summed feature by feature: rowSums() adds in extended
# precision, which would break ties that are exact otherwise.
xc_weighted_nearest <- function(x, centers, weights) {
  weights <- weights[rep_len(seq_len(nrow(weights)), nrow(centers)), , drop = FALSE]
  labels <- integer(nrow(x))
  nearest <- rep(Inf, nrow(x))
  for (k in seq_len(nrow(centers))) {
    distance <- numeric(nrow(x))
    for (j in seq_len(ncol(x))) distance <- distance + weights[k, j] * (x[, j] - centers[k, j])^2
    labels[distance <= nearest] <- k
    nearest <- pmin(nearest, distance)
  }
  labels
}

# Squared deviations from the centre, summed within clusters (rows; 0 where empty) or over all of them.
xc_dispersion <- function(x, labels, centers, per_cluster) {
  dispersion <- matrix(0, nrow(centers), ncol(x))
  dispersion[sort(unique(labels)), ] <- rowsum((x - centers[labels, , drop = FALSE])^2, labels)
  if (per_cluster) dispersion else matrix(colSums(dispersion), 1L)
}

# Weighted dispersion with its two entropy terms.
xc_weighted_cost <- function(problem, dispersion, feature_weights, group_weights) {
  sum(feature_weights * group_weights[, problem$groups, drop = FALSE] * dispersion) +
    problem$lambda * sum(group_weights * log(group_weights)) +
    problem$eta * sum(feature_weights * log(feature_weights))
}

# Softmax over the columns of each group, floored, summing to 1 in each row and group.
xc_softmax_within <- function(exponents, groups, n_weights, running_max) {
  for (columns in split(seq_along(groups), groups)) {
    part <- exponents[, columns, drop = FALSE]
    largest <- apply(part, 1L, max)
    if (running_max) largest <- cummax(largest)
    part <- exp(part - largest)
    total <- rowSums(part)
    part <- pmax(part / ifelse(total > 0, total, 1), 1e-5 / n_weights)
    exponents[, columns] <- part / rowSums(part)
  }
  exponents
}

# The same run by wskm; its seed argument makes it call set.seed(). NULL where clusters stay empty to the last restart:
# wskm then stops half way, with sums for centres, or fails.
xc_weighted_wskm <- function(problem, per_cluster, solver = if (per_cluster) wskm::fgkm else wskm::twkm) {
  centers <- problem$centers
  if (is.null(centers)) centers <- problem$n_clusters
  # wskm never starts at the last row, and looks for ever for as many rows as there are.
  if (problem$n_clusters == nrow(problem$x) && is.null(problem$centers)) centers <- problem$x
  fit <- tryCatch(
    solver(
      problem$x, centers, problem$groups, problem$lambda, problem$eta,
      maxiter = problem$max_iter, delta = problem$tol, maxrestart = problem$max_restarts, seed = problem$seed
    ),
    error = function(e) NULL
  )
  if (is.null(fit) || length(unique(fit$cluster)) < problem$n_clusters) return(NULL)
  # After the last iteration it does not say whether the cost had settled, and it goes on to there from a cost of 0.
  steps <- list(n_iter = as.integer(fit$iterations), settled = TRUE)
  if (steps$n_iter == problem$max_iter) steps <- xc_weighted_solve(problem, per_cluster, running_max = TRUE)
  centers <- unname(as.matrix(fit$centers))
  n_rows <- if (per_cluster) nrow(centers) else 1L
  feature_weights <- matrix(as.numeric(fit$featureWeight), n_rows)
  group_weights <- matrix(as.numeric(fit$groupWeight), n_rows)
  labels <- as.integer(fit$cluster)
  dispersion <- xc_dispersion(problem$x, labels, centers, per_cluster)
  list(
    labels = labels, centers = centers, feature_weights = feature_weights, group_weights = group_weights,
    cost = xc_weighted_cost(problem, dispersion, feature_weights, group_weights),
    n_iter = steps$n_iter, settled = steps$settled, n_restarts = as.integer(fit$restarts)
  )
}
