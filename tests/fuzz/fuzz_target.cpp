// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A libFuzzer target for the reader of one format (PEAKSCOPE_FUZZ_FORMAT; past the last one: for all, by content, and
// then for weights and for tokenizers).
#include "tests/fuzz/fuzz_check.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    using namespace peakscope;
    constexpr std::size_t kIndex = PEAKSCOPE_FUZZ_FORMAT;
    const auto format = kIndex < kFileFormatCount ? std::optional(static_cast<FileFormat>(kIndex)) : std::nullopt;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::string problem = kIndex > kFileFormatCount + 1 ? checkTokenizer(bytes)
                                : kIndex > kFileFormatCount   ? checkWeights(bytes)
                                                              : checkReader(bytes, format);
    if (!problem.empty()) {
        std::fprintf(stderr, "%s\n", problem.c_str());
        std::abort();
    }
    return 0;
}
