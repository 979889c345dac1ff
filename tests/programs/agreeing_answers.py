# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program asks of tensors that nobody knows, where one answer follows from others: prints what contradicts and "N of N".

peakscope-cli record --device dry:CARD -- python agreeing_answers.py
"""
import math

import torch

ASKED, WRONG = [], []
MATRICES = {dtype: torch.randn(2048, 2048, device="cuda", dtype=dtype) for dtype in (torch.float32, torch.bfloat16, torch.float16)}


def check(name, holds):
    ASKED.append(name)
    if not holds:
        WRONG.append(name)


def true(flag):
    return bool(flag.item())


def numbers(dtype):
    """One number, however it is read."""
    weight = MATRICES[dtype]
    x, y = weight @ weight, weight @ weight
    total = x.sum()
    value = total.item()
    yield "an ordinary number", 0.1 < abs(value) < 10
    yield "the same twice", total.item() == value and x.sum().item() == value
    yield "on the host", total.cpu().item() == value and total.tolist() == value and float(total) == value
    yield "of a wider type", abs(total.float().item() - value) < 1e-6
    yield "as a flag and a whole number", bool(total) == (value != 0) and int(total) == int(value)
    yield "negative", (-total).item() == -value and x.flatten().float().dot(-x.flatten().float()).item() < 0
    yield "least, mean, most", x.min().item() <= x.float().mean().item() * 1.01 <= x.max().item() * 1.03
    yield "most, in two ways", x.amax().item() == x.max().item() == x.max(dim=1).values.max().item()
    length = x.norm().item()
    yield "norm", length >= 0 and abs(length - x.float().norm().item()) <= 0.02 * length
    squared = x.float().flatten().dot(x.float().flatten()).item()
    yield "norm and dot product", abs(torch.linalg.vector_norm(x.float()).item() ** 2 - squared) < 0.02
    yield "another tensor's", (x.float() - y.float()).abs().max().item() != 0 or dtype == torch.bfloat16
    yield "a tensor less itself", (x - x).abs().max().item() == 0
    yield "no sign", x.abs().min().item() > 0 and (x * x).min().item() >= 0
    yield "bounded", x.clamp(max=0.1).max().item() <= 0.1001 and torch.clamp(1 / (x.norm() + 1e-6), max=1.0).item() <= 1
    yield "a smaller type", math.isfinite((total * 6e4).half().item()) and math.isfinite((total.float() * 1e38 * 1e38).item())
    yield "chosen", abs(torch.where(x > 0, x, -x).sum().item() - abs(value)) < 1e-3
    yield "a place", 0 <= x.argmax().item() < x.numel()
    yield "sorted", x.flatten()[:5000].sort().values[0].item() <= x.max().item()


def flags(dtype):
    """Comparisons with one another, and what looks for infinite numbers, in the ways of several libraries."""
    x = MATRICES[dtype] @ MATRICES[dtype]
    total = x.sum()
    value = total.item()
    yield "isnan", not true(torch.isnan(total)) and not true(torch.isnan(x).any())
    yield "isinf", not true(torch.isinf(total)) and not true(torch.isinf(x).any())
    yield "isfinite", true(torch.isfinite(x).all()) and true(torch.isfinite(torch.stack([total, total])).all())
    yield "equal to itself", not true(total != total) and true(total == total) and not true((x != x).any())
    yield "equal to infinity", not true(total == float("inf")) and not true(total == -float("inf"))
    yield "as a largest float", x.isnan().logical_or(x.isinf()).float().max().item() == 0.0
    yield "equal", torch.equal(x, x.clone()) and torch.allclose(x, x) and not torch.equal(x, x + 1)
    yield "and, or", true((total > 0) & (total >= 0)) and not true((total > 0) & (total <= 0)) and true((total > 0) | (total <= 0))
    for bound in (0.25, 0.9, 1.0, 1.5, 4.0):
        yield f"above {bound}", true(total > bound) == (value > bound) and true(total >= bound) == (not true(total < bound))
        yield f"one of three at {bound}", true(total > bound) + true(total < bound) + true(total == bound) == 1
        above = x > bound
        yield f"any, all above {bound}", true(above.any()) == (x.max().item() > bound) and true(above.all()) == (x.min().item() > bound)
        yield f"not above {bound}", true((~above).all()) == (not true(above.any()))
        yield f"how many above {bound}", above.sum().item() == len(torch.nonzero(above)) == len(x[above])


def of_one_value():
    ones, zeros = torch.ones(65536, device="cuda", dtype=torch.float16), torch.zeros(3_000_000, device="cuda")
    yield "a sum that no float16 holds", math.isfinite(ones.sum().item())
    yield "ones", ones.mean().item() == 1 and torch.full((70_000,), 2.0, device="cuda").sum().item() == 140_000
    yield "zeros", zeros.sum().item() == 0 and not true(zeros.any()) and zeros.norm().item() == 0
    seed = torch.tensor([-3], device="cuda").view(torch.uint64)  # as programs send seeds of 64 bits from rank to rank
    yield "above 2^63", seed.item() == seed.cpu().item() == (1 << 64) - 3


def rounds(draw, rejected, anew):
    """How often a loop draws again."""
    values = draw()
    for count in range(100):
        mask = rejected(values)
        if not mask.any():
            return count
        values = anew(values, mask)
    return 100


def put(values, mask):
    values[mask] = torch.randn(int(mask.sum().item()), device="cuda")
    return values


def random_numbers():
    uniform, normal = torch.rand(3_000_000, device="cuda"), torch.randn(100_000, device="cuda")
    quarter = uniform < 0.25
    yield "a quarter", 0.24 < quarter.float().mean().item() < 0.26 and quarter.sum().item() == len(quarter.nonzero())
    yield "some, not all", true(quarter.any()) and not true(quarter.all())
    yield "between 0 and 1", true((uniform >= 0).all()) and true((uniform < 1).all()) and 0 <= uniform.max().item() <= 1
    yield "half", 49_000 < (normal > 0).sum().item() < 51_000
    yield "drawn again in place", 3 < rounds(lambda: normal, lambda x: (x < -1) | (x > 1), put) < 60
    yield "drawn again where not accepted", 3 < rounds(
        lambda: torch.rand(70_000, device="cuda"), lambda x: ~(x > 0.5), lambda x, mask: torch.where(~mask, x, torch.rand_like(x))) < 60
    for mean in (0.0, 3.0):  # two ways of torch.nn.init
        torch.nn.init.trunc_normal_(torch.empty(512, 512, device="cuda"), mean=mean, std=1, a=-1, b=2)
    torch.distributions.Gamma(torch.ones(2000, device="cuda"), torch.ones(2000, device="cuda")).sample()
    yield "truncated", True


class Watched(torch.autograd.Function):
    found = []

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        Watched.found.append(bool(torch.isnan(gradient).any()))
        return gradient


def gradients(shape):
    """Autograd adds to gradients where nobody sees it."""
    weight = torch.nn.Parameter(torch.randn(shape, device="cuda"))
    for hook in (weight.register_hook, weight.register_post_accumulate_grad_hook):
        hook(lambda given: Watched.found.append(bool(torch.isinf(given).any()) or bool((given.norm() != given.norm()).any())))

    def length():
        (Watched.apply(weight) * weight).mean().backward()
        return weight.grad.norm().item()

    first, kept = length(), weight.grad.clone()
    yield "the same gradient twice", first == weight.grad.norm().item()
    yield "added to", length() != first and kept.norm().item() == first
    yield "a difference", (weight.grad - kept).abs().max().item() != 0
    weight.grad.zero_()
    yield "zero", weight.grad.norm().item() == 0
    yield "zero no longer", length() != 0
    yield "asked by hooks", len(Watched.found) >= 9 and not any(Watched.found)


def lists():
    """A model's many gradients and states, as optimisers treat them."""
    draw = torch.randn(40, 40, device="cuda")
    gradients, states = [draw @ draw for _ in range(100)], [torch.zeros(40, 40, device="cuda") for _ in range(100)]
    torch._foreach_lerp_(states, gradients, 0.1)
    yield "zeros and gradients", states[0].norm().item() == states[0].norm().item() != 0 != states[99].norm().item()
    length = gradients[7].norm().item()
    torch._foreach_mul_(gradients, 0.5)
    yield "many scaled", abs(gradients[7].norm().item() - length / 2) < 1e-6
    roots = torch._foreach_sqrt(states)
    torch._foreach_add_(roots, 1e-8)
    torch._foreach_addcdiv_(gradients, states, roots, value=-0.1)
    yield "many roots", roots[3].min().item() > 0 and math.isfinite(gradients[3].norm().item())
    yield "a step", gradients[7].norm().item() != length / 2
    torch._foreach_mul_(states, 0.0)
    yield "many zeros", states[5].norm().item() == 0


for dtype in MATRICES:
    for questions in (numbers, flags):
        for name, holds in questions(dtype):
            check(f"{name}, {dtype}", holds)
for questions in (of_one_value(), random_numbers(), gradients((1500, 1500)), gradients((5,)), lists()):
    for name, holds in questions:
        check(name, holds)
for name in WRONG:
    print("wrong:", name)
print(f"{len(ASKED) - len(WRONG)} of {len(ASKED)}")
