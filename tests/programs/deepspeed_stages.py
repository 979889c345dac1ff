# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of DeepSpeed's ZeRO 1, 2 and 3 by torch's Adam, whose engine looks for overflows: what the optimiser holds, beside what follows
from the shapes: two states in float32. Prints what differs and "N of N"; needs deepspeed (tried with 0.19.8).

peakscope-cli record --device dry:CARD --steps 100 --world 1 --rank 0 -- python deepspeed_stages.py
"""
import deepspeed
import torch

SIDE, LAYERS = 2048, 4
right = 0
CASES = [(stage, kind) for stage in (1, 2, 3) for kind in ("bf16", "fp16")]
for stage, kind in CASES:
    model = torch.nn.Sequential(*[torch.nn.Linear(SIDE, SIDE, bias=False) for _ in range(LAYERS)])
    engine, optimizer, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config={
        "train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "torch_adam": True}},
        "zero_optimization": {"stage": stage}, kind: {"enabled": True}})
    for _ in range(3):
        x = torch.randn(8, SIDE, device="cuda", dtype=torch.bfloat16 if kind == "bf16" else torch.float16)
        engine.backward(engine(x).float().pow(2).mean())
        engine.step()
    states = [value for state in optimizer.optimizer.state.values() for value in state.values() if torch.is_tensor(value) and value.numel() > 1]
    held, expected = sum(value.numel() * value.element_size() for value in states), 2 * 4 * LAYERS * SIDE * SIDE
    if held == expected and not engine.skipped_steps:
        right += 1
    else:
        print(f"ZeRO {stage}, {kind}: {held} bytes where {expected} follow from its shapes; {engine.skipped_steps} steps skipped")
print(f"{right} of {len(CASES)}")
