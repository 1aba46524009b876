# Number of clusters with the best BIC of mclust's mixtures, of 1 to 10. It finds its parts only when attached.
xc_mclust_choice <- function(x) {
  suppressPackageStartupMessages(library(mclust))
  list(value = Mclust(x, G = 1:10, verbose = FALSE)$G)
}
