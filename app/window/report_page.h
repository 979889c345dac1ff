// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results as one page for a browser: how each ended, a timeline that zooms, advice, facts, tables that sort, figures.
// The page needs nothing beside itself. Needs a QGuiApplication for its fonts.
#pragma once

#include "app/export/figure_choice.h"

#include <QByteArray>

namespace peakscope {

// Words in the language that is installed. The same results give the same bytes.
QByteArray reportPage(const std::vector<SourcedResult>& sources);

} // namespace peakscope
