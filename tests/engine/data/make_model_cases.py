#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes models/{opt,gpt2,llama}: tiny checkpoints and what is right for them, by a route that is not the engine's.

Weights are a closed formula (a hash of the tensor's name and the place), rounded to float32 and stored so; nothing is
drawn. The models are written out below in float64 from their papers' formulas, and held against transformers' own where
that is installed (exactly but for Llama, whose norms and rotary angles that library takes in float32). Every column of
the Hessian is PyTorch's double backward of a unit vector, and its eigenvalues are LAPACK's.

Needs torch, numpy and, for the comparison, transformers; the stored files were made with torch 2.15 and
transformers 5.23 on a CPU. Run it in this folder; the checkpoints and tokens come out byte by byte, answers to 1e-13."""
import json, math, os, struct
import numpy as np
import torch

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")
MASK = 0xffffffff
torch.set_default_dtype(torch.float64)


def hashed(index, salt):
    """An integer hash to [0, 1)."""
    x = (index * 2654435761 + salt * 40503) & MASK
    x = ((x ^ (x >> 15)) * 2246822519) & MASK
    x = ((x ^ (x >> 13)) * 3266489917) & MASK
    return (x ^ (x >> 16)) / 4294967296


def tensor(name, shape, scale, around=0.0):
    salt = sum((place + 1) * ord(character) for place, character in enumerate(name))
    values = [around + scale * (hashed(i, salt) - 0.5) for i in range(math.prod(shape))]
    return np.array(values, dtype=np.float32).reshape(shape)


class Case:
    """`shapes`: of every tensor in the order of the file; a name that holds "norm" or "ln_" and ends in "weight" is
    about one."""
    def __init__(self, config, shapes, rows, length):
        self.config, self.weights = config, {}
        for name, shape in shapes.items():
            norm = ("norm" in name or "ln_" in name) and name.endswith("weight")
            self.weights[name] = tensor(name, shape, 0.5, 1.0 if norm else 0.0)
        vocab = config["vocab_size"]
        self.tokens = [[(7 * b + 3 * t * t + 5 * t * b + 11 * t + 2) % vocab for t in range(length)] for b in range(rows)]


def linear_shapes(prefix, out, into):
    return {prefix + ".weight": (out, into), prefix + ".bias": (out,)}


def norm_shapes(prefix, width):
    return {prefix + ".weight": (width,), prefix + ".bias": (width,)}


def layer_norm(x, weights, prefix, eps=1e-5):
    centred = x - x.mean(-1, keepdim=True)
    scale = torch.rsqrt((centred * centred).mean(-1, keepdim=True) + eps)
    return centred * scale * weights[prefix + ".weight"] + weights[prefix + ".bias"]


def attention(q, k, v):
    """[B, heads, T, D], causal."""
    length = q.shape[-2]
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
    weights = torch.softmax(scores.masked_fill(hidden, -math.inf), -1)
    return (weights @ v).transpose(1, 2).flatten(2)


def heads(x, count):
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def opt():
    config = {"architectures": ["OPTForCausalLM"], "model_type": "opt", "hidden_size": 12, "word_embed_proj_dim": 12,
              "ffn_dim": 28, "num_hidden_layers": 2, "num_attention_heads": 3, "vocab_size": 43,
              "max_position_embeddings": 20, "activation_function": "relu", "do_layer_norm_before": True,
              "dropout": 0.0, "attention_dropout": 0.0, "enable_bias": True, "layer_norm_elementwise_affine": True,
              "tie_word_embeddings": True, "torch_dtype": "float32"}
    top, width, ffn = "model.decoder.", 12, 28
    shapes = {top + "embed_tokens.weight": (43, width), top + "embed_positions.weight": (22, width)}
    for layer in range(2):
        at = f"{top}layers.{layer}."
        for part in ("k_proj", "v_proj", "q_proj", "out_proj"):
            shapes |= linear_shapes(at + "self_attn." + part, width, width)
        shapes |= norm_shapes(at + "self_attn_layer_norm", width)
        shapes |= linear_shapes(at + "fc1", ffn, width) | linear_shapes(at + "fc2", width, ffn)
        shapes |= norm_shapes(at + "final_layer_norm", width)
    shapes |= norm_shapes(top + "final_layer_norm", width)

    def logits(w, tokens):
        def linear(x, name):
            return x @ w[name + ".weight"].T + w[name + ".bias"]
        x = w[top + "embed_tokens.weight"][tokens] + w[top + "embed_positions.weight"][2:2 + tokens.shape[1]]
        for layer in range(2):
            at = f"{top}layers.{layer}."
            h = layer_norm(x, w, at + "self_attn_layer_norm")
            q, k, v = (heads(linear(h, at + f"self_attn.{part}_proj"), 3) for part in "qkv")
            x = x + linear(attention(q, k, v), at + "self_attn.out_proj")
            h = layer_norm(x, w, at + "final_layer_norm")
            x = x + linear(torch.relu(linear(h, at + "fc1")), at + "fc2")
        return layer_norm(x, w, top + "final_layer_norm") @ w[top + "embed_tokens.weight"].T
    return Case(config, shapes, 3, 13), logits


def gpt2():
    config = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 12, "n_layer": 2, "n_head": 2,
              "n_positions": 20, "n_ctx": 20, "vocab_size": 41, "activation_function": "gelu_new",
              "layer_norm_epsilon": 1e-5, "attn_pdrop": 0.0, "embd_pdrop": 0.0, "resid_pdrop": 0.0,
              "tie_word_embeddings": True, "torch_dtype": "float32"}
    top, width = "transformer.", 12
    shapes = {top + "wte.weight": (41, width), top + "wpe.weight": (20, width)}
    for layer in range(2):
        at = f"{top}h.{layer}."
        shapes |= norm_shapes(at + "ln_1", width)
        for part, into, out in (("attn.c_attn", width, 3 * width), ("attn.c_proj", width, width)):
            shapes |= {at + part + ".weight": (into, out), at + part + ".bias": (out,)}
        shapes |= norm_shapes(at + "ln_2", width)
        for part, into, out in (("mlp.c_fc", width, 4 * width), ("mlp.c_proj", 4 * width, width)):
            shapes |= {at + part + ".weight": (into, out), at + part + ".bias": (out,)}
    shapes |= norm_shapes(top + "ln_f", width)

    def gelu(x):
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))

    def logits(w, tokens):
        def conv(x, name):
            return x @ w[name + ".weight"] + w[name + ".bias"]
        x = w[top + "wte.weight"][tokens] + w[top + "wpe.weight"][:tokens.shape[1]]
        for layer in range(2):
            at = f"{top}h.{layer}."
            q, k, v = (heads(part, 2) for part in conv(layer_norm(x, w, at + "ln_1"), at + "attn.c_attn").chunk(3, -1))
            x = x + conv(attention(q, k, v), at + "attn.c_proj")
            x = x + conv(gelu(conv(layer_norm(x, w, at + "ln_2"), at + "mlp.c_fc")), at + "mlp.c_proj")
        return layer_norm(x, w, top + "ln_f") @ w[top + "wte.weight"].T
    return Case(config, shapes, 3, 13), logits


def llama():
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 16, "intermediate_size": 24,
              "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 37,
              "max_position_embeddings": 32, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
              "attention_bias": False, "tie_word_embeddings": False, "torch_dtype": "float32"}
    width, ffn, head = 16, 24, 4
    shapes = {"model.embed_tokens.weight": (37, width)}
    for layer in range(2):
        at = f"model.layers.{layer}."
        for part, out, into in (("self_attn.q_proj", 16, width), ("self_attn.k_proj", 8, width),
                                ("self_attn.v_proj", 8, width), ("self_attn.o_proj", width, 16),
                                ("mlp.gate_proj", ffn, width), ("mlp.up_proj", ffn, width), ("mlp.down_proj", width, ffn)):
            shapes[at + part + ".weight"] = (out, into)
        shapes |= {at + "input_layernorm.weight": (width,), at + "post_attention_layernorm.weight": (width,)}
    shapes |= {"model.norm.weight": (width,), "lm_head.weight": (37, width)}

    def rms_norm(x, weight):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight

    def turned(x):
        half = head // 2
        angles = torch.arange(x.shape[-2])[:, None] * 10000.0 ** (-torch.arange(half) / half)
        first, second = x[..., :half], x[..., half:]
        return torch.cat([first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin()], -1)

    def logits(w, tokens):
        x = w["model.embed_tokens.weight"][tokens]
        for layer in range(2):
            at = f"model.layers.{layer}."
            h = rms_norm(x, w[at + "input_layernorm.weight"])
            q, k, v = (heads(h @ w[at + f"self_attn.{part}_proj.weight"].T, count) for part, count in zip("qkv", (4, 2, 2)))
            k, v = (part.repeat_interleave(2, 1) for part in (turned(k), v))
            x = x + attention(turned(q), k, v) @ w[at + "self_attn.o_proj.weight"].T
            h = rms_norm(x, w[at + "post_attention_layernorm.weight"])
            gate = h @ w[at + "mlp.gate_proj.weight"].T
            x = x + (gate * torch.sigmoid(gate) * (h @ w[at + "mlp.up_proj.weight"].T)) @ w[at + "mlp.down_proj.weight"].T
        return rms_norm(x, w["model.norm.weight"]) @ w["lm_head.weight"].T
    return Case(config, shapes, 3, 13), logits


def write(path, document, indent=1):
    with open(path, "w") as file:
        json.dump(document, file, indent=indent)
        file.write("\n")


def write_safetensors(path, weights):
    header, offset = {}, 0
    for name, values in weights.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [offset, offset + values.nbytes]}
        offset += values.nbytes
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for values in weights.values():
            file.write(values.astype("<f4").tobytes())


def mean_cross_entropy(logits, rows):
    return -torch.log_softmax(logits, -1).gather(-1, rows[:, 1:, None]).mean()


def answers(case, logits):
    names = list(case.weights)
    stored = {name: torch.from_numpy(case.weights[name].astype(np.float64)) for name in names}
    sizes = [stored[name].numel() for name in names]
    flat = torch.cat([stored[name].flatten() for name in names]).requires_grad_()
    tokens = torch.tensor(case.tokens)

    def loss_of(vector, rows):
        weights = {name: part.view(stored[name].shape) for name, part in zip(names, vector.split(sizes))}
        return mean_cross_entropy(logits(weights, rows[:, :-1]), rows)

    def norm_of(rows):
        return torch.autograd.grad(loss_of(flat, rows), flat)[0].norm().item()

    loss = loss_of(flat, tokens)
    gradient = torch.autograd.grad(loss, flat, create_graph=True)[0]
    unit = torch.zeros_like(flat)
    hessian = np.empty((flat.numel(), flat.numel()))
    for i in range(flat.numel()):
        unit[i] = 1
        hessian[i] = torch.autograd.grad(gradient, flat, unit, retain_graph=True)[0].numpy()
        unit[i] = 0
    asymmetry = np.abs(hessian - hessian.T).max() / np.abs(hessian).max()
    assert asymmetry < 1e-13, asymmetry
    diagonal, offset, entries, blocks = hessian.diagonal(), 0, [], []
    for name, size in zip(names, sizes):
        own = diagonal[offset:offset + size]
        chosen = {int(np.abs(own).argmax())} | {int(hashed(i, size) * size) for i in range(3)}
        entries += [{"parameter": name, "index": i, "value": own[i]} for i in sorted(chosen)]
        blocks.append({"parameter": name, "trace": math.fsum(own)})
        offset += size
    values = np.linalg.eigvalsh((hessian + hessian.T) / 2)
    by_magnitude = sorted(values, key=abs, reverse=True)
    return {"parameters": flat.numel(), "loss": loss.item(), "gradient_norm": gradient.norm().item(),
            "per_sample_gradient_norms": [norm_of(tokens[row:row + 1]) for row in range(len(tokens))],
            "diagonal": entries, "trace": math.fsum(diagonal), "block_traces": blocks,
            "eigenvalues_by_magnitude": by_magnitude[:10]}


def held_against_transformers(folder, found, bound):
    try:
        from transformers import AutoModelForCausalLM
    except ImportError:
        return "transformers is not installed: not compared"
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64, attn_implementation="sdpa")
    rows = torch.tensor(json.load(open(os.path.join(folder, "tokens.json"))))
    loss = mean_cross_entropy(model(rows[:, :-1]).logits, rows) # its own loss is taken in float32
    loss.backward()
    norm = math.sqrt(sum(part.grad.square().sum().item() for part in model.parameters()))
    off = max(abs(loss.item() / found["loss"] - 1), abs(norm / found["gradient_norm"] - 1))
    assert off < bound, off
    return f"transformers' loss and gradient norm differ by {off:.1e}"


for make, bound in ((opt, 1e-12), (gpt2, 1e-12), (llama, 1e-6)):
    case, logits = make()
    folder = os.path.join(HERE, make.__name__)
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, "config.json"), case.config)
    write(os.path.join(folder, "tokens.json"), case.tokens, None)
    write_safetensors(os.path.join(folder, "model.safetensors"), case.weights)
    found = answers(case, logits)
    write(os.path.join(folder, "expected.json"), found)
    print(make.__name__, found["parameters"], "parameters;", held_against_transformers(folder, found, bound))
