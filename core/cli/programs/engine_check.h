// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a program of ours can start at all: the loader's own sentences name libraries and symbols, not what to do.
#pragma once

#include "core/cli/programs/engine_choice.h"

#include <string>

namespace peakscope {

// Empty where the loader finds all libraries of the program and every symbol in them, which it is asked without
// starting the program (some 30 ms); else a sentence with what is missing, where it was looked for and what would be
// right.
std::string libraryFault(const EngineChoice& choice);

} // namespace peakscope
