// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/sample_sink.h"

#include <c10/util/Exception.h>

namespace peakscope {
namespace {

SampleSink* s_current = nullptr;

} // namespace

SampleSink::SampleSink()
{
    TORCH_CHECK(s_current == nullptr, "a clipped step runs already");
    s_current = this;
}

SampleSink::~SampleSink()
{
    s_current = nullptr;
}

SampleSink* SampleSink::current()
{
    return s_current;
}

} // namespace peakscope
