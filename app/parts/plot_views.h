// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The range, selection and hidden components of a plot, as a session keeps them. GUI thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <QStringList>

#include <optional>
#include <utility>

namespace peakscope {

class PlotView;

// The visible range of a plot's time axis and what is selected on it, in seconds.
struct SessionView {
    double lower = 0, upper = 0;
    std::optional<std::pair<double, double>> selection;
    QStringList hidden; // components that are not drawn

    bool operator==(const SessionView&) const = default;
};

nlohmann::json toJson(const SessionView& view);
// Nothing where it is none, or its range is empty or not finite.
std::optional<SessionView> viewFromJson(const nlohmann::json& object);

std::optional<SessionView> viewOf(const PlotView* view); // nothing where it shows no plot
void showView(PlotView* view, const SessionView& wanted);

} // namespace peakscope
