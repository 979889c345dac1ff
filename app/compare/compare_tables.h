// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Compared runs as tables, a tab each: measures by group, lines that grew, settings, growth, what is not comparable.
// GUI thread.
#pragma once

#include "app/compare/compare_worker.h"
#include "app/parts/table_tabs.h"

#include <string>

namespace peakscope {

class CompareTables : public TableTabs
{
    Q_OBJECT

public:
    explicit CompareTables(QWidget* parent);

    // `runs`: those that were compared, in the order of the letters.
    void setComparison(const RunComparison& comparison, const std::vector<RunDocument>& runs);

private:
    QString grownTitle() const; // says at which instants

    std::string m_grownAt;
};

} // namespace peakscope
