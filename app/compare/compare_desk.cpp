// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_desk.h"

#include "app/compare_workspace.h"
#include "app/export/figure_export.h"
#include "app/library/documents.h"
#include "app/library_panel.h"
#include "app/message_bar.h"
#include "app/session.h"
#include "app/session/plot_views.h"
#include "app/view_history.h"
#include "app/window/front.h"
#include "app/window/window_actions.h"
#include "core/results/plan_document.h"
#include "widgets/compare_timeline_view.h"

#include <QFileInfo>

#include <algorithm>

namespace peakscope {

namespace {

const QString kView = QStringLiteral("compare"); // in a session

} // namespace

CompareDesk::CompareDesk(const Bench& bench, QWidget* pages, QObject* parent)
    : Workspace(parent), m_bench(bench), m_page(new CompareWorkspace(pages))
{
    connect(m_page, &CompareWorkspace::openRequested, this, [this] {
        const QStringList paths = m_bench.shell.chooseFiles();
        if (!paths.isEmpty())
            openTogether(paths);
    });
    connect(m_page, &CompareWorkspace::runActivated, &m_bench.front, &Front::showDocument);
    connect(m_page, &CompareWorkspace::figureRequested, &m_bench.figures, &FigureExport::showFigure);
    connect(m_page, &CompareWorkspace::inspected, this, &Workspace::inspected);
    connect(m_page, &CompareWorkspace::runsChanged, this, &Workspace::resultChanged);
    connect(m_page, &CompareWorkspace::nameSelected, this, &Workspace::nameSelected);
    connect(m_page, &CompareWorkspace::answered, this, &Workspace::becameIdle);
    connect(m_page, &CompareWorkspace::rangeChanged, this, [this] {
        if (!m_page->timelines()->selectedRange())
            emit rangeSelected({}, {});
        for (const RunDocument& run : m_page->runs()) {
            if (const auto range = m_page->runRange(run.path))
                emit rangeSelected(run.path, range);
        }
    });
    connect(&m_bench.documents, &Documents::finished, this, &CompareDesk::gathered);
    connect(m_bench.library, &LibraryPanel::compareRequested, this, &CompareDesk::compareSelected);
    m_bench.actions.add({.id = "compare",
                         .text = [] { return tr("&Compare"); },
                         .keys = {Qt::CTRL | Qt::Key_D},
                         .glyph = Glyph::Compare,
                         .toolTip = [] { return tr("Put the runs selected in the library side by side (Ctrl+D)"); }},
                        [this] { compareSelected(); });
}

QWidget* CompareDesk::page() const
{
    return m_page;
}

QList<QDockWidget*> CompareDesk::docks() const
{
    return m_page->docks();
}

QByteArray CompareDesk::saveLayout() const
{
    return m_page->saveLayout();
}

void CompareDesk::restoreLayout(const QByteArray& state)
{
    m_page->restoreLayout(state);
}

void CompareDesk::restoreDefaultLayout()
{
    m_page->restoreDefaultLayout();
}

RunResults CompareDesk::results(const std::shared_ptr<const RunResult>&) const
{
    return m_page->results();
}

bool CompareDesk::busy() const
{
    return m_page->busy();
}

bool CompareDesk::openTogether(const QStringList& paths)
{
    m_wanted.clear();
    m_pending.clear();
    m_bench.front.want({});
    m_bench.front.touch();
    for (const QString& path : paths) {
        const QStringList files = ResultLoader::filesOf(path);
        if (files.isEmpty())
            m_bench.documents.load(path); // tells what is wrong with the folder
        m_wanted += files;
    }
    m_wanted.removeDuplicates();
    for (const QString& file : std::as_const(m_wanted)) {
        if (m_bench.documents.ofFile(file).empty()) {
            m_pending.insert(file);
            m_bench.documents.load(file);
        }
    }
    if (m_pending.isEmpty())
        showGathered();
    return true;
}

void CompareDesk::gathered(const QString& file)
{
    if (m_pending.remove(file) && m_pending.isEmpty())
        showGathered();
}

void CompareDesk::showGathered()
{
    std::vector<RunDocument> runs;
    for (const QString& file : std::as_const(m_wanted)) {
        for (RunDocument& document : m_bench.documents.ofFile(file)) {
            if (!holdsPlan(*document.result))
                runs.push_back(std::move(document));
        }
    }
    m_wanted.clear();
    if (runs.size() == 1) {
        m_bench.front.showDocument(runs.front().path);
        return;
    }
    if (runs.empty())
        return; // what is wrong with each file stands in the messages
    m_page->setRuns(std::move(runs));
    m_bench.shell.bringToFront(this);
}

void CompareDesk::compareSelected()
{
    QStringList files;
    for (const QString& path : m_bench.library->selectedPaths())
        files << (path.contains(u'#') && !QFileInfo::exists(path) ? path : QFileInfo(path).absoluteFilePath());
    if (files.size() >= 2) {
        openTogether(files);
        return;
    }
    m_bench.shell.bringToFront(this);
    if (m_page->runs().empty())
        m_bench.shell.messages()->showMessage(
            MessageBar::Kind::Info, tr("Select two or more runs in the library (Ctrl+click) to compare them."));
}

void CompareDesk::showRange(const QString& path, const std::optional<Range>& range)
{
    if (range)
        m_bench.history.follow(m_page->timelines(),
                               [&] { m_page->selectRunRange(path, range->first, range->second); });
}

void CompareDesk::showName(const QString& table, const QString& name)
{
    m_page->selectName(table, name);
}

void CompareDesk::note(Session& session) const
{
    const std::vector<RunDocument>& runs = m_page->runs();
    for (const RunDocument& document : runs) {
        if (!document.path.isEmpty())
            session.compared << document.path;
    }
    if (m_page->base() < runs.size())
        session.base = runs[m_page->base()].path;
    session.alignment = static_cast<int>(m_page->alignment());
    if (const auto view = viewOf(m_page->timelines()))
        session.views[kView] = *view;
}

void CompareDesk::restoreDocuments(const Session& session, const Documents& documents)
{
    std::vector<RunDocument> runs;
    for (const QString& path : session.compared) {
        const RunDocument* found = documents.find(path);
        if (found && !holdsPlan(*found->result))
            runs.push_back(*found);
    }
    if (runs.size() < 2)
        return;
    const auto base = std::find_if(runs.begin(), runs.end(),
                                   [&session](const RunDocument& run) { return run.path == session.base; });
    const auto place = static_cast<std::size_t>(base - runs.begin());
    m_page->setRuns(runs);
    if (place < runs.size())
        m_page->setBase(place);
    m_page->setAlignment(static_cast<TimelineAlignment>(
        std::clamp(session.alignment, 0, static_cast<int>(TimelineAlignment::Phase))));
}

void CompareDesk::restoreViews(const Session& session)
{
    Session now;
    note(now);
    if (const auto view = session.views.find(kView); view != session.views.end() && now.compared == session.compared)
        showView(m_page->timelines(), view->second);
}

} // namespace peakscope
