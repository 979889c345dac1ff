// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that take LibTorch. Each returns an exit status and prints one line on standard error where it fails.
#pragma once

namespace peakscope {

int workerCommandLoop();

} // namespace peakscope
