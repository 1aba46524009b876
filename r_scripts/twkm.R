# TWKM, two-level weighted k-means: Chen, Xu, Huang and Ye (2013), doi:10.1109/TKDE.2011.262.
# One weight per feature, one per group of features, the same for all clusters.

# x             numeric matrix, standardised
# groups        group of each feature: numbers or names (NULL: all one group)
# lambda, eta   how evenly weights spread over groups and over the features of a group
# centers       starting centres, n_clusters x ncol(x) (NULL: rows of x drawn at random)
# seed          for set.seed(), 0 standing for the largest integer (NULL: go on from the generator's state)
# Uses wskm where installed, otherwise the same algorithm in this folder. Returns importance (feature weight
# times the weight of its group), labels, centers, weights, cost, n_iter, n_restarts.
xc_twkm <- function(x, n_clusters, groups = NULL, lambda = 1, eta = 1, centers = NULL, seed = NULL,
                    max_iter = 100, tol = 1e-6, max_restarts = 10) {
  problem <- xc_weighted_problem(
    x, n_clusters, groups, lambda, eta, centers, seed, max_iter, tol, max_restarts
  )
  solution <- xc_weighted_fit(problem, per_cluster = FALSE)
  solution$feature_weights <- as.vector(solution$feature_weights)
  solution$group_weights <- as.vector(solution$group_weights)
  importance <- solution$feature_weights * solution$group_weights[problem$groups]
  xc_importance(c(list(importance = stats::setNames(importance, colnames(x))), solution), "TWKM")
}
