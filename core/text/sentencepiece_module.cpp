// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Built as a module of its own: see the header.
#include "core/text/sentencepiece_module.h"

#include <sentencepiece_processor.h>

#include <memory>
#include <string>
#include <vector>

struct PeakscopeSentencePiece {
    sentencepiece::SentencePieceProcessor processor;
};

namespace {

PeakscopeSentencePiece* load(const char* bytes, size_t size)
{
    auto model = std::make_unique<PeakscopeSentencePiece>();
    const bool loads = size > 0 && model->processor.LoadFromSerializedProto({bytes, size}).ok();
    return loads && model->processor.GetPieceSize() > 0 ? model.release() : nullptr;
}

void release(PeakscopeSentencePiece* model)
{
    delete model;
}

int64_t pieces(const PeakscopeSentencePiece* model)
{
    return model->processor.GetPieceSize();
}

void encode(const PeakscopeSentencePiece* model, const char* text, size_t size,
            void (*sink)(void* context, const int32_t* ids, size_t count), void* context)
{
    std::vector<int> ids;
    if (model->processor.Encode({text, size}, &ids).ok())
        sink(context, ids.data(), ids.size());
}

void decode(const PeakscopeSentencePiece* model, const int32_t* ids, size_t count,
            void (*sink)(void* context, const char* text, size_t size), void* context)
{
    std::string text;
    if (model->processor.Decode(std::vector<int>(ids, ids + count), &text).ok())
        sink(context, text.data(), text.size());
}

} // namespace

const PeakscopeSentencePieceApi* peakscopeSentencePiece()
{
    static constexpr PeakscopeSentencePieceApi kApi = {load, release, pieces, encode, decode};
    return &kApi;
}
