# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training loops of many kinds, one after another, that know nothing of the recorder. Each says, in a line of JSON, what it held by its own
count: bytes of parameters, gradients and optimiser states after its last step, and what the graph had saved as that step's backward pass
began; "step" is that step's number among all.

    python recorded_loops.py [LOOP…] [--device cuda]
"""
import copy
import json
import sys
import types

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

DEVICE = sys.argv[sys.argv.index("--device") + 1] if "--device" in sys.argv else "cpu"
LAST = 2
done = 0


def storages(tensors):
    """On the device: counts of steps, say, may stay on the processor."""
    parts = [part for tensor in tensors if tensor is not None and tensor.device.type == DEVICE
             for part in ((tensor._indices(), tensor._values()) if tensor.is_sparse else (tensor,))]
    return {part.untyped_storage().data_ptr(): part.untyped_storage().nbytes() for part in parts}


def saved(loss, besides):
    """What the graph behind the loss keeps, and the loss, each storage once, without parameters and inputs."""
    found, nodes, seen = storages([loss]), [loss.grad_fn], set()
    while nodes:
        node = nodes.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        nodes += [after for after, _ in node.next_functions]
        for name in dir(node):
            if not name.startswith("_saved_"):
                continue
            value = getattr(node, name)
            for each in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(each, torch.Tensor):
                    found.update(storages([each]))
    return sum(size for address, size in found.items() if address not in storages(besides))


class Loop:
    """Counts steps, and tells what is held at the last one."""

    def __init__(self, name, *optimizers, owned=()):
        self.name, self.optimizers, self.owned, self.activations = name, optimizers, owned, None
        self.leaves = []  # that have a gradient, besides
        self.gradients, self.samples = [], []  # that are nobody's .grad; of each sample
        self.step = 0

    def about_to_go_back(self, loss, *inputs):
        if self.step == LAST:
            self.activations = saved(loss, [*self.parameters(), *inputs])

    def parameters(self):
        return [*self.owned, *(parameter for optimizer in self.optimizers for group in optimizer.param_groups for parameter in group["params"])]

    def stepped(self):
        global done
        self.step += 1
        done += 1
        if self.step <= LAST:
            return
        states = [each for optimizer in self.optimizers for state in optimizer.state.values() for value in state.values()
                  for each in (value if isinstance(value, list) else [value]) if isinstance(each, torch.Tensor)]
        said = {"loop": self.name, "step": done - 1, "parameters": sum(storages(self.parameters()).values()),
                "gradients": sum(storages([*(leaf.grad for leaf in [*self.parameters(), *self.leaves]), *self.gradients]).values()),
                "optimizer_states": sum(storages(states).values())}
        if self.samples:
            said["per_sample_gradients"] = sum(storages(self.samples).values())
        if self.activations is not None:
            said["activations"] = self.activations
        print(json.dumps(said), flush=True)


def mlp():
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 256)).to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters())
    loop = Loop("mlp", optimizer)
    for _ in range(LAST + 1):
        x, y = torch.randn(64, 256, device=DEVICE), torch.randn(64, 256, device=DEVICE)
        optimizer.zero_grad()
        loss = functional.mse_loss(model(x), y)
        loop.about_to_go_back(loss, x, y)
        loss.backward()
        optimizer.step()
        loop.stepped()


class Block(nn.Module):
    def __init__(self, width, heads=4):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query_key_value, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.heads = heads

    def forward(self, x):
        rows, length, width = x.shape
        parts = self.query_key_value(self.norm1(x)).view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(rows, length, width))
        return x + self.mlp(self.norm2(x))


class Decoder(nn.Module):
    def __init__(self, repeats=None, width=64, layers=3, words=500, tied=False):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(64, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)
        if tied:
            self.head.weight = self.words.weight
        self.repeats = repeats

    def forward(self, x):
        x = self.words(x) + self.places(torch.arange(x.shape[1], device=x.device))
        for block in self.blocks:
            x = block(x) if self.repeats is None else checkpoint(block, x, use_reentrant=self.repeats == "reentrant")
        return self.head(self.norm(x))


def decoder(name, model=None, optimizer=None, accumulate=1, autocast=False, counted=True):
    model = model or Decoder().to(DEVICE)
    optimizer = optimizer or torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    scaler = torch.amp.GradScaler(DEVICE, enabled=autocast)
    loop = Loop(name, optimizer, owned=[*model.parameters(), *model.buffers()])
    for _ in range(LAST + 1):
        optimizer.zero_grad()
        for _ in range(accumulate):
            x = torch.randint(0, 500, (4, 48), device=DEVICE)
            with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=autocast):
                loss = functional.cross_entropy(model(x).view(-1, 500), x.view(-1)) / accumulate
            if counted:
                loop.about_to_go_back(loss, x)
            scaler.scale(loss).backward()
            del loss
        if autocast:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        loop.stepped()


class Adapter(nn.Module):
    """A linear layer that is kept, and a small one beside it that is trained."""

    def __init__(self, base, rank=8):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


def adapters():
    model = Decoder().requires_grad_(False)
    for block in model.blocks:
        block.query_key_value = Adapter(block.query_key_value)
    decoder("adapters", model.to(DEVICE))


def convolutions():
    model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1),
                          nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loop = Loop("convolutions", optimizer, owned=list(model.buffers()))
    for _ in range(LAST + 1):
        x, y = torch.randn(8, 3, 32, 32, device=DEVICE), torch.randint(0, 10, (8,), device=DEVICE)
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loop.about_to_go_back(loss, x, y)
        loss.backward()
        optimizer.step()
        loop.stepped()


def two_players():
    """A generator and a critic with a gradient penalty, which goes back through a backward pass."""
    generator = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 128)).to(DEVICE)
    critic = nn.Sequential(nn.Linear(128, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1)).to(DEVICE)
    first, second = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    loop = Loop("two_players", first, second)
    for _ in range(LAST + 1):
        real = torch.randn(64, 128, device=DEVICE)
        made = generator(torch.randn(64, 32, device=DEVICE))
        between = (0.5 * real + 0.5 * made.detach()).requires_grad_()
        loop.leaves = [between]
        slope, = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        second.zero_grad()
        (critic(made.detach()).mean() - critic(real).mean() + 10 * (slope.norm(dim=1) - 1).square().mean()).backward()
        second.step()
        first.zero_grad()
        (-critic(made).mean()).backward()
        first.step()
        loop.stepped()


def in_backward():
    """An optimiser for each parameter, which steps as soon as its gradient is there."""
    model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256)).to(DEVICE)
    optimizers = {parameter: torch.optim.Adam([parameter]) for parameter in model.parameters()}

    def step(parameter):
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(step)
    loop = Loop("in_backward", *optimizers.values())
    for _ in range(LAST + 1):
        x = torch.randn(64, 256, device=DEVICE)
        loss = model(x).square().mean()
        loop.about_to_go_back(loss, x)
        loss.backward()
        loop.stepped()


def averaged():
    """A teacher that is never trained: a moving average of the model."""
    model = nn.Sequential(nn.Linear(128, 256), nn.BatchNorm1d(256), nn.Tanh(), nn.Linear(256, 128)).to(DEVICE)
    teacher = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
    optimizer = torch.optim.AdamW(model.parameters())
    loop = Loop("averaged", optimizer, owned=[*teacher.parameters(), *teacher.buffers(), *model.buffers()])
    for _ in range(LAST + 1):
        x = torch.randn(32, 128, device=DEVICE)
        with torch.no_grad():
            wanted = teacher(x)
        optimizer.zero_grad()
        loss = functional.mse_loss(model(x), wanted)
        loop.about_to_go_back(loss, x, wanted)
        loss.backward()
        optimizer.step()
        teacher.update_parameters(model)
        loop.stepped()


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(128, 256), nn.SiLU(), nn.Linear(256, 128))
        self.register_buffer("levels", torch.rand(1000, 128))

    def loss(self, x, at):
        mixed = self.levels[at] * x
        return functional.mse_loss(self.net(mixed), x)


def uncalled():
    """Neither the model, whose loss is a method, nor its moving average, a deep copy, is ever called: both own buffers."""
    model = Denoiser().to(DEVICE)
    average = copy.deepcopy(model).requires_grad_(False)
    elsewhere = copy.deepcopy(model).cpu().to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters())
    copies = [*average.parameters(), *average.buffers(), *elsewhere.parameters(), *elsewhere.buffers()]
    loop = Loop("uncalled", optimizer, owned=[*copies, *model.buffers()])
    for _ in range(LAST + 1):
        x, at = torch.randn(32, 128, device=DEVICE), torch.randint(0, 1000, (32,), device=DEVICE)
        optimizer.zero_grad()
        loss = model.loss(x, at)
        loss.backward()
        optimizer.step()
        for one, other in zip(average.parameters(), model.parameters()):
            one.lerp_(other.detach(), 0.1)
        loop.stepped()


class Quantised(nn.Module):
    """As bitsandbytes keeps one: the scales hang on the weight, and theirs on their own state."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randint(0, 16, (512, 128), dtype=torch.uint8, device=DEVICE), requires_grad=False)
        scales = types.SimpleNamespace(absmax=torch.rand(128, device=DEVICE), code=torch.rand(256, device=DEVICE))
        self.weight.quant_state = types.SimpleNamespace(absmax=torch.zeros(512, 1, device=DEVICE, dtype=torch.uint8), state2=scales,
                                                        offset=torch.zeros(1, device=DEVICE), code=torch.rand(16, device=DEVICE))
        self.head = nn.Linear(512, 8)

    def parts(self):
        state = self.weight.quant_state
        return [self.weight, state.absmax, state.code, state.offset, state.state2.absmax, state.state2.code]

    def forward(self, x):
        state = self.weight.quant_state
        scale = state.absmax * state.state2.code[:1] * state.state2.absmax[:1] + state.offset
        return self.head(x @ (self.weight * state.code[:1] + scale).t())


