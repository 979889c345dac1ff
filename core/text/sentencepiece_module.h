// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the SentencePiece module offers, as plain C: it is loaded at run time with symbols of its own. The library in it
// carries an older Protocol Buffers than Debian's LibTorch does, and in one scope the two end the program at its start.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {

struct PeakscopeSentencePiece; // a loaded model

struct PeakscopeSentencePieceApi {
    // nullptr where `bytes` are no model.
    PeakscopeSentencePiece* (*load)(const char* bytes, size_t size);
    void (*release)(PeakscopeSentencePiece* model);
    int64_t (*pieces)(const PeakscopeSentencePiece* model);
    // Hand their result to `sink` before they return.
    void (*encode)(const PeakscopeSentencePiece* model, const char* text, size_t size,
                   void (*sink)(void* context, const int32_t* ids, size_t count), void* context);
    void (*decode)(const PeakscopeSentencePiece* model, const int32_t* ids, size_t count,
                   void (*sink)(void* context, const char* text, size_t size), void* context);
};

// The module's one symbol.
__attribute__((visibility("default"))) const PeakscopeSentencePieceApi* peakscopeSentencePiece();
}
