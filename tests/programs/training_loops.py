# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fifty-nine small trainings on a card: peaks of the caching allocator and what the driver says is used, one JSON line a run.

training_loops.py --out FOLDER [--seconds N]     on a machine with a CUDA device, torch and transformers (peft for LoRA)

Imports once; each run is a fork, so CUDA is never begun in the parent (PYTORCH_NVML_BASED_CUDA_CHECK=1 keeps torch from
it). Runs that are in FOLDER/runs.jsonl are not repeated. h100.json beside this holds the answers of one card.
"""
import argparse
import itertools
import json
import os
import pickle
import select
import time
import traceback

os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
import transformers
from transformers import (AutoModelForCausalLM, GPT2Config, GPTNeoConfig, GPTNeoXConfig, LlamaConfig, OPTConfig, Qwen3Config,
                          Gemma2Config, T5Config, AutoModelForSeq2SeqLM)
try:
    import peft
except ImportError:
    peft = None

CONFIGS = {
    "gpt2": lambda: GPT2Config(),
    "distilgpt2": lambda: GPT2Config(n_layer=6),
    "gpt2-medium": lambda: GPT2Config(n_embd=1024, n_layer=24, n_head=16),
    "opt-125m": lambda: OPTConfig(),
    "opt-350m": lambda: OPTConfig(hidden_size=1024, num_hidden_layers=24, ffn_dim=4096, num_attention_heads=16,
                                  do_layer_norm_before=False, word_embed_proj_dim=512),
    "opt-1.3b": lambda: OPTConfig(hidden_size=2048, num_hidden_layers=24, ffn_dim=8192, num_attention_heads=32),
    "gpt-neo-125m": lambda: GPTNeoConfig(hidden_size=768, num_layers=12, num_heads=12,
                                         attention_types=[[["global", "local"], 6]], vocab_size=50257, intermediate_size=None),
    "pythia-1b": lambda: GPTNeoXConfig(vocab_size=50304, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16,
                                       num_attention_heads=8, max_position_embeddings=2048),
    "llama-1b": lambda: LlamaConfig(vocab_size=128256, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16,
                                    num_attention_heads=32, num_key_value_heads=8, head_dim=64, tie_word_embeddings=True,
                                    max_position_embeddings=131072),
    "llama-8b": lambda: LlamaConfig(vocab_size=128256, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32,
                                    num_attention_heads=32, num_key_value_heads=8, max_position_embeddings=8192),
    "qwen3-0.6b": lambda: Qwen3Config(vocab_size=151936, hidden_size=1024, intermediate_size=3072, num_hidden_layers=28,
                                      num_attention_heads=16, num_key_value_heads=8, head_dim=128, tie_word_embeddings=True,
                                      max_position_embeddings=40960),
    "gemma-2-2b": lambda: Gemma2Config(),
    "t5-small": lambda: T5Config(num_layers=6, decoder_start_token_id=0),
}
OPTIMISERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW,
              "adafactor": torch.optim.Adafactor,
              "adamw-fused": lambda p, lr: torch.optim.AdamW(p, lr=lr, fused=True),
              "adamw-loop": lambda p, lr: torch.optim.AdamW(p, lr=lr, foreach=False)}


def train(r):
    torch.manual_seed(0)
    config = CONFIGS[r["model"]]()
    kind = torch.bfloat16 if r.get("dtype") == "bfloat16" else torch.float16 if r.get("dtype") == "float16" else torch.float32
    torch.set_default_dtype(kind)
    with torch.device("cuda"):
        auto = AutoModelForSeq2SeqLM if r["model"].startswith("t5") else AutoModelForCausalLM
        extra = {"attn_implementation": r["attention"]} if r.get("attention") else {}
        model = auto.from_config(config, **extra)
    torch.set_default_dtype(torch.float32)
    model = model.to(kind).cuda()
    model.train()
    if r.get("lora"):
        for p in model.parameters():
            p.requires_grad = False
        if r.get("checkpointing"):
            model.enable_input_require_grads()
        model = peft.get_peft_model(model, peft.LoraConfig(task_type="CAUSAL_LM", r=r["lora"], lora_alpha=16, lora_dropout=0.0,
                                                           target_modules=["q_proj", "k_proj", "v_proj", "o_proj"]))
    if r.get("checkpointing"):
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        model.config.use_cache = False
    step = OPTIMISERS[r["optimiser"]]([p for p in model.parameters() if p.requires_grad], lr=1e-4)
    run = torch.compile(model) if r.get("compile") else model
    scaler = torch.amp.GradScaler() if r.get("amp") == "float16" else None
    losses = []
    for _ in range(r.get("steps", 4)):
        step.zero_grad()
        ids = torch.randint(10, 30000, (r["batch"], r["seq"]), generator=torch.Generator().manual_seed(1)).cuda()
        mask = torch.ones_like(ids)
        with torch.autocast("cuda", dtype=getattr(torch, r["amp"]), enabled=True) if r.get("amp") else torch.enable_grad():
            outputs = run(input_ids=ids, attention_mask=mask, labels=ids)
        if scaler:
            scaler.scale(outputs.loss).backward()
            scaler.step(step)
            scaler.update()
        else:
            outputs.loss.backward()
            if r.get("clip"):
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            step.step()
        losses.append(float(outputs.loss.detach()))
    return losses


def plain(r):
    """Programs of torch alone."""
    torch.manual_seed(0)
    if r["model"] == "resnet-ish":
        net = torch.nn.Sequential(*[m for i, o, s in ((3, 64, 2), (64, 128, 2), (128, 256, 2), (256, 512, 2)) for m in
                                    (torch.nn.Conv2d(i, o, 3, s, 1, bias=False), torch.nn.BatchNorm2d(o), torch.nn.ReLU())],
                                  torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(512, 1000)).cuda()
        data = lambda: torch.randn(r["batch"], 3, 224, 224).cuda()
    elif r["model"] == "lstm":
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm, self.head = torch.nn.LSTM(512, 1024, 2, batch_first=True), torch.nn.Linear(1024, 1000)
            def forward(self, x):
                return self.head(self.lstm(x)[0][:, -1])
        net, data = Net().cuda(), lambda: torch.randn(r["batch"], 128, 512).cuda()
    else:
        layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.1, batch_first=True)
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body, self.head = torch.nn.TransformerEncoder(layer, 6), torch.nn.Linear(768, 1000)
            def forward(self, x):
                return self.head(self.body(x).mean(1))
        net, data = Net().cuda(), lambda: torch.randn(r["batch"], 256, 768).cuda()
    step = OPTIMISERS[r["optimiser"]](net.parameters(), lr=1e-4)
    losses = []
    for _ in range(4):
        step.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=bool(r.get("amp"))):
            loss = torch.nn.functional.cross_entropy(net(data()), torch.arange(r["batch"]).cuda() % 1000)
        loss.backward()
        step.step()
        losses.append(float(loss.detach()))
    return losses


def trainer(r):
    from transformers import Trainer, TrainingArguments
    model = AutoModelForCausalLM.from_config(CONFIGS[r["model"]]())
    rows = [{"input_ids": list(range(10, 10 + r["seq"])), "labels": list(range(10, 10 + r["seq"]))} for _ in range(64)]
    arguments = TrainingArguments("/tmp/trainer-out", max_steps=4, per_device_train_batch_size=r["batch"], bf16=bool(r.get("amp")),
                                  gradient_checkpointing=bool(r.get("checkpointing")), report_to=[], save_strategy="no",
                                  logging_strategy="no", disable_tqdm=True,
                                  gradient_accumulation_steps=r.get("accumulation", 1))
    Trainer(model=model, args=arguments, train_dataset=rows).train()
    return []


def once(r, out):
    if r.get("conf"):
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = r["conf"]
    if "workspace" in r:
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = r["workspace"]
    answer = dict(r)
    start = time.monotonic()
    torch.cuda.init()
    free, total = torch.cuda.mem_get_info()
    answer["used_before"], answer["total"] = total - free, total
    if r.get("snapshot"):
        torch.cuda.memory._record_memory_history(max_entries=200000, stacks="python")
    try:
        losses = {"plain": plain, "trainer": trainer}.get(r.get("kind"), train)(r)
        answer["loss"] = losses[-1:]
        torch.cuda.synchronize()
        answer["oom"] = 0
    except torch.OutOfMemoryError as error:
        answer["oom"], answer["message"] = 1, str(error)[:400]
    except Exception as error:
        answer["error"] = f"{type(error).__name__}: {error}"[:300]
        answer["where"] = traceback.format_exc()[-600:]
    answer["allocated"], answer["reserved"] = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
    stats = torch.cuda.memory_stats()
    answer["requested"] = stats.get("requested_bytes.all.peak")
    answer["active"] = stats.get("active_bytes.all.peak")
    answer["retries"] = stats.get("num_alloc_retries")
    answer["reserved_now"] = torch.cuda.memory_reserved()
    free, total = torch.cuda.mem_get_info()
    answer["used_after"] = total - free
    answer["seconds"] = round(time.monotonic() - start, 2)
    if r.get("snapshot"):
        with open(os.path.join(out, r["snapshot"] + ".pickle"), "wb") as file:
            pickle.dump(torch.cuda.memory._snapshot(), file)
    return answer


def runs():
    for model, optimiser, batch in itertools.product(("opt-125m", "gpt2", "distilgpt2", "gpt-neo-125m"), ("sgd", "adamw"), (8, 32)):
        yield {"model": model, "optimiser": optimiser, "batch": batch, "seq": 128}
    yield {"model": "gpt2", "optimiser": "adamw", "batch": 32, "seq": 128, "workspace": ":0:0"}
    for optimiser in ("adam", "adafactor", "adamw-fused", "adamw-loop"):
        yield {"model": "gpt2", "optimiser": optimiser, "batch": 16, "seq": 256}
    yield {"model": "gpt2", "optimiser": "adamw", "batch": 8, "seq": 1024, "snapshot": "gpt2-adamw"}
    yield {"model": "gpt2", "optimiser": "adamw", "batch": 8, "seq": 1024, "amp": "bfloat16", "snapshot": "gpt2-autocast"}
    yield {"model": "gpt2", "optimiser": "adamw", "batch": 8, "seq": 1024, "amp": "float16"}
    yield {"model": "gpt2", "optimiser": "adamw", "batch": 8, "seq": 1024, "amp": "bfloat16", "attention": "eager"}
    yield {"model": "gpt2", "optimiser": "adamw", "batch": 8, "seq": 1024, "amp": "bfloat16", "checkpointing": True}
    yield {"model": "gpt2", "optimiser": "adamw", "batch": 8, "seq": 1024, "conf": "expandable_segments:True"}
    yield {"model": "gpt2", "optimiser": "adamw", "batch": 8, "seq": 1024, "conf": "max_split_size_mb:64"}
    yield {"model": "gpt2", "optimiser": "adamw", "batch": 8, "seq": 1024, "clip": True}
    yield {"model": "gpt2", "optimiser": "adamw", "batch": 4, "seq": 1024, "compile": True}
    yield {"model": "gpt2-medium", "optimiser": "adamw", "batch": 4, "seq": 512}
    yield {"model": "opt-350m", "optimiser": "adam", "batch": 7, "seq": 128}
    yield {"model": "opt-350m", "optimiser": "adamw", "batch": 20, "seq": 128}
    yield {"model": "opt-1.3b", "optimiser": "adamw", "batch": 4, "seq": 512}
    yield {"model": "opt-1.3b", "optimiser": "adamw", "batch": 4, "seq": 512, "dtype": "bfloat16"}
    yield {"model": "pythia-1b", "optimiser": "adamw", "batch": 4, "seq": 512}
    yield {"model": "qwen3-0.6b", "optimiser": "adamw", "batch": 4, "seq": 512, "amp": "bfloat16"}
    yield {"model": "qwen3-0.6b", "optimiser": "adamw", "batch": 4, "seq": 512, "dtype": "bfloat16"}
    yield {"model": "gemma-2-2b", "optimiser": "sgd", "batch": 1, "seq": 512, "dtype": "bfloat16"}
    yield {"model": "t5-small", "optimiser": "adamw", "batch": 16, "seq": 128}
    for batch, seq in ((1, 2048), (4, 2048)):
        yield {"model": "llama-1b", "optimiser": "adamw", "batch": batch, "seq": seq, "dtype": "bfloat16"}
        yield {"model": "llama-1b", "optimiser": "adamw", "batch": batch, "seq": seq, "dtype": "bfloat16", "checkpointing": True}
    yield {"model": "llama-1b", "optimiser": "adamw", "batch": 2, "seq": 2048, "dtype": "bfloat16", "attention": "eager"}
    if peft:
        yield {"model": "llama-1b", "optimiser": "adamw", "batch": 4, "seq": 2048, "dtype": "bfloat16", "lora": 16}
        yield {"model": "llama-8b", "optimiser": "adamw", "batch": 1, "seq": 2048, "dtype": "bfloat16", "lora": 16, "steps": 3}
        yield {"model": "llama-8b", "optimiser": "adamw", "batch": 2, "seq": 2048, "dtype": "bfloat16", "lora": 16, "steps": 3,
               "checkpointing": True, "snapshot": "llama-8b-lora-checkpointing"}
    yield {"model": "llama-8b", "optimiser": "adamw", "batch": 1, "seq": 1024, "dtype": "bfloat16", "steps": 3,
           "checkpointing": True, "snapshot": "llama-8b-full"}
    yield {"model": "llama-1b", "optimiser": "adamw", "batch": 24, "seq": 2048, "dtype": "bfloat16", "snapshot": "llama-1b-full-card"}
    for batch in (32, 256):
        yield {"kind": "plain", "model": "resnet-ish", "optimiser": "sgd", "batch": batch, "seq": 0}
    yield {"kind": "plain", "model": "resnet-ish", "optimiser": "sgd", "batch": 64, "seq": 0, "amp": "bfloat16"}
    yield {"kind": "plain", "model": "lstm", "optimiser": "adamw", "batch": 64, "seq": 128}
    yield {"kind": "plain", "model": "encoder", "optimiser": "adamw", "batch": 32, "seq": 256}
    yield {"kind": "plain", "model": "encoder", "optimiser": "adamw", "batch": 32, "seq": 256, "amp": "bfloat16"}
    yield {"kind": "trainer", "model": "gpt2", "batch": 8, "seq": 512, "optimiser": "trainer"}
    yield {"kind": "trainer", "model": "gpt2", "batch": 4, "seq": 512, "optimiser": "trainer", "amp": "bfloat16", "accumulation": 4}
    yield {"kind": "trainer", "model": "opt-125m", "batch": 8, "seq": 512, "optimiser": "trainer", "checkpointing": True}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--limit", type=float, default=60)
    a = parser.parse_args()
    os.makedirs(a.out, exist_ok=True)
    table = os.path.join(a.out, "runs.jsonl")
    done = {line.split("\t")[0] for line in open(table)} if os.path.exists(table) else set()
    end = time.monotonic() + a.seconds
    print("versions", torch.__version__, transformers.__version__, peft and peft.__version__, flush=True)
    for r in runs():
        key = json.dumps(r, sort_keys=True)
        if key in done or time.monotonic() > end:
            continue
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                answer = once(r, a.out)
            except BaseException as error:
                answer = {**r, "error": f"{type(error).__name__}: {error}"[:300]}
            os.write(writer, json.dumps(answer).encode())
            os._exit(0)
        os.close(writer)
        ready, _, _ = select.select([reader], [], [], a.limit)
        text = b""
        if ready:
            while chunk := os.read(reader, 65536):
                text += chunk
        else:
            os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(reader)
        answer = json.loads(text) if text else {**r, "error": "no answer in time"}
        with open(table, "a") as file:
            file.write(key + "\t" + json.dumps(answer) + "\n")
        print({k: answer.get(k) for k in ("model", "optimiser", "batch", "reserved", "allocated", "seconds", "oom", "error")}, flush=True)


if __name__ == "__main__":
    main()
