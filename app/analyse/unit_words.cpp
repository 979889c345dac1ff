// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/unit_words.h"

#include "app/analyse/analyse_colours.h"
#include "widgets/text/number_text.h"

#include <QCoreApplication>

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
