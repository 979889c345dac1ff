// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The label of a position that no loss counts, as PyTorch's losses have it.
#pragma once

#include <cstdint>

namespace peakscope {

inline constexpr std::int32_t kIgnoredLabel = -100;

} // namespace peakscope
