# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many steps a dry run counts in loops of several kinds, beside their iterations: prints what differs and "N of N".

peakscope-cli record --device dry:CARD --steps 1000 -- python counted_steps.py
"""
import copy
import gc
import threading

import torch

ITERATIONS = 6


def layer():
    return torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)).cuda()


def loss(model):
    return model(torch.randn(8, 64, device="cuda")).pow(2).mean()


def one():
    model = layer()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(ITERATIONS):
        optimizer.zero_grad()
        loss(model).backward()
        optimizer.step()


def accumulated():
    model = layer()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(ITERATIONS):
        for _ in range(4):
            loss(model).backward()
        optimizer.step()
        optimizer.zero_grad()


def two_optimizers():
    model = layer()
    first = torch.optim.SGD([each for each in model.parameters() if each.ndim == 2], lr=0.1)
    second = torch.optim.AdamW([each for each in model.parameters() if each.ndim != 2])
    for _ in range(ITERATIONS):
        loss(model).backward()
        first.step()
        second.step()


def critic():
    """Five steps of a critic for one of a generator."""
    generator, judge = layer(), layer()
    ours, theirs = torch.optim.Adam(generator.parameters()), torch.optim.Adam(judge.parameters())
    for _ in range(ITERATIONS):
        for _ in range(5):
            theirs.zero_grad()
            judge(generator(torch.randn(8, 64, device="cuda")).detach()).mean().backward()
            theirs.step()
        ours.zero_grad()
        judge(generator(torch.randn(8, 64, device="cuda"))).mean().backward()
        ours.step()


def in_backward():
    """An optimiser for each parameter, which steps as soon as its gradient is there."""
    model = layer()
    optimizers = {each: torch.optim.Adam([each]) for each in model.parameters()}

    def step(parameter):
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    hooks = [each.register_post_accumulate_grad_hook(step) for each in model.parameters()]
    for _ in range(ITERATIONS):
        loss(model).backward()
    for hook in hooks:  # which would keep these optimisers
        hook.remove()


def by_hand():
    model = layer()
    for _ in range(ITERATIONS):
        loss(model).backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= 0.1 * parameter.grad
                parameter.grad = None
    COUNTING.at_end()


def scaler_skips():
    """A loss scale at which every other step is skipped."""
    model, scaler = layer(), torch.amp.GradScaler()
    optimizer = torch.optim.AdamW(model.parameters())
    taken = scaler._maybe_opt_step
    for iteration in range(ITERATIONS):
        scaler._maybe_opt_step = taken if iteration % 2 else lambda *_, **__: None
        scaler.scale(loss(model)).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()


def quasi_newton():
    """Several passes a step."""
    model = layer()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)

    def closure():
        optimizer.zero_grad()
        value = loss(model)
        value.backward()
        return value

    for _ in range(ITERATIONS):
        optimizer.step(closure)


def one_after_another():
    """Two trainings, whose first optimiser is still there."""
    first, second = layer(), layer()
    ours = torch.optim.AdamW(first.parameters())
    for _ in range(ITERATIONS // 2):
        loss(first).backward()
        ours.step()
    ours = [ours, torch.optim.AdamW(second.parameters())]
    for _ in range(ITERATIONS // 2 * 33):
        loss(second).backward()
        ours[1].step()


def averaged():
    """A moving average beside the training changes nothing."""
    model = layer()
    average, optimizer = copy.deepcopy(model), torch.optim.AdamW(model.parameters())
    for _ in range(ITERATIONS):
        loss(model).backward()
        optimizer.step()
        with torch.no_grad():
            for one, other in zip(average.parameters(), model.parameters()):
                one.lerp_(other, 0.01)


def threads(ahead):
    """Two that train side by side, one of which may be ahead of the other."""
    def train(turns, other):
        model = layer()
        optimizer = torch.optim.AdamW(model.parameters())
        both.wait()
        for _ in range(ITERATIONS):
            turns.acquire()
            optimizer.zero_grad()
            loss(model).backward()
            optimizer.step()
            other.release()

    both = threading.Barrier(2)
    first, second = threading.Semaphore(ahead), threading.Semaphore(0)
    pair = [threading.Thread(target=train, args=turns) for turns in ((first, second), (second, first))]
    for thread in pair:
        thread.start()
    for thread in pair:
        thread.join()


def in_turns():
    threads(1)


def one_ahead():
    threads(ITERATIONS)


one()  # the card has begun
COUNTING = next(each for each in gc.get_objects() if type(each).__name__ == "Steps")
COUNTED = []
COUNTING.over = lambda: COUNTED.append(1)
EXPECTED = {one: 6, accumulated: 6, two_optimizers: 6, critic: 6, in_backward: 6, by_hand: 6, scaler_skips: 6, quasi_newton: 6, averaged: 6,
            in_turns: 6, one_ahead: 6, one_after_another: 3 + 1 + (99 - 32)}
right = 0
for loop, expected in EXPECTED.items():
    gc.collect()
    COUNTED.clear()
    loop()
    if len(COUNTED) == expected:
        right += 1
    else:
        print(f"{loop.__name__}: {len(COUNTED)} where {expected} is right")
print(f"{right} of {len(EXPECTED)}")
