// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One panel of a page at a time over the whole page: what stands beside it is hidden until Esc takes it back. GUI
// thread.
#pragma once

#include <QList>
#include <QObject>
#include <QPointer>
#include <QWidget>

class QShortcut;

namespace peakscope {

class DockArea;

class WholePanel : public QObject
{
    Q_OBJECT

public:
    explicit WholePanel(QWidget* page);

    void show(QWidget* panel);
    void takeBack();
    bool isShown() const { return m_panel; }

private:
    void hideBeside(QWidget* panel, QWidget* around);

    QWidget* m_page;
    QShortcut* m_escape;
    QPointer<QWidget> m_panel;
    QPointer<DockArea> m_area; // that it stands in, if in any
    QList<QPointer<QWidget>> m_hidden;
};

} // namespace peakscope
