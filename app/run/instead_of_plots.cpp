// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/instead_of_plots.h"

#include "app/panels/hessian_memory_panel.h"
#include "app/panels/memory_snapshot_panel.h"
#include "app/panels/sweep_panel.h"
#include "widgets/look/pieces.h"
#include "widgets/snapshot/snapshot_reading_view.h"
#include "widgets/tables/usage_tables.h"

#include <QFileInfo>

namespace peakscope {

template <typename Panel>
void InsteadOfPlots::add(Panel*& panel)
{
    panel = new Panel(this);
    panel->hide();
    m_layout->addWidget(panel, 1);
    connect(panel, &Panel::figureRequested, this, &InsteadOfPlots::figureRequested);
    connect(panel, &Panel::tableExportRequested, this, &InsteadOfPlots::tableExportRequested);
}

InsteadOfPlots::InsteadOfPlots(QWidget* parent) : QWidget(parent), m_layout(makeBox<QVBoxLayout>(this, {}, 0))
{
    add(m_sweep);
    add(m_hessian);
    add(m_snapshot);
}

DataTableView* InsteadOfPlots::table(const QString& name) const
{
    if (name == m_sweep->table()->objectName())
        return m_sweep->table();
    if (name == m_hessian->table()->objectName())
        return m_hessian->table();
    return m_snapshot->table(name);
}

void InsteadOfPlots::show(QWidget* panel)
{
    if (m_shown && m_shown != panel)
        m_shown->hide();
    m_shown = panel;
    if (panel)
        panel->show();
}

void InsteadOfPlots::showDocument(const RunDocument& document)
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

bool InsteadOfPlots::showsReading(const QString& path) const
{
    return m_reading && m_shown == m_reading && m_readingPath == path;
}

void InsteadOfPlots::showReading(const QString& path, const std::shared_ptr<const HistorySoFar>& soFar)
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

void InsteadOfPlots::leave()
{
    m_sweep->leave();
    show(nullptr);
}

void InsteadOfPlots::showNothing()
{
    leave();
    m_snapshot->setRecording(nullptr);
}

bool InsteadOfPlots::showsSweep() const
{
    return m_shown == m_sweep;
}

bool InsteadOfPlots::showsSnapshot() const
{
    return m_shown && (m_shown == m_snapshot || m_shown == m_reading);
}

} // namespace peakscope
