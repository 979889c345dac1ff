// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window's part in comparisons: what is read for one, what the workspaces share while one is in front.
#include "app/compare/compare_workspace.h"
#include "app/library/library_panel.h"
#include "app/plan/plan_workspace.h"
#include "app/run/run_workspace.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "core/results/plan_document.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QFileInfo>
#include <QTimer>

namespace peakscope {

void MainWindow::connectCompare()
{
    connect(m_compareSpace, &CompareWorkspace::openRequested, this, [this] {
        const QStringList paths = chooseFiles();
        if (!paths.isEmpty())
            compareFiles(paths);
    });
    connect(m_compareSpace, &CompareWorkspace::runActivated, this, &MainWindow::showDocument);
    connect(m_compareSpace, &CompareWorkspace::figureRequested, this, &MainWindow::exportFigure);
    connect(m_compareSpace, &CompareWorkspace::inspected, this,
            [this](const InspectorContent& content) { inspect(Page::Compare, content); });
    connect(m_compareSpace, &CompareWorkspace::runsChanged, this, &MainWindow::updateActions);
    // What is selected in one workspace is selected in the other, each in its own time.
    connect(m_compareSpace, &CompareWorkspace::rangeChanged, this, &MainWindow::shareRange);
    connect(m_compareSpace, &CompareWorkspace::nameSelected, this, [this](const QString& table, const QString& name) {
        if (DataTableView* view = m_workspace->table(table))
            view->setCurrentName(name);
    });
    MemoryTimelineView* timeline = m_workspace->resultTimeline();
    connect(timeline, &PlotView::rangeSelected, this, [this](double lower, double upper) {
        m_history.follow(m_compareSpace->timelines(),
                         [&] { m_compareSpace->selectRunRange(m_workspace->document().path, lower, upper); });
    });
    for (const char* name : {"components", "modules", "operators"}) {
        const QString table = QString::fromLatin1(name);
        connect(m_workspace->table(table), &DataTableView::currentRowChanged, m_compareSpace,
                [this, table](const QString& row) { m_compareSpace->selectName(table, row); });
    }
    connect(&m_loader, &ResultLoader::finished, this, &MainWindow::gathered);
}

void MainWindow::connectLibrary()
{
    connect(m_library, &LibraryPanel::compareRequested, this, &MainWindow::compareSelected);
    connect(m_library, &LibraryPanel::noteEdited, this, [this](const QString& path, const LibraryNote& note) {
        if (!m_index.setNote(path, note))
            m_messages->showMessage(MessageBar::Kind::Error,
                                    tr("Tags and notes can't be kept: %1 can't be written.").arg(m_index.folder()));
    });
    connect(&m_watcher, &LibraryWatcher::stirred, this, [this] { m_watcher.look(m_index); });
    connect(&m_watcher, &LibraryWatcher::changed, this,
            [this](const QString& folder, const QHash<QString, LibraryEntry>& entries) {
                if (folder != m_index.folder())
                    return;
                m_index.take(entries);
                refreshLibrary();
            });
}

void MainWindow::shareRange()
{
    MemoryTimelineView* timeline = m_workspace->resultTimeline();
    m_history.follow(timeline, [this, timeline] {
        if (const auto range = m_compareSpace->runRange(m_workspace->document().path))
            timeline->setSelectedRange(range->first, range->second);
        else if (!m_compareSpace->timelines()->selectedRange())
            timeline->clearSelection();
    });
}

// All results of a file that are open: it may hold several.
std::vector<RunDocument> MainWindow::documentsOf(const QString& file) const
{
    std::vector<RunDocument> documents;
    if (const auto found = m_documents.constFind(file); found != m_documents.constEnd())
        documents.push_back(*found);
    for (int number = 2;; ++number) {
        const auto found = m_documents.constFind(QStringLiteral("%1#%2").arg(file).arg(number));
        if (found == m_documents.constEnd())
            return documents;
        documents.push_back(*found);
    }
}

void MainWindow::compareFiles(const QStringList& paths)
{
    m_compareWanted.clear();
    m_comparePending.clear();
    m_wantedPath.clear();
    for (const QString& path : paths) {
        const QStringList files = ResultLoader::filesOf(path);
        if (files.isEmpty())
            m_loader.load(path); // tells what is wrong with the folder
        m_compareWanted += files;
    }
    m_compareWanted.removeDuplicates();
    for (const QString& file : std::as_const(m_compareWanted)) {
        if (documentsOf(file).empty()) {
            m_comparePending.insert(file);
            m_loader.load(file);
        }
    }
    if (m_comparePending.isEmpty())
        showComparison();
    else // reading under a tenth of a second needs no sign
        QTimer::singleShot(100, this, &MainWindow::updateStatus);
}

void MainWindow::gathered(const QString& file)
{
    updateStatus();
    if (m_comparePending.remove(file) && m_comparePending.isEmpty())
        showComparison();
}

void MainWindow::showComparison()
{
    std::vector<RunDocument> runs;
    for (const QString& file : std::as_const(m_compareWanted)) {
        for (RunDocument& document : documentsOf(file)) {
            if (!holdsPlan(*document.result))
                runs.push_back(std::move(document));
        }
    }
    m_compareWanted.clear();
    if (runs.size() == 1) {
        showDocument(runs.front().path);
        return;
    }
    if (runs.empty())
        return; // what is wrong with each file stands in the messages
    m_compareSpace->setRuns(std::move(runs));
    showPage(Page::Compare);
}

void MainWindow::compareSelected()
{
    const QStringList paths = m_library->selectedPaths();
    std::vector<RunDocument> runs;
    QStringList files;
    for (const QString& path : paths)
        files << (path.contains(u'#') && !QFileInfo::exists(path) ? path : QFileInfo(path).absoluteFilePath());
    if (files.size() >= 2) {
        compareFiles(files);
        return;
    }
    showPage(Page::Compare);
    if (m_compareSpace->runs().empty())
        m_messages->showMessage(MessageBar::Kind::Info,
                                tr("Select two or more runs in the library (Ctrl+click) to compare them."));
}

RunResults MainWindow::shownResults() const
{
    if (page() == Page::Compare)
        return m_compareSpace->results();
    const std::shared_ptr<const RunResult> result = shownResult();
    return result ? RunResults{result} : RunResults{};
}

} // namespace peakscope
