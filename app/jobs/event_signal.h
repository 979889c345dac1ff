// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Events as what a signal carries. Qt asks whether that compares; a class derived from a variant of plain structs would
// not compile where it looks for that.
#pragma once

#include "core/protocol/event.h"

namespace peakscope {

bool operator==(const Event&, const Event&) = delete;
bool operator<(const Event&, const Event&) = delete;

} // namespace peakscope
