// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Installs the translation of a language, for the window and for figures. After QCoreApplication exists.
#pragma once

#include <QString>

namespace peakscope {

// "system", "en" or "zh"; replaces what was installed before, and every widget gets a LanguageChange event where that
// changes something. Numbers are written as the words are. GUI thread. False where that language is not built in or, as
// Chinese without a font for it (canWriteChinese), cannot be shown: English is what remains.
bool installTranslation(const QString& language);
// What was asked for last: the command line's goes before the stored one.
QString installedLanguage();

} // namespace peakscope
