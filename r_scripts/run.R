# Feature importance scores of a CSV file, without Python:
#   Rscript run.R --method fgkm,cubt --data wine.csv --label class --clusters 3
# prints "method,feature,score". Scores are the method's own, in the direction the literature gives them.
# Exit status: 0 done, 1 a method failed, 2 the request or the data cannot be used.

xc_fail <- function(..., status = 2L) {
  message("run.R: ", ...)
  quit(status = status)
}

xc_script_folder <- function() {
  file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
  dirname(normalizePath(gsub("~+~", " ", file, fixed = TRUE))) # Rscript's way of writing a space
}

xc_parse_options <- function() {
  if (!requireNamespace("optparse", quietly = TRUE)) {
    xc_fail("the R package optparse is not installed; install it with: Rscript install_packages.R")
  }
  option <- optparse::make_option
  known <- paste(names(xc_methods), collapse = ", ")
  parser <- optparse::OptionParser(
    usage = "Rscript run.R --method METHOD[,METHOD...] --data FILE [options]",
    option_list = list(
      option("--method", type = "character", help = paste0("\"all\", or one or more of ", known, ", with commas between")),
      option("--data", type = "character", help = paste(
        "text file with a header, columns between commas, semicolons or tabs; every column is a feature, but a first",
        "one without a name (row names)"
      )),
      option("--label", type = "character", help = "column that is not a feature, to leave out"),
      option("--clusters", type = "character", help = "number of clusters"),
      option("--seed", type = "character", help = "seed of the random numbers; without: another each time"),
      option("--max-features", type = "character", dest = "max_features", help = "features each replica of a bag draws"),
      option("--no-standardize", action = "store_true", default = FALSE, dest = "raw",
             help = "take the columns as they are (default: mean 0, standard deviation 1)"),
      option("--out", type = "character", help = "file for the scores (default: standard output)"),
      option("--labels-out", type = "character", dest = "partition_file",
             help = "file for the partitions found: a row per row of the data, a column per method that finds one")
    )
  )
  complain <- function(e) xc_fail(trimws(sub("^Error in .* : ", "", conditionMessage(e)))) # in one line
  options <- tryCatch(optparse::parse_args(parser), error = complain)
  if (is.null(options$method)) xc_fail("--method is missing; methods: ", known)
  options$method <- unique(trimws(strsplit(options$method, ",", fixed = TRUE)[[1L]]))
  if (identical(options$method, "all")) options$method <- names(xc_methods)
  unknown <- setdiff(options$method, names(xc_methods))
  if (length(unknown)) xc_fail("unknown method ", unknown[1L], "; methods: ", known)
  if (is.null(options$data)) xc_fail("--data is missing: a CSV file")
  options$clusters <- xc_whole_number(options$clusters, "--clusters", 1)
  options$max_features <- xc_whole_number(options$max_features, "--max-features", 1)
  options$seed <- xc_whole_number(options$seed, "--seed", 0)
  options
}

# The option as an integer; optparse itself would read 2.5 as 2.
xc_whole_number <- function(text, flag, lower) {
  if (is.null(text)) return(NULL)
  number <- suppressWarnings(as.numeric(text))
  if (is.na(number) || number != round(number) || number < lower || number > .Machine$integer.max) {
    xc_fail(flag, " must be a whole number of at least ", lower, "; got ", text)
  }
  as.integer(number)
}

# The table in a text file: the separator is the one that gives its first line most fields, and a first column without
# a name holds row names and is left out, as `xcompare compare` reads it.
xc_read_table <- function(file) {
  if (!file.exists(file) || dir.exists(file)) xc_fail("there is no file ", file)
  complain <- function(e) xc_fail("cannot read ", file, ": ", conditionMessage(e))
  first <- tryCatch(readLines(file, 1L, warn = FALSE), error = complain)
  if (!length(first) || !nzchar(trimws(first))) xc_fail("cannot read ", file, ": its first line is empty")
  fields <- function(separator) {
    length(scan(text = first, what = "", sep = separator, quote = "\"", quiet = TRUE, fileEncoding = "UTF-8"))
  }
  separators <- c(",", ";", "\t")
  separator <- separators[which.max(vapply(separators, fields, 1L))]
  read <- function(decimal) {
    utils::read.table(
      file, header = TRUE, sep = separator, quote = "\"", dec = decimal, fill = FALSE, comment.char = "", check.names = FALSE,
      strip.white = TRUE, na.strings = c("NA", "NaN", "nan", "?", ""), row.names = NULL, fileEncoding = "UTF-8-BOM"
    )
  }
  table <- tryCatch(read("."), error = complain)
  if (separator != "," && !all(vapply(table, is.numeric, TRUE))) {
    commas <- tryCatch(read(","), error = complain)
    numbers <- vapply(commas, is.numeric, TRUE) & !vapply(table, is.numeric, TRUE)
    table[numbers] <- commas[numbers]
  }
  # One name fewer than columns, as write.table() has it: read.table() calls the first "row.names".
  if (names(table)[1L] == "row.names" && !grepl("row.names", first, fixed = TRUE)) names(table)[1L] <- ""
  if (!nzchar(names(table)[1L])) {
    message("run.R: the first column has no name and is taken as row names")
    table <- table[-1L]
  }
  table
}

