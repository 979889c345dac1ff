#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/experiment.zh.md, the page of the keys in Chinese: docs/experiment.md with the words of the window's translation.

    docs/experiment_zh.py            writes the page
    docs/experiment_zh.py --check    exit status 1 where the page is not that of today's keys
"""
import pathlib
import re
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE, PAGE = ROOT / "docs" / "experiment.md", ROOT / "docs" / "experiment.zh.md"
TRANSLATION = ROOT / "resources" / "translations" / "peakscope_zh.ts"
HEAD = """# 实验的键

一个实验是一个 JSON 对象。块的键是该块的对象的成员；`--set 键=值` 和扫描的网格使用它带点的路径。只有 `kind` 和 `model` 是必填的。`peakscope-cli help 键` 解释一个键。`peakscope-cli help --markdown` 打印本页的英文版。[JSON Schema](schema/experiment.json) 含有同样的键，供编辑器和其他程序使用；`peakscope-cli help --json-schema experiment` 打印它。
"""
UNITS = {"MiB": "MiB", "bytes": "字节", "epochs": "轮", "rows": "行", "samples": "样本", "steps": "步", "tokens": "词元"}
DEFAULTS = {"all of them": "全部", "as heads": "与头数相同", "as the family does": "与该系列相同", "none": "无", "none; required": "无；必填",
            "pretrained for a folder or an id, else random": "文件夹或 id 时为 pretrained，否则为 random", "this machine": "本机",
            "whole batch": "整批", "0, with tf32 0.01": "0，使用 tf32 时为 0.01"}
KINDS = {"a number": "数值", "an integer": "整数"}


def members(text):
    return "、".join(re.split(r", | and ", text))


def value_words(text):
    if text in ("a text", "true or false", "a list of texts"):
        return {"a text": "文本", "true or false": "true 或 false", "a list of texts": "文本列表"}[text]
    if text.startswith("one of "):
        return members(text.removeprefix("one of ")) + " 之一"
    if text.startswith("a list of {"):
        return text.removeprefix("a list of ") + " 的列表"
    if text.startswith("a list of numbers, "):
        return "数值列表，" + text.removeprefix("a list of numbers, ")
    if text.startswith("a list of "):
        return "列表，取自 " + members(text.removeprefix("a list of "))
    kind, *rest = text.split(", ")
    return "，".join([KINDS[kind], *(f"单位为{UNITS[part[3:]]}" if part.startswith("in ") else part for part in rest)])


def default_words(text):
    is_literal = re.fullmatch(r"[\w.+-]+(, [\w.+-]+)*", text) and text not in DEFAULTS
    return text if is_literal else DEFAULTS[text]


def translated():
    words = {}
    for message in xml.etree.ElementTree.parse(TRANSLATION).getroot().iterfind("./context[name='peakscope::ExperimentForm']/message"):
        words[message.find("source").text] = message.find("translation").text
    return words


def page():
    words, lines = translated(), [HEAD]
    rows = SOURCE.read_text(encoding="utf-8").splitlines()
    for line in rows[next(i for i, row in enumerate(rows) if row.startswith("## ")):]:
        if line.startswith("| `"):
            key, value, default, kinds, told = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
            title, sentence = re.fullmatch(r"\*\*(.*?)\.\*\* (.*)", told).groups()
            cells = (key, value_words(value), default_words(default), members(kinds), f"**{words[title]}。** {words[sentence]}")
            lines.append(f"| {' | '.join(cells)} |")
        elif line.startswith("| key"):
            lines.append("| 键 | 取值 | 默认 | 用于 | |")
        else:
            lines.append(line.replace("## Of the experiment", "## 实验本身"))
    return "\n".join(lines) + "\n"


def main():
    text = page()
    if "--check" in sys.argv[1:]:
        current = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
        if current != text:
            sys.exit("docs/experiment.zh.md is not that of docs/experiment.md; docs/experiment_zh.py writes it")
        return
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
