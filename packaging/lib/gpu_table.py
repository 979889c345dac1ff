# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of packaging/gpu-check: what was measured beside what was predicted, and how each judged bound came out."""
import datetime
import statistics

import gpu_points

MIB = 2**20
VANILLA_MIB = gpu_points.PUBLISHED["vanilla"][0]
OPEN_NOTE = "not measured yet: no GPU was at hand"


def mib(value):
    return None if value is None else value / MIB


def memory_of(result):
    """Peak and reserved bytes of a result: its ledger's, else what the allocator counted for itself."""
    memory, allocator = result.get("memory") or {}, result.get("allocator") or {}
    return (memory.get("peak_bytes", allocator.get("peak_allocated_bytes")),
            memory.get("peak_reserved_bytes", allocator.get("peak_reserved_bytes")))


def headline(result):
    peak = memory_of(result)[0]
    seconds = (result.get("timing") or {}).get("median_step_seconds")
    parts = [] if not peak else [f"peak {peak / MIB:,.1f} MiB"]
    parts += [f"step {seconds:.4g} s"] if seconds else []
    return ", ".join(parts) or result.get("message", "")


def error(predicted, measured):
    """Relative, with its sign; None where one of them is missing."""
    return predicted / measured - 1 if predicted and measured else None


def predicted_of(result, entry):
    made = (result or {}).get("prediction") or entry or {}
    return made.get("peak_bytes"), made.get("peak_reserved_bytes")


def row_of(point, result, entry):
    row = {"name": point["name"], "status": result["status"] if result else "missing"}
    peak, reserved = memory_of(result) if result and result["status"] == "complete" else (None, None)
    expected, expected_reserved = predicted_of(result, entry)
    row.update({"peak_bytes": peak, "peak_reserved_bytes": reserved, "predicted_peak_bytes": expected,
                "predicted_reserved_bytes": expected_reserved, "peak_error": error(expected, peak),
                "reserved_error": error(expected_reserved, reserved)})
    if result and result.get("message"):
        row["message"] = result["message"]
    return row


def norm_pass_seconds(result):
    """Forward and the backward pass that takes norms: all that the published times hold. From the last step's marks."""
    phases = (result.get("memory") or {}).get("phases") or []
    last = max((mark["step"] for mark in phases), default=-1)
    start = {}
    for mark in phases:
        if mark["step"] == last and mark["phase"] not in start:
            start[mark["phase"]] = mark["time_seconds"]
    if "norms" not in start or "backward" not in start or start["backward"] < start["norms"]:
        return None
    return start["backward"] - start["forward"]


def device_of(result):
    return (result.get("environment") or {}).get("device_name")


def seed_rows(rows, predictions, small=False):
    found = {}
    for point, result, _ in rows:
        row = found.setdefault(point["method"], {"method": point["method"], "status": {}})
        row["status"]["memory" if point["traced"] else "time"] = result["status"] if result else "missing"
        if point["traced"]:
            row.update({key: value for key, value in row_of(point, result, predictions.get(point["name"])).items()
                        if key not in ("name", "status")})
            if result and result["status"] == "complete":
                row["norm_pass_seconds"] = norm_pass_seconds(result)
                row["device"] = device_of(result)
        elif result and result["status"] == "complete":
            row["step_seconds"] = result["timing"]["median_step_seconds"]
            row["time_device"] = device_of(result)
    vanilla = found.get("vanilla", {})
    for row in found.values():
        # A point may have been measured on another card than vanilla was: then there is nothing to compare.
        same_time = row.get("time_device") == vanilla.get("time_device")
        same = row.get("device") == vanilla.get("device")
        row["time_ratio"] = ratio(row.get("step_seconds"), vanilla.get("step_seconds")) if same_time else None
        row["peak_ratio"] = ratio(row.get("peak_bytes"), vanilla.get("peak_bytes")) if same else None
        # Without the update, as nothing waits between the norms and it.
        published_here = row.get("device") == vanilla.get("time_device")
        row["as_published_time_ratio"] = (ratio(row.get("norm_pass_seconds"), vanilla.get("step_seconds"))
                                          if published_here else None)
        published = gpu_points.PUBLISHED.get(row["method"])
        if published and not small:
            row["published"] = {"peak_mib": published[0], "milliseconds": published[1],
                                "time_ratio": published[1] / gpu_points.PUBLISHED["vanilla"][1]}
    return list(found.values())


