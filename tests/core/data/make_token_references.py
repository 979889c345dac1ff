#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds to tok_references.json what Hugging Face's tokenizers (and sentencepiece) make of a long text, for every folder
tok_* beside it, and proves the stored ids of its short texts on the way.

tok_gpt2 is the part of GPT-2's vocabulary (OpenAI, 2019) that its stored ids need: the 256 bytes, the end of a text, and
of its 50,000 merges, in their order, those whose result stands in one of the texts. No other merge can apply to them,
so their ids are GPT-2's own. `--gpt2 FOLDER` makes it anew from the whole vocab.json and merges.txt.
Needs tokenizers and sentencepiece; the stored numbers were made with tokenizers 0.23.3 and sentencepiece 0.2.3."""
import json, os, sys
import sentencepiece
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

HERE = os.path.dirname(os.path.abspath(__file__))
os.chdir(HERE)
references = json.load(open("tok_references.json", encoding="utf-8"))
texts = references["texts"]


def byte_letters():
    """GPT-2's letters for bytes: printable ones stand for themselves, others for what follows 255."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {byte: chr(byte) for byte in shown} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}


def cut_gpt2(folder):
    letters = byte_letters()
    spelt = ["".join(letters[byte] for byte in text.encode()) for text in texts.values()]
    vocabulary = json.load(open(os.path.join(folder, "vocab.json"), encoding="utf-8"))
    merges = [line.split(" ") for line in open(os.path.join(folder, "merges.txt"), encoding="utf-8").read().split("\n")[1:] if line]
    merges = [pair for pair in merges if any("".join(pair) in text for text in spelt)]
    tokens = set(letters.values()) | {"<|endoftext|>"} | {part for pair in merges for part in (*pair, "".join(pair))}
    kept = dict(sorted(((token, vocabulary[token]) for token in tokens), key=lambda entry: entry[1]))
    with open("tok_gpt2/vocab.json", "w", encoding="utf-8") as file:
        json.dump(kept, file, ensure_ascii=False, separators=(",", ":"))
    with open("tok_gpt2/merges.txt", "w", encoding="utf-8") as file:
        file.write("#version: 0.2\n" + "".join(" ".join(pair) + "\n" for pair in merges))


def gpt2():
    vocabulary = json.load(open("tok_gpt2/vocab.json", encoding="utf-8"))
    merges = [tuple(line.split(" ")) for line in open("tok_gpt2/merges.txt", encoding="utf-8").read().split("\n")[1:] if line]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken("<|endoftext|>")])
    return tokenizer


def encoder(name):
    if name == "sentencepiece":
        return sentencepiece.SentencePieceProcessor("tok_sentencepiece/tokenizer.model").encode
    tokenizer = gpt2() if name == "gpt2" else Tokenizer.from_file(f"tok_{name}/tokenizer.json")
    return lambda text: tokenizer.encode(text).ids


def long_text():
    """The licence, then the short texts in a pseudo-random order (TestTokenizer::longText is the same)."""
    whole = open("../../../LICENSE", encoding="utf-8").read()
    short = [texts[name] for name in sorted(texts)]
    state = 1
    for _ in range(3000):
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xffffffffffffffff
        whole += short[(state >> 33) % len(short)] + ("\n" if state >> 63 else " ")
    return whole


def fnv1a(ids):
    value = 0xcbf29ce484222325
    for one in ids:
        value = ((value ^ one) * 0x100000001b3) & 0xffffffffffffffff
    return f"{value:016x}"


if sys.argv[1:2] == ["--gpt2"]:
    cut_gpt2(sys.argv[2])
whole = long_text()
for name, stored in references["tokenizers"].items():
    encode = encoder(name)
    for text, ids in stored["texts"].items():
        assert encode(texts[text]) == ids, (name, text)
    ids = encode(whole)
    stored["long_text"] = {"count": len(ids), "hash": fnv1a(ids)}
    print(name, stored["long_text"])
with open("tok_references.json", "w", encoding="utf-8") as file:
    json.dump(references, file, separators=(",", ":"))
