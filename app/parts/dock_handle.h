// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A title bar a few pixels high for docks whose content has a title of its own: dragged to move the dock, double
// clicked to give it the whole page. GUI thread.
#pragma once

#include <QWidget>

namespace peakscope {

class DockHandle : public QWidget
{
    Q_OBJECT

public:
    explicit DockHandle(QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void doubleClicked();

protected:
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
};

} // namespace peakscope
