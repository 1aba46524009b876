# Data of other people's R packages for the benchmark: their tables with labels, and their generator of clusters.

# package   where the data are, installed
# name      of the table: a data frame, or a matrix with one column per row of the result
# label     column(s) that hold the class; of a matrix, the name of the vector of classes beside it
# drop      columns that are no features
# Returns x (numeric and logical columns of the complete rows), features (their names) and labels.
xc_labelled_data <- function(package, name, label, drop = character()) {
  found <- new.env()
  utils::data(list = name, package = package, envir = found)
  table <- found[[name]]
  if (is.matrix(table)) {
    classes <- as.character(found[[label]])
    table <- as.data.frame(t(table))
    names(table) <- paste0("row", seq_along(table))
  } else {
    classes <- do.call(paste, lapply(unlist(label), function(column) as.character(table[[column]])))
    table <- table[setdiff(names(table), c(unlist(label), unlist(drop)))]
    table <- table[vapply(table, function(column) is.numeric(column) || is.logical(column), NA)]
  }
  whole <- stats::complete.cases(table)
  x <- as.matrix(table[whole, , drop = FALSE]) + 0
  list(x = unname(x), features = names(table), labels = classes[whole])
}

# One data set of clusterGeneration's design: Qiu and Joe (2006), doi:10.1007/s00357-006-0018-y.
# n_clusters     clusters of 40 to 100 rows each
# separation     of neighbouring clusters, from -1 (alike) to 1; 0.01 close, 0.21 separated, 0.34 well separated
# n_informative  features in which clusters differ, after a random rotation
# n_noisy        features in which they do not
# Returns x, labels, and noisy (whether each feature is one in which clusters do not differ).
xc_cluster_design <- function(n_clusters, separation, n_informative, n_noisy) {
  if (!requireNamespace("clusterGeneration", quietly = TRUE)) {
    stop("clusterGeneration must be installed: install.packages(\"clusterGeneration\")", call. = FALSE)
  }
  made <- suppressWarnings(clusterGeneration::simClustDesign(
    numClust = n_clusters, sepVal = separation, sepLabels = "S", numNonNoisy = n_informative, numNoisy = n_noisy,
    numReplicate = 1, clustszind = 2, rangeN = c(40, 100), outputDatFlag = FALSE, outputLogFlag = FALSE,
    outputEmpirical = FALSE, outputInfo = FALSE, quiet = TRUE
  ))
  x <- made$datList[[1L]][[1L]]
  list(
    x = unname(as.matrix(x)), labels = as.vector(made$memList[[1L]][[1L]]),
    noisy = seq_len(ncol(x)) %in% made$noisyList[[1L]][[1L]]
  )
}
