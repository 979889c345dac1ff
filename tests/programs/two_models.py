#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains two models one after the other and gives memory back between them; prints each one's peaks of allocated and reserved bytes.

What an NVIDIA H200 said (torch 2.11.0 for CUDA 13.0, transformers 5.17.0):
gpt2 8690289664 9378463744
llama 4075572224 4833935360
"""
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM


def gpt2():
    return GPT2LMHeadModel(GPT2Config())


def llama():
    shape = LlamaConfig(hidden_size=1024, intermediate_size=2816, num_hidden_layers=8, num_attention_heads=16,
                        num_key_value_heads=4, vocab_size=32000)
    return LlamaForCausalLM(shape).bfloat16()


torch.manual_seed(0)
for model in (gpt2, llama):
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    net = model().cuda()
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-4)
    for step in range(4):
        ids = torch.randint(0, 30000, (8, 512), device="cuda")
        optimiser.zero_grad()
        net(input_ids=ids, labels=ids).loss.backward()
        optimiser.step()
    torch.cuda.synchronize()
    print(model.__name__, torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved(), flush=True)
    del net, optimiser
