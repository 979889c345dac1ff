# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part "record" of packaging/gpu-check: three programs of python3's torch recorded on the device and on the stand-in of the same card,
and their bytes beside each other."""
import importlib.util
import json
import pathlib
import subprocess
import sys

PROGRAMS = pathlib.Path(__file__).parents[2] / "tests" / "programs"
WORDS = {
    "decoder": [PROGRAMS / "recorded_loops.py", "decoder", "--device", "cuda"],
    "adapters": [PROGRAMS / "recorded_loops.py", "adapters", "--device", "cuda"],
    "gpt2": [PROGRAMS / "same_model.py", "cuda"],
}
CARD = "import torch; print(torch.cuda.get_device_name({0}), torch.cuda.get_device_properties({0}).total_memory, sep='\\n')"
COMPARED = ("parameters", "gradients", "optimizer_states", "inputs", "activations", "activation_gradients", "workspace", "rounding")


def run(cli, out, name, experiment):
    """The result of an experiment, which is kept in `out`, or None and why there is none."""
    asked, told = out / f"{name}.experiment.json", out / f"{name}.json"
    asked.write_text(json.dumps(experiment), encoding="utf-8")
    done = subprocess.run([cli, "run", str(asked), "--out", str(told)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return json.loads(told.read_text(encoding="utf-8")), ""


def stand_in_of(cli, device):
    """dry:CARD:BYTES of a card of this machine; None: the catalogue has none of its name."""
    if device.startswith("dry:"):
        return device
    said = subprocess.run([sys.executable, "-c", CARD.format(device.removeprefix("cuda:"))], capture_output=True, text=True, check=True)
    name, total = said.stdout.split("\n")[:2]
    listed = json.loads(subprocess.run([cli, "devices", "--catalogue", "--json"], capture_output=True, text=True, check=True).stdout)
    alike = [card["id"] for card in listed if card.get("dry") and name.split()[1] in card["name"].split()]
    return f"dry:{alike[0]}:{total}" if alike else None


def record(cli, device, out, words):
    done = subprocess.run([cli, "record", "--device", device, "--steps", "1000", "--out", str(out), "--", sys.executable, *map(str, words)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:]}
    memory = json.loads(out.read_text(encoding="utf-8"))["memory"]
    return {"allocated": memory["peak_bytes"], "reserved": memory["peak_reserved_bytes"],
            **{name: memory["max_components"][name] for name in COMPARED}}


def compare(cli, device, out):
    """The exit status: 0 all bytes are equal."""
    if importlib.util.find_spec("torch") is None:
        print("peakscope: record: left out, for this python3 has no torch")
        return 0
    stand_in = stand_in_of(cli, device)
    if stand_in is None:
        print(f"peakscope: record: no card of the catalogue has the name of {device}")
        return 1
    table, differ = {}, 0
    for name, words in WORDS.items():
        table[name] = {of: record(cli, of, out / f"record-{name}-{of.split(':')[0]}.json", words) for of in (device, stand_in)}
        here, dry = table[name][device], table[name][stand_in]
        off = sorted(key for key in here if here[key] != dry.get(key))
        differ += bool(off) or "failed" in here
        print(f"peakscope: record {name}: " + (f"differs in {', '.join(off)}" if off else f"equal, {here}"), flush=True)
    (out / "record.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return 1 if differ else 0
