// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Words that come from files, where Qt takes text that looks like HTML for HTML: in tool tips. (Labels have
// setTextFormat for that.)
#pragma once

#include <QString>

namespace peakscope {

// What shows this very text as a tool tip.
QString plainToolTip(const QString& text);

} // namespace peakscope