def ratio(value, base):
    return value / base if value and base else None


def ladder_rows(rows, predictions):
    made = []
    for point, result, spent in rows:
        row = {"model": point["model"], "entries": point["count"],
               "published_gb": gpu_points.LADDER_PUBLISHED.get(point["model"]),
               **row_of(point, result, predictions.get(point["name"]))}
        if result and result["status"] == "complete" and not result.get("dry"):
            begin = next((mark["time_seconds"] for mark in result["memory"]["phases"]
                          if mark["phase"] == "curvature"), 0)
            seconds = spent["seconds"] - max(1, spent["attempts"]) * begin
            row["entries_per_second"] = point["count"] / seconds if seconds > 0 else None
        made.append(row)
    return made


def sweep_rows(rows, predictions, full):
    made = [{**point["values"], **row_of(point, result, predictions.get(point["name"])),
             "step_seconds": ((result or {}).get("timing") or {}).get("median_step_seconds")}
            for point, result, _ in rows]
    names = {row["name"] for row in made}
    if full:
        made += [{**point["values"], **row_of(point, None, predictions.get(point["name"])), "status": "predicted"}
                 for point in full if point["name"] not in names]
    return sorted(made, key=lambda row: (row["rank"], row["seq"], row["batch"], row["physical"]))


def ledger_rows(rows):
    made = []
    for point, result, _ in rows:
        allocator = (result or {}).get("allocator") or {}
        ledger = allocator.get("ledger") or {}
        row = {"case": point["case"], **row_of(point, result, None)}
        if result and "message" in result:
            row["message"] = result["message"]
        row.update({"fragmentation_bytes": allocator.get("fragmentation_bytes"),
                    "context_bytes": allocator.get("context_bytes"), "segments": allocator.get("segments"),
                    "phase_marks": ledger.get("phase_marks"),
                    "differences": ledger and ledger["allocated_differences"] + ledger["reserved_differences"]
                    + ledger["unknown_blocks"]})
        if allocator and row["peak_bytes"]:
            row["peaks_agree"] = allocator["peak_allocated_bytes"] == row["peak_bytes"]
        made.append(row)
    return made


def bound(name, limit, value, holds):
    verdict = "open" if value is None else "pass" if holds(value) else "fail"
    return {"bound": name, "limit": limit, "value": value, "verdict": verdict}


def median_error(document, key):
    errors = [abs(row[key]) for part in ("seed003", "ladder", "sweep") for row in document[part]
              if row.get(key) is not None]
    return statistics.median(errors) if errors else None


def all_or_none(values):
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def bounds(document, device_judged, dry):
    seed = {row["method"]: row for row in document["seed003"]} if device_judged else {}

    def of(method, key):
        return seed.get(method, {}).get(key)

    vanilla = of("vanilla", "peak_bytes")
    selftest = list(document["selftest"].values())
    wrong = None if any(counts is None for counts in selftest) else sum(counts["failed"] for counts in selftest)
    ledger = [row["differences"] for row in document["ledger"] if row["status"] == "complete"] if device_judged else []
    times = [] if dry else [
        bound("auto, time over vanilla", "1.05", of("auto", "time_ratio"), lambda value: value <= 1.05),
        bound("flash in two passes, time over vanilla", "1.75", of("flash", "time_ratio"), lambda value: value <= 1.75),
        bound("book-keeping (flash_bk), time over vanilla", "1.20", of("flash_bk", "time_ratio"),
              lambda value: value <= 1.20),
    ]
    judged = [
        bound("vanilla peak at T = 16384, loss_head naive, from 52,347 MiB", "1 %",
              error(vanilla, VANILLA_MIB * MIB), lambda value: abs(value) <= 0.01),
        *times,
        bound("auto, peak over vanilla", "1.01", of("auto", "peak_ratio"), lambda value: value <= 1.01),
        bound("prediction of the peak, median error", "2 %",
              median_error(document, "peak_error") if device_judged else None, lambda value: value <= 0.02),
        bound("prediction of reserved bytes, median error", "3 %",
              median_error(document, "reserved_error") if device_judged else None, lambda value: value <= 0.03),
        bound("phase marks where ledger and allocator differ", "0", all_or_none(ledger), lambda value: value == 0),
        bound("failed checks of the engine on the device" if device_judged else "failed checks of the engine on this CPU",
              "0", wrong, lambda value: value == 0),
    ]
    return judged


