// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The rule of the classes and its lines in fields, a row of them. Part of the Analyse workspace; GUI thread.
#pragma once

#include "core/analysis/response/partition.h"

#include <QWidget>

#include <array>

class QComboBox;
class QDoubleSpinBox;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace peakscope {

class PartitionFields : public QWidget
{
    Q_OBJECT

public:
    explicit PartitionFields(QWidget* parent);

    // Before them, in the same row: a narrow window takes from all alike.
    void putFirst(QLabel* label, QWidget* field);
    // Those that were set, exactly; the fields show them rounded.
    const ClassThresholds& lines() const { return m_lines; }
    PartitionRule rule() const;
    void setPartition(const ClassThresholds& lines, PartitionRule rule);
    // Where a result has no plane there is nothing to part.
    void setUsable(bool usable);

signals:
    void linesEdited(const peakscope::ClassThresholds& lines); // which lines() are once they are set
    void ruleChosen();
    void resetRequested();

private:
    void buildRow();
    void sayTexts();
    void takeLines();
    void enableFields();

    QHBoxLayout* m_row = nullptr;
    ClassThresholds m_lines;
    std::array<double, 4> m_shown{}; // what the fields say of them
    QComboBox* m_rule = nullptr;
    std::array<QDoubleSpinBox*, 4> m_fields{}; // func alignment, func sparsity, sens alignment, sens sparsity
    QToolButton* m_reset = nullptr;
    bool m_usable = true;
    bool m_filling = false;
};

} // namespace peakscope
