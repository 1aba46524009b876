# The methods side by side: one normalised table, without Python.

# What users type: the function, and what tells apart two methods of one function; how its scores are put on a common
# scale (as in the published tables), whether it draws random numbers, and the package it cannot do without.
xc_methods <- list(
  basic = list(fun = "xc_bagging", args = list(resampling = "basic"), scale = "none"),
  efron = list(fun = "xc_bagging", args = list(resampling = "efron"), scale = "none"),
  bbc = list(fun = "xc_bagging", args = list(resampling = "bbc"), scale = "none"),
  refined = list(fun = "xc_refined", scale = "none"),
  urf_gini = list(fun = "xc_urf", args = list(importance = "gini"), scale = "minmax", needs = "randomForest"),
  urf_perm = list(fun = "xc_urf", args = list(importance = "permutation"), scale = "minmax", needs = "randomForest"),
  cubt = list(fun = "xc_cubt", scale = "max", random = FALSE),
  twkm = list(fun = "xc_twkm", scale = "max"),
  fgkm = list(fun = "xc_fgkm", scale = "max"),
  ls = list(fun = "xc_laplacian_score", scale = "max", random = FALSE),
  dip = list(fun = "xc_dip", scale = "max", random = FALSE, needs = "diptest"),
  clustvarsel = list(fun = "xc_clustvarsel", scale = "minmax", random = FALSE, needs = "mclust")
)

# Methods that xc_compare() runs unless told otherwise, the one whose ranking leads first.
xc_default_methods <- c("refined", "basic", "efron", "bbc", "urf_gini", "urf_perm", "cubt", "twkm", "fgkm", "ls")

# x            data frame or matrix of numbers
# methods      names of xc_methods
# n_runs       of each method with randomness; their normalised scores are averaged
# seed         run r of every method starts from seed + r - 1 (NULL: go on from the generator's state)
# standardize  whether columns get mean 0 and standard deviation 1 first
# Returns table (methods x features, larger is more important), ranks (1: most important), labels (data frame, a column per
# method that finds a partition, of its first run), fits (of the first run) and failures (reasons, by method).
xc_compare <- function(x, n_clusters, methods = xc_default_methods, n_runs = 3L, seed = NULL, standardize = TRUE) {
  x <- xc_check_matrix(x)
  if (ncol(x) < 2L) stop("x must have at least 2 columns; got ", ncol(x), call. = FALSE)
  xc_check_varies(x, 2L)
  if (is.null(colnames(x))) colnames(x) <- paste0("x", seq_len(ncol(x)))
  n_clusters <- xc_check_count(n_clusters, "n_clusters", 2L, nrow(x))
  n_runs <- xc_check_count(n_runs, "n_runs")
  if (!is.null(seed)) seed <- xc_check_count(seed, "seed", 0L, .Machine$integer.max - n_runs)
  for (name in methods) xc_check_choice(name, "methods", names(xc_methods))
  if (standardize) x <- xc_standardize(x)
  results <- sapply(unique(methods), xc_method_runs, x, n_clusters, n_runs, seed, simplify = FALSE)
  failed <- vapply(results, is.character, NA)
  if (all(failed)) stop("no method could run: ", paste0(names(results), ": ", results, collapse = "; "), call. = FALSE)
  done <- results[!failed]
  table <- t(vapply(names(done), function(name) rowMeans(xc_normalized(done[[name]], xc_methods[[name]]$scale)), x[1L, ]))
  fits <- lapply(done, `[[`, 1L)
  labels <- Filter(Negate(is.null), lapply(fits, `[[`, "labels"))
  structure(
    list(
      table = table, ranks = t(apply(-table, 1L, rank, ties.method = "min")), fits = fits,
      labels = if (length(labels)) data.frame(labels), failures = unlist(results[failed]),
      n_clusters = n_clusters, n_runs = lengths(done)
    ),
    class = "xc_comparison"
  )
}

