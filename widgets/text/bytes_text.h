// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as views and panels write them.
#pragma once

#include <QString>

#include <cstdint>

namespace peakscope {

// "3.25 GiB"; less than nothing with a minus sign (U+2212).
QString bytesText(std::int64_t bytes);
// A difference: with a plus sign as well.
QString signedBytesText(std::int64_t bytes);
// The same for amounts that are not counted by an integer, such as a whole Hessian of a large model.
QString largeBytesText(double bytes);

// "3,489,660,928 bytes", in the window's language.
QString exactBytesText(std::int64_t bytes);

} // namespace peakscope
