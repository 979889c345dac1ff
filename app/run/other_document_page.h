// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in the place of a run's plots for a file of another kind: a sweep, what a Hessian takes, a CUDA memory
// snapshot, and that while it is read. Part of the Run workspace; GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/parts/inspector_panel.h"

#include <QWidget>

class QVBoxLayout;

namespace peakscope {

class DataTableView;
class HessianMemoryPanel;
class MemorySnapshotPanel;
class SnapshotReadingView;
class SweepPanel;

class OtherDocumentPage : public QWidget
{
    Q_OBJECT

public:
    explicit OtherDocumentPage(QWidget* parent);

    SweepPanel* sweep() const { return m_sweep; }
    HessianMemoryPanel* hessianMemory() const { return m_hessian; }
    MemorySnapshotPanel* snapshot() const { return m_snapshot; }
    SnapshotReadingView* reading() const { return m_reading; } // null until a file takes a while
    DataTableView* table(const QString& name) const;           // null: none of these has it

    // Nothing is shown, where the plots are right for the document.
    void showDocument(const RunDocument& document);
    void showReading(const QString& path, const std::shared_ptr<const HistorySoFar>& soFar);
    bool showsReading(const QString& path) const;
    // The plots come back; a snapshot stays as it stands, for when its file is shown again.
    void leave();
    void showNothing();

    bool showsAny() const { return m_shown != nullptr; }
    bool showsSweep() const;
    bool showsSnapshot() const; // read or while it is

signals:
    void figureRequested(const QString& figure);
    void tableExportRequested(const QString& table);
    void inspected(const peakscope::InspectorWords& say); // null: of the document as a whole

private:
    template <typename Panel>
    void add(Panel*& panel);
    void show(QWidget* panel);

    QVBoxLayout* m_layout;
    SweepPanel* m_sweep = nullptr;
    HessianMemoryPanel* m_hessian = nullptr;
    MemorySnapshotPanel* m_snapshot = nullptr;
    SnapshotReadingView* m_reading = nullptr;
    QString m_readingPath;
    QWidget* m_shown = nullptr;
};

} // namespace peakscope