def environment_of(rows):
    for part in rows.values():
        for _, result, _ in part:
            if result and result.get("environment"):
                return result["environment"]
    return {}


def beside_rows(pairs):
    made = []
    for stand_in, name, real, dry in pairs:
        peaks = [memory_of(result) for result in (real, dry)]
        made.append({"name": name, "stand_in": stand_in, "peak_bytes": peaks[0][0], "dry_peak_bytes": peaks[1][0],
                     "peak_reserved_bytes": peaks[0][1], "dry_reserved_bytes": peaks[1][1]})
    return made


def document(device, small, selftest, rows, predictions, full, pairs=()):
    """Everything in one object; `rows` are lists of (point, result or None, time spent) of each part, `pairs` the results of a
    point on a real card and on its stand-in, with the stand-in's and the point's name before them."""
    made = {
        "format": "peakscope-gpu-check", "version": 1, "device": device, "scaled_down": small,
        "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "environment": environment_of(rows),
        "selftest": {name: counts and {"passed": counts[0], "failed": counts[1]} for name, counts in selftest.items()},
        "ledger": ledger_rows(rows["ledger"]),
        "seed003": seed_rows(rows["seed003"], {} if small else predictions, small),
        "ladder": ladder_rows(rows["ladder"], {} if small else predictions),
        "sweep": sweep_rows(rows["sweep"], {} if small else predictions, [] if small else full["sweep"]),
    }
    if small:
        nothing = {part: [(point, None, {}) for point in points] for part, points in full.items()}
        made["predicted"] = {"note": OPEN_NOTE, "seed003": seed_rows(nothing["seed003"], predictions),
                             "ladder": ladder_rows(nothing["ladder"], predictions),
                             "sweep": sweep_rows(nothing["sweep"], predictions, [])}
    made["beside"] = beside_rows(pairs)
    made["bounds"] = bounds(made, not small, gpu_points.is_dry(device))
    return made


# ---- Markdown

def number(value, digits=1, unit=""):
    return "–" if value is None else f"{value:,.{digits}f}{unit}"


def percent(value):
    return "–" if value is None else f"{100 * value:+.2f} %"


def cells(*values):
    return "| " + " | ".join(str(value) for value in values) + " |"


def head(*titles):
    return [cells(*titles), cells(*("---" for _ in titles))]


def memory_cells(row):
    return (number(mib(row.get("peak_bytes"))), number(mib(row.get("predicted_peak_bytes"))),
            percent(row.get("peak_error")), number(mib(row.get("peak_reserved_bytes"))),
            number(mib(row.get("predicted_reserved_bytes"))), percent(row.get("reserved_error")))


MEMORY_TITLES = ("peak MiB", "predicted", "error", "reserved MiB", "predicted", "error")


# `times`: whether there can be any.
def seed_lines(rows, times):
    titles = ("step s", "time / vanilla", "forward and norms / vanilla")
    lines = head("method", *MEMORY_TITLES, "peak / vanilla", *(titles if times else ()), "published")
    for row in rows:
        published = row.get("published")
        timed = (number(row.get("step_seconds"), 4), number(row.get("time_ratio"), 3),
                 number(row.get("as_published_time_ratio"), 3))
        ratio_words = f", {published['time_ratio']:.2f}" if published and times else ""
        lines.append(cells(row["method"], *memory_cells(row), number(row.get("peak_ratio"), 4), *(timed if times else ()),
                           f"{published['peak_mib']:,.0f} MiB{ratio_words}" if published else "–"))
    return lines


def ladder_lines(rows, times):
    lines = head("model", "entries", *(("entries / s",) if times else ()), *MEMORY_TITLES, "published", "status")
    for row in rows:
        speed = (number(row.get("entries_per_second"), 2),) if times else ()
        published = f"{row['published_gb']} GB" if row.get("published_gb") else "–"
        lines.append(cells(row["model"], row["entries"], *speed, *memory_cells(row), published, row["status"]))
    return lines


def sweep_lines(rows, times):
    lines = head("LoRA rank", "sequence", "batch", "physical", *MEMORY_TITLES, *(("step s",) if times else ()), "status")
    for row in rows:
        lines.append(cells(row["rank"], row["seq"], row["batch"], row["physical"], *memory_cells(row),
                           *((number(row.get("step_seconds"), 4),) if times else ()), row["status"]))
    return lines


