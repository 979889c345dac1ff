// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Figures in another language than the window's: while it lives, texts are in that language, and no widget hears of it.
// What a background thread says meanwhile is in it as well. GUI thread, and not across an event loop.
#pragma once

#include <QString>

namespace peakscope {

class FigureLanguage
{
public:
    // "en" or "zh"; empty: the window's.
    explicit FigureLanguage(const QString& language);
    ~FigureLanguage();
    FigureLanguage(const FigureLanguage&) = delete;
    FigureLanguage& operator=(const FigureLanguage&) = delete;

private:
    bool m_other = false;
    QString m_window;
};

} // namespace peakscope
