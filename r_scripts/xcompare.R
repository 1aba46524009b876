# Every method of xcompare in R, for R users and for Python's bridge alike:
#   source("r_scripts/xcompare.R")
# defines names that begin with xc_, and how their results are printed, summarised and plotted, wherever this file is
# sourced, and nothing else. The same as a package: R CMD INSTALL r_scripts

local({
  # The path that source() or sys.source(), the innermost call, is reading.
  paths <- unlist(lapply(sys.frames(), function(frame) Filter(is.character, list(frame$ofile, frame$file))))
  path <- utils::tail(paths[basename(paths) == "xcompare.R"], 1L)
  if (!file.exists(path)) path <- basename(path) # chdir = TRUE: we are in its folder already
  folder <- dirname(normalizePath(path))
  scripts <- c(
    "common.R", "importance.R", "bagging_blocks.R", "bagging.R", "refined.R", "urf.R", "cubt.R", "weighted_kmeans.R", "fgkm.R", "twkm.R",
    "laplacian_score.R", "dip.R", "clustvarsel.R", "compare.R", "validate.R", "benchmark.R"
  )
  for (script in scripts) sys.source(file.path(folder, script), envir = parent.env(environment()))
})
