// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of results, drawn by the window's program, which needs no display for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace peakscope {

// `peakscope export` of all figures that the results have, into the folder; `format`: pdf, svg or png. What went wrong,
// else empty. The program stands beside this one or on the path.
std::string exportFigures(const std::vector<std::filesystem::path>& results, const std::filesystem::path& folder,
                          const std::string& format);

} // namespace peakscope
