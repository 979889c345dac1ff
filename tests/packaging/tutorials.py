#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tutorials of docs/tutorials as a reader would and compares what they print with what the pages show.

    tutorials.py --programs build/bin [--python PYTHON] [PAGE…]

Of a page's fenced blocks, in their order:

    ```python title="train.py"       any block with a title that names a file: the file is written
    ```sh                            commands, run by `sh -e` in the scratch folder of the page
    ```sh title="exit status 1"      commands that end with this status
    ```text                          lines that the commands before it print, in this order; … matches
                                     anything, and any number of spaces equals one

Without PAGE all pages in English run; test_prose compares their blocks with those of the pages in Chinese. A page needs PYTHON only
if it runs a program of its own. Exit status: 0 all pages are right, 1 a page is not, 2 unusable arguments.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tutorials"
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STATUS = re.compile(r"exit status (\d+)")


class Wrong(Exception):
    """What of a page is not as it shows."""


def run(commands, status, folder, environment):
    """What the commands printed on both outputs, as lines."""
    done = subprocess.run(["sh", "-e", "-c", commands], cwd=folder, env=environment, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != status:
        raise Wrong(f"exit status {done.returncode}, not {status}, of\n{commands}\n{done.stdout}")
    return done.stdout.splitlines()


def compare(shown, printed):
    """The lines shown are among those printed, in this order. Spaces do not count: columns are as wide as their numbers."""
    rest = (" ".join(line.split()) for line in printed)
    for line in filter(None, (" ".join(line.split()) for line in shown.splitlines())):
        wanted = re.compile(".*".join(map(re.escape, line.split("…"))))
        if not any(wanted.fullmatch(other) for other in rest):
            raise Wrong(f"this line of the page was not printed, or not in its place:\n{line}\n\nprinted:\n" + "\n".join(printed))


def follow(page, environment):
    """Does what a page describes, in a scratch folder."""
    printed = []
    with tempfile.TemporaryDirectory(prefix="tutorial-") as folder:
        for language, title, text in BLOCK.findall(page.read_text(encoding="utf-8")):
            status = STATUS.fullmatch(title)
            if language == "sh":
                printed = run(text, int(status[1]) if status else 0, folder, environment)
            elif language == "text":
                compare(text, printed)
            elif title:
                pathlib.Path(folder, title).write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of peakscope and peakscope-cli")
    parser.add_argument("--python", type=pathlib.Path, help="the Python of the pages' programs, with PyTorch")
    parser.add_argument("pages", nargs="*", metavar="PAGE", type=pathlib.Path, help="files or names, such as sweep")
    options = parser.parse_args()

    folders = [options.programs.resolve()]
    if not (folders[0] / "peakscope-cli").exists():
        parser.error(f"there is no peakscope-cli in {options.programs}")
    if options.python:
        folders.append(options.python.absolute().parent)  # a link of a virtual environment leads out of it
    pages = [page if page.suffix else PAGES / f"{page}.md" for page in options.pages] or [
        page for page in sorted(PAGES.glob("*.md")) if not page.name.endswith(".zh.md")]
    if missing := [str(page) for page in pages if not page.exists()]:
        parser.error(f"there is no {', '.join(missing)}")

    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen",
                   "PATH": os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")])}
    wrong = 0
    for page in pages:
        try:
            follow(page, environment)
            print(f"{page.name}: as shown", flush=True)
        except Wrong as what:
            wrong += 1
            print(f"{page.name}: {what}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
