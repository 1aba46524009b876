# Model-based selection of features (Raftery and Dean 2006, https://doi.org/10.1198/016214506000000113), with mclust.
#
# Is a feature needed to tell the clusters apart? Either it belongs to the mixture of the selected features, or these say
# all there is to say, and it is a linear regression on them. The evidence for the first is a difference of BICs:
#   BIC(mixture of the selected and it) - BIC(mixture of the selected) - BIC(regression of it on the selected).
# The regression is on those features that its BIC keeps (Maugis, Celeux and Martin-Magniette 2009,
# https://doi.org/10.1111/j.1541-0420.2008.01160.x): on all of them it would cost noise ever more, the more are selected,
# and noise would join the mixture for being cheaper there.

xc_mixture_models <- c("EEI", "VVI", "EEE", "VVV") # along the axes, or any ellipses; alike in all clusters, or not

# x           numeric matrix, rows are observations; the scale of a column does not matter
# n_clusters  of every mixture
# importance: the evidence for each feature given the selected ones, without itself if it is one of them. Where no
# mixture can be fitted with it (a constant, a copy, often a column of two values) it gets the lowest.
xc_clustvarsel <- function(x, n_clusters) {
  features <- colnames(x)
  x <- xc_standardize(unname(xc_check_matrix(x)))
  n_clusters <- xc_check_count(n_clusters, "n_clusters", 2L, nrow(x))
  search <- xc_search_features(x, n_clusters)
  chosen <- x[, search$selected, drop = FALSE]
  fit <- xc_fit_mixture(chosen, n_clusters)
  single <- xc_fit_mixture(chosen, 1L)
  if (!is.null(single) && single$bic >= fit$bic) {
    warning("one cluster describes the selected features as well as ", n_clusters, " do", call. = FALSE)
  }
  xc_importance(
    list(
      importance = stats::setNames(search$evidence, features), labels = as.integer(fit$classification),
      selected = search$selected, package = xc_package_version("mclust")
    ),
    "Model-based selection"
  )
}

# The best single feature, then steps that add the best one or drop the worst, until neither is for the better, or leads
# to features that have been there before.
xc_search_features <- function(x, n_clusters) {
  features <- seq_len(ncol(x))
  mixture_bic <- xc_remembered(function(set) {
    fit <- xc_fit_mixture(x[, set, drop = FALSE], n_clusters)
    if (is.null(fit)) -Inf else fit$bic
  })
  evidence_for <- function(j, others) {
    regression_bic <- xc_regression_bic(x[, j], x[, others, drop = FALSE])
    if (regression_bic == Inf) return(-Inf) # a constant or a copy, on which mclust may never end
    difference <- mixture_bic(c(others, j)) - mixture_bic(others) - regression_bic
    if (is.nan(difference)) -Inf else difference
  }
  selected <- integer()
  seen <- list()
  repeat {
    evidence <- vapply(features, function(j) evidence_for(j, setdiff(selected, j)), 0)
    outside <- setdiff(features, selected)
    best <- outside[which.max(evidence[outside])]
    worst <- selected[which.min(evidence[selected])]
    if (!length(selected) && evidence[best] == -Inf) {
      stop("a mixture of ", n_clusters, " clusters must fit at least one feature on its own; got none that it fits",
           call. = FALSE)
    }
    step <- if (!length(selected) || length(best) && evidence[best] > 0) {
      c(selected, best)
    } else if (length(selected) > 1L && evidence[worst] < 0) {
      setdiff(selected, worst)
    }
    if (is.null(step) || list(sort(step)) %in% seen) break
    selected <- sort(step)
    seen <- c(seen, list(selected))
  }
  bounds <- range(0, evidence[is.finite(evidence)])
  list(selected = selected, evidence = pmin(pmax(evidence, bounds[1L]), bounds[2L]))
}

# A function of a set of features that computes each once; 0 for none.
xc_remembered <- function(compute) {
  known <- new.env()
  function(set) {
    if (!length(set)) return(0)
    key <- paste(sort(set), collapse = " ")
    if (is.null(known[[key]])) known[[key]] <- compute(sort(set))
    known[[key]]
  }
}

# BIC, as mclust counts it (larger is better), of the linear regression of y on those columns of x that make it best, added
# one by one; Inf where they give y exactly.
xc_regression_bic <- function(y, x) {
  n <- length(y)
  bic <- function(columns) {
    residuals <- stats::.lm.fit(cbind(1, x[, columns, drop = FALSE]), y)$residuals
    variance <- mean(residuals^2)
    if (variance <= 1e-14 * mean(y^2)) return(Inf)
    -n * (log(2 * pi * variance) + 1) - (length(columns) + 2) * log(n)
  }
  columns <- integer()
  current <- bic(columns)
  repeat {
    left <- setdiff(seq_len(ncol(x)), columns)
    found <- vapply(left, function(column) bic(c(columns, column)), 0)
    if (!length(left) || max(found) <= current) return(current)
    columns <- c(columns, left[which.max(found)])
    current <- max(found)
  }
}

# The best of a few models by BIC; NULL where none can be fitted. It starts from hierarchical clusters, of 200 rows at
# most, evenly spaced, so that nothing is drawn. A cluster without width, on a value that repeats, has as high a likelihood
# as one likes: such fits do not count.
xc_fit_mixture <- function(x, n_clusters) {
  models <- if (ncol(x) == 1L) c("E", "V") else xc_mixture_models
  start <- if (nrow(x) > 200L) list(subset = round(seq(1, nrow(x), length.out = 200L)))
  mclustBIC <- mclust::mclustBIC # Mclust() looks for it where it is called
  fits <- tryCatch(
    suppressWarnings(mclustBIC(x, n_clusters, models, initialization = start, verbose = FALSE)),
    error = function(e) NULL # nothing that mclust can fit
  )
  bic <- vapply(models, function(model) if (is.null(fits)) NA else fits[1L, model], 0)
  for (model in models[order(-bic)][seq_len(sum(is.finite(bic)))]) {
    fit <- suppressWarnings(mclust::Mclust(x, n_clusters, model, x = fits, verbose = FALSE))
    if (!is.null(fit) && xc_narrowest(fit) > 1e-6) return(fit)
  }
}

# Smallest variance of a cluster in any direction.
xc_narrowest <- function(fit) {
  spread <- fit$parameters$variance
  if (fit$d == 1L) return(min(spread$sigmasq))
  min(apply(spread$sigma, 3L, function(sigma) min(eigen(sigma, symmetric = TRUE, only.values = TRUE)$values)))
}
