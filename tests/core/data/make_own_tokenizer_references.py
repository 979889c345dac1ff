#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes own_tokenizer_references.json: what Hugging Face's tokenizers makes of two texts with every normaliser and
pre-tokeniser, and of a line with the options of its models. In the vocabulary of the former each character has an id
where it begins a word and another one where it does not, so that the ids show both the characters and the cuts.
Needs tokenizers; the stored numbers were made with tokenizers 0.23.3."""
import json, os
from tokenizers import Regex, Tokenizer, models, normalizers as N, pre_tokenizers as P

TEXTS = ["  The QUICK, foxX1! \tÅe\u0301\u0323 na\u00efve\u00a0\u0130\u03a3 \u6f22\u5b57\u3002 12\u00bd\u0663-a--b_c\r\n\u200d\u0007\u0000\u000b~$\u00ab\u2026\u00bb",
         "\u061d\u2e43\u166d \u1734\u1cf2\u1abf\u0890 \u32ff\ufb01\u2460\U0001f916\ufffd\u2581 <s>\u3000"]
BEHAVIORS = ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


def snake(name):
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)[1:]


normalizers = {
    "Lowercase": N.Lowercase(), "NFC": N.NFC(), "NFD": N.NFD(), "NFKC": N.NFKC(), "NFKD": N.NFKD(), "Strip": N.Strip(),
    "Strip left": N.Strip(right=False), "StripAccents": N.StripAccents(), "Nmt": N.Nmt(), "ByteLevel": N.ByteLevel(),
    "Prepend": N.Prepend("~"), "Replace": N.Replace("QU", "~"), "Replace a pattern": N.Replace(Regex(r"\s+|x*"), "-"),
    "BertNormalizer": N.BertNormalizer(), "BertNormalizer as it is": N.BertNormalizer(strip_accents=False, lowercase=False),
    "Sequence": N.Sequence([N.NFD(), N.StripAccents(), N.Lowercase()]),
}
steps = {
    "Whitespace": P.Whitespace(), "WhitespaceSplit": P.WhitespaceSplit(), "BertPreTokenizer": P.BertPreTokenizer(),
    "Digits": P.Digits(), "Digits alone": P.Digits(True), "CharDelimiterSplit": P.CharDelimiterSplit("-"),
    "FixedLength": P.FixedLength(4), "Bytes, then digits": P.Sequence([P.ByteLevel(), P.Digits()]),
    "Sequence": P.Sequence([P.WhitespaceSplit(), P.Punctuation("contiguous"), P.Digits(True)]),
    "Metaspace at the first": P.Sequence([P.WhitespaceSplit(), P.Metaspace(prepend_scheme="first")]),
}
for name in BEHAVIORS:
    steps["Punctuation " + name] = P.Punctuation(snake(name))
    steps["Split " + name] = P.Split(Regex("[A-Z]|(?=c)"), snake(name))
    steps["Split inverted " + name] = P.Split(Regex("[A-Z]|(?=c)"), snake(name), invert=True)

words = {token: id for id, token in enumerate(["<unk>", "the", "fox", ",", "fo", "a", "##b", "##bc", "ab", "##c", "\u6f22", "abcdef"])}
merges = [("h", "e"), ("t", "he"), ("x", "x")]
pairs = {token: id for id, token in enumerate(["<unk>", "t", "h", "e", "x", "he", "the", "xx", "hex", *(f"<0x{byte:02X}>" for byte in "\u6f22".encode())])}
marked = {token: id for id, token in enumerate(["<unk>", "t", "##h", "##e", "##e</w>", "##he</w>", "the</w>", "t</w>", "th"])}
models_of = {
    "WordLevel": models.WordLevel(words, unk_token="<unk>"),
    "WordPiece": models.WordPiece(words, unk_token="<unk>"),
    "WordPiece of short words": models.WordPiece(words, unk_token="<unk>", max_input_chars_per_word=3),
    "BPE": models.BPE(pairs, merges), "BPE unknown": models.BPE(pairs, merges, unk_token="<unk>"),
    "BPE fused": models.BPE(pairs, merges, unk_token="<unk>", fuse_unk=True),
    "BPE bytes": models.BPE(pairs, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True),
    "BPE whole words": models.BPE(pairs, merges, ignore_merges=True),
    "BPE prefix and suffix": models.BPE(marked, [("##h", "##e</w>"), ("t", "##he</w>"), ("t", "##h")], unk_token="<unk>",
                                        continuing_subword_prefix="##", end_of_word_suffix="</w>"),
}
scored = [("<unk>", 0.0), ("t", -4.0), ("h", -4.5), ("e", -3.0), ("th", -5.0), ("he", -6.5), ("the", -9.0), ("ab", -6.0), ("abc", -12.5),
          ("a", -3.5), ("b", -2.5), ("c", -6.25), ("bc", -8.75), *((f"<0x{byte:02X}>", -9.0) for byte in "\u6f22".encode())]
models_of["Unigram"] = models.Unigram(scored, 0, False)
models_of["Unigram bytes"] = models.Unigram(scored, 0, True)
LINE = "the fox, ab abc abcdef \u6f22 \u6f22\u5b57t hex xxx qqtq q\u6f22qz foab t th"


def documents():
    for name, normalizer in normalizers.items():
        yield name, normalizer, None
    for name, step in steps.items():
        yield name, None, step


def reference(name, tokenizer, texts):
    document = json.loads(tokenizer.to_str())
    return {"name": name, "normalizer": document["normalizer"], "pre_tokenizer": document["pre_tokenizer"],
            "ids": [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]}


def characters(name, normalizer, step):
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>", max_input_chars_per_word=1000))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if step is not None:
        tokenizer.pre_tokenizer = step
    return reference(name, tokenizer, TEXTS)


seen = set() # every character that comes out of any of them
for _, normalizer, step in documents():
    for text in TEXTS:
        text = normalizer.normalize_str(text) if normalizer is not None else text
        seen |= set("".join(piece for piece, _ in step.pre_tokenize_str(text)) if step is not None else text)
letters = "".join(sorted(seen))
vocabulary = {"<unk>": 0}
for index, letter in enumerate(letters):
    vocabulary[letter] = 1 + 2 * index
    vocabulary["##" + letter] = 2 + 2 * index

cases = [characters(*document) for document in documents()]
lines = []
for name, model in models_of.items():
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = P.Whitespace()
    lines.append({"name": name, "document": json.loads(tokenizer.to_str()),
                  "ids": tokenizer.encode(LINE, add_special_tokens=False).ids})

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "own_tokenizer_references.json")
with open(path, "w", encoding="utf-8") as file:
    write = lambda value: json.dumps(value, separators=(",", ":"))
    file.write(f'{{"letters":{write(letters)},\n"texts":{write(TEXTS)},\n"cases":[\n')
    file.write(",\n".join(write(case) for case in cases))
    file.write(f'\n],\n"line":{write(LINE)},\n"models":[\n')
    file.write(",\n".join(write(line) for line in lines))
    file.write("\n]}\n")
