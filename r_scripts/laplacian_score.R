# Laplacian Score of each feature (He, Cai, Niyogi 2005); smaller means more important.

# x: numeric matrix, standardised by the caller. Points are joined by type and amount:
#   "knn", k: each point and its k nearest, ties with the k-th included, in either direction;
#   "proportion", f: the same with k = ceiling(f * n); f = 1 joins all points;
#   "radius", r: points closer than r.
# Edges weigh exp(-d^2 / t). A feature that does not vary over the points that have a neighbour has no score of
# its own and gets 2, the worst there is. Uses Rdimtools::do.lscore where it is installed (package = "reference"
# asks for the code below, which gives the same numbers).
xc_laplacian_score <- function(x, type = "proportion", amount = 1, t = 10, package = "Rdimtools") {
  x <- xc_check_matrix(x)
  xc_check_graph(type, amount, nrow(x))
  if (!is.numeric(t) || length(t) != 1L || !is.finite(t) || t <= 0) {
    stop("t must be a positive number; got ", format(t), call. = FALSE)
  }
  version <- if (package == "Rdimtools") xc_package_version("Rdimtools")
  score <- if (is.null(version)) {
    xc_laplacian_score_reference(x, type, amount, t)
  } else {
    name <- if (type == "radius") "enn" else type
    Rdimtools::do.lscore(x, ndim = 1L, type = c(name, format(amount, digits = 17L)), t = t)$lscore
  }
  constant <- apply(x, 2L, function(column) min(column) == max(column))
  score[constant | !is.finite(score)] <- 2
  xc_importance(
    list(
      importance = stats::setNames(as.vector(score), colnames(x)),
      package = if (is.null(version)) "reference implementation" else version
    ),
    "Laplacian score", larger_is_better = FALSE
  )
}

# Stop unless type and amount name a graph on n points.
xc_check_graph <- function(type, amount, n) {
  if (!is.character(type) || length(type) != 1L || !type %in% c("knn", "radius", "proportion")) {
    stop("type must be \"knn\", \"radius\" or \"proportion\"; got ", paste(format(type), collapse = " "), call. = FALSE)
  }
  if (!is.numeric(amount) || length(amount) != 1L || !is.finite(amount) || amount <= 0) {
    stop("amount must be a positive number; got ", paste(format(amount), collapse = " "), call. = FALSE)
  }
  if (type == "knn") xc_check_count(amount, "amount (k of \"knn\")", 1L, n - 1L)
  if (type == "proportion" && amount > 1) {
    stop("amount (of \"proportion\") must be at most 1; got ", format(amount), call. = FALSE)
  }
  invisible(NULL)
}

# The score from its definition; NaN where a feature does not vary over the joined points.
xc_laplacian_score_reference <- function(x, type, amount, t) {
  n <- nrow(x)
  distance <- as.matrix(stats::dist(x))
  weight <- exp(-distance^2 / t)
  if (type == "radius") {
    weight[distance >= amount] <- 0
  } else {
    k <- min(if (type == "knn") amount else ceiling(max(amount * n, 1)), n - 1)
    if (k < n - 1) {
      reach <- apply(distance, 1L, function(d) sort(d, partial = k + 1)[k + 1])  # position 1 is the point itself
      weight[distance > outer(reach, reach, pmax)] <- 0
    }
  }
  diag(weight) <- 0
  degree <- rowSums(weight)
  x <- sweep(x, 2L, colSums(x * degree) / sum(degree))
  spread <- colSums(x^2 * degree)
  score <- pmax((spread - colSums(x * (weight %*% x))) / spread, 0)
  joined <- x[degree > 0, , drop = FALSE]
  varies <- vapply(seq_len(ncol(x)), function(j) length(unique(joined[, j])) > 1L, logical(1L))
  ifelse(varies, score, NaN)
}
