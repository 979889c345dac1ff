// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the Run workspace shows while a snapshot is read: made when a file takes a while for the first time.
#include "app/run/run_page.h"
#include "app/run/run_panel.h"
#include "widgets/snapshot/snapshot_reading_view.h"

#include <QFileInfo>
#include <QVBoxLayout>

namespace peakscope {

bool RunPage::showsReading(const QString& path) const
{
    return m_reading && m_instead == m_reading && m_readingPath == path;
}

void RunPage::showReading(const QString& path, const std::shared_ptr<const HistorySoFar>& soFar)
{
    if (!m_reading) {
        m_reading = new SnapshotReadingView(this);
        m_reading->setObjectName(QStringLiteral("snapshotReading"));
        m_reading->hide();
        static_cast<QVBoxLayout*>(layout())->addWidget(m_reading, 1);
    }
    const bool first = !showsReading(path);
    m_reading->showSoFar(QFileInfo(path).fileName(), soFar);
    if (!first)
        return;
    leaveShown();
    m_readingPath = path;
    m_instead = m_reading;
    m_hasRun = true;
    m_panel->setExpanded(false);
    showRanks();
}

void RunPage::endReading(const QString& path)
{
    if (showsReading(path))
        showNothing();
}

} // namespace peakscope
