// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of what runs compute, hundreds of small ones each: their workers are forked by an engine that has LibTorch
// loaded (warm_engine.cpp), which takes 0.1 s of processor time where a program of its own takes 0.4. Tests of
// processes (their start, their end, their memory as a whole) start `peakscope-cli` itself.
#pragma once

namespace peakscope {

// From here on runs of this process start such workers. Under a leak check they are programs of their own, which it
// watches to their end.
void startWarmEngine();

} // namespace peakscope
