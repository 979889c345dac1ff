# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training that saves, reads back, rotates its checkpoints, writes a log and clears away what was there before, in the folder that it is
started in: prints what it did not find and "N of N". Only the log is left there, and what was there before.

peakscope-cli record --device dry:CARD --steps 100 -- python saved_files.py
"""
import glob
import os
import pickle
import shutil

import numpy
import torch

for folder in ("before", "out"):
    os.makedirs(folder, exist_ok=True)
if not os.path.exists("before/kept.pt"):
    raise SystemExit("before/kept.pt is to be there")
model = torch.nn.Linear(1000, 1000).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(4):
    optimizer.zero_grad()
    model(torch.randn(8, 1000, device="cuda")).sum().backward()
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, f"out/step-{step}.pt")
    shutil.copyfile(f"out/step-{step}.pt", "out/last.pt")
    if step > 1:
        os.remove(f"out/step-{step - 2}.pt")
    with open("out/log.txt", "a") as log:
        print(step, file=log)
numpy.save("out/numbers.npy", numpy.arange(3))
with open("out/state.pickle", "wb") as file:
    pickle.dump({"step": 4}, file)
with open("out/stream.pt", "wb") as file:
    torch.save(torch.arange(5), file)
os.makedirs("out/step.tmp")
torch.save(torch.arange(7), "out/step.tmp/model.pt")
os.rename("out/step.tmp", "out/step-final")
os.remove("before/kept.pt")
shutil.rmtree("before/folder")
FOUND = {
    "names": sorted(os.listdir("out")) == ["last.pt", "log.txt", "numbers.npy", "state.pickle", "step-2.pt", "step-3.pt", "step-final",
                                           "stream.pt"],
    "a pattern": len(glob.glob("out/step-*.pt")) == 2,
    "a checkpoint": torch.load("out/last.pt")["step"] == 3 and os.path.getsize("out/last.pt") > 12_000_000,
    "numbers": numpy.load("out/numbers.npy").tolist() == [0, 1, 2],
    "a pickle": pickle.load(open("out/state.pickle", "rb")) == {"step": 4},
    "a stream": torch.load("out/stream.pt").tolist() == [0, 1, 2, 3, 4],
    "a folder renamed": torch.load("out/step-final/model.pt").tolist() == list(range(7)) and not os.path.exists("out/step.tmp"),
    "cleared away": os.listdir("before") == [] and not os.path.exists("before/folder"),
    "a log": open("out/log.txt").read() == "0\n1\n2\n3\n",
}
try:
    from safetensors.torch import load_file, save_file

    save_file({"w": torch.arange(4)}, "out/model.safetensors")
    FOUND["safetensors"] = load_file("out/model.safetensors")["w"].tolist() == [0, 1, 2, 3]
except ImportError:
    FOUND["safetensors"] = True  # not here
for name, found in FOUND.items():
    if not found:
        print("not as it was saved:", name)
print(f"{sum(FOUND.values())} of {len(FOUND)}")
