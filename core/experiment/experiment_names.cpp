// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/experiment_names.h"

namespace peakscope {

namespace {

template <typename E>
std::string_view nameOf(E value)
{
    for (const auto& [text, known] : wordsOf(value)) {
        if (known == value) {
            return text;
        }
    }
    return {};
}

} // namespace

const WordTable<Dtype>& wordsOf(Dtype)
{
    static const WordTable<Dtype> table{{"float32", Dtype::Float32},
                                        {"float64", Dtype::Float64},
                                        {"bfloat16", Dtype::BFloat16},
                                        {"float16", Dtype::Float16}};
    return table;
}

const WordTable<OptimizerKind>& wordsOf(OptimizerKind)
{
    static const WordTable<OptimizerKind> table{
        {"adam", OptimizerKind::Adam}, {"adamw", OptimizerKind::AdamW}, {"sgd", OptimizerKind::Sgd}};
    return table;
}

const WordTable<Amp>& wordsOf(Amp)
{
    static const WordTable<Amp> table{{"none", Amp::None}, {"bfloat16", Amp::BFloat16}, {"float16", Amp::Float16}};
    return table;
}

const WordTable<AttentionKind>& wordsOf(AttentionKind)
{
    static const WordTable<AttentionKind> table{{"auto", AttentionKind::Auto},
                                                {"fused", AttentionKind::Fused},
                                                {"chunked", AttentionKind::Chunked},
                                                {"math", AttentionKind::Math}};
    return table;
}

const WordTable<LossHead>& wordsOf(LossHead)
{
    static const WordTable<LossHead> table{
        {"auto", LossHead::Auto}, {"naive", LossHead::Naive}, {"chunked", LossHead::Chunked}};
    return table;
}

const WordTable<DataSource>& wordsOf(DataSource)
{
    static const WordTable<DataSource> table{
        {"builtin", DataSource::Builtin}, {"text", DataSource::Text}, {"tokens", DataSource::Tokens}};
    return table;
}

const WordTable<Clipping>& wordsOf(Clipping)
{
    static const WordTable<Clipping> table{{"none", Clipping::None},
                                           {"per_sample", Clipping::PerSample},
                                           {"microbatch", Clipping::Microbatch},
                                           {"ghost", Clipping::Ghost},
                                           {"flash", Clipping::Flash},
                                           {"ghost_bk", Clipping::GhostBk},
                                           {"flash_bk", Clipping::FlashBk},
                                           {"auto", Clipping::Auto}};
    return table;
}

const WordTable<NormPrecision>& wordsOf(NormPrecision)
{
    static const WordTable<NormPrecision> table{{"full", NormPrecision::Full}, {"tf32", NormPrecision::Tf32}};
    return table;
}

const WordTable<Sharding>& wordsOf(Sharding)
{
    static const WordTable<Sharding> table{
        {"none", Sharding::None}, {"zero1", Sharding::Zero1}, {"zero2", Sharding::Zero2}, {"zero3", Sharding::Zero3}};
    return table;
}

std::string_view name(Dtype value)
{
    return nameOf(value);
}

std::string_view name(OptimizerKind value)
{
    return nameOf(value);
}

std::string_view name(Amp value)
{
    return nameOf(value);
}

std::string_view name(AttentionKind value)
{
    return nameOf(value);
}

std::string_view name(LossHead value)
{
    return nameOf(value);
}

std::string_view name(DataSource value)
{
    return nameOf(value);
}

std::string_view name(Clipping value)
{
    return nameOf(value);
}

std::string_view name(NormPrecision value)
{
    return nameOf(value);
}

std::string_view name(Sharding value)
{
    return nameOf(value);
}

std::int64_t bytesPerElement(Dtype value)
{
    switch (value) {
    case Dtype::Float32:
        return 4;
    case Dtype::Float64:
        return 8;
    case Dtype::BFloat16:
    case Dtype::Float16:
        return 2;
    }
    return 4;
}

} // namespace peakscope
