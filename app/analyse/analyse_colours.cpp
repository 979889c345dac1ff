// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_colours.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace peakscope {

namespace {

constexpr int kShades = 24;            // of a scale
constexpr std::size_t kMostNamed = 12; // entries of a legend

QString counted(const QString& name, std::int64_t count)
{
    return UnitColours::tr("%1 (%2)", "class (units)").arg(name).arg(count);
}

} // namespace

UnitColours coloursByClass(std::size_t units, const std::vector<UnitGroup>& labels)
{
    UnitColours colours;
    std::array<std::int64_t, kUnitGroupCount> count{};
    for (std::size_t i = 0; i < units; ++i) {
        const UnitGroup group = i < labels.size() ? labels[i] : UnitGroup::None;
        colours.styleOf.push_back(static_cast<int>(group));
        ++count[static_cast<std::size_t>(group)];
    }
    for (std::size_t g = 0; g < kUnitGroupCount; ++g) {
        const auto group = static_cast<UnitGroup>(g);
        colours.styles.push_back(groupMarker(group));
        // A class that is empty is said to be.
        if (count[g] > 0 || (group < UnitGroup::Control && !labels.empty()))
            colours.legend.push_back({counted(groupTitle(group), count[g]), groupMarker(group)});
    }
    return colours;
}

UnitColours coloursByCluster(const std::vector<int>& clusters)
{
    UnitColours colours;
    std::map<int, std::int64_t> sizes;
    for (const int cluster : clusters)
        ++sizes[cluster];
    std::map<int, int> styleOf;
    for (const auto& [cluster, size] : sizes) {
        styleOf[cluster] = static_cast<int>(colours.styles.size());
        colours.styles.push_back(clusterMarker(cluster));
        if (colours.legend.size() < kMostNamed)
            colours.legend.push_back({counted(clusterTitle(cluster), size), clusterMarker(cluster)});
    }
    for (const int cluster : clusters)
        colours.styleOf.push_back(styleOf[cluster]);
    return colours;
}

UnitColours coloursByKind(const AnalysisData& data)
{
    UnitColours colours;
    std::map<std::string, int> styleOf;
    for (const AnalysisUnit& unit : data.units) {
        const auto [kind, fresh] = styleOf.emplace(unit.kind, static_cast<int>(colours.styles.size()));
        if (fresh) {
            colours.styles.push_back(clusterMarker(kind->second));
            if (colours.legend.size() < kMostNamed)
                colours.legend.push_back(
                    {unit.kind.empty() ? UnitColours::tr("none") : QString::fromStdString(unit.kind),
                     colours.styles.back()});
        }
        colours.styleOf.push_back(kind->second);
    }
    return colours;
}

UnitColours coloursByValue(const std::vector<double>& values)
{
    UnitColours colours;
    std::vector<double> known;
    std::copy_if(values.begin(), values.end(), std::back_inserter(known), [](double v) { return std::isfinite(v); });
    std::sort(known.begin(), known.end());
    for (int shade = 0; shade < kShades; ++shade)
        colours.styles.push_back({MarkerShape::Circle, sequentialColor(shade / double(kShades - 1))});
    colours.styles.push_back(groupMarker(UnitGroup::None));
    for (const double value : values) {
        const auto rank = std::lower_bound(known.begin(), known.end(), value) - known.begin();
        const double share = static_cast<double>(rank) / std::max<double>(1, static_cast<double>(known.size()) - 1);
        colours.styleOf.push_back(std::isfinite(value) ? std::min(kShades - 1, static_cast<int>(share * kShades))
                                                       : kShades);
    }
    if (known.empty())
        return colours;
    const auto name = [&](const QString& text, double share) {
        const double value = known[static_cast<std::size_t>(share * static_cast<double>(known.size() - 1))];
        colours.legend.push_back({text.arg(compactNumber(value)), {MarkerShape::Circle, sequentialColor(share)}});
    };
    name(UnitColours::tr("least %1"), 0);
    name(UnitColours::tr("median %1"), 0.5);
    name(UnitColours::tr("most %1"), 1);
    return colours;
}

std::optional<int> layerOfUnit(const AnalysisUnit& unit)
{
    const std::string& name = unit.parameter.empty() ? unit.name : unit.parameter;
    for (std::size_t begin = 0; begin < name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        const std::string part = name.substr(begin, end - begin);
        const bool digits = std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (!part.empty() && part.size() < 7 && digits)
            return std::stoi(part);
        begin = end + 1;
    }
    return std::nullopt;
}

std::vector<double> layersOf(const AnalysisData& data)
{
    std::vector<double> layers;
    for (const AnalysisUnit& unit : data.units) {
        const auto layer = layerOfUnit(unit);
        layers.push_back(layer ? *layer : kNoNumber);
    }
    return layers;
}

std::vector<double> featureOf(const AnalysisData& data, std::size_t feature)
{
    std::vector<double> values;
    for (std::size_t i = feature; i < data.features.size(); i += data.featureNames.size())
        values.push_back(data.features[i]);
    values.resize(data.unitCount(), kNoNumber);
    return values;
}

} // namespace peakscope
