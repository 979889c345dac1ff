// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whose training loop a script has.
#pragma once

#include "core/base/enum_words.h"

#include <array>
#include <string_view>

namespace peakscope {

enum class ScriptLoop { Trainer, Sft }; // on one device transformers' Trainer, or TRL's SFTTrainer
template <>
inline constexpr std::array<std::string_view, 2> kEnumWords<ScriptLoop>{"transformers", "trl"};

} // namespace peakscope
