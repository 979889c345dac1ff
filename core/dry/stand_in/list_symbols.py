#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What libraries ask of CUDA's: list_symbols.py WORDS FOLDER… prints a symbols_N.txt; WORDS says of which releases.

Needs nm and objdump (binutils). Each FOLDER holds libraries of one release (torch/lib of its wheel, bitsandbytes' folder).
"""
import pathlib
import re
import subprocess
import sys

NAMES = re.compile(r"(__)?(cuda|cu[A-Z]|cublas|cudnn|cusparse|cusolver|cufft|cufile|curand|nccl|nvrtc|cupti|nvshmem|nvJit|nvml)")
LIBRARIES = re.compile(r"lib(cuda|cudart|cublas|cublasLt|cudnn|cusparse|cusparseLt|cusolver|cufft|cufile|curand|nccl|nvrtc"
                       r"|cupti|nvshmem_host|nvJitLink|nvidia-ml)\.so\.\d+")
ALWAYS = ("libcuda.so.1", "libnvidia-ml.so.1")  # opened by name


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def main():
    symbols, versions = set(), {name: set() for name in ALWAYS}
    for path in sorted(path for folder in sys.argv[2:] for path in pathlib.Path(folder).glob("*.so*")):
        for line in run("nm", "-D", "--undefined-only", str(path)).splitlines():
            kind, name = line.split()[-2:]
            name = name.split("@")[0]
            if kind == "U" and NAMES.match(name):
                symbols.add(name)
        needed = None
        for line in run("objdump", "-p", str(path)).splitlines():
            if found := re.match(r"\s+(?:NEEDED\s+|required from )([^\s:]+)", line):
                needed = found[1] if LIBRARIES.fullmatch(found[1]) else None
                if needed:
                    versions.setdefault(needed, set())
            elif needed and (found := re.match(r"\s+0x\w+ 0x\w+ \d+ (\S+)", line)):
                versions[needed].add(found[1])
            elif not line.strip():
                needed = None
    print(f"# What {sys.argv[1]} ask of CUDA's libraries: names alone. Made by list_symbols.py.")
    for name in sorted(versions):
        print(" ".join(["library", name, *sorted(versions[name])]))
    for name in sorted(symbols):
        print("symbol", name)


if __name__ == "__main__":
    main()
