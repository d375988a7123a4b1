"""Samples of one measurement, and their output."""

import statistics


def show(name, samples, unit="ms"):
    ordered = sorted(samples)
    p99 = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    median = statistics.median(ordered)
    print(f"{name:42} median {median:9.2f} {unit}   p99 {p99:9.2f} {unit}   n {len(ordered)}", flush=True)
    return median
