// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which ways of clipping are compared on the present set-up, and how often each has its turn. GUI thread.
#pragma once

#include <QDialog>
#include <QStringList>

#include <vector>

class QCheckBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace peakscope {

class MethodsDialog : public QDialog
{
    Q_OBJECT

public:
    // `summary`: the set-up in a line.
    explicit MethodsDialog(const QString& summary, QWidget* parent = nullptr);

    QStringList methods() const; // as compare-methods names them, in its order
    int rounds() const;
    QCheckBox* methodBox(const QString& method) const; // null where there is none
    QSpinBox* roundsField() const { return m_rounds; }
    QPushButton* runButton() const { return m_run; }

private:
    void check();

    std::vector<QCheckBox*> m_boxes; // named by their methods
    QSpinBox* m_rounds = nullptr;
    QLabel* m_verdict = nullptr;
    QPushButton* m_run = nullptr;
};

} // namespace peakscope
