root <- if (dir.exists("r_scripts")) "." else file.path("..", "..") # testthat moves into the folder of the test
source(file.path(root, "r_scripts", "xcompare.R"), local = TRUE)

biopsy <- scale(as.matrix(stats::na.omit(MASS::biopsy)[, 2:10]))
blobs <- function() {
  cluster <- rep(1:3, each = 20)
  cbind(stats::rnorm(60, 6 * cluster, 0.4), stats::rnorm(60, -6 * cluster, 0.4), stats::runif(60))
}

testthat::test_that("breast, m = 8, basic: the published importances", {
  set.seed(1)
  fit <- xc_bagging(biopsy, 2, "basic", 8, n_replicas = 40, n_init = 1, information = "kde")
  published <- c(.34, 1, .95, .68, .63, .92, .50, .76, .79)
  testthat::expect_lt(max(abs(fit$importance - published)), 0.03)
})

testthat::test_that("defaults are those of Python", {
  defaults <- formals(xc_bagging)
  testthat::expect_identical(defaults$prior_weight, 0.1)
  testthat::expect_identical(defaults$n_init, 3L)
})

testthat::test_that("breast by default: as published, but for Mitoses, which has no density", {
  set.seed(1)
  testthat::expect_warning(fit <- xc_bagging(biopsy, 2, "efron", 8, n_replicas = 40), "no density exists for columns 9")
  published <- c(.35, 1, .96, .69, .64, .93, .51, .77)
  testthat::expect_lt(max(abs(fit$importance[1:8] - published)), 0.04)
  testthat::expect_lt(fit$importance[9], 0.2)
  testthat::expect_identical(fit$discrete_share, c(rep(0, 8), 1))
})

testthat::test_that("counting: a copy gets the entropy of the labels, chance gives nothing, junk comes last", {
  labels <- rep(1:3, c(40, 60, 100))
  entropy <- -sum(c(.2, .3, .5) * log(c(.2, .3, .5)))
  testthat::expect_equal(xc_discrete_information(labels, labels), entropy)
  testthat::expect_equal(as.vector(xc_mutual_information(cbind(labels - 2), labels)), entropy)
  set.seed(12)
  noise <- replicate(300, xc_discrete_information(sample(4L, 200, TRUE), labels))
  testthat::expect_lt(abs(mean(noise)), 0.003)
  flag <- cbind(scale(cbind(blobs(), c(1, rep(0, 59)))))
  for (resampling in c("basic", "efron", "bbc")) {
    testthat::expect_warning(fit <- xc_bagging(flag, 3, resampling, n_replicas = 20), "columns 4")
    testthat::expect_identical(which.min(unname(fit$importance)), 4L)
  }
})

testthat::test_that("a junk column comes last in all rows, levels equal to the labels come first, units do not matter", {
  set.seed(15)
  groups <- function(n) {
    g <- rep(0:2, length.out = n)
    cbind(4 * g + stats::rnorm(n), stats::rnorm(n) - 3 * g, stats::rnorm(n), stats::rnorm(n))
  }
  some <- sample(150L, 5L)
  junk <- list(one = 1:150 == 7, percent = 1:150 %in% sample(150L, 2L), zeros = replace(numeric(150), some, 1 + some %% 2),
               many = 1:2000 %in% sample(2000L, 20L))
  for (resampling in c("basic", "efron", "bbc")) {
    for (column in junk) {
      x <- scale(cbind(groups(length(column)), column))
      size <- if (nrow(x) > 150) 3 else 15
      fit <- suppressWarnings(xc_bagging(x, 3, resampling, n_replicas = size, n_init = 5, consensus = "medoid"))
      testthat::expect_identical(which.min(unname(fit$importance)), 5L)
      testthat::expect_lt(fit$importance[5], 0.05)
    }
    g <- rep(0:2, length.out = 150)
    levels <- cbind(2.5 * g + stats::rnorm(150), g - 1, matrix(stats::rnorm(450), 150))
    fit <- suppressWarnings(xc_bagging(scale(levels), 3, resampling, n_replicas = 15, n_init = 5, consensus = "medoid"))
    testthat::expect_identical(which.max(unname(fit$importance)), 2L)
  }
  x <- cbind(groups(120), stats::runif(120) < 0.03)
  labels <- rep(0:2, length.out = 120)
  moved <- sweep(sweep(x, 2L, c(1, 1e-3, 50, 1, 7), "*"), 2L, c(0, 3, 0.1, -5, 0.1), "+")
  nats <- lapply(list(x, moved), function(y) as.vector(xc_mutual_information(scale(y), labels)))
  testthat::expect_equal(nats[[1]], nats[[2]], tolerance = 1e-9)
})