def quantised():
    model = Quantised().to(DEVICE)
    optimizer = torch.optim.AdamW(model.head.parameters())
    loop = Loop("quantised", optimizer, owned=model.parts())
    for _ in range(LAST + 1):
        optimizer.zero_grad()
        model(torch.randn(32, 128, device=DEVICE)).square().mean().backward()
        optimizer.step()
        loop.stepped()


def sparse_rows():
    """Only the rows of a table that were looked up have a gradient."""
    table, head = nn.EmbeddingBag(2000, 64, sparse=True).to(DEVICE), nn.Linear(64, 10).to(DEVICE)
    first, second = torch.optim.SparseAdam(table.parameters()), torch.optim.Adam(head.parameters())
    loop = Loop("sparse_rows", first, second)
    for _ in range(LAST + 1):
        x, y = torch.randint(0, 2000, (64, 16), device=DEVICE), torch.randint(0, 10, (64,), device=DEVICE)
        first.zero_grad()
        second.zero_grad()
        functional.cross_entropy(head(table(x)), y).backward()
        first.step()
        second.step()
        loop.stepped()


def samples():
    """A gradient of each sample, by torch.func, whose mean is the batch's."""
    model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 10)).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loop = Loop("samples", optimizer)

    def loss(parameters, x, y):
        return functional.cross_entropy(torch.func.functional_call(model, parameters, (x[None],)), y[None])

    for _ in range(LAST + 1):
        x, y = torch.randn(32, 64, device=DEVICE), torch.randint(0, 10, (32,), device=DEVICE)
        parameters = {name: parameter.detach() for name, parameter in model.named_parameters()}
        of_each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(parameters, x, y)
        loop.samples = list(of_each.values())
        for name, parameter in model.named_parameters():
            parameter.grad = of_each[name].mean(0)
        optimizer.step()
        loop.stepped()


