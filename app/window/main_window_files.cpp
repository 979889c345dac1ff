// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window writes and is given: copies, figures, tables, dropped files, the library's folder.
#include "app/export/board_dialog.h"
#include "app/export/export_dialog.h"
#include "app/export/save_file.h"
#include "app/library/library_panel.h"
#include "app/plan/plan_workspace.h"
#include "app/run/run_panel.h"
#include "app/run/run_workspace.h"
#include "app/session/settings.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "core/base/file.h"
#include "core/base/json_access.h"
#include "core/base/json_keys.h"
#include "core/base/json_reader.h"
#include "core/experiment/experiment.h"
#include "core/results/tables.h"
#include "widgets/plot/plot_view.h"
#include "widgets/tables/usage_tables.h"

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>

namespace peakscope {

// An experiment is no result: it goes into the form.
bool MainWindow::openExperiment(const QString& path)
{
    constexpr std::int64_t kLargest = 1 << 20; // bytes; results with a timeline are larger
    if (!path.endsWith(QLatin1String(".json")))
        return false;
    const Result<std::string> text = readTextFile(path.toStdString(), kLargest);
    const Result<nlohmann::json> read = parseJson(text ? *text : std::string());
    if (!read)
        return false;
    const nlohmann::json& document = *read;
    const bool result = document.contains("status") || document.contains("config");
    if (result || !lenient::member(document, "model").is_object())
        return false;
    if (!experimentKind(document))
        return false;
    if (const std::string key = repeatedKey(*text); !key.empty()) {
        m_messages->showMessage(MessageBar::Kind::Error,
                                tr("%1: the key %2 stands there twice; keep one of them.")
                                    .arg(QFileInfo(path).fileName(), QString::fromStdString(key)));
        return true;
    }
    editExperiment(document, originIn(path, document));
    rememberFile(path);
    const QString name = QFileInfo(path).fileName();
    const bool valid = m_workspace->panel()->form()->isValid();
    // The form has no place for what is of another type: it would run something else than the file says.
    if (const auto problems = experimentProblems(document); valid && !problems.empty())
        m_messages->showMessage(
            MessageBar::Kind::Warning,
            tr("%1 can't be run as it stands: %2. The form holds the rest of it; look through it before it runs.")
                .arg(name, QString::fromStdString(problemText(problems.front()))));
    else
        m_messages->showMessage(
            MessageBar::Kind::Info,
            valid ? tr("%1 is an experiment; it stands in the form. F5 runs it.").arg(name)
                  : tr("%1 is an experiment; it stands in the form, where a field needs correcting before "
                       "it runs.")
                        .arg(name));
    return true;
}

void MainWindow::saveCopy()
{
    const std::shared_ptr<const RunResult> result = shownResult();
    if (!result)
        return;
    const QString name = QString::fromStdString(result->id.empty() ? "result" : result->id) + QStringLiteral(".json");
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save a copy"), QDir(settings::exportFolder()).filePath(name), tr("Results (*.json)"));
    if (!path.isEmpty())
        saveCopyTo(path);
}

bool MainWindow::saveCopyTo(const QString& path)
{
    const std::shared_ptr<const RunResult> result = shownResult();
    if (!result)
        return false;
    const Status saved = saveRunResult(*result, path.toStdString());
    if (!saved) {
        m_messages->showMessage(MessageBar::Kind::Error, QString::fromStdString(saved.error().text()),
                                {{tr("Save elsewhere…"), [this] { saveCopy(); }}});
        return false;
    }
    settings::setExportFolder(QFileInfo(path).absolutePath());
    rememberFile(QFileInfo(path).absoluteFilePath());
    refreshLibrary();
    m_messages->showMessage(MessageBar::Kind::Info, tr("Saved to %1").arg(path));
    return true;
}

void MainWindow::exportFigure(const QString& figure)
{
    m_figureAsked = true;
    const RunResults results = shownResults();
    if (results.empty()) {
        m_messages->showMessage(MessageBar::Kind::Info, tr("A figure is made from a finished result; choose one in "
                                                           "the library or wait for the run's end."));
        return;
    }
    exportDialog()->setResults(results);
    m_exportDialog->setFigure(figure);
    m_exportDialog->show();
    m_exportDialog->raise();
    m_exportDialog->activateWindow();
}

void MainWindow::exportShownFigure()
{
    // The plot that is worked with, or else the largest one in sight; it knows which figure is its own.
    PlotView* front = nullptr;
    const auto area = [](const PlotView* view) {
        const QRect seen = view->visibleRegion().boundingRect();
        const bool focused = view->isAncestorOf(QApplication::focusWidget());
        return seen.width() * seen.height() * (focused ? 1000.0 : 1.0);
    };
    for (PlotView* view : findChildren<PlotView*>()) {
        if (view->isVisible() && area(view) > (front ? area(front) : 0))
            front = view;
    }
    m_figureAsked = false;
    if (front)
        emit front->exportRequested();
    if (!m_figureAsked)
        exportFigure({});
}

ExportDialog* MainWindow::exportDialog()
{
    if (!m_exportDialog) {
        m_exportDialog = new ExportDialog(this);
        connect(m_exportDialog, &ExportDialog::boardRequested, this,
                [this](const std::string& figure, const RunResults& runs) {
                    showBoard();
                    boardDialog()->addPanel(figure, runs);
                });
    }
    return m_exportDialog;
}

BoardDialog* MainWindow::boardDialog()
{
    if (!m_boardDialog)
        m_boardDialog = new BoardDialog(this);
    return m_boardDialog;
}

void MainWindow::showBoard()
{
    BoardDialog* dialog = boardDialog();
    dialog->setResults(shownResults());
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::exportTable(const QString& table)
{
    const DataTableView* view = m_workspace->table(table);
    const QString proposal = QDir(settings::exportFolder()).filePath(table + QStringLiteral(".csv"));
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the table"), proposal, tr("Tables (*.csv)"));
    if (path.isEmpty() || !view)
        return;
    const QString fault = saveFile(path, toCsv(view->model()->table()));
    if (fault.isEmpty())
        m_messages->showMessage(MessageBar::Kind::Info, tr("Saved to %1").arg(path));
    else
        m_messages->showMessage(MessageBar::Kind::Error, tr("%1 can't be written: %2").arg(path, fault));
}

void MainWindow::chooseLibraryFolder()
{
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Where runs are saved"), settings::libraryFolder());
    if (folder.isEmpty())
        return;
    settings::setLibraryFolder(folder);
    m_queue.setFolder(folder);
    m_plan->setLibraryFolder(folder);
    m_index = LibraryIndex(folder);
    refreshLibrary();
    m_watcher.watch(m_index);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            event->acceptProposedAction();
            return;
        }
    }
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
    }
    event->acceptProposedAction();
    openFiles(paths);
}

} // namespace peakscope
