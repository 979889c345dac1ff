// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the Run workspace shares its height between set-up, plots, what stands in their place, and the doctor.
#include "app/curvature/curvature_page.h"
#include "app/curvature/hessian_memory_panel.h"
#include "app/run/ranks_page.h"
#include "app/run/run_page.h"
#include "app/run/run_panel.h"
#include "app/snapshot/doctor.h"
#include "app/snapshot/memory_snapshot_panel.h"
#include "app/sweep/sweep_panel.h"
#include "app/window/dock_area.h"
#include "widgets/snapshot/snapshot_reading_view.h"

#include <QDockWidget>

#include <utility>

namespace peakscope {

void RunPage::fitPanel()
{
    // Opened over a run, the form has its whole height where plots of a useful size still fit under it; on a small
    // screen it has the page until it is closed again. Without a run it always has the page.
    constexpr int kPlots = 520;
    const int form = m_panel->formHeight() + 8;
    const bool open = m_panel->isExpanded();
    const bool both = m_hasRun && open && height() - form >= kPlots;
    const bool plots = m_hasRun && (!open || both);
    m_area->setVisible(plots && !m_instead && !showsRanks());
    m_ranks->setVisible(plots && showsRanks());
    m_sweep->setVisible(plots && m_instead == m_sweep);
    m_hessian->setVisible(plots && m_instead == m_hessian);
    m_snapshot->setVisible(plots && m_instead == m_snapshot);
    if (m_reading)
        m_reading->setVisible(plots && m_instead == m_reading);
    m_doctor->setVisible(plots && m_doctor->hasCase());
    m_doctor->fitInto(height());
    // Another program's recording has no set-up of ours.
    m_panel->setVisible(!m_snapshot->isVisibleTo(this) && !(m_reading && m_reading->isVisibleTo(this)));
    m_panel->setMinimumHeight(both ? form : 0);
    m_panel->setMaximumHeight(both ? form : QWIDGETSIZE_MAX);
    // Not before it is in front, nor while a sweep stands in its place: it has no size of its own until then.
    if (plots && !m_instead && !showsRanks() && isVisible() && !std::exchange(m_sized, true))
        applyDefaultSizes();
}

void RunPage::showEvent(QShowEvent* event)
{
    WorkspacePage::showEvent(event);
    fitPanel();
}

void RunPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitPanel();
}

void RunPage::applyDefaultSizes()
{
    // The plots' layout must have its size first.
    QTimer::singleShot(0, this, [this] {
        QDockWidget* components = dock(QStringLiteral("components"));
        QDockWidget* tables = dock(QStringLiteral("tables"));
        m_area->resizeDocks({components}, {m_area->height() * 42 / 100}, Qt::Vertical);
        m_area->resizeDocks({components, tables}, {m_area->width() / 2, m_area->width() / 2}, Qt::Horizontal);
        if (m_curvature->isShown())
            m_curvature->applyDefaultSizes();
    });
}

} // namespace peakscope
