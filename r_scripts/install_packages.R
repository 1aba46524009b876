# Install from CRAN the R packages xcompare can use, where they are missing:
#   Rscript install_packages.R
# All are optional: methods have a reference implementation in this folder where a package is missing,
# except randomForest (URF), diptest (dip) and mclust (clustvarsel). Exit status 0 also when CRAN cannot be reached.

xc_packages <- c("wskm", "Rdimtools", "randomForest", "diptest", "mclust", "ranger", "optparse", "testthat", "clue", "jsonlite")

xc_missing_packages <- function() xc_packages[!nzchar(vapply(xc_packages, function(p) system.file(package = p), ""))]

# Packages go where R puts them by default; to a folder of the user's own when that is not writable.
xc_writable_library <- function() {
  library <- .libPaths()[1L]
  if (file.access(library, 2L) == 0L) return(library)
  personal <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep, fixed = TRUE)[[1L]][1L]
  dir.create(personal, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(personal, .libPaths()))
  personal
}

xc_install <- function() {
  if (any(c("--help", "-h") %in% commandArgs(TRUE))) {
    cat("Rscript install_packages.R\nInstalls from CRAN, where missing:", xc_packages, "\n")
    return(invisible())
  }
  wanted <- xc_missing_packages()
  if (!length(wanted)) return(cat("all R packages are installed:", xc_packages, "\n"))

  repository <- getOption("repos")["CRAN"]
  if (is.na(repository) || repository == "@CRAN@") repository <- utils::getCRANmirrors(local.only = TRUE)$URL[1L]
  offered <- tryCatch(
    suppressWarnings(rownames(utils::available.packages(repos = repository))),
    error = function(e) character()
  )
  if (!length(offered)) {
    return(cat("CRAN cannot be reached; not installed:", wanted, "\n"))
  }
  to_install <- intersect(wanted, offered)
  if (length(to_install)) {
    try(utils::install.packages(to_install, lib = xc_writable_library(), repos = repository, quiet = TRUE))
  }
  still <- xc_missing_packages()
  cat("installed:", setdiff(wanted, still), "\n")
  if (length(still)) cat("not installed:", still, "\n")
}

xc_install()
