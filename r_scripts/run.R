# Feature importance scores of a CSV file, without Python:
#   Rscript run.R --method fgkm --data wine.csv --label class --clusters 3
# prints "feature,score". Scores are the method's own, in the direction the literature gives them.
# Exit status: 0 done, 1 the method failed, 2 the request or the data cannot be used.

# What users type: the file, the function in it, and what tells apart two methods of one function.
methods <- list(
  basic = list(file = "bagging.R", fun = "xc_bagging", args = list(resampling = "basic")),
  efron = list(file = "bagging.R", fun = "xc_bagging", args = list(resampling = "efron")),
  bbc = list(file = "bagging.R", fun = "xc_bagging", args = list(resampling = "bbc")),
  urf_gini = list(file = "urf.R", fun = "xc_urf", args = list(importance = "gini")),
  urf_perm = list(file = "urf.R", fun = "xc_urf", args = list(importance = "permutation")),
  cubt = list(file = "cubt.R", fun = "xc_cubt"),
  twkm = list(file = "twkm.R", fun = "xc_twkm"),
  fgkm = list(file = "fgkm.R", fun = "xc_fgkm"),
  ls = list(file = "laplacian_score.R", fun = "xc_laplacian_score")
)

fail <- function(..., status = 2L) {
  message("run.R: ", ...)
  quit(status = status)
}

script_folder <- function() {
  file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
  dirname(normalizePath(gsub("~+~", " ", file, fixed = TRUE))) # Rscript's way of writing a space
}

parse_options <- function(available) {
  if (!requireNamespace("optparse", quietly = TRUE)) {
    fail("the R package optparse is not installed; install it with: Rscript install_packages.R")
  }
  option <- optparse::make_option
  parser <- optparse::OptionParser(
    usage = "Rscript run.R --method METHOD --data FILE [options]",
    option_list = list(
      option("--method", type = "character", help = paste("one of", paste(available, collapse = ", "))),
      option("--data", type = "character", help = "CSV file with a header; every column is a feature"),
      option("--label", type = "character", help = "column that is not a feature, to leave out"),
      option("--clusters", type = "character", help = "number of clusters"),
      option("--seed", type = "character", help = "seed of the random numbers; without: another each time"),
      option("--max-features", type = "character", dest = "max_features", help = "features drawn at a time"),
      option("--no-standardize", action = "store_true", default = FALSE, dest = "raw",
             help = "take the columns as they are (default: mean 0, standard deviation 1)"),
      option("--out", type = "character", help = "file to write (default: standard output)")
    )
  )
  complain <- function(e) fail(trimws(sub("^Error in .* : ", "", conditionMessage(e)))) # in one line
  options <- tryCatch(optparse::parse_args(parser), error = complain)
  if (is.null(options$method)) fail("--method is missing; methods: ", paste(available, collapse = ", "))
  if (!options$method %in% available) {
    fail("unknown method ", options$method, "; methods: ", paste(available, collapse = ", "))
  }
  if (is.null(options$data)) fail("--data is missing: a CSV file")
  options$clusters <- whole_number(options$clusters, "--clusters", 1)
  options$max_features <- whole_number(options$max_features, "--max-features", 1)
  options$seed <- whole_number(options$seed, "--seed", 0)
  options
}

# The option as an integer; optparse itself would read 2.5 as 2.
whole_number <- function(text, flag, lower) {
  if (is.null(text)) return(NULL)
  number <- suppressWarnings(as.numeric(text))
  if (is.na(number) || number != round(number) || number < lower || number > .Machine$integer.max) {
    fail(flag, " must be a whole number of at least ", lower, ", got ", text)
  }
  as.integer(number)
}

read_features <- function(file, label) {
  if (!file.exists(file)) fail("there is no file ", file)
  complain <- function(e) fail("cannot read ", file, ": ", conditionMessage(e))
  table <- tryCatch(utils::read.csv(file, check.names = FALSE, strip.white = TRUE), error = complain)
  if (!is.null(label)) {
    if (!label %in% names(table)) {
      fail("no column ", label, " in ", file, "; columns: ", paste(names(table), collapse = ", "))
    }
    table <- table[names(table) != label]
  }
  missing <- vapply(table, function(column) sum(is.na(column) | column %in% ""), 0L)
  text <- !vapply(table, is.numeric, TRUE) & missing < nrow(table)
  if (any(text)) {
    fail("columns that are not numbers: ", paste(names(table)[text], collapse = ", "),
         "; remove them, or leave one out with --label")
  }
  if (any(missing > 0L)) {
    counts <- paste0(names(table), " (", missing, ")")[missing > 0L]
    fail("missing values in ", paste(counts, collapse = ", "), "; fill them in or remove those rows")
  }
  if (nrow(table) < 2L || ncol(table) < 1L) {
    fail(file, " has ", nrow(table), " rows and ", ncol(table), " features; at least 2 and 1 are needed")
  }
  as.matrix(table)
}

# The arguments of the function that the options give; says so when it needs, or lacks, one.
method_arguments <- function(fun, options, fixed) {
  given <- list(n_clusters = options$clusters, max_features = options$max_features)
  given <- given[!vapply(given, is.null, TRUE)]
  flags <- c(n_clusters = "--clusters", max_features = "--max-features")
  known <- formals(fun)
  needed <- names(known)[vapply(known, function(default) identical(default, quote(expr = )), TRUE)]
  lacking <- setdiff(intersect(needed, names(flags)), names(given))
  if (length(lacking)) fail(options$method, " needs ", flags[[lacking[1L]]])
  if ("max_features" %in% setdiff(names(given), names(known))) fail(options$method, " takes no --max-features")
  c(given[names(given) %in% names(known)], fixed) # --clusters is harmless where there are none
}

csv_field <- function(text) {
  ifelse(grepl("[\",\r\n]", text), paste0("\"", gsub("\"", "\"\"", text, fixed = TRUE), "\""), text)
}

main <- function() {
  folder <- script_folder()
  present <- vapply(methods, function(method) file.exists(file.path(folder, method$file)), TRUE)
  options <- parse_options(names(methods)[present])
  method <- methods[[options$method]]
  scope <- new.env()
  for (file in c("common.R", method$file)) sys.source(file.path(folder, file), envir = scope)
  fun <- scope[[method$fun]]

  x <- read_features(options$data, options$label)
  arguments <- method_arguments(fun, options, method$args)
  if (!is.null(options$clusters) && options$clusters > nrow(x)) {
    fail("--clusters must be at most the number of rows, ", nrow(x), ", got ", options$clusters)
  }
  if (!is.null(options$seed)) {
    set.seed(options$seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  }
  result <- tryCatch(
    do.call(fun, c(list(x = if (options$raw) x else scope$xc_standardize(x)), arguments)),
    error = function(e) fail(options$method, ": ", conditionMessage(e), status = 1L)
  )
  message(options$method, ": ", result$package)
  lines <- c("feature,score", paste(csv_field(colnames(x)), sprintf("%.15g", result$importance), sep = ","))
  writeLines(lines, if (is.null(options$out)) stdout() else options$out)
}

main()
