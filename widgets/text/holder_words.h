// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What tables of snapshots call holders, and what their doctor says to do, in the user's language: files have it in
// English. What a program itself named stays as it is. GUI thread.
#pragma once

#include <QString>

#include <string>

namespace peakscope {

QString holderText(const std::string& text);
// Of a remedy's column "how".
QString remedyText(const std::string& text);

// Of a remedy or of a rung of a ladder, one or several.
QString planChangeText(const std::string& text);

} // namespace peakscope
