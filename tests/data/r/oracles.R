# R's own answers, by its own functions in the plainest way, to hold the native ones against.

# Entropy of density() for many samples laid end to end.
density_entropies <- function(values, sizes) {
  old <- if ("old.coords" %in% names(formals(stats:::density.default))) list(old.coords = TRUE) # R 4.4 and later
  entropy <- function(sample) {
    estimate <- do.call(stats::density, c(list(sample), old))
    f <- pmax(estimate$y, .Machine$double.eps)
    -sum(f * log(f)) * (estimate$x[2L] - estimate$x[1L])
  }
  list(entropy = vapply(split(values, rep(seq_along(sizes), sizes)), entropy, 0))
}

# Dunn index from the full matrix of distances. Where nothing is apart the quotient is 0, also as 0 / 0.
dist_dunn <- function(x, labels) {
  distance <- as.matrix(stats::dist(x))
  same <- outer(labels, labels, "==")
  if (all(same)) return(list(dunn = 0))
  separation <- min(distance[!same])
  list(dunn = if (separation == 0) 0 else separation / max(distance[same]))
}

# The partition that clue finds nearest to all rows of a matrix of labels, and its distances to them.
clue_medoid <- function(labels) {
  partitions <- lapply(seq_len(nrow(labels)), function(b) clue::as.cl_hard_partition(labels[b, ]))
  ensemble <- clue::cl_ensemble(list = partitions)
  medoid <- clue::cl_medoid(ensemble, method = "VI")
  list(
    labels = as.integer(clue::cl_class_ids(medoid)),
    distance = as.matrix(clue::cl_dissimilarity(ensemble, method = "VI"))
  )
}

# Hartigan's dip test of every column.
r_dip <- function(x) {
  tests <- apply(x, 2, diptest::dip.test)
  list(
    dip = vapply(tests, function(test) unname(test$statistic), 0),
    p_value = vapply(tests, function(test) test$p.value, 0)
  )
}