testthat::test_that("the consensus goes by importance where few of many columns make the clusters, and not where all do", {
  set.seed(14)
  truth <- rep(1:3, length.out = 150)
  few <- matrix(stats::rnorm(150 * 40), 150)
  few[, 1:4] <- few[, 1:4] + 2.5 * matrix(stats::rnorm(12), 3)[truth, ]
  testthat::expect_lt(min(xc_consensus_space(scale(few), c(rep(1, 4), rep(0.1, 36)), 3)), 0.6)
  testthat::expect_identical(xc_consensus_space(biopsy, c(.34, 1, .95, .68, .63, .92, .50, .76, .14), 2), rep(1, 9))
})

testthat::test_that("without a cap six groups hold more than three, and three more than two", {
  set.seed(13)
  group <- rep(0:5, each = 50)
  x <- scale(8 * cbind(group, (group * 5) %% 6, group %/% 2, group %/% 3) + stats::rnorm(1200))
  capped <- xc_bagging(x, 6, n_replicas = 20)$importance
  free <- xc_bagging(x, 6, n_replicas = 20, cap = NULL)$importance
  testthat::expect_gt(min(capped), 0.99)
  testthat::expect_true(min(free[1:2]) > 0.9 && free[3] < 0.8 && free[4] < 0.6)
})

testthat::test_that("entropy is that of density(), and of the normal distribution in the limit", {
  old <- if ("old.coords" %in% names(formals(stats:::density.default))) list(old.coords = TRUE)
  set.seed(1)
  for (x in list(stats::rnorm(50), stats::rexp(9), c(1, 1, 1, 1, 1, 1, 2), c(0.1, 3))) {
    d <- do.call(stats::density, c(list(x), old))
    f <- pmax(d$y, .Machine$double.eps)
    testthat::expect_equal(xc_kde_entropy(x), -sum(f * log(f)) * (d$x[2] - d$x[1]), tolerance = 1e-12)
  }
  testthat::expect_equal(xc_kde_entropy(stats::rnorm(20000)), 0.5 * log(2 * pi * exp(1)), tolerance = 0.01)
  testthat::expect_equal(xc_kde_entropy(rep(3, 4)), xc_kde_entropy(rep(-3, 4)))
  testthat::expect_true(all(is.finite(c(xc_kde_entropy(0), xc_kde_entropy(c(0, 0)), xc_kde_entropy(7)))))
})

testthat::test_that("entropies of many columns at once are those of density(), column by column", {
  set.seed(9)
  shapes <- list(
    normal = function(n) stats::rnorm(n), skewed = function(n) stats::rexp(n)^2,
    uniform = function(n) stats::runif(n, -9, 4),
    tied = function(n) sample(3L, n, TRUE) + 0, outlier = function(n) c(100, stats::rnorm(n - 1L)),
    few_differ = function(n) c(2, rep(1, n - 1L)), zero = function(n) rep(0, n), constant = function(n) rep(-0.7, n),
    small = function(n) stats::rnorm(n) * 1e-6, far = function(n) 20 + stats::rnorm(n)
  )
  for (n in c(1L, 2L, 3L, 4L, 5L, 12L, 60L, 700L)) {
    x <- vapply(shapes, function(draw) draw(n), numeric(n))
    x <- unname(matrix(x, n))
    plain <- apply(x, 2L, xc_kde_entropy)
    testthat::expect_lt(max(abs(xc_kde_entropies(x) - plain)), 1e-12, label = paste("difference at n =", n))
    for (some in list(3L, 4:5)) { # a column does not depend on its neighbours
      testthat::expect_equal(xc_kde_entropies(x[, some, drop = FALSE]), plain[some], tolerance = 1e-12)
    }
  }
})

