# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory budgets in tests: the fixture peakscope_budget and the marker `@pytest.mark.peakscope(budget="64 MiB")`. Loaded by
`pytest -p peakscope.pytest_plugin`, or by `pytest_plugins = ["peakscope.pytest_plugin"]` in conftest.py."""
import contextlib
import functools
import gc
import re

import pytest

from peakscope.recording import in_words, record

SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?B|B)?\s*")
POWERS = "BKMGT"


def size_of(budget):
    """Bytes of a number, or of a text such as 64 MiB, 1.5 GiB or 500 MB."""
    if isinstance(budget, int) and not isinstance(budget, bool) and budget > 0:
        return budget
    match = SIZE.fullmatch(budget) if isinstance(budget, str) else None
    if not match:
        raise ValueError(f"a budget of {budget!r} is none: give bytes, or a text such as '64 MiB' or '1.5 GB'")
    number, unit = match.groups()
    unit = unit or "B"
    return int(float(number) * (1024 if "i" in unit else 1000) ** POWERS.index(unit[0]))


def rows(title, pairs):
    return [f"  by {title}:", *(f"    {in_words(size):>10}  {name}" for name, size in pairs)]


def message(recorded, limit):
    """Who held what, where it was too much."""
    over = recorded.peak_bytes - limit
    lines = [f"peak {in_words(recorded.peak_bytes)} ({recorded.peak_bytes} bytes) is above the budget of {in_words(limit)} by "
             f"{in_words(over)}"]
    lines += rows("component", recorded.components.items())
    for by in ("line", "module"):
        lines += rows(by, recorded.holders(by=by))
    return "\n".join(lines)


@contextlib.contextmanager
def within(budget, **options):
    """Fails the test where the block's peak is above the budget. What was allocated before it and lives counts, too."""
    __tracebackhide__ = True
    limit = size_of(budget)
    gc.collect()  # what earlier tests left behind is not this one's
    with record(**options) as recorded:
        yield recorded
    if recorded.peak_bytes > limit:
        pytest.fail(message(recorded, limit), pytrace=False)


@pytest.fixture
def peakscope_budget():
    """`with peakscope_budget("64 MiB"): train_step()`; takes what peakscope.record takes besides, and yields what that yields."""
    return within


def pytest_configure(config):
    config.addinivalue_line("markers", "peakscope(budget): fails the test where PyTorch's memory peaks above budget, such as '64 MiB'")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    marker = pyfuncitem.get_closest_marker("peakscope")
    if marker is None or hasattr(pyfuncitem.obj, "peakscope_budget"):  # a test that is run again has it
        return
    options = dict(zip(("budget",), marker.args)) | marker.kwargs
    if "budget" not in options:
        raise ValueError("the marker peakscope needs a budget: @pytest.mark.peakscope(budget='64 MiB')")
    test = pyfuncitem.obj

    @functools.wraps(test)
    def measured(*args, **kwargs):
        __tracebackhide__ = True
        with within(**options):
            test(*args, **kwargs)

    measured.peakscope_budget = options["budget"]
    pyfuncitem.obj = measured