def asked():
    """Gradients that autograd gives, and of which the program makes others."""
    model = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 128)).to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters())
    loop = Loop("asked", optimizer)
    for _ in range(LAST + 1):
        x = torch.randn(32, 128, device=DEVICE)
        loss = model(x).square().mean()
        loop.about_to_go_back(loss, x)
        loop.gradients = torch.autograd.grad(loss, list(model.parameters()))
        for parameter, gradient in zip(model.parameters(), loop.gradients):
            parameter.grad = gradient / 2
        del loss
        optimizer.step()
        loop.stepped()


def closure():
    """The optimiser calls the forward and the backward pass itself."""
    model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 1)).to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters())
    loop = Loop("closure", optimizer)
    x = torch.randn(128, 64, device=DEVICE)

    def loss():
        optimizer.zero_grad()
        found = model(x).square().mean()
        found.backward()
        return found

    for _ in range(LAST + 1):
        optimizer.step(loss)
        loop.stepped()


def history():
    """An optimiser that keeps lists of directions, and goes along each until it is satisfied: it makes several passes in a step."""
    model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 1)).to(DEVICE)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3, history_size=2, line_search_fn="strong_wolfe")
    loop = Loop("history", optimizer)
    x, y = torch.randn(128, 64, device=DEVICE), torch.randn(128, 1, device=DEVICE)

    def loss():
        optimizer.zero_grad()
        found = functional.mse_loss(model(x), y)
        found.backward()
        return found

    for _ in range(LAST + 1):
        optimizer.step(loss)
        loop.stepped()