# The features of a file as a matrix.
xc_read_features <- function(file, label) {
  table <- xc_read_table(file)
  if (!is.null(label)) {
    if (!label %in% names(table)) {
      xc_fail("no column ", label, " in ", file, "; columns: ", paste(names(table), collapse = ", "))
    }
    table <- table[names(table) != label]
  }
  missing <- vapply(table, function(column) sum(is.na(column)), 0L)
  text <- !vapply(table, is.numeric, TRUE) & missing < nrow(table)
  if (any(text)) {
    xc_fail("columns that are not numbers: ", paste(names(table)[text], collapse = ", "),
            "; remove them, or leave one out with --label")
  }
  if (any(missing > 0L)) {
    counts <- paste0(names(table), " (", missing, ")")[missing > 0L]
    xc_fail("missing values in ", paste(counts, collapse = ", "), "; fill them in or remove those rows")
  }
  if (nrow(table) < 2L || ncol(table) < 1L) {
    xc_fail(file, " has ", nrow(table), " rows and ", ncol(table), " features; at least 2 and 1 are needed")
  }
  for (name in names(table)) {
    if (nrow(table) > 2L && any(vapply(0:1, function(from) all(table[[name]] == seq(from, along.with = table[[name]])), TRUE))) {
      message("run.R: ", name, " counts the rows; if it is an index, leave it out with --label")
    }
  }
  as.matrix(table)
}

# The arguments of the function that the options give; says so when it needs, or lacks, one.
xc_method_arguments <- function(name, options) {
  known <- formals(get(xc_methods[[name]]$fun))
  if ("n_clusters" %in% names(known) && identical(known$n_clusters, quote(expr = )) && is.null(options$clusters)) {
    xc_fail(name, " needs --clusters")
  }
  if (!is.null(options$max_features) && !"max_features" %in% names(known) && length(options$method) == 1L) {
    xc_fail(name, " takes no --max-features")
  }
  given <- list(n_clusters = options$clusters, max_features = options$max_features, seed = options$seed)
  given <- given[!vapply(given, is.null, TRUE) & names(given) %in% names(known)] # each takes what it knows
  c(given, xc_methods[[name]]$args)
}

# One method's result; NULL, with a line that says why, when it fails.
xc_run_method <- function(name, x, options) {
  if (!is.null(options$seed)) {
    set.seed(options$seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  }
  complain <- function(e) {
    message("run.R: ", name, ": ", conditionMessage(e))
    NULL
  }
  warn <- function(w) {
    message("run.R: ", name, ": warning: ", conditionMessage(w))
    invokeRestart("muffleWarning")
  }
  result <- tryCatch(
    withCallingHandlers(do.call(xc_methods[[name]]$fun, c(list(x = x), xc_method_arguments(name, options))), warning = warn),
    error = complain
  )
  if (!is.null(result)) message(name, ": ", result$package)
  result
}

xc_csv_field <- function(text) {
  ifelse(grepl("[\",\r\n]", text), paste0("\"", gsub("\"", "\"\"", text, fixed = TRUE), "\""), text)
}

# A line per feature and method.
xc_write_scores <- function(results, features, file) {
  lines <- lapply(names(results), function(name) {
    paste(name, xc_csv_field(features), sprintf("%.15g", results[[name]]$importance), sep = ",")
  })
  writeLines(c("method,feature,score", unlist(lines)), if (is.null(file)) stdout() else file)
}

# A line per row of the data, a column per method that found a partition.
xc_write_labels <- function(results, file) {
  found <- Filter(Negate(is.null), lapply(results, function(result) result$labels))
  if (!length(found)) return(message("run.R: no method found a partition, so ", file, " is not written"))
  utils::write.csv(data.frame(row = seq_along(found[[1L]]), found), file, row.names = FALSE, quote = FALSE)
}

xc_main <- function() {
  source(file.path(xc_script_folder(), "xcompare.R"))
  options <- xc_parse_options()
  x <- xc_read_features(options$data, options$label)
  for (name in options$method) xc_method_arguments(name, options) # refuse before anything runs
  if (!is.null(options$clusters) && options$clusters > nrow(x)) {
    xc_fail("--clusters must be at most the number of rows, ", nrow(x), "; got ", options$clusters)
  }
  prepared <- if (options$raw) x else xc_standardize(x)
  results <- sapply(options$method, xc_run_method, prepared, options, simplify = FALSE)
  done <- Filter(Negate(is.null), results)
  if (length(done)) {
    xc_write_scores(done, colnames(x), options$out)
    if (!is.null(options$partition_file)) xc_write_labels(done, options$partition_file)
  }
  if (length(done) < length(results)) quit(status = 1L)
}

xc_main()
