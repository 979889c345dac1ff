// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/figure_export.h"

#include "app/export/board_dialog.h"
#include "app/export/export_dialog.h"
#include "app/library/documents.h"
#include "app/parts/message_bar.h"
#include "app/parts/save_file.h"
#include "app/parts/settings.h"
#include "app/parts/window_actions.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"
#include "app/shell/workspace.h"
#include "core/results/tables.h"
#include "widgets/plot/plot_view.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/ranks_view.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include <functional>
#include <optional>
#include <utility>

namespace peakscope {

namespace {

// The largest one in sight that `counts`, or the one that is worked with.
PlotView* frontPlot(const QWidget* frame, const std::function<bool(const PlotView*)>& counts)
{
    PlotView* front = nullptr;
    const auto area = [](const PlotView* view) {
        const QRect seen = view->visibleRegion().boundingRect();
        const bool focused = view->isAncestorOf(QApplication::focusWidget());
        return seen.width() * seen.height() * (focused ? 1000.0 : 1.0);
    };
    for (PlotView* view : frame->findChildren<PlotView*>()) {
        if (view->isVisible() && counts(view) && area(view) > (front ? area(front) : 0))
            front = view;
    }
    return front;
}

// What the plot of the figure shows of its time: a comparison moves its runs, so that its times are not theirs.
std::optional<std::pair<double, double>> seenRange(const QWidget* frame, const QString& figure)
{
    const PlotView* plot = frontPlot(frame, [&figure](const PlotView* view) {
        return figure == QLatin1String("memory_timeline")
                   ? qobject_cast<const MemoryTimelineView*>(view) != nullptr
                   : figure == QLatin1String("memory_ranks") && qobject_cast<const RanksView*>(view) != nullptr;
    });
    return plot ? std::optional(std::pair(plot->visibleLower(), plot->visibleUpper())) : std::nullopt;
}

} // namespace

FigureExport::FigureExport(Shell& shell, WindowActions& actions, Documents& documents, ShownDocument& front,
                           QObject* parent)
    : QObject(parent), m_shell(shell), m_actions(actions), m_documents(documents), m_front(front)
{
    actions.add({.id = "save",
                 .text = [] { return tr("&Save a copy…"); },
                 .keys = QKeySequence::keyBindings(QKeySequence::Save),
                 .glyph = Glyph::Save},
                [this] { saveCopy(); });
    actions.add({.id = "export",
                 .text = [] { return tr("&Export…"); },
                 .keys = {Qt::CTRL | Qt::Key_E},
                 .glyph = Glyph::Export,
                 .toolTip = [] { return tr("Export a figure (Ctrl+E)"); }},
                [this] { showShownFigure(); });
    connect(
        &documents, &Documents::finished, this, [this] { m_awaited = m_awaited && !m_documents.reading().isEmpty(); },
        Qt::QueuedConnection); // a file that could not be read leaves no wish behind
    actions.add({.id = "board", .text = [] { return tr("Figure &board…"); }, .keys = {Qt::CTRL | Qt::Key_B}},
                [this] { showBoard(); });
}

std::shared_ptr<const RunResult> FigureExport::result() const
{
    const RunResults shown = results();
    if (shown.size() > 1)
        return m_front.result();
    return shown.empty() ? nullptr : shown.front();
}

RunResults FigureExport::results() const
{
    if (const Workspace* workspace = m_shell.inFront())
        return workspace->results(m_front.result());
    return m_front.result() ? RunResults{m_front.result()} : RunResults{};
}

void FigureExport::refresh()
{
    m_actions.find(QStringLiteral("save"))->setEnabled(result() != nullptr);
    if (m_board)
        m_board->setResults(results());
    // Once the plots have it, too.
    if (m_awaited && !results().empty()) {
        m_awaited = false;
        QMetaObject::invokeMethod(this, &FigureExport::showShownFigure, Qt::QueuedConnection);
    }
}

void FigureExport::saveCopy()
{
    const std::shared_ptr<const RunResult> shown = result();
    if (!shown)
        return;
    const QString name = QString::fromStdString(shown->id.empty() ? "result" : shown->id) + QStringLiteral(".json");
    const QString path = QFileDialog::getSaveFileName(
        m_shell.frame(), tr("Save a copy"), QDir(settings::exportFolder()).filePath(name), tr("Results (*.json)"));
    if (!path.isEmpty())
        saveCopyTo(path);
}

bool FigureExport::saveCopyTo(const QString& path)
{
    const std::shared_ptr<const RunResult> shown = result();
    if (!shown)
        return false;
    if (const Status saved = saveRunResult(*shown, path.toStdString()); !saved) {
        m_shell.messages()->showMessage(MessageBar::Kind::Error, QString::fromStdString(saved.error().text()),
                                        {{[] { return tr("Save elsewhere…"); }, [this] { saveCopy(); }}});
        return false;
    }
    settings::setExportFolder(QFileInfo(path).absolutePath());
    m_documents.remember(QFileInfo(path).absoluteFilePath());
    m_shell.messages()->showMessage(MessageBar::Kind::Info, [path] { return tr("Saved to %1").arg(path); });
    return true;
}

void FigureExport::showFigure(const QString& figure)
{
    m_asked = true;
    const RunResults shown = results();
    if (shown.empty()) {
        m_shell.messages()->showMessage(MessageBar::Kind::Info, [] {
            return tr("A figure is made from a finished result; choose one in the library or wait for the run's end.");
        });
        return;
    }
    dialog()->setResults(shown);
    m_dialog->setFigure(figure);
    m_dialog->setSeen(seenRange(m_shell.frame(), m_dialog->figureName()));
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void FigureExport::showShownFigure()
{
    if (results().empty() && !m_documents.reading().isEmpty()) {
        m_awaited = true;
        return;
    }
    // The plot knows which figure is its own.
    PlotView* front = frontPlot(m_shell.frame(), [](const PlotView*) { return true; });
    m_asked = false;
    if (front)
        emit front->exportRequested();
    if (!m_asked)
        showFigure({});
}

ExportDialog* FigureExport::dialog()
{
    if (!m_dialog) {
        m_dialog = new ExportDialog(m_shell.frame());
        connect(m_dialog, &ExportDialog::boardRequested, this,
                [this](const std::string& figure, const RunResults& runs) {
                    showBoard();
                    board()->addPanel(figure, runs);
                });
    }
    return m_dialog;
}

BoardDialog* FigureExport::board()
{
    if (!m_board)
        m_board = new BoardDialog(m_shell.frame());
    return m_board;
}

void FigureExport::showBoard()
{
    BoardDialog* dialog = board();
    dialog->setResults(results());
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void FigureExport::saveTable(const QString& name, const Table& table)
{
    peakscope::saveTable(m_shell.frame(), m_shell.messages(), name, false,
                         [&table](const QString&) { return toCsv(table); });
}

} // namespace peakscope
