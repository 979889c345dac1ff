// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workspace_rail.h"

#include "app/shell/workspace.h"
#include "widgets/text/language_texts.h"

#include <QAction>

#include <algorithm>

namespace peakscope {

WorkspaceRail::WorkspaceRail(QWidget* window) : QToolBar(window)
{
    setObjectName(QStringLiteral("rail"));
    setMovable(false);
    setFloatable(false);
    setIconSize(QSize(20, 20));
    setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    toggleViewAction()->setVisible(false);
    inLanguage(this, [this] { say(); });
}

void WorkspaceRail::add(Workspace* workspace, const QKeySequence& keys)
{
    auto* action = new QAction(glyphIcon(workspace->glyph()), {}, this);
    action->setObjectName(QStringLiteral("workspace:") + workspace->objectName());
    action->setCheckable(true);
    action->setShortcut(keys);
    addAction(action);
    m_workspaces[action] = workspace;
    connect(action, &QAction::triggered, this, [this, workspace] { emit chosen(workspace); });
    say();
}

void WorkspaceRail::setInFront(Workspace* workspace)
{
    for (const auto& [action, each] : m_workspaces)
        action->setChecked(each == workspace);
}

void WorkspaceRail::say()
{
    setWindowTitle(tr("Workspaces"));
    // All as wide as the widest, so that the rail is even.
    int width = 0;
    for (const auto& [action, workspace] : m_workspaces) {
        action->setText(workspace->title());
        action->setToolTip(QStringLiteral("%1 (%2)").arg(workspace->title(), action->shortcut().toString()));
        widgetForAction(action)->setMinimumWidth(0);
        width = std::max(width, widgetForAction(action)->sizeHint().width());
    }
    for (const auto& [action, workspace] : m_workspaces)
        widgetForAction(action)->setMinimumWidth(width);
}

} // namespace peakscope
