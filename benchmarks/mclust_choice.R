# Number of clusters with the best BIC of mclust's mixtures, of 1 to 10.
xc_mclust_choice <- function(x) {
  list(value = mclust::Mclust(x, G = 1:10, verbose = FALSE)$G)
}
