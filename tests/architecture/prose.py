#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what is hard to read at first sight: sentences of more than 25 words, and verbs that make a person of the software.

    prose.py FILE…          Markdown files
    prose.py --help-of FILE…  what a command printed for --help
    prose.py --ts FILE…       what a translation file translates: the texts of the window, and messages and notes of core
    prose.py --strings FILE…  C++ sources: their string literals of three words or more

Prints a line for each finding, `file:line: what: the sentence`, and exits with 1 if there is one.
"""
import argparse
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

LONGEST = 25

# Software does not say, ask, know, want, stand or take over. A sentence whose subject is a person may use these verbs.
PERSONAL = re.compile(
    r"(?<![\w-])(says?|said|tells?|told|asks?|asked|knows?|known to|knew|wants?|stands?|stood|standing|takes? over|took over|learns?|"
    r"thinks?|speaks?|remembers?|believes?)(?![\w-])",
    re.IGNORECASE,
)
PERSON = re.compile(r"\b(you|who|someone|anyone|nobody|people|person|users?|reader|author|we|tools you know)\b", re.IGNORECASE)


def plain(text):
    """Markdown's marks taken away; inline code and links become the words a reader sees."""
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"``[^`]+``|`[^`]+`", "CODE", text)
    text = re.sub(r"<[^>]+>", " ", text)
    text = re.sub(r"“[^”]*”|\"[^\"]*\"", "QUOTE", text)
    return re.sub(r"[*_]{1,3}(\S(?:.*?\S)?)[*_]{1,3}", r"\1", text)


ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|et al|Fig|Eq|No)\.", re.IGNORECASE)


def sentences(text):
    text = ABBREVIATIONS.sub(lambda found: found.group(0).replace(".", "\u2024"), plain(text))
    return [one.strip() for one in re.split(r"(?<=[.!?])[)\"”]?\s+(?=[A-Z0-9(\[“\"–—*]|CODE)", text) if one.strip()]


def words(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def markdown_blocks(lines):
    """(line, text) of every paragraph, list item and table cell; code and headings are left out."""
    fenced = False
    start, block, behind_blank = 0, [], True
    for number, line in enumerate([*lines, ""], 1):
        stripped = line.strip()
        fence = stripped.startswith("```") or stripped.startswith("~~~")
        item = re.match(r"\s*(?:[-*+]|\d+\.)\s+", line)
        ends = not stripped or fence or fenced or stripped.startswith(("#", "|", "<!--")) or item
        code = behind_blank and not block and line.startswith("    ") and not item
        if ends and block:
            yield start, " ".join(block)
            block = []
        if fence:
            fenced = not fenced
        elif not fenced and not code:
            if stripped.startswith("|"):
                if not re.fullmatch(r"[|:\-\s]+", stripped):
                    for cell in re.split(r"(?<!\\)\|", stripped.strip("|")):
                        yield number, cell.strip()
            elif item:
                start, block = number, [line[item.end():].strip()]
            elif stripped and not stripped.startswith(("#", "<!--")):
                if not block:
                    start = number
                block.append(stripped)
        behind_blank = not stripped or (code and not block)


def help_blocks(lines):
    """(line, text) of a command's help: what is indented less or follows a gap of two spaces begins a new text."""
    start, block, column = 0, [], 0
    for number, line in enumerate([*lines, ""], 1):
        stripped = line.strip()
        indent = len(line) - len(line.lstrip())
        option = re.match(r"(\s*\S.*?)\s{2,}(\S.*)", line)
        if block and stripped and indent == column and not option and not stripped.startswith(("Usage:", "Exit status:")):
            block.append(stripped)
            continue
        if block:
            yield start, " ".join(block)
            block = []
        if not stripped:
            continue
        start = number
        if option:
            column = option.start(2)
            block = [option.group(2)]
        else:
            column = indent
            block = [stripped]


def ts_blocks(text):
    """(number of the message, text) of every source text; a text's lines are apart."""
    for number, source in enumerate(ElementTree.fromstring(text).iter("source"), 1):
        for line in (source.text or "").splitlines():
            yield number, line


LITERAL = r'"(?:[^"\\\n]|\\.)*"'
# Raw strings, comments and characters are passed over, so that quotes in them begin nothing.
CPP_TEXT = re.compile(
    r'R"\((?:.|\n)*?\)"|(?P<text>' + LITERAL + r"(?:\s*" + LITERAL + r""")*)|'(?:[^'\\\n]|\\.)'|//[^\n]*|/\*(?:.|\n)*?\*/|^\s*#include[^\n]*""",
    re.MULTILINE,
)


def string_blocks(text):
    """(line, text) of string literals, put together as the compiler does; {} and %1 count as a word each."""
    for found in CPP_TEXT.finditer(text):
        if not found.group("text"):
            continue
        whole = "".join(one[1:-1] for one in re.findall(LITERAL, found.group("text"))).replace('\\"', '"')
        if len(whole.split()) >= 3:
            for line in re.sub(r"\{[^{}]*\}", "5", whole).split("\\n"):
                yield text.count("\n", 0, found.start()) + 1, line


def findings(name, blocks):
    for number, text in blocks:
        for sentence in sentences(text):
            count = len(words(sentence))
            if count > LONGEST:
                yield f"{name}:{number}: {count} words: {sentence}"
            verb = PERSONAL.search(sentence)
            if verb and not PERSON.search(sentence[: verb.start()]):
                yield f"{name}:{number}: '{verb.group(0)}' of software: {sentence}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--help-of", action="store_true", help="the files are what commands printed for --help")
    kinds.add_argument("--ts", action="store_true", help="the files are translations of Qt Linguist")
    kinds.add_argument("--strings", action="store_true", help="the files are C++ sources")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    given = parser.parse_args()

    def blocks(text):
        if given.ts:
            return ts_blocks(text)
        if given.strings:
            return string_blocks(text)
        return (help_blocks if given.help_of else markdown_blocks)(text.splitlines())

    found = [one for file in given.files for one in findings(file, blocks(file.read_text(encoding="utf-8")))]
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
