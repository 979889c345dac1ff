// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The range, selection and hidden components of a plot, as a session keeps them. GUI thread.
#pragma once

#include "app/session.h"

namespace peakscope {

class PlotView;

std::optional<SessionView> viewOf(const PlotView* view); // nothing where it shows no plot
void showView(PlotView* view, const SessionView& wanted);

} // namespace peakscope
