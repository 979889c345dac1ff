# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes written/card_trace.json.gz and its row of written/answers.json: a piece of a Chrome trace that PyTorch's profiler wrote of a
training on two CUDA cards in 2022 (tests/data/df_index_resolver of facebookresearch/HolisticTraceAnalysis, MIT licence), its events as
they were. The answers are PyTorch's own totals in these events.

    cut_card_trace.py df_index_resolver.json.gz
"""
import gzip
import json
import os
import sys

FIRST, COUNT, OPERATORS = 1200, 900, 40  # memory events

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "written"))
with gzip.open(sys.argv[1]) as file:
    trace = json.load(file)
memory = [event for event in trace["traceEvents"] if event.get("name") == "[memory]"][FIRST:FIRST + COUNT]
begin, end = memory[0]["ts"], memory[-1]["ts"]
operators = [event for event in trace["traceEvents"] if event.get("cat") == "cpu_op" and begin <= event["ts"] <= end][:OPERATORS]
trace["traceEvents"] = sorted(operators + memory, key=lambda event: event["ts"])
with gzip.GzipFile("card_trace.json.gz", "wb", mtime=0) as file:
    file.write(json.dumps(trace).encode())
card = [event["args"] for event in memory if event["args"]["Device Type"] == 1]
with open("answers.json", encoding="utf-8") as file:
    answers = json.load(file)
answers["card_trace"] = {"memory_events": len(card), "device": f"cuda:{card[0]['Device Id']}",
                         "highest_total": max(each["Total Allocated"] for each in card),
                         "highest_reserved": max(each["Total Reserved"] for each in card)}
with open("answers.json", "w", encoding="utf-8") as file:
    json.dump(answers, file, indent=1)
    file.write("\n")
