#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the snapshot of cuda_snapshot.pickle as people keep theirs: by every protocol of pickle, as JSON, by
torch.save, and inside of something else, into snapshot_forms; and the history of an H100 (h100/llama-1b-full-card) in the
same forms, packed by gzip, into card_forms. Needs PyTorch (its files were written with 2.15)."""
import gzip, io, json, os, pickle, torch

here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(here, "snapshot_forms")
os.makedirs(folder, exist_ok=True)
with open(os.path.join(here, "cuda_snapshot.pickle"), "rb") as file:
    snapshot = pickle.load(file)
# Every kind of plain value, with what protocol 0 writes in escapes.
beside = {"step": 3, "text": "h\u00e9 \u20ac \U0001f600 \\u0041\n'\"", "bytes": b"\xff\x00a", "array": bytearray(b"b"),
          "none": None, "flags": [True, False], "numbers": [1.5, float("inf"), -1, 2**31, 2**63, -2**80], "set": {1}}


def path(name):
    return os.path.join(folder, name)


def pickled(name, value, protocol=4):
    with open(path(name), "wb") as file:
        pickle.dump(value, file, protocol=protocol)


for protocol in range(6):
    pickled(f"protocol_{protocol}.pickle", snapshot, protocol)
    pickled(f"with_values_{protocol}.pickle", ({"snapshot": snapshot, **beside}, beside), protocol)
pickled("of_a_rank.pickle", {"rank0": snapshot})
pickled("in_a_list.pickle", [snapshot])
pickled("deeper.pickle", {"run": {"snapshots": [{"memory": snapshot, "filename": "train.py"}]}})
pickled("of_two_ranks.pickle", {"rank0": snapshot, "rank1": snapshot})
with open(path("snapshot.json"), "w") as file:
    json.dump(snapshot, file)
with open(path("indented.json"), "w") as file:
    json.dump({"step": 3, "snapshot": snapshot}, file, indent=1)
with gzip.GzipFile(path("in_a_list.json.gz"), "wb", mtime=0) as file:
    file.write(json.dumps([snapshot]).encode())
torch.save(snapshot, path("saved.pt"))
torch.save({"snapshot": snapshot}, path("saved_before_1_6.pt"), _use_new_zipfile_serialization=False)

card_folder = os.path.join(here, "card_forms")
os.makedirs(card_folder, exist_ok=True)
with gzip.open(os.path.join(here, "h100", "llama-1b-full-card.pickle.gz"), "rb") as file:
    card = pickle.load(file)


def packed(name, data):
    with gzip.GzipFile(os.path.join(card_folder, name + ".gz"), "wb", mtime=0) as file:
        file.write(data)


def saved(value, **options):
    file = io.BytesIO()
    torch.save(value, file, **options)
    return file.getvalue()


for protocol in range(6):
    packed(f"protocol_{protocol}.pickle", pickle.dumps(card, protocol=protocol))
packed("of_a_rank.pickle", pickle.dumps({"rank0": card}, protocol=4))
packed("snapshot.json", json.dumps(card).encode())
packed("indented_in_a_list.json", json.dumps([card], indent=1).encode())
with open(os.path.join(card_folder, "saved.pt"), "wb") as file: # an archive, which nobody packs once more
    file.write(saved(card))
packed("saved_before_1_6.pt", saved({"snapshot": card}, _use_new_zipfile_serialization=False))