testthat::test_that("information is high for the feature that makes the clusters, and the names do not matter", {
  set.seed(2)
  x <- blobs()
  labels <- rep(1:3, each = 20)
  information <- xc_mutual_information(x, labels)
  testthat::expect_gt(information[1], 0.9)
  testthat::expect_lt(information[3], 0.3)
  testthat::expect_equal(xc_mutual_information(x, c(9, 2, 5)[labels]), information)
})

testthat::test_that("Dunn index by hand", {
  x <- matrix(c(0, 1, 4, 5), ncol = 1)
  testthat::expect_equal(xc_dunn(x, c(1, 1, 2, 2)), 3)
  testthat::expect_equal(xc_dunn(x, c(1, 2, 2, 2)), 1 / 4)
  testthat::expect_equal(xc_dunn(x, c(1, 1, 1, 1)), 0)
  testthat::expect_equal(xc_dunn(x, 1:4), Inf)
  testthat::expect_equal(xc_dunn(matrix(c(1, 1, 2), ncol = 1), 1:3), 0)
  testthat::expect_equal(xc_dunn(cbind(c(0, 3, 0), c(0, 4, 10)), c(1, 1, 2)), sqrt(9 + 36) / 5)
})

testthat::test_that("Dunn index from kept squares is that of dist()", {
  set.seed(10)
  x <- matrix(stats::rnorm(40 * 5), 40)
  labels <- sample(3L, 40, TRUE)
  pairs <- xc_pairs(40L)
  testthat::expect_equal(rbind(pairs$first, pairs$second), utils::combn(40L, 2L))
  for (drawn in list(c(1, 0, 1, 1, 0) == 1, c(0, 0, 0, 1, 0) == 1, rep(TRUE, 5))) {
    distance <- xc_subspace_distances(x, pairs)(drawn)
    testthat::expect_equal(distance, as.vector(stats::dist(x[, drawn])), tolerance = 1e-14)
    within <- as.matrix(stats::dist(x[, drawn]))
    same <- outer(labels, labels, "==")
    plain <- min(within[!same]) / max(within[same])
    testthat::expect_equal(xc_dunn(x, labels, distance, pairs), plain, tolerance = 1e-14)
    testthat::expect_equal(xc_dunn(x[, drawn, drop = FALSE], labels), plain, tolerance = 1e-14)
  }
  # Larger data measures each subspace anew.
  x <- matrix(stats::rnorm(1200 * 3), 1200)
  testthat::expect_s3_class(xc_subspace_distances(x, xc_pairs(1200L))(c(TRUE, FALSE, TRUE)), "dist")
})

testthat::test_that("variation of information is a metric, and by hand", {
  testthat::expect_equal(xc_vi(c(1, 1, 2, 2), c(2, 2, 1, 1)), 0)
  testthat::expect_equal(xc_vi(c(1, 1, 2, 2), c(1, 2, 1, 2)), 2 * log(2))
  set.seed(3)
  d <- xc_pairwise_vi(matrix(sample(1:4, 30 * 25, replace = TRUE), 30))
  testthat::expect_equal(d, t(d))
  testthat::expect_true(all(diag(d) == 0) && all(d >= 0))
  for (k in seq_len(30)) testthat::expect_true(all(d <= outer(d[, k], d[k, ], "+") + 1e-12))
})

