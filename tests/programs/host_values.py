# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program reads back of small tensors on the card, beside what a CPU says: prints what differs and "N of N".

peakscope-cli record --device dry:CARD -- python host_values.py
"""
import torch
import torch.nn.functional as F

IDS = torch.randint(0, 40, (4, 12), generator=torch.Generator().manual_seed(5))
MASK = (torch.arange(12) < torch.tensor([12, 7, 3, 9])[:, None]).long()


def padded(device):
    ids, mask = IDS.to(device), MASK.to(device)
    labels = torch.where(mask > 0, ids, -100)
    places = (mask.cumsum(1) - 1).masked_fill(mask == 0, 1)
    return torch.all(mask == 1).item(), labels, places, (labels != -100).sum().item(), ids[labels != -100]


def unpadded(device):
    mask = MASK.to(device)
    lengths = mask.sum(-1, dtype=torch.int32)
    rows = torch.nonzero(mask.flatten(), as_tuple=False).flatten()
    return rows, lengths.max().item(), F.pad(lengths.cumsum(0, dtype=torch.int32), (1, 0))


def experts(device):
    chosen = F.one_hot(IDS.to(device) % 4, 4).permute(2, 1, 0)
    return [torch.where(chosen[expert]) for expert in range(4)]


def written(device):
    table = torch.zeros(4, 40, dtype=torch.long, device=device)
    table.scatter_(1, IDS.to(device), 1)
    table[:, 0] = 7
    table[1:3, ::2].add_(table[2, 3])
    table.index_put_((torch.tensor([1, 2], device=device), torch.tensor([3, 4], device=device)), torch.tensor([5, 6], device=device))
    order = torch.empty(4, dtype=torch.long, device=device)
    order.scatter_(0, torch.tensor([2, 0, 3, 1], device=device), torch.arange(4, device=device))
    table.resize_(5, 40)
    table[4] = 9
    return table, order


def scaled(device):
    scale = torch.full((), 65536.0, device=device)
    scale.mul_(0.5)
    return scale.item(), torch.isfinite(scale).item(), (scale > 1).item()


def together(device):
    counts = [torch.tensor(1, device=device), torch.tensor(5, device=device)]
    torch._foreach_add_(counts, 2)
    return counts, torch._foreach_mul(counts, 3)


def mapped(device):
    return torch.vmap(lambda row: row.cumsum(0).max())(IDS.to(device))


def threaded(device):
    import threading
    found = []
    thread = threading.Thread(target=lambda: found.append((torch.arange(50, device=device) % 3 == 0).sum().item()))
    thread.start()
    thread.join()
    return found


def chosen_rows(device):
    """The backward pass of rows chosen by a mask finds as many as the forward pass did."""
    states = torch.ones(4, 12, 3, device=device, requires_grad=True)
    states[MASK.to(device).bool()].sum().backward()
    return list(states.grad.shape)


class Fused(torch.autograd.Function):
    """A loss that makes the gradients of what it is given in its forward pass, as fused linear cross-entropy does."""

    @staticmethod
    def forward(ctx, states, weights):
        ctx.save_for_backward(torch.zeros_like(states).detach(), torch.zeros_like(weights).add_(1).detach())
        return states.sum()

    @staticmethod
    def backward(ctx, _):
        return ctx.saved_tensors


def added_in_place(device):
    """Tied weights: one gradient is added to the other, no third is made."""
    weights = torch.nn.Parameter(torch.empty(50000, 64, device=device))
    states = F.embedding(torch.zeros(8, 8, dtype=torch.long, device=device), weights)
    loss = Fused.apply(states * 2, weights)
    if device == "cpu":
        return True
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    loss.backward()
    return torch.cuda.max_memory_allocated() - before < 1.5 * weights.nbytes


CASES = {
    "chosen rows": chosen_rows, "added in place": added_in_place, "padded": padded, "unpadded": unpadded, "experts": experts, "written": written, "scaled": scaled, "together": together, "mapped": mapped,
    "threaded": threaded,
    "read": lambda d: (IDS.to(d), MASK.to(d).sum(1).tolist(), int(IDS.to(d)[1, 2]), bool(MASK.to(d).any())),
    "ends": lambda d: (IDS.to(d).max(1), IDS.to(d).min().item(), IDS.to(d).argmax(-1), IDS.to(d).prod().item()),
    "sorted": lambda d: (torch.sort(IDS.to(d), dim=1), torch.topk(IDS.to(d)[0], 3), torch.argsort(IDS.to(d)[1])),
    "distinct": lambda d: (torch.unique(IDS.to(d), return_inverse=True, return_counts=True), torch.unique(MASK.to(d), dim=1),
                           torch.unique_consecutive(MASK.to(d).flatten())),
    "counted": lambda d: (torch.bincount(IDS.to(d).flatten()), torch.equal(IDS.to(d), MASK.to(d)), torch.equal(IDS.to(d), IDS.to(d))),
    "repeated": lambda d: torch.repeat_interleave(torch.arange(4, device=d), MASK.to(d).sum(1)),
    "selected": lambda d: (IDS.to(d).masked_select(MASK.to(d).bool()), IDS.to(d).gather(1, MASK.to(d)), IDS.to(d)[MASK.to(d) == 0]),
    "made": lambda d: (torch.arange(5, device=d), torch.eye(3, device=d), torch.tril_indices(3, 3, device=d), torch.tensor([3, 1], device=d)),
    "joined": lambda d: (torch.cat([IDS.to(d), MASK.to(d)], 1), torch.stack([IDS.to(d)[0]] * 2), IDS.to(d).t().flip(0).contiguous()),
}


def plain(value):
    if torch.is_tensor(value):
        return value.tolist()
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def main():
    wrong = []
    for name, case in CASES.items():
        expected, found = plain(case("cpu")), plain(case("cuda"))
        if expected != found:
            wrong.append(name)
            print(f"{name}: {found} where {expected} is right")
    print(f"{len(CASES) - len(wrong)} of {len(CASES)}")


if __name__ == "__main__":
    main()
