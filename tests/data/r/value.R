# A function's value as the named list that the bridge wants: value_of("xc_dunn", x = x, labels = labels).
value_of <- function(name, ...) list(value = get(name, mode = "function")(...))
