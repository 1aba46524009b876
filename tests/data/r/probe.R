# R functions that behave well or badly, for the tests of the bridge.

identity_list <- function(...) list(...)
describe <- function(x) list(type = typeof(x), dim = dim(x), length = length(x), missing = sum(is.na(x)))

draw <- function() list(uniform = runif(3), normal = rnorm(3), sample = sample(100L, 5L))
change_generator <- function() {
  RNGkind("Wichmann-Hill", "Box-Muller", "Rounding")
  list(kinds = RNGkind())
}

noisy <- function(x) {
  warning("first")
  cat("printed\n")
  message("told")
  print(x)
  warning("second")
  list(x = x)
}
fail_in <- function(x) inner(x)
inner <- function(value) {
  warning("before")
  cat("so far\n")
  stop("bad input: ", value)
}
fail_plainly <- function() stop("x must be positive; got -1", call. = FALSE)
recurse <- function(n) recurse(n + 1)
recurse_with_work <- function(n) vapply(n, function(i) recurse_with_work(i + 1), 0)

process <- function() list(pid = Sys.getpid(), interactive = interactive(), libraries = .libPaths())
signal_self <- function(signal) {
  cat("this goes to the log", file = stderr())
  tools::pskill(Sys.getpid(), signal)
  Sys.sleep(60)
}
end <- function(status) quit(status = status)
end_quietly <- function() q("no")
loop <- function() repeat NULL
sleep <- function(seconds) {
  Sys.sleep(seconds)
  list(slept = seconds)
}

values <- function() {
  list(
    null = NULL, real = c(1, NaN, NA), whole = 1:3, whole_na = c(1L, NA), yes = TRUE, yes_na = c(TRUE, NA),
    text = c("a", NA), factor = factor(c("u", NA, "v")), matrix = matrix(1:6 + 0.5, 2), empty = numeric(),
    no_text = character(), no_rows = matrix(0, 0, 3), inner = list(a = 1, b = list(c = "d")), unnamed = list(1, "a"),
    table = data.frame(a = 1:2, b = c("x", "y")), cells = matrix(c("a", "b"), 1)
  )
}
bare <- function() c(1, 2)
nameless <- function() list(1, 2)
closure <- function() list(fit = list(predict = function() 1))
environment_value <- function() list(where = globalenv())

makes_global <- function() {
  local_only <- 1
  list(globals = ls(globalenv()), checks = exists("xc_check_matrix"), matched = deparse(match.call()))
}

session <- function() {
  cat("seen")
  settings <- options()[c("expressions", "digits", "warn", "OutDec", "error")]
  list(
    options = vapply(settings, function(value) paste(value, collapse = ""), ""), globals = ls(globalenv(), all.names = TRUE),
    search = search(), folder = getwd(), sum = sum(c(1, 2)), largest = max(c(1, 2)), torture = gctorture(FALSE)
  )
}
leaves_few_expressions <- function() {
  options(expressions = 30, digits = 3, OutDec = ",", warn = 2, error = quote(q("no")))
  list(done = TRUE)
}
leaves_globals <- function() {
  assign("c", function(...) stop("not the c you know"), globalenv())
  assign("list", 3, globalenv())
  assign("T", FALSE, globalenv())
  list(done = TRUE)
}
leaves_hidden_global <- function() {
  assign(".hidden", 1, globalenv())
  list(done = TRUE)
}
leaves_package_attached <- function() {
  library(splines)
  attach(list(sum = function(...) stop("not the sum you know")), name = "mine", warn.conflicts = FALSE)
  list(done = TRUE)
}
leaves_sink <- function() {
  sink(tempfile())
  list(done = TRUE)
}
leaves_traces <- function() {
  tracingState(TRUE)
  suppressMessages(trace("max", quote(cat("traced")), print = FALSE, where = baseenv()))
  list(done = TRUE)
}
leaves_torture <- function() {
  gctorture(TRUE)
  list(done = TRUE)
}
fails_without_a_message <- function() stop(structure(class = c("mute", "error", "condition"), list()))
moves_away <- function() {
  setwd(tempdir())
  list(done = TRUE)
}
masks_sum <- function() {
  assign("sum", function(...) -1, globalenv())
  list(done = TRUE)
}

latin1 <- function(...) rawToChar(as.raw(c(...)))
says_latin1 <- function() {
  cat(latin1(0x63, 0x61, 0x66, 0xe9))
  warning(latin1(0x77, 0xe9))
  list(
    text = c(latin1(0x76, 0xe9), "\u00e9"), inner = stats::setNames(list(1), latin1(0x6e, 0xe9))
  )
}
fails_in_latin1 <- function() stop(latin1(0x62, 0xe9, 0x64))
