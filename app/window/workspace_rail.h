// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The rail at the window's left: a button a workspace. GUI thread.
#pragma once

#include <QKeySequence>
#include <QToolBar>

#include <map>

namespace peakscope {

class Workspace;

class WorkspaceRail : public QToolBar
{
    Q_OBJECT

public:
    explicit WorkspaceRail(QWidget* window);

    void add(Workspace* workspace, const QKeySequence& keys);
    void setInFront(Workspace* workspace); // null: none of them

signals:
    void chosen(peakscope::Workspace* workspace);

private:
    void say();

    std::map<QAction*, Workspace*> m_workspaces;
};

} // namespace peakscope
