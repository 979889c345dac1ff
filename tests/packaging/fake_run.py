# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs of fake_cli: a result with set numbers.

FAKE_SLEEP names the point that never ends by itself; FAKE_FAIL the one that fails; FAKE_SLOW says by how much auto is
slower than vanilla; FAKE_ELSEWHERE names the clipping method that another GPU ran. FAKE_CRASH is fake_cli's: the group
of checks that crashes.
"""
import json
import os
import pathlib
import sys
import time

MIB = 2**20
PEAKS = {"none": 52400, "ghost": 54000, "flash": 52500, "flash_bk": 56000, "auto": 52450}
SECONDS = {"none": 3.0, "ghost": 9.0, "flash": 5.0, "flash_bk": 3.5, "auto": 3.0}


def answer_run(words):
    experiment = json.loads(pathlib.Path(words[0]).read_text(encoding="utf-8"))
    name = pathlib.Path(words[0]).name.removesuffix(".experiment.json")
    out = pathlib.Path(words[words.index("--out") + 1])
    if name == os.environ.get("FAKE_SLEEP"):
        time.sleep(600)
    clipping = experiment.get("training", {}).get("clipping", "none")
    device = "another GPU" if clipping == os.environ.get("FAKE_ELSEWHERE") else "a made-up GPU"
    result = {"status": "failed" if name == os.environ.get("FAKE_FAIL") else "complete", "message": "",
              "environment": {"device_name": device, "libtorch": "2.0"}}
    peak = PEAKS[clipping] * MIB
    slow = float(os.environ.get("FAKE_SLOW", "1")) if clipping == "auto" else 1.0
    if experiment["kind"] == "memory":
        result["timing"] = {"median_step_seconds": SECONDS[clipping] * slow}
    result["allocator"] = {"peak_allocated_bytes": peak, "peak_reserved_bytes": peak + MIB, "fragmentation_bytes": 512,
                           "context_bytes": 500 * MIB, "segments": 3,
                           "ledger": {"phase_marks": 9, "allocated_differences": 0, "reserved_differences": 0,
                                      "largest_difference_bytes": 0, "unknown_blocks": 0}}
    if experiment.get("traced", True):
        long = 2**20 if name == "ledger-float32" else 1
        result["memory"] = {"timeline": {"delta_bytes": [1234567] * long},
                            "peak_bytes": peak, "peak_reserved_bytes": peak + MIB,
                            "phases": [{"phase": "forward", "step": 1, "time_seconds": 1.0},
                                       {"phase": "norms", "step": 1, "time_seconds": 2.0},
                                       {"phase": "backward", "step": 1, "time_seconds": 4.6},
                                       {"phase": "curvature", "step": 0, "time_seconds": 0.0}]}
        result["prediction"] = {"peak_bytes": int(peak * 1.01), "peak_reserved_bytes": int((peak + MIB) * 1.02)}
    out.write_text(json.dumps(result), encoding="utf-8")
    return 1 if result["status"] == "failed" else 0


if __name__ == "__main__":
    sys.exit(answer_run(sys.argv[1:]))
