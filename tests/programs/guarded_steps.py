# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trainings that step only where a number that nobody knows allows it: what their optimisers hold, beside what follows from their
shapes. Prints what differs and "N of N".

peakscope-cli record --device dry:CARD --steps 100 -- python guarded_steps.py
"""
import torch

SIDE = 1000


def held(optimizer):
    """Bytes of the states that are as large as the weights."""
    return sum(part.numel() * part.element_size() for state in optimizer.state.values() for value in state.values()
               for part in (value if isinstance(value, list) else [value]) if torch.is_tensor(part) and part.numel() > 1)


def trained(step, make=torch.optim.AdamW, **options):
    model = torch.nn.Linear(SIDE, SIDE, bias=False).cuda()
    optimizer = make(model.parameters(), **options)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(64, SIDE, device="cuda")).pow(2).mean()
        loss.backward()
        step(model, optimizer, loss)
    return held(optimizer)


def plain(model, optimizer, loss):
    if loss != loss or not torch.isfinite(loss):
        raise RuntimeError("the loss is not a number")
    optimizer.step()


def spike(model, optimizer, loss):
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if norm > 10.0 or torch.isnan(norm) or torch.isinf(norm):
        return
    optimizer.step()


def overflow(model, optimizer, loss):
    """As DeepSpeed looks for it."""
    gradient = next(model.parameters()).grad
    if gradient.isnan().logical_or(gradient.isinf()).float().max().item():
        return
    if gradient.sum().item() in (float("inf"), -float("inf")):
        return
    optimizer.step()


SCALER = torch.amp.GradScaler()


def scaled(model, optimizer, loss):
    optimizer.zero_grad()
    SCALER.scale(model(torch.randn(64, SIDE, device="cuda")).mean()).backward()
    SCALER.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
    SCALER.step(optimizer)
    SCALER.update()


def quasi_newton(target):
    """L-BFGS with its line search: ten pairs, the last gradient and the direction."""
    model = torch.nn.Linear(SIDE, SIDE, bias=False).cuda()
    optimizer = torch.optim.LBFGS(model.parameters(), history_size=10, line_search_fn="strong_wolfe")

    def loss():
        optimizer.zero_grad()
        value = (model(torch.randn(64, SIDE, device="cuda")) - target).pow(2).mean()
        value.backward()
        return value

    for _ in range(2):
        optimizer.step(loss)
    return held(optimizer)


WEIGHTS = SIDE * SIDE * 4
FOUND = {
    "not a number": (trained(plain), 2 * WEIGHTS), "spike": (trained(spike), 2 * WEIGHTS), "overflow": (trained(overflow), 2 * WEIGHTS),
    "scaler": (trained(scaled), 2 * WEIGHTS), "momentum": (trained(spike, torch.optim.SGD, lr=0.1, momentum=0.9), WEIGHTS),
    "L-BFGS": (quasi_newton(1.0), 22 * WEIGHTS), "L-BFGS, a tensor as target": (quasi_newton(torch.randn(64, SIDE, device="cuda")), 22 * WEIGHTS),
}
for name, (bytes_held, expected) in FOUND.items():
    if bytes_held != expected:
        print(f"{name}: {bytes_held} bytes, {expected} follow from its shapes")
print(f"{sum(one == other for one, other in FOUND.values())} of {len(FOUND)}")
