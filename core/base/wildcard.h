// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Patterns of names, as marks and chosen parameters have them.
#pragma once

#include <string_view>

namespace peakscope {

// * stands for any run of characters, ? for one; the whole text must match.
bool wildcardMatches(std::string_view pattern, std::string_view text);

// A module matches by its whole name or by its end after a dot ("layers.*.mlp" matches "model.layers.3.mlp").
bool moduleMatches(std::string_view pattern, std::string_view module);

} // namespace peakscope
