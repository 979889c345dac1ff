// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that an object of a JSON text holds twice: a parsed document has only the last of them and says nothing of the
// others. Used where people write documents by hand. Any thread.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace peakscope {

// The first key that its object holds twice, with the path that leads there ("training.lr", "marks.1.name"), on one
// line; empty where there is none, and where the text is no JSON.
std::string repeatedKey(std::string_view json);

// BadInput "context: training.lr stands there twice; keep one of them".
Status refuseRepeatedKeys(std::string_view json, const std::string& context);

} // namespace peakscope
