# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests with memory budgets, of which two are too small, as pytest runs them with peakscope.pytest_plugin.

    PYTHONPATH="$(peakscope-cli record --python-folder)" python late_budgets.py

Prints "no pytest" where that is not installed; fails where the outcomes are not the expected ones.
"""
import sys

from peakscope import companions, start

if start.lacks_companions():
    companions.provide()

try:
    import pytest
except ImportError:
    print("no pytest")
    sys.exit()

import torch

MODEL = torch.nn.Linear(1000, 1000) if __name__ != "__main__" else None  # 3.82 MiB, and as much again for its gradients


def train_step():
    MODEL(torch.randn(8, 1000)).sum().backward()


def test_within(peakscope_budget):
    train_step()
    with peakscope_budget("16 MiB") as recorded:
        train_step()
    assert recorded.components["parameters"] == recorded.components["gradients"] == 1001000 * 4


def test_beyond(peakscope_budget):
    with peakscope_budget("5 MiB"):
        train_step()


@pytest.mark.peakscope(budget="16 MiB")
def test_marked_within():
    train_step()


@pytest.mark.peakscope(budget=5_000_000, stacks=True)
def test_marked_beyond():
    train_step()


@pytest.mark.peakscope(budget="1 GB")
def test_fails_by_itself():
    raise KeyError("of the test")


class Outcomes:
    def __init__(self):
        self.found = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.failed:
            self.found[report.nodeid.split("::")[-1]] = (report.outcome, report.longreprtext)


def main():
    outcomes = Outcomes()
    pytest.main(["-q", "-s", "-W", "error", "-p", "no:cacheprovider", "-p", "peakscope.pytest_plugin", __file__], plugins=[outcomes])
    found = outcomes.found
    assert {name: outcome for name, (outcome, _) in found.items()} == {
        "test_within": "passed", "test_beyond": "failed", "test_marked_within": "passed", "test_marked_beyond": "failed",
        "test_fails_by_itself": "failed"}, found
    for name, budget in (("test_beyond", "5 MiB"), ("test_marked_beyond", "4.77 MiB")):
        text = found[name][1]
        for part in ("is above the budget of " + budget, "by component:", "parameters", "gradients", "by line:", "late_budgets.py", "(before the recording)", "by module:", "Linear"):
            assert part in text, f"{part} is not in {text}"
    assert "KeyError" in found["test_fails_by_itself"][1] and "budget" not in found["test_fails_by_itself"][1].split("KeyError")[-1]
    print("budgets: done")


if __name__ == "__main__":
    main()
