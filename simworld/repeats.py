"""Sum up runs of one model that asked the same again and again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, variance
from typing import Any

from simworld.stats import mean_interval, wilson


def summarise(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return mean, variance and interval of each metric over repeats, and the failure rate.

    The interval is Student's over the repeats' values: it says how far the model's own draws move
    the mean, not how far other videos would. That of the failure rate is Wilson's.

    Args:
        results: A result document for each repeat, two or more.
    """
    metrics = {}
    for name in results[0]["metrics"]:
        values = [result["metrics"][name]["value"] for result in results]
        if None in values:
            metrics[name] = dict.fromkeys(("mean", "variance", "ci_low", "ci_high"))
            continue
        low, high = mean_interval(values)
        metrics[name] = {
            "mean": fmean(values),
            "variance": variance(values),
            "ci_low": low,
            "ci_high": high,
        }
    counts = [result["status_counts"] for result in results]
    asked = sum(sum(count.values()) for count in counts)
    failed = sum(sum(n for status, n in count.items() if status != "ok") for count in counts)
    low, high = wilson(failed, asked) if asked else (0.0, 1.0)
    return {
        "n": len(results),
        "failure_rate": failed / asked if asked else 0.0,
        "failure_ci_low": low,
        "failure_ci_high": high,
        "metrics": metrics,
    }
