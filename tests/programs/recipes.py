# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three steps of what people train language models with today; prints the last step's peaks as JSON.

    recipes.py loop MODEL [type=bf16] [fused=1] [liger=1] [optimiser=adamw|adamw8bit|paged8bit|paged32bit] [checkpointing=1]
    recipes.py trainer|sft|dpo|grpo MODEL [lora=1] [weights=fp32|bf16|nf4] [folder=F] [KEY=VALUE of the trainer's arguments…]
    recipes.py qlora MODEL folder=F
    recipes.py compiled [mode=default|reduce-overhead|max-autotune|eager] [vocabulary=32000] [width=1024] [layers=8]
    recipes.py cross-entropy [liger=1] [vocabulary=4096]

Several, with + between, run one after another in one process.
Of all but the last: words=1024, how long a row is; of loops, qlora and compiled also batch=2 (compiled: 4).

MODEL: one of recipes.json, which have the shapes of Qwen2.5-0.5B and Llama-3.2-1B, or are tiny; from folder F (a checkpoint, or a ghost of
one) where weights are quantized. Nothing is downloaded: the tokenizer knows made-up words.
"""
import gc
import itertools
import json
import pathlib
import random
import sys

import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM

TYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}
STEPS = 3
rows = []


class Measure(transformers.TrainerCallback):
    def on_step_begin(self, *_, **__):
        torch.cuda.reset_peak_memory_stats()

    def on_step_end(self, *_, **__):
        rows.append({"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved(),
                     "held": torch.cuda.memory_allocated()})


def fresh(name, kind):
    models = json.loads(pathlib.Path(__file__).with_name("recipes.json").read_text(encoding="utf-8"))["models"]
    with torch.device("cuda"):
        return AutoModelForCausalLM.from_config(AutoConfig.for_model(**models[name]), dtype=TYPES[kind])


def quantized(folder, kind):
    how = transformers.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True,
                                          bnb_4bit_compute_dtype=torch.bfloat16)
    return AutoModelForCausalLM.from_pretrained(folder, quantization_config=how, dtype=kind, device_map={"": 0})


def optimiser_of(parameters, said):
    kind = said.get("optimiser", "adamw")
    if kind == "adamw":
        return torch.optim.AdamW(parameters, lr=1e-4, **({"fused": True} if said.get("fused") else {}))
    import bitsandbytes
    return {"adamw8bit": bitsandbytes.optim.AdamW8bit, "paged8bit": bitsandbytes.optim.PagedAdamW8bit,
            "paged32bit": bitsandbytes.optim.PagedAdamW32bit}[kind](parameters, lr=1e-4)


def steps(output_of, parameters, said, plain):
    """plain: with clipping, and the output (scores, cache) held through the step, as loops that are written by hand do."""
    optimiser, measure, shape = optimiser_of(parameters, said), Measure(), (said.get("batch", 2), said.get("words", 1024))
    for _ in range(STEPS):
        measure.on_step_begin()
        output = output_of(torch.randint(10, 1000, shape).cuda())
        loss = output.loss
        if not plain:
            del output
        loss.backward()
        if plain:
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        optimiser.zero_grad()
        output = loss = None
        measure.on_step_end()


def loop(name, said):
    if said.get("liger"):
        from liger_kernel.transformers import apply_liger_kernel_to_llama, apply_liger_kernel_to_qwen2
        apply = apply_liger_kernel_to_llama if name.startswith("llama") else apply_liger_kernel_to_qwen2
        apply(rope=True, swiglu=True, cross_entropy=False, fused_linear_cross_entropy=True, rms_norm=True)
    model = fresh(name, said.get("type", "bf16"))
    model.train()
    if said.get("checkpointing"):
        model.gradient_checkpointing_enable()
        model.config.use_cache = False
    parameters = list(model.parameters())
    plain = "optimiser" not in said
    mask = plain and not said.get("liger")
    steps(lambda ids: model(input_ids=ids, labels=ids, **({"attention_mask": torch.ones_like(ids)} if mask else {})),
          parameters, said, plain)


def qlora(name, said):
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
    model = quantized(said["folder"], torch.bfloat16)
    model = prepare_model_for_kbit_training(model, gradient_checkpointing_kwargs={"use_reentrant": True})
    model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", r=16, lora_alpha=16, target_modules="all-linear"))
    model.train()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]

    def output_of(ids):
        with torch.autocast("cuda", torch.bfloat16):
            return model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=ids)

    steps(output_of, parameters, said, plain=True)


def tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers
    words = ["<pad>", "<s>", "</s>", "<unk>", "<|im_start|>", "<|im_end|>", *(f"w{index}" for index in range(2000))]
    made = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
                                                unk_token="<unk>")


def trainer(kind, name, said):
    from datasets import Dataset
    draw = random.Random(0)

    def text(words):
        return " ".join(f"w{draw.randrange(2000)}" for _ in range(words))

    known = tokenizer()
    weights, folder, lora, words = (said.pop(key, otherwise) for key, otherwise in (
        ("weights", "fp32"), ("folder", ""), ("lora", 0), ("words", 1024)))
    if weights == "nf4":
        model = quantized(folder, torch.float32)
    elif folder:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=TYPES[weights], device_map={"": 0})
    else:
        model = fresh(name, weights)
    settings = {"output_dir": "out", "max_steps": STEPS, "report_to": [], "save_strategy": "no", "logging_steps": 1,
                "disable_tqdm": True, **said}
    adapters = None
    if lora:
        from peft import LoraConfig, get_peft_model
        adapters = LoraConfig(task_type="CAUSAL_LM", **({"target_modules": "all-linear"} if kind == "trainer" else {}))
    if kind == "trainer":
        from transformers import DataCollatorForLanguageModeling, Trainer, TrainingArguments
        model = get_peft_model(model, adapters) if adapters else model
        Trainer(model, TrainingArguments(**settings), callbacks=[Measure()],
                train_dataset=Dataset.from_list([dict(known(text(words))) for _ in range(64)]),
                data_collator=DataCollatorForLanguageModeling(known, mlm=False)).train()
        return
    import trl
    part = {"sft": lambda: {"text": text(words)}, "grpo": lambda: {"prompt": text(32)},
            "dpo": lambda: {"prompt": text(words // 4), "chosen": " " + text(words * 3 // 4),
                            "rejected": " " + text(words * 3 // 4)}}[kind]
    reward = {"reward_funcs": lambda completions, **_: [float(len(each)) for each in completions]} if kind == "grpo" else {}
    make, arguments = (getattr(trl, kind.upper() + end) for end in ("Trainer", "Config"))
    make(model, args=arguments(**settings), train_dataset=Dataset.from_list([part() for _ in range(64)]), processing_class=known,
         peft_config=adapters, callbacks=[Measure()], **reward).train()


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.after = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.mixed, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, states):
        rows_, length, width = states.shape
        parts = self.mixed(self.before(states)).view(rows_, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        states = states + self.out(mixed.transpose(1, 2).reshape(rows_, length, width))
        return states + self.down(torch.nn.functional.gelu(self.up(self.after(states))))


class Compiled(torch.nn.Module):
    """With what is usual, 166 million parameters; heads of 64."""

    def __init__(self, vocabulary=32000, width=1024, layers=8):
        super().__init__()
        self.vocabulary = vocabulary
        self.embedding = torch.nn.Embedding(vocabulary, width)
        self.blocks = torch.nn.ModuleList(Block(width, width // 64) for _ in range(layers))
        self.norm, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        states = self.embedding(ids)
        for block in self.blocks:
            states = block(states)
        return torch.nn.functional.cross_entropy(self.head(self.norm(states)).float().view(-1, self.vocabulary), ids.view(-1))


def compiled(said):
    with torch.device("cuda"):
        model = Compiled(**{key: said[key] for key in ("vocabulary", "width", "layers") if key in said})
    mode, shape = said.get("mode", "default"), (said.get("batch", 4), said.get("words", 1024))
    run = model if mode == "eager" else torch.compile(model, mode=None if mode == "default" else mode)
    optimiser, measure = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True), Measure()
    for _ in range(STEPS + 1):
        measure.on_step_begin()
        ids = torch.randint(10, 1000, shape).cuda()
        with torch.autocast("cuda", torch.bfloat16):
            loss = run(ids)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        measure.on_step_end()


def cross_entropy(said):
    """As Liger's own benchmark of its loss measures it: forward and backward pass of 8 x 2,048 tokens."""
    words = said.get("vocabulary", 4096)
    scores = torch.randn(8 * 2048, words, requires_grad=True, device="cuda")
    right = torch.randint(words, (8 * 2048, 1), device="cuda").squeeze(1)
    loss = torch.nn.CrossEntropyLoss()
    if said.get("liger"):
        from liger_kernel.transformers.cross_entropy import LigerCrossEntropyLoss
        loss = LigerCrossEntropyLoss()
    measure = Measure()
    for _ in range(10):
        measure.on_step_begin()
        loss(scores, right).backward()
        measure.on_step_end()


def program(kind, *words):
    words = list(words)
    name = words.pop(0) if words and "=" not in words[0] else ""
    said = {}
    for word in words:
        key, _, value = word.partition("=")
        try:
            said[key] = json.loads(value)
        except ValueError:
            said[key] = value
    if kind in ("loop", "qlora"):
        globals()[kind](name, said)
    elif kind in ("trainer", "sft", "dpo", "grpo"):
        trainer(kind, name, said)
    else:
        globals()[kind.replace("-", "_")](said)
    print(json.dumps(rows[-1]), flush=True)


def main():
    transformers.logging.set_verbosity_error()
    for _, words in itertools.groupby(sys.argv[1:], lambda word: word == "+"):
        words = list(words)
        if words == ["+"]:  # the next begins as a process of its own would
            rows.clear()
            torch.compiler.reset()
            gc.collect()
            torch.cuda.empty_cache()
        else:
            program(*words)


if __name__ == "__main__":
    main()
