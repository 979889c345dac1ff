// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the window writes what a user asked it to save.
#pragma once

#include <QString>

#include <string_view>

namespace peakscope {

// Writes a file whole, or leaves what stands there as it was: empty, or why not, in the system's words.
QString saveFile(const QString& path, std::string_view bytes);

} // namespace peakscope
