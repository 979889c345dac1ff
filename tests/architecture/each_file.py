#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads each file of a configured build with the compiler, by itself and with its own flags, and makes no code of it.

    each_file.py BUILD

An include that is missing, which a build of several files at once hides, is an error here as in a whole build of one file at a time, in half
the time. Exit status 1 if a file has one.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def compiler_words(entry):
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if word.endswith(("c++", "g++", "clang++"))):]  # without ccache
    if "-o" in words:
        del words[words.index("-o"):words.index("-o") + 2]
    return words


def errors(entry):
    done = subprocess.run([*compiler_words(entry), "-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def main():
    build = pathlib.Path(sys.argv[1])
    entries = [entry for entry in json.loads((build / "compile_commands.json").read_text()) if entry["file"].endswith((".cpp", ".cxx"))]
    headers = [entry for entry in entries if "cmake_pch" in entry["file"]]
    for entry in headers:  # read once, for all
        subprocess.run(entry["command"], shell=True, cwd=entry["directory"], check=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(errors, [entry for entry in entries if entry not in headers]) if text]
    print("\n".join(found), end="")
    print(f"{len(entries) - len(headers)} files, {len(found)} with errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
