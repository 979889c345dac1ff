#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes written/: files of a Chrome trace, safetensors, tokenizer.json and torch.save as their libraries write them, and
answers.json with what the libraries themselves read out of them, and what Opacus makes of a batch. Only the library can
say what its files look like. Times and addresses of the trace differ from run to run. Needs torch, safetensors,
tokenizers and opacus; the stored files were made with the versions that answers.json names."""
import gzip, importlib.metadata, json, os, sys, torch
from opacus.accountants import RDPAccountant
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "written")
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
torch.manual_seed(3)
answers = {"versions": {name: importlib.metadata.version(name).split("+")[0]
                        for name in ("torch", "safetensors", "tokenizers", "opacus")}}

# A trace of two steps.
network = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
data, labels = torch.randn(16, 64), torch.randint(0, 8, (16,))
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
    for _ in range(2):
        torch.nn.functional.cross_entropy(network(data), labels).backward()
        optimizer.step()
        optimizer.zero_grad()
profile.export_chrome_trace("trace.json.gz")
with gzip.open("trace.json.gz") as file:
    trace = json.load(file)
host = os.uname().nodename
with gzip.GzipFile("trace.json.gz", "wb", mtime=0) as file:  # without this machine's name
    file.write(json.dumps(trace).replace(host, "machine").encode())
memory = [event for event in trace["traceEvents"] if event.get("name") == "[memory]"]
now = highest = 0
for event in sorted(memory, key=lambda event: event["ts"]):
    now += event["args"]["Bytes"]
    highest = max(highest, now)
answers["trace"] = {"memory_events": len(memory), "highest_sum_of_bytes": highest,
                    "highest_total": max(event["args"]["Total Allocated"] for event in memory)}

# Every type that both libraries write.
tensors = {"weight": torch.randn(3, 4), "half": torch.randn(4).half(), "bfloat": torch.randn(2, 2).bfloat16(),
           "double": torch.randn(2).double(), "ids": torch.tensor([[1, -2], [3, 2**40]]), "bytes": torch.arange(5).byte(),
           "flags": torch.tensor([True, False]), "scalar": torch.tensor(2.5), "empty": torch.zeros(0, 3)}
save_file(tensors, "weights.safetensors", metadata={"format": "pt"})
torch.save(tensors, "weights.pt")
read = load_file("weights.safetensors")
again = torch.load("weights.pt", weights_only=True)
assert all(torch.equal(read[name], again[name]) for name in tensors)
answers["tensors"] = {name: {"shape": list(tensor.shape), "values": tensor.double().flatten().tolist()}
                      for name, tensor in sorted(read.items())}

# A tokenizer that the library trained.
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
text = "the memory of a training is the memory of its activations, its gradients and its weights"
tokenizer.train_from_iterator([text] * 4, trainers.BpeTrainer(vocab_size=300, show_progress=False,
                                                              initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
os.makedirs("tokenizer", exist_ok=True)
tokenizer.save("tokenizer/tokenizer.json")
answers["tokens"] = {each: tokenizer.encode(each).ids
                     for each in (text, "gradients of the weights", "h\u00e9llo \u20ac 12\n", "")}

# Privacy that training spends, by Opacus' accountant.
answers["epsilons"] = []
for noise, rate, steps, delta in ((1.0, 0.01, 1000, 1e-5), (1.5, 0.05, 200, 1e-6), (0.8, 0.002, 5000, 1e-5)):
    accountant = RDPAccountant()
    for _ in range(steps):
        accountant.step(noise_multiplier=noise, sample_rate=rate)
    answers["epsilons"].append({"noise_multiplier": noise, "sample_rate": rate, "steps": steps, "delta": delta,
                                "epsilon": accountant.get_epsilon(delta)})
with open("answers.json", "w") as file:
    json.dump(answers, file, indent=1)
    file.write("\n")
