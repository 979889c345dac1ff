// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-cli check-install: what of Peakscope works on this machine, and what is missing, a line each.
#pragma once

namespace peakscope {

// 1 where something is missing that a part of the program which is installed needs.
int checkInstallCommand(bool json);

} // namespace peakscope
