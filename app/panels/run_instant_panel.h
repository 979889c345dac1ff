// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What was alive at an instant of a run of our own, at first at its peak: by component, or what each phase had added.
// GUI thread.
#pragma once

#include "core/results/run_instant.h"

#include <QWidget>

#include <memory>
#include <optional>

class QComboBox;
class QToolButton;

namespace peakscope {

class DataTableView;
class ElidedLabel;

class RunInstantPanel : public QWidget
{
    Q_OBJECT
public:
    explicit RunInstantPanel(QWidget* parent = nullptr);

    // Null, or a result without a timeline of ours: nothing.
    void setResult(const std::shared_ptr<const RunResult>& result);
    bool hasResult() const { return m_result != nullptr; }
    void ask(double seconds);
    void gatherBy(RunHolderKey key);
    RunHolderKey key() const;

    DataTableView* table() const { return m_table; }
    QString sentence() const;
    // Not what is alive, but what was added less what was taken away.
    bool showsFlows() const;
    // Nothing without a result.
    std::optional<double> seconds() const { return m_result ? std::optional(m_instant.seconds) : std::nullopt; }
    // The same, but nothing at the peak.
    std::optional<double> chosen() const;
    void toPeak();

signals:
    void instantChanged();
    void keyChanged();

private:
    void fillKeys();
    void showKey();
    void showList();
    void sayTexts();

    std::shared_ptr<const RunResult> m_result;
    RunInstant m_instant;
    ElidedLabel* m_sentence = nullptr;
    QComboBox* m_by = nullptr;
    QToolButton* m_toPeak = nullptr;
    DataTableView* m_table = nullptr;
};

} // namespace peakscope
