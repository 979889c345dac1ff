// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/workspace.h"

namespace peakscope {

RunResults Workspace::results(const std::shared_ptr<const RunResult>& shown) const
{
    return shown ? RunResults{shown} : RunResults{};
}

} // namespace peakscope
