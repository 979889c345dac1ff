// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/plot_views.h"

#include "widgets/text/json_words.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <cmath>
#include <vector>

namespace peakscope {

namespace {

std::optional<std::pair<double, double>> rangeOf(const nlohmann::json& object, const char* key)
{
    const std::vector<double> ends = lenient::numbers(lenient::member(object, key));
    if (ends.size() != 2 || !std::isfinite(ends[0]) || !std::isfinite(ends[1]))
        return std::nullopt;
    return std::pair(ends[0], ends[1]);
}

} // namespace

nlohmann::json toJson(const SessionView& view)
{
    nlohmann::json object{{"visible", {view.lower, view.upper}}};
    if (view.selection)
        object["selected"] = {view.selection->first, view.selection->second};
    for (const QString& name : view.hidden)
        object["hidden"].push_back(name.toStdString());
    return object;
}

std::optional<SessionView> viewFromJson(const nlohmann::json& object)
{
    const auto visible = rangeOf(object, "visible");
    if (!visible || !(visible->first < visible->second))
        return std::nullopt;
    return SessionView{visible->first, visible->second, rangeOf(object, "selected"),
                       jsonTexts(lenient::member(object, "hidden"))};
}

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
