# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Triton is told of its kernels' registers and spilled bytes, by which Inductor chooses what it times, beside what NVIDIA's own
cuobjdump prints of the same code: prints what differs and "N of N".

peakscope-cli record --device dry:CARD -- python registers.py
"""
import os
import re
import subprocess
import tempfile

import torch
import triton
import triton.language as tl


@triton.jit
def normalized(source, target, columns: tl.constexpr):
    places = tl.arange(0, columns)
    row = tl.load(source + places)
    row = tl.exp(row - tl.max(row, 0))
    tl.store(target + places, row / tl.sum(row, 0))


def dumped(code):
    tool = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "cuobjdump")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        text = subprocess.run([tool, "--dump-resource-usage", file.name], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"REG:(\d+)", text)[1]), int(re.search(r"STACK:(\d+)", text)[1])


source, target = torch.randn(1 << 16, device="cuda"), torch.empty(1 << 16, device="cuda")
told = []
for columns in (64, 1024, 4096, 8192, 16384):
    for warps in (1, 4):
        kernel = normalized[(1,)](source, target, columns, num_warps=warps)
        registers, stack = dumped(kernel.asm["cubin"])
        told.append((kernel.n_regs, 4 * kernel.n_spills) == (registers, stack))
        if not told[-1]:
            print(f"wrong: {columns} columns, {warps} warps: {kernel.n_regs} registers, {4 * kernel.n_spills} bytes; {registers}, {stack}")
print(f"{sum(told)} of {len(told)}")
