# Hartigan's dip of each feature (Hartigan and Hartigan 1985, https://doi.org/10.1214/aos/1176346577), with diptest;
# larger means more important.

# x: numeric matrix, rows are observations. Equal values are laid out first, as the dip takes each for a peak.
xc_dip <- function(x) {
  x <- xc_check_matrix(x, min_rows = 1L)
  dip <- function(column) {
    column <- sort(column)
    if (length(column) < 4L || column[1L] == column[length(column)]) return(0.5 / length(column))
    diptest::dip(xc_spread_ties(column))
  }
  list(importance = stats::setNames(as.vector(apply(x, 2L, dip)), colnames(x)), package = xc_package_version("diptest"))
}

# Equal ones of ascending values, evenly over the room that rounding took from them: half way to the neighbours, and no
# wider than the usual step between values.
xc_spread_ties <- function(x) {
  values <- unique(x)
  counts <- tabulate(match(x, values))
  if (length(values) == length(x) || length(values) < 2L) return(x)
  gaps <- diff(values)
  usual <- sort(gaps)[ceiling(length(gaps) / 2)]
  room <- pmin(gaps, usual) / 2
  left <- c(usual / 2, room)
  right <- c(room, usual / 2)
  place <- (sequence(counts) - 0.5) / rep(counts, counts)
  rep(values - left, counts) + place * rep(left + right, counts)
}
