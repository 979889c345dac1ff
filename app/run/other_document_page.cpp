// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/other_document_page.h"

#include "app/panels/hessian_memory_panel.h"
#include "app/panels/memory_snapshot_panel.h"
#include "app/panels/sweep_panel.h"
#include "widgets/look/pieces.h"
#include "widgets/snapshot/snapshot_reading_view.h"
#include "widgets/tables/usage_tables.h"

#include <QFileInfo>

namespace peakscope {

template <typename Panel>
void OtherDocumentPage::add(Panel*& panel)
{
    panel = new Panel(this);
    panel->hide();
    m_layout->addWidget(panel, 1);
    connect(panel, &Panel::figureRequested, this, &OtherDocumentPage::figureRequested);
    connect(panel, &Panel::tableExportRequested, this, &OtherDocumentPage::tableExportRequested);
}

OtherDocumentPage::OtherDocumentPage(QWidget* parent) : QWidget(parent), m_layout(makeBox<QVBoxLayout>(this, {}, 0))
{
    add(m_sweep);
    add(m_hessian);
    add(m_snapshot);
    connect(m_snapshot, &MemorySnapshotPanel::inspected, this, &OtherDocumentPage::inspected);
}

DataTableView* OtherDocumentPage::table(const QString& name) const
{
    if (name == m_sweep->table()->objectName())
        return m_sweep->table();
    if (name == m_hessian->table()->objectName())
        return m_hessian->table();
    return m_snapshot->table(name);
}

void OtherDocumentPage::show(QWidget* panel)
{
    if (m_shown && m_shown != panel)
        m_shown->hide();
    m_shown = panel;
    if (panel)
        panel->show();
}

void OtherDocumentPage::showDocument(const RunDocument& document)
{
    const RunResult& result = *document.result;
    m_sweep->leave();
    m_snapshot->setRecording(result.recording);
    QWidget* panel = nullptr;
    if (result.kind == ResultKind::Sweep && !result.memory) {
        panel = m_sweep;
        m_sweep->showSweep(result, document.path);
    } else if (holdsHessianMemory(result)) {
        panel = m_hessian;
        m_hessian->showResult(result);
    } else if (result.recording) {
        panel = m_snapshot;
    }
    show(panel);
}

bool OtherDocumentPage::showsReading(const QString& path) const
{
    return m_reading && m_shown == m_reading && m_readingPath == path;
}

void OtherDocumentPage::showReading(const QString& path, const std::shared_ptr<const HistorySoFar>& soFar)
{
    if (!m_reading) {
        m_reading = new SnapshotReadingView(this);
        m_reading->setObjectName(QStringLiteral("snapshotReading"));
        m_layout->addWidget(m_reading, 1);
    }
    m_reading->showSoFar(QFileInfo(path).fileName(), soFar);
    m_readingPath = path;
    show(m_reading);
}

void OtherDocumentPage::leave()
{
    m_sweep->leave();
    show(nullptr);
}

void OtherDocumentPage::showNothing()
{
    leave();
    m_snapshot->setRecording(nullptr);
}

bool OtherDocumentPage::showsSweep() const
{
    return m_shown == m_sweep;
}

bool OtherDocumentPage::showsSnapshot() const
{
    return m_shown && (m_shown == m_snapshot || m_shown == m_reading);
}

} // namespace peakscope
