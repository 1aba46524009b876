# Hartigan's dip of each feature (Hartigan and Hartigan 1985, https://doi.org/10.1214/aos/1176346577), with diptest;
# larger means more important.

# x: numeric matrix, rows are observations. Equal values are spread first, as the dip takes each for a mode.
xc_dip <- function(x) {
  x <- xc_check_matrix(x, min_rows = 1L)
  dip <- function(column) {
    column <- sort(column)
    if (length(column) < 4L || column[1L] == column[length(column)]) return(0.5 / length(column))
    diptest::dip(xc_spread_ties(column))
  }
  xc_importance(
    list(importance = stats::setNames(as.vector(apply(x, 2L, dip)), colnames(x)), package = xc_package_version("diptest")),
    "Dip"
  )
}

# Equal ones of ascending values, evenly spaced over their rounding interval: half way to the neighbours, and at most
# twice as far to one side as to the other. Values that occur once stay.
xc_spread_ties <- function(x) {
  values <- unique(x)
  counts <- tabulate(match(x, values))
  if (length(values) == length(x) || length(values) < 2L) return(x)
  half <- diff(values) / 2
  left <- c(half[1L], half)
  right <- c(half, half[length(half)])
  narrow <- list(left = pmin(left, 2 * right), right = pmin(right, 2 * left))
  place <- (sequence(counts) - 0.5) / rep(counts, counts)
  spread <- rep(values - narrow$left, counts) + place * rep(narrow$left + narrow$right, counts)
  ifelse(rep(counts, counts) > 1L, spread, x)
}
