// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the window writes what a user asked it to save.
#pragma once

#include <QString>

#include <functional>
#include <string>
#include <string_view>

class QWidget;

namespace peakscope {

class MessageBar;

// Writes a file whole, or leaves what stands there as it was: empty, or why not, in the system's words.
QString saveFile(const QString& path, std::string_view bytes);

// Asks over `asker` where a table goes, as CSV or, where it `hasLatex`, as LaTeX too, and tells in `messages` how that
// went. `text` is asked for what stands in the file of that path.
void saveTable(QWidget* asker, MessageBar* messages, const QString& name, bool hasLatex,
               const std::function<std::string(const QString& path)>& text);

// Without asking where; whether it was written, which the bar says.
bool saveTableTo(MessageBar* messages, const QString& path, const std::string& text);

} // namespace peakscope
