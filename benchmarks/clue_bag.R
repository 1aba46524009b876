# Bagged consensus of K-means by the clue package: what cl_bag does, with as many replicas.
clue_bag <- function(x, n_clusters, n_replicas) {
  found <- clue::cl_bag(x, B = n_replicas, k = n_clusters, algorithm = "kmeans")
  list(labels = as.integer(clue::cl_class_ids(found)))
}
