# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three steps of a small Llama as Accelerate and Hugging Face's Trainer train it on one rank of many.

    launched.py WAY

WAY: accelerate, accelerate-accumulate (bfloat16, two batches a step), trainer, trainer-accumulate (the same), trainer-fsdp.
What `accelerate launch` is told besides (--use_fsdp) is Accelerate's.
"""
import sys
import tempfile

import torch
from transformers import LlamaConfig, LlamaForCausalLM


def model():
    return LlamaForCausalLM(LlamaConfig(vocab_size=1024, hidden_size=256, intermediate_size=512, num_hidden_layers=2,
                                        num_attention_heads=8, num_key_value_heads=8, max_position_embeddings=256))


def rows():
    tokens = torch.randint(0, 1000, (2048, 128))
    return [{"input_ids": row, "labels": row} for row in tokens]


def by_accelerate(accumulates):
    from accelerate import Accelerator

    accelerator = Accelerator(gradient_accumulation_steps=2, mixed_precision="bf16") if accumulates else Accelerator()
    trained = model()
    trained, optimiser, loader = accelerator.prepare(
        trained, torch.optim.AdamW(trained.parameters(), lr=1e-4), torch.utils.data.DataLoader(rows(), batch_size=2, shuffle=True))
    for step, batch in enumerate(loader):
        with accelerator.accumulate(trained):
            accelerator.backward(trained(**batch).loss)
            accelerator.clip_grad_norm_(trained.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad()
        if step == 5:
            break
    accelerator.wait_for_everyone()
    accelerator.end_training()


def by_trainer(way):
    from transformers import Trainer, TrainingArguments

    more = {"bf16": True, "gradient_accumulation_steps": 2} if way == "trainer-accumulate" else {}
    if way == "trainer-fsdp":
        more = {"fsdp": "full_shard auto_wrap", "fsdp_config": {"transformer_layer_cls_to_wrap": ["LlamaDecoderLayer"]}}
    with tempfile.TemporaryDirectory() as folder:
        said = TrainingArguments(output_dir=folder, max_steps=3, per_device_train_batch_size=2, save_strategy="no", report_to=[],
                                 **more)
        Trainer(model=model(), args=said, train_dataset=rows()).train()


def main():
    way = sys.argv[1]
    if way.startswith("trainer"):
        by_trainer(way)
    else:
        by_accelerate(way.endswith("accumulate"))


if __name__ == "__main__":
    main()
