// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// AnalysePage: the classes by lines that can be moved, or by rank.
#include "app/analyse/analyse_page.h"
#include "app/window/message_bar.h"
#include "core/analysis/response/response_summary.h"
#include "widgets/analysis/analysis_scatter_view.h"

#include <QComboBox>
#include <QDoubleSpinBox>

#include <cmath>

namespace peakscope {

void AnalysePage::showLines()
{
    const std::array lines{m_lines.funcAlignment, m_lines.funcSparsity, m_lines.sensAlignment, m_lines.sensSparsity};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        m_fields[i]->setValue(lines[i]);
        m_shownLines[i] = m_fields[i]->value();
    }
}

void AnalysePage::setThresholds(const ClassThresholds& thresholds)
{
    setPartition(thresholds, PartitionRule::Absolute); // moving a line means the lines
}

PartitionRule AnalysePage::rule() const
{
    return m_rule->currentIndex() == 1 ? PartitionRule::Quantile : PartitionRule::Absolute;
}

void AnalysePage::setPartition(const ClassThresholds& lines, PartitionRule rule)
{
    if (!m_data || !m_data->hasPlane())
        return;
    if (const Status status = checkThresholds(lines); !status) {
        m_messages->showMessage(MessageBar::Kind::Warning, QString::fromStdString(status.error().text()));
        return;
    }
    m_lines = lines;
    m_settling = true;
    showLines();
    m_rule->setCurrentIndex(rule == PartitionRule::Quantile ? 1 : 0);
    m_settling = false;
    applyPartition();
}

// A line whose field says what it said stays where it is: it may stand between two hundredths.
void AnalysePage::takeLines()
{
    if (m_settling)
        return;
    ClassThresholds lines = m_lines;
    double* const each[] = {&lines.funcAlignment, &lines.funcSparsity, &lines.sensAlignment, &lines.sensSparsity};
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        if (m_fields[i]->value() != m_shownLines[i])
            *each[i] = m_fields[i]->value();
    }
    setThresholds(lines);
}

void AnalysePage::resetThresholds()
{
    if (m_data)
        setPartition(ClassThresholds(m_data->thresholds), m_data->rule);
}

void AnalysePage::applyPartition()
{
    if (!m_data || !m_data->hasPlane())
        return;
    const PartitionRule rule = this->rule();
    const ClassThresholds& shown = m_lines;
    const ClassThresholds& t = m_data->thresholds;
    const auto near = [](double a, double b) { return std::abs(a - b) < 5e-3; };
    const bool asStored = rule == m_data->rule && near(shown.funcAlignment, t.funcAlignment) &&
                          near(shown.funcSparsity, t.funcSparsity) && near(shown.sensAlignment, t.sensAlignment) &&
                          near(shown.sensSparsity, t.sensSparsity);
    m_plane->setThresholds(shown, rule == PartitionRule::Absolute);
    emit partitionChanged();
    m_whatIf = !(asStored && !m_data->labels.empty());
    if (m_whatIf) {
        const Result<UnitPartition> partition = partitionOf(*m_data, shown, rule);
        if (!partition) {
            m_messages->showMessage(MessageBar::Kind::Warning, QString::fromStdString(partition.error().text()));
            return;
        }
        m_labels.clear();
        for (const UnitClass label : partition->labels)
            m_labels.push_back(groupOf(label));
        m_counts = partition->counts;
    } else {
        m_labels = m_data->labels;
        m_counts = m_data->counts;
    }
    showColours();
    showBadges();
    updateStatus();
    m_tableTime.start();
}

} // namespace peakscope
