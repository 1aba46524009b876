# Every method of xcompare in R, for R users and for Python's bridge alike:
#   source("r_scripts/xcompare.R")
# defines functions whose names begin with xc_, wherever this file is sourced, and nothing else.

local({
  # The path that source() or sys.source(), the innermost call, is reading.
  paths <- unlist(lapply(sys.frames(), function(frame) Filter(is.character, list(frame$ofile, frame$file))))
  path <- utils::tail(paths[basename(paths) == "xcompare.R"], 1L)
  if (!file.exists(path)) path <- basename(path) # chdir = TRUE: we are in its folder already
  folder <- dirname(normalizePath(path))
  scripts <- c(
    "common.R", "bagging_blocks.R", "bagging.R", "refined.R", "urf.R", "cubt.R", "weighted_kmeans.R", "fgkm.R", "twkm.R",
    "laplacian_score.R", "dip.R", "clustvarsel.R", "validate.R", "benchmark.R"
  )
  for (script in scripts) sys.source(file.path(folder, script), envir = parent.env(environment()))
})