def predicted_lines(rows, titles, names):
    """Of what was not measured: what it is, and the two predictions."""
    lines = head(*titles, "peak MiB", "reserved MiB")
    for row in rows:
        lines.append(cells(*names(row), number(mib(row["predicted_peak_bytes"])),
                           number(mib(row["predicted_reserved_bytes"]))))
    return lines


def predicted_sections(predicted):
    seed = predicted_lines(predicted["seed003"], ("method",), lambda row: (row["method"],))
    ladder = predicted_lines(predicted["ladder"], ("model", "entries"), lambda row: (row["model"], row["entries"]))
    sweep = predicted_lines(predicted["sweep"], ("LoRA rank", "sequence", "batch", "physical"),
                            lambda row: (row["rank"], row["seq"], row["batch"], row["physical"]))
    lines = []
    for name, made in (("Clipped steps, 20 layers × 2048, T = 16384", seed),
                       ("Entries of the Hessian's diagonal, within 80 GiB", ladder),
                       ("Adapters on a model shaped like Llama 3.1 8B, bfloat16", sweep)):
        lines += [f"## {name}: predicted, {OPEN_NOTE}", "", *made, ""]
    return lines


def ledger_lines(rows, _):
    lines = head("run", "status", "peak MiB", "reserved MiB", "phase marks", "differences", "fragmentation MiB",
                 "context MiB", "segments")
    for row in rows:
        lines.append(cells(row["case"], row["status"], number(mib(row.get("peak_bytes"))),
                           number(mib(row.get("peak_reserved_bytes"))), row["phase_marks"] or "–",
                           "–" if not row["phase_marks"] else row["differences"],
                           number(mib(row["fragmentation_bytes"])), number(mib(row["context_bytes"])),
                           row["segments"] or "–"))
    return lines


def beside_lines(rows):
    lines = head("point", "stand-in", "peak bytes", "dry", "reserved bytes", "dry")
    for row in rows:
        lines.append(cells(row["name"], row["stand_in"], *(number(row[key], 0) for key in (
            "peak_bytes", "dry_peak_bytes", "peak_reserved_bytes", "dry_reserved_bytes"))))
    return lines


def bound_lines(rows):
    lines = head("bound", "limit", "value", "verdict")
    for row in rows:
        value = row["value"]
        shown = "–" if value is None else percent(value) if "%" in row["limit"] else f"{value:.4g}"
        lines.append(cells(row["bound"], row["limit"], shown, row["verdict"]))
    return lines


def selftest_line(document):
    known = {name: counts for name, counts in document["selftest"].items() if counts}
    passed = sum(counts["passed"] for counts in known.values())
    wrong = sum(counts["failed"] for counts in known.values())
    text = f"Checks of the engine on {document['device']}: {passed} passed, {wrong} failed"
    absent = [name for name, counts in document["selftest"].items() if not counts]
    return text + (f"; not run yet: {', '.join(absent)}." if absent else ".")


def markdown(document):
    environment = document["environment"]
    where = environment.get("device_name") or environment.get("processor") or document["device"]
    lines = ["# GPU check", "", f"{document['created']}, {where}, LibTorch {environment.get('libtorch', '?')}, "
             f"Peakscope {environment.get('peakscope', '?')}.", ""]
    small = document["scaled_down"]
    if gpu_points.is_dry(document["device"]):
        lines += ["Dry: LibTorch's own allocator and operators on a stand-in of that card; kernels did nothing and no time was "
                  "measured.", ""]
    if small:
        lines += ["There is no GPU in this table: the judged bounds are open, the full size is predicted only, and what was "
                  "measured is a set of small runs of its own on the CPU.", ""]
    lines += ["## Judged bounds", "", *bound_lines(document["bounds"]), "", selftest_line(document), ""]
    title = " (small runs on the CPU)" if small else ""
    for name, key, made in (("The ledger", "ledger", ledger_lines), ("Clipped steps", "seed003", seed_lines),
                            ("Entries of the Hessian's diagonal", "ladder", ladder_lines),
                            ("Adapters", "sweep", sweep_lines)):
        lines += [f"## {name}{title}", "", *made(document[key], not gpu_points.is_dry(document["device"])), ""]
    if document["beside"]:
        lines += ["## The card and its stand-in, byte by byte", "", *beside_lines(document["beside"]), ""]
    if small:
        lines += predicted_sections(document["predicted"])
    return "\n".join(lines)