# The runs of one method, or why there are none.
xc_method_runs <- function(name, x, n_clusters, n_runs, seed) {
  method <- xc_methods[[name]]
  if (!is.null(method$needs) && is.null(xc_package_version(method$needs))) {
    return(paste0("the package ", method$needs, " is not installed"))
  }
  arguments <- c(list(x), if ("n_clusters" %in% names(formals(method$fun))) list(n_clusters), method$args)
  run <- function(i) xc_with_seed(if (!is.null(seed)) seed + i - 1L, do.call(method$fun, arguments))
  tryCatch(lapply(seq_len(if (isFALSE(method$random)) 1L else n_runs), run), error = conditionMessage)
}

# Value of an expression computed from a seed; the generator is left as it was.
xc_with_seed <- function(seed, code) {
  if (is.null(seed)) return(code)
  state <- get0(".Random.seed", globalenv(), inherits = FALSE)
  kinds <- RNGkind()
  on.exit({
    RNGkind(kinds[1L], kinds[2L], kinds[3L])
    if (is.null(state)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", state, envir = globalenv())
  })
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  code
}

# Scores of runs on a common scale, a column per run, larger for the more important. "none": as they are; "max": negative
# ones 0, the largest 1; "minmax": from 0 to 1, equal ones 1. Scores of which the smallest is best are turned round by
# "minmax".
xc_normalized <- function(runs, scale) {
  scores <- vapply(runs, function(run) as.numeric(run$importance), numeric(length(runs[[1L]]$importance)))
  if (!attr(runs[[1L]], "larger_is_better")) {
    scores <- -scores
    scale <- "minmax"
  }
  scores <- matrix(scores, ncol = length(runs))
  if (scale == "none") return(scores)
  apply(scores, 2L, function(run) {
    if (scale == "max") return(pmax(run, 0) / if (max(run) > 0) max(run) else 1)
    if (max(run) > min(run)) (run - min(run)) / (max(run) - min(run)) else rep(1, length(run))
  })
}

# rank follows refined where it ran, else the mean rank over the methods.
summary.xc_comparison <- function(object, ...) {
  mean_rank <- colMeans(object$ranks)
  leading <- if ("refined" %in% rownames(object$ranks)) object$ranks["refined", ] else mean_rank
  rank <- rank(leading, ties.method = "min")
  table <- data.frame(feature = colnames(object$table), rank = unname(rank), mean_rank = unname(mean_rank))
  table <- table[order(rank, mean_rank), ]
  rownames(table) <- NULL
  table
}

print.xc_comparison <- function(x, digits = 2L, n_features = 20L, ...) {
  features <- summary(x)$feature
  cat(nrow(x$table), "methods,", x$n_clusters, "clusters; 1 is the most important\n")
  print(round(t(x$table)[utils::head(features, n_features), , drop = FALSE], digits))
  if (length(features) > n_features) cat("and", length(features) - n_features, "more features: see $table\n")
  for (name in names(x$failures)) cat("left out: ", name, ", ", x$failures[[name]], "\n", sep = "")
  invisible(x)
}

plot.xc_comparison <- function(x, n_features = 20L, xlab = "", ylab = "", ...) {
  features <- rev(utils::head(summary(x)$feature, n_features))
  shown <- x$table[, features, drop = FALSE]
  before <- graphics::par(mar = c(6, 8, 2, 1))
  on.exit(graphics::par(before))
  graphics::image(seq_len(nrow(shown)), seq_along(features), shown, zlim = c(0, 1), axes = FALSE,
                  col = grDevices::hcl.colors(32L, "Blues", rev = TRUE), xlab = xlab, ylab = ylab, ...)
  graphics::axis(1L, seq_len(nrow(shown)), rownames(shown), las = 2L, tick = FALSE)
  graphics::axis(2L, seq_along(features), features, las = 2L, tick = FALSE)
  invisible(x)
}
