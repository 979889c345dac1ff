// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plot_views.h"

#include "widgets/memory_timeline_view.h"

namespace peakscope {

std::optional<SessionView> viewOf(const PlotView* view)
{
    if (!view->showsPlot())
        return std::nullopt;
    SessionView seen{view->visibleLower(), view->visibleUpper(), view->selectedRange(), {}};
    if (const auto* timeline = qobject_cast<const MemoryTimelineView*>(view)) {
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            const auto component = static_cast<Component>(i);
            if (!timeline->isComponentVisible(component))
                seen.hidden << QString::fromStdString(std::string(name(component)));
        }
    }
    return seen;
}

void showView(PlotView* view, const SessionView& wanted)
{
    if (!view->showsPlot())
        return;
    if (auto* timeline = qobject_cast<MemoryTimelineView*>(view)) {
        for (const QString& hidden : wanted.hidden) {
            if (const auto component = componentFromName(hidden.toStdString()))
                timeline->setComponentVisible(*component, false);
        }
    }
    view->setVisibleRange(wanted.lower, wanted.upper);
    if (wanted.selection) {
        view->setSelectedRange(wanted.selection->first, wanted.selection->second);
        emit view->rangeSelected(wanted.selection->first, wanted.selection->second);
    }
}

} // namespace peakscope
