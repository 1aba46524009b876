# FGKM, feature group k-means: Chen, Ye, Xu and Huang (2012), doi:10.1016/j.patcog.2011.06.004.
# One weight per cluster and feature, one per cluster and group of features.

# x             numeric matrix, standardised
# groups        group of each feature: numbers or names (NULL: all one group)
# lambda, eta   how evenly weights spread over groups and over the features of a group
# centers       starting centres, n_clusters x ncol(x) (NULL: rows of x drawn at random)
# seed          for set.seed(), 0 standing for the largest integer (NULL: go on from the generator's state)
# running_max   subtract, before exponentials are taken, the largest exponent of the clusters so far instead of
#               the cluster's own, as wskm always does; differs only where exponentials underflow
# Uses wskm where installed, otherwise the same algorithm in this folder. Returns importance (the largest
# product of feature and group weight over the clusters), labels, centers, weights, cost, n_iter, n_restarts.
xc_fgkm <- function(x, n_clusters, groups = NULL, lambda = 1, eta = 1, centers = NULL, seed = NULL,
                    max_iter = 100, tol = 1e-6, max_restarts = 10, running_max = FALSE) {
  problem <- xc_weighted_problem(
    x, n_clusters, groups, lambda, eta, centers, seed, max_iter, tol, max_restarts
  )
  solution <- xc_weighted_fit(problem, per_cluster = TRUE, running_max = running_max)
  weights <- solution$feature_weights * solution$group_weights[, problem$groups, drop = FALSE]
  xc_importance(c(list(importance = stats::setNames(apply(weights, 2L, max), colnames(x))), solution), "FGKM")
}
