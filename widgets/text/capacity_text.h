// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the capacities of one card that pages name follow from one another.
#pragma once

#include <QString>

#include <cstdint>

namespace peakscope {

// "The card has 24.0 GiB, of which 23.6 GiB are usable. The CUDA context takes 400 MiB and leaves 23.3 GiB." Below a
// `target` of 1 also what a search keeps to. Empty where the device has no context, so that there is but one number.
QString capacityText(std::int64_t totalBytes, std::int64_t usableBytes, std::int64_t contextBytes, double target = 1);

} // namespace peakscope
