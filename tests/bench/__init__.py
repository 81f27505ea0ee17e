"""Benchmarks, which are not tests: timings depend on the machine, and only ratios within one run mean something."""
