// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks "curvature" and "prm" of an experiment: checked, defaults filled in.
#pragma once

#include "core/base/object_reader.h"

namespace peakscope {

nlohmann::json readCurvatureBlock(const nlohmann::json& block, Problems& problems);
nlohmann::json readPrmBlock(const nlohmann::json& block, Problems& problems);

} // namespace peakscope
