# The R half of the bridge, sourced once per worker process into an environment of its own. Its parent is base R, not
# the global environment: whatever a script leaves there, these functions find what they call.

loaded <- new.env(parent = emptyenv())

# A script's functions live in their own environment, never the global one. A script is read once, and again when a
# file of its folder has changed, so that editing R needs no restart of Python.
script_environment <- function(file, parent) {
  files <- list.files(dirname(file), "[.]R$", full.names = TRUE)
  stamp <- file.info(files, extra_cols = FALSE)[c("size", "mtime")]
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

# The session as a call finds it, and as the next one must find it again: a function that puts it back.
remember_session <- function() {
  settings <- options()
  unset <- list(error = settings$error, warning.expression = settings$warning.expression) # NULL is not kept
  objects <- ls(globalenv(), all.names = TRUE)
  attached <- search()
  folder <- getwd()
  tracingState(FALSE) # what an earlier call traced stays so in its package; here it has no effect
  function() {
    gctorture(FALSE)
    tracingState(FALSE)
    options(settings)
    options(unset)
    rm(list = setdiff(ls(globalenv(), all.names = TRUE), c(objects, ".Random.seed")), envir = globalenv())
    for (name in setdiff(search(), attached)) detach(name, character.only = TRUE)
    if (!is.null(folder)) setwd(folder)
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

# What a condition says; of what kind it is, where it says nothing.
said_by <- function(condition) {
  message <- tryCatch(conditionMessage(condition), error = function(e) NULL)
  if (is.character(message) && length(message) == 1L && !is.na(message)) return(message)
  paste("a condition of class", class(condition)[1L], "without a message")
}

# Text as UTF-8; bytes that are none are written out, as <e9>.
readable <- function(text) iconv(enc2utf8(text), "UTF-8", "UTF-8", sub = "byte")

# The same for all text within a value, names included.
readable_value <- function(value) {
  if (!is.atomic(value) && !is.list(value)) return(value)
  if (is.character(value)) value[] <- readable(value)
  if (is.list(value) && !is.object(value)) value[] <- lapply(value, readable_value)
  if (!is.null(names(value))) names(value) <- readable(names(value))
  if (!is.null(levels(value))) levels(value) <- readable(levels(value))
  value
}

# Call a function of xcompare, or of a script that sees these; hand back its value or its error, with warnings and
# printed text.
guarded_call <- function(xcompare, script, name, arguments, seed) {
  put_back <- remember_session()
  on.exit(put_back())
  warnings <- character()
  error <- NULL
  value <- NULL
  sinks <- sink.number() + 1L # that of capture.output(), which would take a sink left open for its own
  output <- utils::capture.output(
    value <- tryCatch(
      withCallingHandlers(
        {
          scope <- script_environment(xcompare, globalenv())
          if (!is.null(script)) scope <- script_environment(script, scope)
          if (!exists(name, scope, mode = "function", inherits = FALSE)) {
            stop(basename(if (is.null(script)) xcompare else script), " defines no function ", name, "()", call. = FALSE)
          }
          set_generator(seed)
          eval(call_by_name(name, arguments), list2env(arguments, parent = scope))
        },
        warning = function(w) {
          warnings <<- c(warnings, said_by(w))
          invokeRestart("muffleWarning")
        },
        message = function(m) {
          cat(conditionMessage(m))
          invokeRestart("muffleMessage")
        }
      ),
      error = function(e) {
        error <<- c(said_by(e), first_line(conditionCall(e)))
        NULL
      },
      finally = while (sink.number() > sinks) sink()
    )
  )
  list(
    value = readable_value(if (is.list(value)) unclass(value) else value), error = if (!is.null(error)) readable(error), warnings = readable(warnings),
    output = readable(output)
  )
}
