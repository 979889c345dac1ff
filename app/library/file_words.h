// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of a file beside its title: when it was written, and its name where that says something.
#pragma once

#include <QString>

namespace peakscope {

// "14:03" of today, "28 Nov 14:03" of this year, else with the year; empty for 0. Milliseconds since 1970.
QString whenText(qint64 milliseconds);
// "20261128T040948475-0001-156a15.json" or "sweep.json", as this program names its results: no words of a person.
bool isNamedByProgram(const QString& path);
// What such a file is called until it has been looked into: "run of 28 Nov 14:03"; other files by their name.
QString untoldTitle(const QString& path);

} // namespace peakscope
