import chatServer  # noqa: F401  before numpy, whose threads it counts
