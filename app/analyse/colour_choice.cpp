// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/colour_choice.h"

#include "widgets/text/language_texts.h"

#include <QSignalBlocker>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kByClass = 0, kByCluster = 1, kByKind = 2, kByLayer = 3, kByFeature = 4;

} // namespace

ColourChoice::ColourChoice(QWidget* parent) : QComboBox(parent)
{
    setObjectName(QStringLiteral("colourBy"));
    inLanguage(this, [this] { setAccessibleName(tr("Colour of the units")); });
}

void ColourChoice::offer(const AnalysisData* data, bool clusters)
{
    const QSignalBlocker blocker(this);
    const QString before = currentText();
    const int by = currentData().toInt();
    clear();
    addItem(tr("Class"), kByClass);
    if (clusters)
        addItem(tr("Cluster"), kByCluster);
    if (data && std::any_of(data->units.begin(), data->units.end(),
                            [](const AnalysisUnit& unit) { return !unit.kind.empty(); }))
        addItem(tr("Module kind"), kByKind);
    if (data && std::any_of(data->units.begin(), data->units.end(),
                            [](const AnalysisUnit& unit) { return layerOfUnit(unit).has_value(); }))
        addItem(tr("Layer"), kByLayer);
    for (std::size_t i = 0; data && i < data->featureNames.size(); ++i)
        addItem(QString::fromStdString(data->featureNames[i]), kByFeature + static_cast<int>(i));
    // A feature is known by its name, which need not stand where it stood.
    setCurrentIndex(std::max(0, by < kByFeature ? findData(by) : findText(before)));
}

UnitColours ColourChoice::colours(const AnalysisData& data, const std::vector<UnitGroup>& labels,
                                  const std::vector<int>& clusters) const
{
    switch (const int by = currentData().toInt()) {
    case kByClass:
        return coloursByClass(data.unitCount(), labels);
    case kByCluster:
        return coloursByCluster(clusters);
    case kByKind:
        return coloursByKind(data);
    case kByLayer:
        return coloursByValue(layersOf(data));
    default:
        return coloursByValue(featureOf(data, static_cast<std::size_t>(by - kByFeature)));
    }
}

} // namespace peakscope