testthat::test_that("with equal weights the consensus is clue's medoid", {
  set.seed(4)
  for (run in 1:5) {
    labels <- matrix(sample(1:3, 12 * 40, replace = TRUE), 12)
    ensemble <- clue::cl_ensemble(list = lapply(1:12, function(b) clue::as.cl_hard_partition(labels[b, ])))
    medoid <- clue::cl_class_ids(clue::cl_medoid(ensemble, method = "VI"))
    testthat::expect_equal(xc_vi(xc_consensus(labels)$labels, as.integer(medoid)), 0)
  }
  testthat::expect_identical(xc_consensus(labels, c(rep(0, 11), 1))$index, 12L)
  testthat::expect_error(xc_consensus(labels, rep(0, 12)), "not all 0")
})

testthat::test_that("every scheme finds blobs, and tells noise", {
  set.seed(5)
  x <- scale(cbind(blobs()[, 1:2], blobs())) # every subspace has three of the four features that make the blobs
  for (resampling in c("basic", "efron", "bbc")) {
    fit <- xc_bagging(x, 3, resampling, n_replicas = 10)
    testthat::expect_equal(xc_vi(fit$labels, rep(1:3, each = 20)), 0)
    testthat::expect_lt(fit$importance[5], 0.4)
    testthat::expect_gt(min(fit$importance[1:4]), 0.9)
    testthat::expect_identical(rowSums(fit$replica_features), rep(4, 10))
    testthat::expect_identical(is.na(fit$replica_importances), fit$replica_features == 0)
    again <- xc_bagging(x, 3, n_replicas = 10, consensus = "medoid", replicas = list(features = fit$replica_features, labels = fit$replica_labels))
    testthat::expect_identical(again$replica_labels[again$consensus_index, ] |> xc_vi(again$labels), 0)
    testthat::expect_lt(xc_vi(fit$labels, again$labels), 1e-9)
  }
})

testthat::test_that("Efron's bootstrap draws every row", {
  set.seed(1)
  draw <- xc_resampler(matrix(1:40), 2L, "efron", 0.1)
  drawn <- table(factor(replicate(100, draw()), levels = 1:40))
  testthat::expect_true(all(drawn > 50 & drawn < 160)) # near 100, standard deviation 10
})

testthat::test_that("the Bayesian bootstrap mixes data and prior as they should be mixed", {
  set.seed(1)
  n <- 200L
  w <- 0.75
  x <- cbind(stats::rnorm(n) + ifelse(seq_len(n) <= 50L, 50, 0), stats::rnorm(n) + 1000)
  draw <- xc_resampler(x, 2L, "bbc", w)
  invented <- replicate(100, { replica <- draw(); replica[!replica[, 1L] %in% x[, 1L], ] }, simplify = FALSE)
  sizes <- vapply(invented, nrow, 1L)
  testthat::expect_equal(mean(sizes) / n, w, tolerance = 0.02)
  values <- do.call(rbind, invented)
  testthat::expect_equal(mean(values[, 1L] > 25), 0.25, tolerance = 0.1) # the shares of the clusters
  testthat::expect_true(all(values[, 2L] > 900)) # each feature has its own draws
  # Two draws are the same atom with probability (a + 1) / (n a + 1) under Dirichlet weights of parameter a.
  a <- 1 / (1 - w)
  s <- (a + 1) / (n * a + 1)
  same <- sum(vapply(invented, function(v) sum(choose(table(v[, 1L]), 2)), 1))
  testthat::expect_equal(same / sum(choose(sizes, 2)) / (s / (s + (1 - s) * w)), 1, tolerance = 0.05)
})

testthat::test_that("Lloyd's K-means, on request, finds the same blobs", {
  set.seed(11)
  x <- scale(cbind(blobs()[, 1:2], blobs()))
  fit <- xc_bagging(x, 3, "bbc", n_replicas = 10, algorithm = "Lloyd")
  testthat::expect_equal(xc_vi(fit$labels, rep(1:3, each = 20)), 0)
  testthat::expect_error(xc_bagging(x, 3, algorithm = "MacQueen"), "algorithm must be one of .*; got MacQueen")
})

