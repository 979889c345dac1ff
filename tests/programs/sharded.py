# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three steps of a Llama on one rank of many, sharded in one of the ways that PyTorch has; prints the last step's peaks as JSON.

    sharded.py WAY SIZE [LENGTH]

WAY: ddp, ddp-accumulate (two halves, the first without a reduction), zero1, fsdp1, fsdp1-float32 (reduced in float32, original parameters), fsdp1-gradients (SHARD_GRAD_OP), fsdp2,
fsdp2-whole (not resharded), fsdp2-float32, hsdp, tensor, fsdp2-tensor. SIZE: 1b (Llama 3.2's shape) or tiny. LENGTH: tokens (4096).
"""
import contextlib
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

from rank_steps import begin, three_steps

SIZES = {"1b": (16, 2048, 32, 8, 8192, 128256), "tiny": (2, 512, 8, 8, 1024, 1024)}  # layers, width, heads, of keys, inner, words


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, states):
        return F.rms_norm(states, (self.weight.shape[-1],), self.weight, 1e-5)


class Attention(nn.Module):
    def __init__(self, width, heads, of_keys):
        super().__init__()
        self.each = width // heads
        self.query = nn.Linear(width, width, bias=False)
        self.key, self.value = (nn.Linear(width, of_keys * self.each, bias=False) for _ in range(2))
        self.out = nn.Linear(width, width, bias=False)
        self.repeats = heads // of_keys

    def forward(self, states, cosine, sine):
        rows, length, _ = states.shape
        query, key, value = (part(states).view(rows, length, -1, self.each).transpose(1, 2)
                             for part in (self.query, self.key, self.value))

        def turned(part):
            half = self.each // 2
            return part * cosine + torch.cat((-part[..., half:], part[..., :half]), -1) * sine

        query, key = turned(query), turned(key)
        key, value = key.repeat_interleave(self.repeats, 1), value.repeat_interleave(self.repeats, 1)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(rows, length, -1))


class Inner(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gate, self.down, self.up = (nn.Linear(*ends, bias=False) for ends in ((width, inner), (inner, width), (width, inner)))

    def forward(self, states):
        return self.down(F.silu(self.gate(states)) * self.up(states))


class Layer(nn.Module):
    def __init__(self, width, heads, of_keys, inner):
        super().__init__()
        self.before, self.attention = Norm(width), Attention(width, heads, of_keys)
        self.after, self.inner = Norm(width), Inner(width, inner)

    def forward(self, states, cosine, sine):
        states = states + self.attention(self.before(states), cosine, sine)
        return states + self.inner(self.after(states))


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        layers, width, heads, of_keys, inner, words = SIZES[size]
        self.each = width // heads
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.ModuleList(Layer(width, heads, of_keys, inner) for _ in range(layers))
        self.norm, self.head = Norm(width), nn.Linear(width, words, bias=False)

    def forward(self, ids):
        states = self.embedding(ids)
        rates = 5e5 ** (-torch.arange(0, self.each, 2, device=ids.device).float() / self.each)
        angles = torch.outer(torch.arange(ids.shape[1], device=ids.device).float(), rates)
        angles = torch.cat((angles, angles), -1)
        cosine, sine = angles.cos().to(states.dtype), angles.sin().to(states.dtype)
        for layer in self.layers:
            states = layer(states, cosine, sine)
        return self.head(self.norm(states))


def replicated(model, way, card):
    model = nn.parallel.DistributedDataParallel(model.to_empty(device=card), device_ids=[card.index])
    if way != "zero1":
        return model, torch.optim.AdamW(model.parameters(), lr=1e-4)
    from torch.distributed.optim import ZeroRedundancyOptimizer
    return model, ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=1e-4)


def fully_sharded_1(model, way, card):
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision, ShardingStrategy
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy
    narrow = torch.bfloat16
    model = FullyShardedDataParallel(
        model, auto_wrap_policy=ModuleWrapPolicy({Layer}), device_id=card.index, use_orig_params=way.endswith("float32"),
        sharding_strategy=ShardingStrategy.SHARD_GRAD_OP if way.endswith("gradients") else ShardingStrategy.FULL_SHARD,
        mixed_precision=MixedPrecision(narrow, torch.float32 if way.endswith("float32") else narrow, narrow),
        param_init_fn=lambda part: part.to_empty(device=card, recurse=False))
    return model, torch.optim.AdamW(model.parameters(), lr=1e-4)


def split_by_tensor(model, mesh):
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import (
        ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel, parallelize_module)
    parallelize_module(model, mesh, {
        "embedding": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)), "norm": SequenceParallel(),
        "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate())})
    for layer in model.layers:
        parallelize_module(layer, mesh, {
            "before": SequenceParallel(), "after": SequenceParallel(),
            "attention": PrepareModuleInput(input_layouts=(Shard(1), None, None), desired_input_layouts=(Replicate(), None, None)),
            "inner": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
            **{f"attention.{name}": ColwiseParallel() for name in ("query", "key", "value")},
            "attention.out": RowwiseParallel(output_layouts=Shard(1)), "inner.gate": ColwiseParallel(), "inner.up": ColwiseParallel(),
            "inner.down": RowwiseParallel(output_layouts=Shard(1))})


def sharded(model, way, card):
    """FSDP 2, tensor parallel, and their product."""
    try:
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    except ImportError:
        from torch.distributed._composable.fsdp import MixedPrecisionPolicy, fully_shard
    world = dist.get_world_size()
    second = {"tensor": min(world, 8), "fsdp2-tensor": 8 if world > 8 else 2, "hsdp": 2}.get(way, 1)
    mesh = init_device_mesh("cuda", (world // second, second), mesh_dim_names=("data", "second"))
    if way.endswith("tensor"):
        split_by_tensor(model, mesh["second"])
    if way != "tensor":
        said = {"mesh": mesh if way == "hsdp" else mesh["data"], "reshard_after_forward": way != "fsdp2-whole",
                "mp_policy": MixedPrecisionPolicy() if way == "fsdp2-float32" else MixedPrecisionPolicy(torch.bfloat16, torch.float32)}
        for layer in model.layers:
            fully_shard(layer, **said)
        fully_shard(model, **said)
    model.to_empty(device=card)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-4)


def main():
    way, size, length = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 4096
    card = begin()
    with torch.device("meta"):
        model = Model(size)
    replicates = way in ("ddp", "ddp-accumulate", "zero1")
    by_autocast = replicates or way == "tensor"
    make = replicated if replicates else fully_sharded_1 if way.startswith("fsdp1") else sharded
    model, optimiser = make(model, way, card)
    for _ in three_steps():
        for part in range(2 if way == "ddp-accumulate" else 1):
            tokens = torch.randint(0, 1000, (1, length + 1)).to(card)
            with model.no_sync() if way == "ddp-accumulate" and part == 0 else contextlib.nullcontext():
                with torch.autocast("cuda", torch.bfloat16) if by_autocast else contextlib.nullcontext():
                    scores = model(tokens[:, :-1])
                    loss = F.cross_entropy(scores.flatten(0, 1).float(), tokens[:, 1:].flatten())
                del scores
                loss.backward()
        optimiser.step()
        optimiser.zero_grad()


if __name__ == "__main__":
    main()