def private():
    """By Opacus: gradients of each sample, of which the sum is clipped and made noisy before the optimiser steps."""
    try:
        from opacus import PrivacyEngine
    except ImportError:
        print("no Opacus", flush=True)
        return
    model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 10)).to(DEVICE)
    rows = torch.utils.data.TensorDataset(torch.randn(96, 64, device=DEVICE), torch.randint(0, 10, (96,), device=DEVICE))
    model, optimizer, batches = PrivacyEngine().make_private(
        module=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), noise_multiplier=1.0, max_grad_norm=1.0,
        data_loader=torch.utils.data.DataLoader(rows, batch_size=32), poisson_sampling=False)
    loop = Loop("private", optimizer)
    for x, y in batches:
        optimizer.zero_grad()
        functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        loop.samples = [parameter.grad_sample for parameter in model.parameters()]
        loop.gradients = [parameter.summed_grad for parameter in model.parameters()]
        loop.stepped()
        loop.samples, loop.gradients = [], []


def compiled():
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 256)).to(DEVICE)
    decoderless = torch.compile(model)
    optimizer = torch.optim.Adam(model.parameters())
    loop = Loop("compiled", optimizer)
    for _ in range(LAST + 1):
        x = torch.randn(64, 256, device=DEVICE)
        optimizer.zero_grad()
        decoderless(x).square().mean().backward()
        optimizer.step()
        loop.stepped()


LOOPS = {
    "mlp": mlp, "decoder": lambda: decoder("decoder"), "tied": lambda: decoder("tied", Decoder(tied=True).to(DEVICE)),
    "checkpointed": lambda: decoder("checkpointed", Decoder("plain").to(DEVICE), counted=False),
    "reentrant": lambda: decoder("reentrant", Decoder("reentrant").to(DEVICE), counted=False),
    "autocast": lambda: decoder("autocast", autocast=True), "accumulated": lambda: decoder("accumulated", accumulate=4),
    "adapters": adapters, "convolutions": convolutions, "two_players": two_players, "averaged": averaged, "uncalled": uncalled,
    "quantised": quantised,
    "sparse_rows": sparse_rows, "samples": samples, "asked": asked, "closure": closure,
    "history": history, "private": private, "compiled": compiled, "in_backward": in_backward,  # the last: PyTorch holds its optimisers
}

if __name__ == "__main__":
    chosen = [word for word in sys.argv[1:] if word in LOOPS] or [name for name in LOOPS if name not in ("compiled", "private")]
    for name in chosen:
        LOOPS[name]()