testthat::test_that("importance is the weighted mean over the replicas that drew the feature", {
  set.seed(6)
  x <- scale(blobs())
  features <- rbind(c(1, 1, 0), c(0, 1, 1), c(1, 0, 1))
  labels <- rbind(rep(1:3, each = 20), sample(1:3, 60, TRUE), rep(1:2, each = 30))
  fit <- xc_bagging(x, 3, replicas = list(features = features, labels = labels))
  weights <- sapply(1:3, function(b) xc_dunn(x[, features[b, ] == 1], labels[b, ]))
  testthat::expect_equal(fit$replica_weights, weights)
  for (j in 1:3) {
    drawn <- features[, j] == 1
    values <- fit$replica_importances[drawn, j]
    mean <- sum(weights[drawn] * values) / sum(weights[drawn])
    testthat::expect_equal(unname(fit$importance)[j], mean)
    testthat::expect_equal(fit$importance_std[j], sqrt(sum(weights[drawn] * (values - mean)^2) / sum(weights[drawn])))
  }
  full <- xc_bagging(x, 3, quality_space = "full", replicas = list(features = features, labels = labels))
  testthat::expect_equal(full$replica_weights, sapply(1:3, function(b) xc_dunn(x, labels[b, ])))
})

testthat::test_that("given rows and starting centres fix everything", {
  set.seed(7)
  x <- scale(blobs())
  given <- list(
    features = t(replicate(5, sample(c(1, 1, 0)))),
    rows = t(replicate(5, sample(60, replace = TRUE))),
    centers = t(replicate(5, c(sample(20, 1), 20 + sample(20, 1), 40 + sample(20, 1))))
  )
  # The weighted consensus draws starting centres of its own, and may number clusters of equal size otherwise.
  fit <- function() xc_bagging(x, 3, consensus = "medoid", replicas = given)
  testthat::expect_identical(fit(), fit())
})

testthat::test_that("degenerate data gives numbers: duplicated rows, few distinct rows, constant columns", {
  set.seed(8)
  few <- cbind(rep(0:1, 10), rep(0:1, 10), 0)
  for (resampling in c("basic", "efron", "bbc")) {
    testthat::expect_warning(fit <- xc_bagging(few, 3, resampling, n_replicas = 5), "no density exists for columns 1, 2")
    testthat::expect_true(all(is.finite(fit$importance)))
    testthat::expect_identical(unname(fit$importance)[3], 0)
  }
  testthat::expect_warning(fit <- xc_bagging(matrix(1, 10, 3), 2, n_replicas = 20), "all weights are 0")
  testthat::expect_identical(unname(fit$importance), c(0, 0, 0))
  once <- list(features = matrix(c(1, 1, 0), 1), labels = matrix(rep(1:2, each = 30), 1))
  testthat::expect_warning(xc_bagging(scale(blobs()), 2, replicas = once), "never drawn.* columns 3")
})

testthat::test_that("arguments that cannot be used are named with their values", {
  testthat::expect_error(xc_bagging(biopsy, 1), "n_clusters must be a whole number from 2 to 683; got 1")
  testthat::expect_error(xc_bagging(biopsy, 2, "jack"), "resampling must be one of .*; got jack")
  testthat::expect_error(xc_bagging(biopsy, 2, max_features = 10), "max_features must be a whole number from 1 to 9; got 10")
  testthat::expect_error(xc_bagging(biopsy, 2, prior_weight = 1), "prior_weight must be at least 0 and below 1; got 1")
  testthat::expect_error(
    xc_bagging(biopsy, 2, replicas = list(features = matrix(1, 1, 9), labels = matrix(1, 1, 5))),
    "replicas\\$labels must be a matrix with a row per replica and 683 columns; got 1 x 5"
  )
})
