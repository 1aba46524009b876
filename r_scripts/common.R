# Helpers for all the scripts in this folder.

# Stop unless `x` is a numeric matrix, or a data frame of numbers, without missing or infinite values; returns a matrix
# without attributes other than its dimensions and column names.
xc_check_matrix <- function(x, min_rows = 2L) {
  if (is.data.frame(x)) {
    numbers <- vapply(x, function(column) is.numeric(column) || is.logical(column), NA)
    if (!all(numbers)) {
      stop("x must hold numbers only; got ", class(x[[which(!numbers)[1L]]])[1L], " in ",
           paste(names(x)[!numbers], collapse = ", "), ": leave it out, or code it as numbers", call. = FALSE)
    }
    x <- as.matrix(x) + 0
    rownames(x) <- NULL
  }
  if (!is.matrix(x) || !is.numeric(x)) {
    stop("x must be a numeric matrix; got ", class(x)[1L], " of type ", typeof(x), call. = FALSE)
  }
  if (nrow(x) < min_rows || ncol(x) < 1L) {
    stop("x must have at least ", min_rows, " rows and 1 column; got ", nrow(x), " x ", ncol(x), call. = FALSE)
  }
  bad <- colSums(!is.finite(x))
  if (any(bad > 0)) {
    columns <- paste(colnames(x)[bad > 0], collapse = ", ")
    stop("x must hold finite numbers only; got ", sum(bad), " missing or infinite", if (nzchar(columns)) paste(" in", columns),
         ": leave those rows out, as na.omit() does, or fill them in", call. = FALSE)
  }
  storage.mode(x) <- "double"
  x
}

# Stop unless at least `least` columns of the matrix have more than one value.
xc_check_varies <- function(x, least) {
  vary <- sum(vapply(seq_len(ncol(x)), function(j) any(x[, j] != x[1L, j]), NA))
  if (vary < least) {
    stop("x must have at least ", least, if (least == 1L) " column that varies; got " else " columns that vary; got ", vary,
         call. = FALSE)
  }
}

# Stop unless `value` is one whole number of at least `lower`; returns it as an integer.
xc_check_count <- function(value, name, lower = 1L, upper = Inf) {
  whole <- is.numeric(value) && length(value) == 1L && is.finite(value) && value == round(value)
  if (!whole || value < lower || value > upper) {
    range <- if (is.finite(upper)) paste("from", lower, "to", upper) else paste("of at least", lower)
    stop(name, " must be a whole number ", range, "; got ", paste(format(value), collapse = " "), call. = FALSE)
  }
  as.integer(value)
}

# Stop unless `value` is one of the strings `known`; returns it.
xc_check_choice <- function(value, name, known) {
  if (!is.character(value) || length(value) != 1L || !value %in% known) {
    stop(name, " must be one of ", paste0("\"", known, "\"", collapse = ", "), "; got ",
         paste(format(value), collapse = " "), call. = FALSE)
  }
  value
}

# "wskm 1.4.40" when the package is installed, NULL when not.
xc_package_version <- function(package) {
  if (!nzchar(system.file(package = package))) return(NULL)
  paste(package, utils::packageDescription(package, fields = "Version"))
}

# Columns with mean 0 and standard deviation 1, by the sample standard deviation, as scale() does;
# a constant column becomes 0. how: "sd": so. "robust": after far values are brought nearer, see xc_near_tails(); where
# there are none, the same. "rank": of the ranks.
xc_standardize <- function(x, how = "robust") {
  x <- xc_check_matrix(x)
  xc_check_choice(how, "how", c("robust", "sd", "rank"))
  if (how == "robust") x <- xc_near_tails(x)
  if (how == "rank") x[] <- apply(x, 2L, rank)
  centered <- sweep(x, 2L, colMeans(x))
  deviation <- sqrt(colSums(centered^2) / (nrow(x) - 1))
  deviation[deviation <= 10 * .Machine$double.eps * abs(colMeans(x))] <- 1
  sweep(centered, 2L, deviation, "/")
}

# Columns with values far from the bulk, the middle nine tenths of the rows, brought nearer, in the same order. They begin
# 1.5 widths of the bulk beyond it, and end less than 2 widths beyond. Where the quartiles are equal the bulk is that of
# the rows off the most frequent value, and this value.
xc_near_tails <- function(x) {
  n <- nrow(x)
  if (n < 10L) return(x)
  trimmed <- function(sorted) {
    some <- min(ceiling(0.05 * (length(sorted) - 1L)), (length(sorted) - 1L) %/% 2L)
    sorted[c(1L + some, length(sorted) - some)]
  }
  for (j in seq_len(ncol(x))) {
    sorted <- sort(x[, j])
    bulk <- trimmed(sorted)
    if (sorted[n %/% 4L + 1L] == sorted[n - n %/% 4L]) {
      common <- sorted[which.max(tabulate(match(sorted, sorted)))]
      off <- sorted[sorted != common]
      if (length(off) == 0L) next
      bulk <- c(min(common, trimmed(off)[1L]), max(common, trimmed(off)[2L]))
    }
    width <- diff(bulk)
    inside <- pmin(pmax(x[, j], bulk[1L] - 1.5 * width), bulk[2L] + 1.5 * width)
    beyond <- x[, j] - inside
    x[, j] <- inside + sign(beyond) * 0.5 * width * (abs(beyond) / (abs(beyond) + 0.5 * width))
  }
  x
}
