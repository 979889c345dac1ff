# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recurrent networks, two training steps each and one evaluation: prints what is not as it should be and "N of N".

peakscope-cli record --device dry:CARD --steps 1000 -- python recurrent.py

Parameters of each lie in one flat buffer whose bytes are theirs (and zero biases, which cuDNN has where a network has none);
but those of bfloat16, which PyTorch does not lay flat.
"""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

ROWS, LENGTH, INPUT = 6, 9, 37


def flat_bytes(net):
    """The bytes of cuDNN's weight space: matrices and two biases of each layer and direction, nothing aligned."""
    gates = {"LSTM": 4, "GRU": 3}.get(net.mode, 1)
    ways, output = 1 + net.bidirectional, net.proj_size or net.hidden_size
    elements = 0
    for layer in range(net.num_layers):
        width = output * ways if layer else net.input_size
        elements += ways * (gates * net.hidden_size * (width + output + 2) + net.proj_size * net.hidden_size)
    return elements * next(net.parameters()).element_size()


def trained(kind, *, type=torch.float32, autocast=False, packed=False, input=INPUT, rows=ROWS, **options):
    net = kind(input, **options).to("cuda", type)
    storages = {each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in net.parameters()}
    flat = type != torch.bfloat16  # those are copied together at each call, or run by operators of PyTorch's own
    if flat and list(storages.values()) != [flat_bytes(net)]:
        return f"buffers of {list(storages.values())} bytes where {flat_bytes(net)} are right"
    own = sum(each.nbytes for each in net.parameters())
    if net.bias and own != flat_bytes(net):
        return f"parameters of {own} bytes in {flat_bytes(net)}"
    step = torch.optim.SGD(net.parameters(), lr=0.1)
    shape = (rows, LENGTH, input) if net.batch_first else (LENGTH, rows, input)
    output = (net.proj_size or net.hidden_size) * (1 + net.bidirectional)
    for _ in range(2):
        step.zero_grad()
        data = torch.randn(shape, device="cuda", dtype=type, requires_grad=True)
        given = data
        if packed:
            given = pack_padded_sequence(data, [LENGTH - row for row in range(rows)], batch_first=net.batch_first)
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=autocast):
            states, last = net(given)
        if packed:
            states, _ = pad_packed_sequence(states, batch_first=net.batch_first)
        if states.shape != (*shape[:2], output):
            return f"states of shape {tuple(states.shape)}"
        states.float().sum().backward()
        step.step()
    if data.grad is None or any(each.grad is None or each.grad.shape != each.shape for each in net.parameters()):
        return "a gradient is missing"
    net.eval()
    with torch.no_grad():
        net(data)
    return None


def reserved(_=None):
    """What a training keeps is at least what its backward pass must have: gates and cells of all rows and layers."""
    net = nn.LSTM(512, 512, 2).cuda()
    data = torch.randn(64, 32, 512, device="cuda")
    before = torch.cuda.memory_allocated()
    states, _ = net(data)
    kept = torch.cuda.memory_allocated() - before
    least = 64 * 32 * 512 * 4 * (2 * 5 + 1 + 1)  # with what is handed on, and the states that come out
    return None if least <= kept <= 1.1 * least else f"{kept} bytes kept where {least} are right"


def cells(kind):
    cell = kind(INPUT, 24).cuda()
    state = None
    for _ in range(3):
        state = cell(torch.randn(ROWS, INPUT, device="cuda"), state)
    (state[0] if isinstance(state, tuple) else state).sum().backward()
    return None if cell.weight_hh.grad is not None else "no gradient"


CASES = {}
for kind in (nn.LSTM, nn.GRU, nn.RNN):
    for name, options in {
        "plain": {}, "three layers": {"num_layers": 3}, "both ways": {"num_layers": 2, "bidirectional": True},
        "rows first": {"batch_first": True}, "without biases": {"bias": False, "num_layers": 2},
        "dropout": {"num_layers": 2, "dropout": 0.3}, "packed": {"packed": True, "num_layers": 2},
        "packed, rows first, both ways": {"packed": True, "batch_first": True, "bidirectional": True},
        "float16": {"type": torch.float16}, "bfloat16": {"type": torch.bfloat16, "num_layers": 2}, "float64": {"type": torch.float64},
        "float16, persistent": {"type": torch.float16, "input": 128, "hidden_size": 256, "rows": 16},
        "autocast": {"autocast": True, "num_layers": 2}, "wide": {"hidden_size": 512},
    }.items():
        CASES[f"{kind.__name__}, {name}"] = lambda kind=kind, options=options: trained(kind, **{"hidden_size": 29, **options})
    cell = getattr(nn, kind.__name__ + "Cell")
    CASES[cell.__name__] = lambda cell=cell: cells(cell)
CASES["RNN, relu"] = lambda: trained(nn.RNN, hidden_size=29, nonlinearity="relu", num_layers=2)
for bias in (True, False):
    CASES[f"LSTM, projection, {bias}"] = lambda bias=bias: trained(
        nn.LSTM, hidden_size=29, proj_size=11, num_layers=2, bidirectional=True, bias=bias)
CASES["what a training keeps"] = reserved


def main():
    wrong = {name: said for name, case in CASES.items() if (said := case())}
    for name, said in wrong.items():
        print(f"{name}: {said}")
    print(f"{len(CASES) - len(wrong)} of {len(CASES)}")


if __name__ == "__main__":
    main()
