// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of an analysis, a tab each: units and features, clusters, answers to noise, effects, hypotheses. GUI
// thread.
#pragma once

#include "app/parts/table_tabs.h"
#include "core/results/analysis_sections.h"

#include <QList>

#include <vector>

namespace peakscope {

class AnalyseTables : public TableTabs
{
    Q_OBJECT

public:
    explicit AnalyseTables(QWidget* parent);
    ~AnalyseTables() override;

    // With places, clusters and classes as they are shown.
    void showUnits(const AnalysisData& shown, const std::vector<UnitGroup>& labels);
    void showClusters(const AnalysisData& shown);
    void showAnswers(const AnalysisData& data);
    // Tables without a row have no tab, unless some may come.
    void hideEmpty(bool live);
    // Does not tell of it.
    void selectUnits(const QList<int>& units);

signals:
    void unitsSelected(const QList<int>& units); // by the user

private:
    bool m_settling = false;
};

} // namespace peakscope
