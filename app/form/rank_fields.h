// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// On how many GPUs a program runs dry and which of its ranks are run; and at which numbers of GPUs one click runs it.
// Part of ProgramDialog; GUI thread.
#pragma once

#include "app/jobs/program_runs.h"

#include <QWidget>

#include <vector>

class QLineEdit;
class QPushButton;
class QSpinBox;

namespace peakscope {

class RankFields : public QWidget
{
    Q_OBJECT

public:
    explicit RankFields(QWidget* parent);

    QSpinBox* worldField() const { return m_world; }
    QLineEdit* ranksField() const { return m_ranks; }
    QSpinBox* perNodeField() const { return m_perNode; }
    QLineEdit* sizesField() const { return m_sizes; }
    QPushButton* sizesButton() const { return m_each; }

    // What is wrong with it; empty: nothing.
    QString problem() const;
    QString sizesProblem() const;
    void apply(ProgramSetUp& setUp) const;
    void applySizes(ProgramSetUp& setUp) const; // the first rank at each of the sizes

signals:
    void changed();
    void sizesRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void follow();
    void sayTips(); // or why nothing is asked

    QSpinBox* m_world = nullptr;
    QWidget* m_more = nullptr; // asked for where there are several
    QLineEdit* m_ranks = nullptr;
    QSpinBox* m_perNode = nullptr;
    QLineEdit* m_sizes = nullptr;
    QPushButton* m_each = nullptr;
    bool m_ownRanks = false; // were typed
};

} // namespace peakscope
