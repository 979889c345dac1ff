// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a workspace shows in the window, and how the user has arranged it. GUI thread.
#pragma once

#include "app/parts/inspector_panel.h"

#include <QByteArray>
#include <QDockWidget>
#include <QList>
#include <QWidget>

namespace peakscope {

class DockArea;
class MessageBar;
class PlotView;
class TableTabs;
class WholePanel;

class WorkspacePage : public QWidget
{
    Q_OBJECT

public:
    explicit WorkspacePage(QWidget* parent);

    // Where it says what concerns what is started here; null: over all workspaces.
    virtual MessageBar* messagesInFront() const { return nullptr; }
    QList<QDockWidget*> docks() const;
    virtual QByteArray saveLayout() const;
    // False where `state` is none of its own: it stands as it did.
    virtual bool restoreLayout(const QByteArray& state);
    virtual void restoreDefaultLayout();

    // A panel, or with null the one that has the keys, gets the whole page; the same takes it back.
    void toggleWhole(QWidget* panel = nullptr);
    void takeBackWhole();

signals:
    void figureRequested(const QString& figure);
    void actionRequested(const QString& action); // of the window, by its id
    void inspected(const peakscope::InspectorContent& content);

protected:
    // On the title of a panel.
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void setArea(DockArea* area);
    // Sends inspected(), now and again each time that the language changes; `say` keeps what it speaks of.
    void inspect(std::function<InspectorContent()> say);
    void inspectNothing() { m_inspected = nullptr; }
    // The figure that `view` asks for, and the table that shows its data.
    void connectPlot(PlotView* view, const char* figure, TableTabs* tables, const char* table);

    DockArea* m_area = nullptr; // null where nothing can be docked

private:
    QWidget* panelInFront() const; // null: none

    WholePanel* m_whole;
    std::function<InspectorContent()> m_inspected;
};

} // namespace peakscope
