dp-sgd: there is no option --check
Run with --help for the options and their ranges.
