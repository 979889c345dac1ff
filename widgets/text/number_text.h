// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers without a unit as the charts, read-outs and figures write them. Pure functions.
#pragma once

#include <QString>

namespace peakscope {

// "10⁻³", "1", "10", "−10²".
QString powerText(int exponent, bool negative = false);
// In `digits` significant digits, zeros at the end kept: "1.230×10⁻⁵", "−0.04200"; "–" for what is no number.
QString realText(double value, int digits = 4);
// In at most so many, without zeros at the end: "0.003", "10⁻⁵", "−1.5×10⁶"; "–" for what is no number.
QString compactNumber(double value, int digits = 3);

} // namespace peakscope
