# The R half of the bridge, sourced once per worker process into an environment of its own.

loaded <- new.env()

# A script's functions live in their own environment, never the global one. A script is read once,
# and again when its file has changed, so that editing R needs no restart of Python.
script_environment <- function(file, parent) {
  stamp <- unlist(file.info(file, extra_cols = FALSE)[c("size", "mtime")])
  known <- loaded[[file]]
  if (is.null(known) || !identical(known$stamp, stamp) || !identical(parent.env(known$scope), parent)) {
    known <- list(stamp = stamp, scope = new.env(parent = parent))
    tryCatch(
      sys.source(file, envir = known$scope, keep.source = FALSE),
      error = function(e) stop("cannot source ", basename(file), ": ", conditionMessage(e), call. = FALSE)
    )
    assign(file, known, envir = loaded)
  }
  known$scope
}

# A script may have changed the kinds of generator: all three are set again for every call.
# Without a seed, R draws a new one from the clock, instead of going on where the last call ended.
set_generator <- function(seed) {
  if (is.null(seed)) {
    RNGkind("Mersenne-Twister", "Inversion", "Rejection")
    rm(".Random.seed", envir = globalenv())
  } else {
    set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  }
}

# `f(x = x, k = k)`: names instead of values, or every error and every `match.call()` would hold
# the whole data.
call_by_name <- function(name, arguments) {
  as.call(c(list(as.name(name)), lapply(stats::setNames(nm = names(arguments)), as.name)))
}

first_line <- function(call) {
  if (is.null(call)) "" else substr(deparse(call, nlines = 1L)[1L], 1L, 200L)
}

# Call a function of a script; hand back its value or its error, with warnings and printed text.
guarded_call <- function(common, script, name, arguments, seed) {
  warnings <- character()
  error <- NULL
  value <- NULL
  output <- utils::capture.output(
    value <- tryCatch(
      withCallingHandlers(
        {
          scope <- script_environment(script, script_environment(common, globalenv()))
          if (!exists(name, scope, mode = "function", inherits = FALSE)) {
            stop(basename(script), " defines no function ", name, "()", call. = FALSE)
          }
          set_generator(seed)
          eval(call_by_name(name, arguments), list2env(arguments, parent = scope))
        },
        warning = function(w) {
          warnings <<- c(warnings, conditionMessage(w))
          invokeRestart("muffleWarning")
        },
        message = function(m) {
          cat(conditionMessage(m))
          invokeRestart("muffleMessage")
        }
      ),
      error = function(e) {
        error <<- c(conditionMessage(e), first_line(conditionCall(e)))
        NULL
      }
    )
  )
  list(value = value, error = error, warnings = warnings, output = output)
}
