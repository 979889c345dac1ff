# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels that a compiler would choose by their times (max-autotune): times of kernels that do nothing say nothing. The first of a
product's kernels is taken, which is the library's own; what timing them would allocate, copies of what goes in and out and a buffer as large
as the cache, is allocated all the same."""
import functools

TRITON_BUFFER = 256 << 20  # what Triton clears between two runs


class Tuning:
    def __init__(self, torch):
        self.torch = torch
        self.chosen = 0  # products

    def attach(self, module):
        selector = module.AlgorithmSelectorCache
        select = selector.__call__

        @functools.wraps(select)
        def select_first(cache, name, choices, input_nodes, layout, *args, **kwargs):
            choices = list(choices)
            if len(choices) > 1 and getattr(layout.device, "type", "") == "cuda":
                self.chosen += 1
                self.allocate(cache, input_nodes, layout)
                choices = choices[:1]
            return select(cache, name, choices, input_nodes, layout, *args, **kwargs)

        selector.__call__ = select_first

    def allocate(self, cache, input_nodes, layout):
        try:
            held = [cache.benchmark_example_value(node) for node in (*input_nodes, layout)]
            held.append(self.torch.empty(self.buffer_bytes(), dtype=self.torch.uint8, device="cuda"))
            del held
        except self.torch.cuda.OutOfMemoryError:
            raise
        except Exception:  # shapes that are not known before a run
            pass

    def buffer_bytes(self):
        from torch._inductor.runtime import benchmarking

        own = type(benchmarking.benchmarker).__name__ != "TritonBenchmarker"
        return self.torch.cuda.get_device_properties().L2_cache_size if own else TRITON_BUFFER
