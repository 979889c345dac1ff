// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/dock_handle.h"

#include "widgets/look/theme.h"
#include "widgets/text/language_texts.h"

#include <QPainter>

namespace peakscope {

DockHandle::DockHandle(QWidget* parent) : QWidget(parent)
{
    // Presses and moves are left alone, so that the dock gets them.
    setCursor(Qt::OpenHandCursor);
    inLanguage(this, [this] {
        setToolTip(
            tr("Drag to move this panel, double click to give it the whole page; View > Restore the default layout "
               "puts it back"));
    });
}

QSize DockHandle::sizeHint() const
{
    constexpr int kHeight = 7;
    return {40, kHeight};
}

void DockHandle::mouseDoubleClickEvent(QMouseEvent*)
{
    emit doubleClicked();
}

void DockHandle::paintEvent(QPaintEvent*)
{
    constexpr int kDots = 9;
    constexpr double kGap = 5;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ChartTheme theme = chartTheme(palette());
    painter.setPen(Qt::NoPen);
    painter.setBrush(underMouse() ? theme.accent : mixed(palette().color(QPalette::Window), theme.mutedText, 0.6));
    const double left = width() / 2.0 - kGap * (kDots - 1) / 2;
    for (int dot = 0; dot < kDots; ++dot)
        painter.drawEllipse(QPointF(left + dot * kGap, height() / 2.0), 1, 1);
}

void DockHandle::enterEvent(QEnterEvent* event)
{
    QWidget::enterEvent(event);
    update();
}

void DockHandle::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    update();
}

} // namespace peakscope
