// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/unit_words.h"

#include "app/analyse/analyse_colours.h"
#include "widgets/text/number_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <map>

namespace peakscope {

namespace {

class UnitWords
{
    Q_DECLARE_TR_FUNCTIONS(peakscope::UnitWords)
};

} // namespace

QString unitDetails(const ShownUnits& shown, int unit)
{
    const auto i = static_cast<std::size_t>(unit);
    if (i >= shown.data.unitCount())
        return {};
    QStringList parts;
    if (i < shown.labels.size() && shown.labels[i] != UnitGroup::None)
        parts << groupTitle(shown.labels[i]);
    if (i < shown.clusters.size())
        parts << clusterTitle(shown.clusters[i]);
    if (shown.data.hasPlane())
        parts << UnitWords::tr("alignment %1, sparsity %2")
                     .arg(compactNumber(shown.data.alignment[i]), compactNumber(shown.data.sparsity[i]));
    if (!shown.data.units[i].kind.empty())
        parts << QString::fromStdString(shown.data.units[i].kind);
    return parts.join(QStringLiteral(" · "));
}

InspectorContent inspectUnit(const ShownUnits& shown, int unit)
{
    const auto i = static_cast<std::size_t>(unit);
    if (i >= shown.data.unitCount())
        return {};
    InspectorContent content{
        QString::fromStdString(shown.data.units[i].name),
        UnitWords::tr("A parameter unit: one point of the embedding. %1").arg(unitDetails(shown, unit)),
        {}};
    InspectorContent::Section features{UnitWords::tr("Features"), {}};
    for (std::size_t k = 0; k < shown.data.featureNames.size(); ++k) {
        const std::string& name = shown.data.featureNames[k];
        QString explanation;
        if (name == "alignment")
            explanation = UnitWords::tr("‖P ḡ‖ / ‖ḡ‖: share of the unit's mean gradient (one half of the calibration "
                                        "text) in the leading directions of its per-sample gradients (other half)");
        else if (name == "sparsity")
            explanation = UnitWords::tr("share of the activations it produces that are below a hundredth of their RMS");
        features.add(QString::fromStdString(name),
                     compactNumber(shown.data.features[i * shown.data.featureNames.size() + k], 5), explanation);
    }
    if (!shown.data.units[i].parameter.empty())
        content.sections.push_back(
            {UnitWords::tr("Parameter"),
             {{UnitWords::tr("Tensor"), QString::fromStdString(shown.data.units[i].parameter), {}}}});
    content.sections.push_back(std::move(features));
    return content;
}

InspectorContent inspectUnits(const ShownUnits& shown, const QList<int>& units)
{
    if (units.size() == 1)
        return inspectUnit(shown, units.front());
    const std::size_t all = shown.data.unitCount(), features = shown.data.featureNames.size();
    std::map<UnitGroup, std::int64_t> classes;
    std::map<int, std::int64_t> clusters;
    std::vector<double> sums(features), sumsOfAll(features);
    std::int64_t count = 0;
    for (const int unit : units) {
        const auto i = static_cast<std::size_t>(unit);
        if (i >= all)
            continue;
        ++count;
        if (i < shown.labels.size())
            ++classes[shown.labels[i]];
        if (i < shown.clusters.size())
            ++clusters[shown.clusters[i]];
        for (std::size_t k = 0; k < features; ++k)
            sums[k] += shown.data.features[i * features + k];
    }
    for (std::size_t i = 0; i < all * features; ++i)
        sumsOfAll[i % features] += shown.data.features[i];
    if (count == 0)
        return {};
    const QLocale locale;
    const auto shareText = [&](std::int64_t number) {
        return UnitWords::tr("%1 (%2 %)")
            .arg(locale.toString(static_cast<qlonglong>(number)),
                 locale.toString(100.0 * static_cast<double>(number) / static_cast<double>(count), 'f', 0));
    };
    InspectorContent content;
    content.title = UnitWords::tr("%n units selected", nullptr, static_cast<int>(count));
    content.definition = UnitWords::tr("Each is a row of weights, one point of the embedding.");
    InspectorContent::Section byClass{UnitWords::tr("Classes"), {}}, byCluster{UnitWords::tr("Clusters"), {}};
    for (const auto& [group, number] : classes)
        byClass.add(group == UnitGroup::None ? UnitWords::tr("no class") : groupTitle(group), shareText(number));
    for (const auto& [cluster, number] : clusters)
        byCluster.add(clusterTitle(cluster), shareText(number));
    InspectorContent::Section means{UnitWords::tr("Means"), {}};
    for (std::size_t k = 0; k < features; ++k)
        means.add(QString::fromStdString(shown.data.featureNames[k]),
                  UnitWords::tr("%1 (all: %2)", "mean of the selected, of all")
                      .arg(compactNumber(sums[k] / static_cast<double>(count), 3),
                           compactNumber(sumsOfAll[k] / static_cast<double>(all), 3)));
    for (InspectorContent::Section* section : {&byClass, &means, &byCluster}) {
        if (!section->rows.empty())
            content.sections.push_back(std::move(*section));
    }
    return content;
}

std::vector<QString> unitNames(const AnalysisData& data)
{
    std::vector<QString> names;
    for (const AnalysisUnit& unit : data.units)
        names.push_back(QString::fromStdString(unit.name));
    return names;
}

UnitGroup commonGroup(const std::vector<UnitGroup>& labels, const QList<int>& units)
{
    UnitGroup common = UnitGroup::None;
    for (qsizetype i = 0; i < units.size(); ++i) {
        const auto unit = static_cast<std::size_t>(units[i]);
        const UnitGroup group = unit < labels.size() ? labels[unit] : UnitGroup::None;
        common = i == 0 || group == common ? group : UnitGroup::None;
        if (common == UnitGroup::None)
            break;
    }
    return common;
}

QString countsText(const std::array<std::int64_t, 3>& counts)
{
    QStringList classes;
    for (const UnitClass unitClass : kUnitClasses)
        classes << QStringLiteral("%1 %2")
                       .arg(groupTitle(groupOf(unitClass)))
                       .arg(counts[static_cast<std::size_t>(unitClass)]);
    return classes.join(QStringLiteral(", "));
}

} // namespace peakscope
