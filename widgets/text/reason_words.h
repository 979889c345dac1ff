// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Why core refuses what stands in a field, in the user's language. GUI thread.
#pragma once

#include <QString>

#include <string>

namespace peakscope {

// "0 is below 1"; with a path before it ("config.json: …") that stays. Other sentences stay as they are.
QString reasonText(const std::string& sentence);

} // namespace peakscope
