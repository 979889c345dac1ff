// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What leaves the window as a file: figures, boards of them, tables, copies of results. GUI thread.
#pragma once

#include "widgets/figures/page/figure.h"

#include <QObject>
#include <QPointer>

namespace peakscope {

class BoardDialog;
class Documents;
class ExportDialog;
class Shell;
class ShownDocument;
class WindowActions;
struct Table;

class FigureExport : public QObject
{
    Q_OBJECT

public:
    FigureExport(Shell& shell, WindowActions& actions, Documents& documents, ShownDocument& front, QObject* parent);

    // The figure of what is in front, by name; empty: the first.
    void showFigure(const QString& figure);
    // Asks where; says how it went.
    void saveTable(const QString& name, const Table& table);
    void saveCopy();
    bool saveCopyTo(const QString& path);
    // What figures are made of now.
    RunResults results() const;
    // Something else is in front.
    void refresh();

private:
    // Of the plot that is worked with, or else of the largest one in sight.
    void showShownFigure();
    // The page that several figures are put on.
    void showBoard();
    ExportDialog* dialog();
    BoardDialog* board();
    std::shared_ptr<const RunResult> result() const;

    Shell& m_shell;
    WindowActions& m_actions;
    Documents& m_documents;
    ShownDocument& m_front;
    QPointer<ExportDialog> m_dialog;
    QPointer<BoardDialog> m_board;
    bool m_awaited = false; // a figure of the file that is on its way
    bool m_asked = false;   // since the last figure that was asked for by the plot in front
};

} // namespace peakscope
