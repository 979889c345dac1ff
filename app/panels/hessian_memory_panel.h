// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A hessian_memory_analysis.json in the Run workspace: bars and the table of the same numbers. GUI thread.
#pragma once

#include <QSplitter>

namespace peakscope {

class DataTableView;
class HessianMemoryView;
struct RunResult;

// Whether the result is what this shows.
bool holdsHessianMemory(const RunResult& result);

class HessianMemoryPanel : public QSplitter
{
    Q_OBJECT
public:
    explicit HessianMemoryPanel(QWidget* parent = nullptr);

    void showResult(const RunResult& result);
    HessianMemoryView* bars() const { return m_bars; }
    DataTableView* table() const { return m_table; }

signals:
    void figureRequested(const QString& figure);
    void tableExportRequested(const QString& table);

private:
    HessianMemoryView* m_bars = nullptr;
    DataTableView* m_table = nullptr;
};

} // namespace peakscope
