# Other treatments of tables with several kinds of columns and missing values. `kinds` as in xcompare; codes from 0.

xc_table_frame <- function(x, kinds) {
  columns <- lapply(seq_along(kinds), function(j) {
    if (kinds[j] == "nominal") factor(x[, j]) else if (kinds[j] == "ordinal") factor(x[, j], ordered = TRUE) else x[, j]
  })
  stats::setNames(data.frame(columns), paste0("x", seq_along(kinds)))
}

# Partition around medoids of Gower's distances; rows without a column in common are as far apart as others on average.
xc_gower_pam <- function(x, kinds, k) {
  distances <- cluster::daisy(xc_table_frame(x, kinds), metric = "gower")
  distances[is.na(distances)] <- mean(distances, na.rm = TRUE)
  list(labels = cluster::pam(distances, k, diss = TRUE)$clustering)
}

# K-means of the first components of factor analysis of mixed data; complete tables of several kinds.
xc_famd_kmeans <- function(x, kinds, k) {
  found <- FactoMineR::FAMD(xc_table_frame(x, kinds), ncp = 5, graph = FALSE)
  list(labels = stats::kmeans(found$ind$coord, k, nstart = 20)$cluster)
}

# Completed tables, below each other.
xc_mice <- function(x, kinds, m) {
  found <- mice::mice(xc_table_frame(x, kinds), m = m, printFlag = FALSE)
  filled <- lapply(seq_len(m), function(i) {
    sapply(mice::complete(found, i), function(column) if (is.factor(column)) as.numeric(as.character(column)) else column)
  })
  list(x = unname(do.call(rbind, filled)))
}
