// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a workspace shows in the window, and how the user has arranged it. GUI thread.
#pragma once

#include "app/window/inspector_panel.h"

#include <QByteArray>
#include <QDockWidget>
#include <QList>
#include <QWidget>

namespace peakscope {

class MessageBar;

class WorkspacePage : public QWidget
{
    Q_OBJECT

public:
    explicit WorkspacePage(QWidget* parent);

    // Where it says what concerns what is started here; null: over all workspaces.
    virtual MessageBar* messagesInFront() const { return nullptr; }
    virtual QList<QDockWidget*> docks() const { return {}; }
    virtual QByteArray saveLayout() const = 0;
    // False where `state` is none of its own: it stands as it did.
    virtual bool restoreLayout(const QByteArray& state) = 0;
    virtual void restoreDefaultLayout() = 0;

signals:
    void inspected(const peakscope::InspectorContent& content);

protected:
    // Sends inspected(), now and again each time that the language changes; `say` keeps what it speaks of.
    void inspect(std::function<InspectorContent()> say);
    void inspectNothing() { m_inspected = nullptr; }

private:
    std::function<InspectorContent()> m_inspected;
};

} // namespace peakscope
