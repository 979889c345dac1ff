// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_workspace.h"

#include "app/compare/compare_page.h"
#include "app/export/figure_export.h"
#include "app/library/documents.h"
#include "app/library/library_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/plot_views.h"
#include "app/parts/session.h"
#include "app/parts/view_history.h"
#include "app/parts/window_actions.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"
#include "core/analysis/comparison/joined_points.h"
#include "core/results/plans/plan_document.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/text/json_words.h"

#include <QFileInfo>

#include <algorithm>

namespace peakscope {

namespace {

// A part of a file, "sweep.json#-2", stays as it is.
QString wholePath(const QString& path)
{
    return path.contains(u'#') && !QFileInfo::exists(path) ? path : QFileInfo(path).absoluteFilePath();
}

// A plan has nothing measured, and a sweep is many runs.
bool isCompared(const RunResult& result)
{
    return !holdsPlan(result) && !(result.kind == ResultKind::Sweep && !result.memory);
}

} // namespace

CompareWorkspace::CompareWorkspace(const WorkspaceServices& parts, QWidget* pages, QObject* parent)
    : Workspace([] { return tr("Compare"); }, Glyph::Compare, Shows::Own, new ComparePage(pages), parts, parent),
      m_page(static_cast<ComparePage*>(page()))
{
    connect(m_page, &ComparePage::openRequested, this, [this] {
        const QStringList paths = m_services.shell.chooseFiles();
        if (!paths.isEmpty())
            openTogether(paths);
    });
    connect(m_page, &ComparePage::runActivated, this,
            [this](const QString& path) { m_services.front.showDocument(path); });
    connect(m_page, &ComparePage::figureRequested, &m_services.figures, &FigureExport::showFigure);
    connect(m_page, &ComparePage::inspected, this, &Workspace::inspected);
    connect(m_page, &ComparePage::runsChanged, this, &Workspace::resultChanged);
    connect(m_page, &ComparePage::nameSelected, this, &Workspace::nameSelected);
    connect(m_page, &ComparePage::answered, this, &Workspace::becameIdle);
    connect(m_page, &ComparePage::rangeChanged, this, [this] {
        if (!m_page->timelines()->selectedRange())
            emit rangeSelected({}, {});
        for (const RunDocument& run : m_page->runs()) {
            if (const auto range = m_page->runRange(run.path))
                emit rangeSelected(run.path, range);
        }
    });
    connect(&m_services.documents, &Documents::wantedTogether, this, [this](const QStringList& paths) {
        m_joins = true;
        openTogether(paths);
    });
    connect(&m_services.documents, &Documents::finished, this, &CompareWorkspace::gathered);
    connect(m_services.runLibrary, &LibraryPanel::compareRequested, this, &CompareWorkspace::compareSelected);
    m_services.actions.add({.id = "compare",
                            .text = [] { return tr("&Compare"); },
                            .keys = {Qt::CTRL | Qt::Key_D},
                            .glyph = Glyph::Compare,
                            .toolTip = [] { return tr("Put the runs selected in the library side by side (Ctrl+D)"); }},
                           [this] { compareSelected(); });
    m_services.actions.add({.id = "compareWith", .text = [] { return tr("Compare &with…"); }},
                           [this] { compareShown(); });
}

RunResults CompareWorkspace::results(const std::shared_ptr<const RunResult>&) const
{
    return m_page->results();
}

bool CompareWorkspace::busy() const
{
    return m_page->busy();
}

std::optional<QStringList> CompareWorkspace::shownFiles() const
{
    QStringList files;
    for (const RunDocument& run : m_page->runs())
        files << run.path;
    return files.isEmpty() ? std::nullopt : std::optional(files);
}

void CompareWorkspace::openTogether(const QStringList& paths)
{
    m_wanted.clear();
    m_pending.clear();
    m_leftOut = ResultLoader::leftOutOf(paths);
    m_services.front.want({});
    m_services.front.touch();
    m_services.shell.messages()->dismiss();
    for (const QString& path : paths) {
        const QStringList files = ResultLoader::filesOf(path);
        if (files.isEmpty())
            m_services.documents.load(path); // tells what is wrong with the folder
        m_wanted += files;
    }
    m_wanted.removeDuplicates();
    for (const QString& file : std::as_const(m_wanted)) {
        if (m_services.documents.ofFile(file).empty()) {
            m_pending.insert(file);
            m_services.documents.load(file);
        }
    }
    if (m_pending.isEmpty())
        showGathered();
}

void CompareWorkspace::gathered(const QString& file)
{
    if (m_pending.remove(file) && m_pending.isEmpty())
        showGathered();
}

void CompareWorkspace::showGathered()
{
    std::vector<RunDocument> runs, others;
    for (const QString& file : std::as_const(m_wanted)) {
        for (RunDocument& document : m_services.documents.ofFile(file))
            (isCompared(*document.result) ? runs : others).push_back(std::move(document));
    }
    const bool unread = std::ranges::any_of(
        m_wanted, [this](const QString& file) { return m_services.documents.ofFile(file).empty(); });
    m_wanted.clear();
    if (runs.empty() && others.size() == 1) {
        m_services.front.showDocument(others.front().path, m_leftOut);
        return;
    }
    const LanguageText notCompared(
        [] { return tr("Plans and sweeps are not compared. Open each alone, or choose runs and points of sweeps."); });
    if (!others.empty() && !m_leftOut)
        m_leftOut = notCompared;
    if (runs.empty() && !others.empty()) {
        m_services.shell.bringToFront(this);
        m_services.shell.messages()->showMessage(MessageBar::Kind::Info, notCompared);
        return;
    }
    if (runs.size() == 1) {
        m_services.front.showDocument(runs.front().path, m_leftOut);
        return;
    }
    if (runs.empty())
        return; // what is wrong with each file stands in the messages
    if (m_joins &&
        std::all_of(runs.begin(), runs.end(), [](const RunDocument& run) { return isSweepPoint(*run.result); })) {
        showJoined(runs);
        return;
    }
    m_page->setRuns(std::move(runs), m_leftOut);
    MessageBar* messages = m_services.shell.messages();
    if (unread) // what is said of that belongs to this page
        messages->outlastPage();
    m_services.shell.bringToFront(this);
    if (unread)
        messages->outlastPage(false);
}

// Files of a point each as their sweep, whose cells open them.
void CompareWorkspace::showJoined(const std::vector<RunDocument>& points)
{
    RunResults results;
    std::vector<std::string> files;
    for (const RunDocument& point : points) {
        results.push_back(point.result);
        files.push_back(point.path.toStdString());
    }
    const RunDocument joined{fileOfDocument(points.front().path) + QStringLiteral("#0"),
                             std::make_shared<const RunResult>(joinedPoints(results, files)),
                             nullptr,
                             {}};
    m_services.documents.hold(joined);
    m_services.front.showDocument(joined.path, m_leftOut);
}

void CompareWorkspace::compareShown()
{
    QStringList files = m_services.shell.chooseFiles();
    if (files.isEmpty())
        return;
    if (const QString& shown = m_services.front.resultPath(); !shown.isEmpty())
        files.prepend(wholePath(shown));
    m_joins = false;
    openTogether(files);
}

void CompareWorkspace::compareSelected()
{
    QStringList files;
    for (const QString& path : m_services.runLibrary->selectedPaths())
        files << wholePath(path);
    if (files.size() >= 2) {
        m_joins = false;
        openTogether(files);
        return;
    }
    m_services.shell.bringToFront(this);
    if (m_page->runs().empty())
        m_services.shell.messages()->showMessage(MessageBar::Kind::Info, [] {
            return tr("Select two or more runs in the library (Ctrl+click) to compare them.");
        });
}

void CompareWorkspace::showRange(const QString& path, const std::optional<Range>& range)
{
    if (range)
        m_services.history.follow(m_page->timelines(),
                                  [&] { m_page->selectRunRange(path, range->first, range->second); });
}

void CompareWorkspace::showName(const QString& table, const QString& name)
{
    m_page->selectName(table, name);
}

nlohmann::json CompareWorkspace::kept() const
{
    const std::vector<RunDocument>& runs = m_page->runs();
    nlohmann::json kept{{"files", nlohmann::json::array()}, {"alignment", static_cast<int>(m_page->alignment())}};
    for (const RunDocument& document : runs) {
        if (!document.path.isEmpty())
            kept["files"].push_back(document.path.toStdString());
    }
    if (m_page->base() < runs.size())
        kept["base"] = runs[m_page->base()].path.toStdString();
    if (const auto view = viewOf(m_page->timelines()))
        kept["views"]["timelines"] = toJson(*view);
    return kept;
}

void CompareWorkspace::restoreDocuments(const nlohmann::json& kept, const Documents& documents)
{
    std::vector<RunDocument> runs;
    for (const QString& path : jsonTexts(lenient::member(kept, "files"))) {
        const RunDocument* found = documents.find(path);
        if (found && isCompared(*found->result))
            runs.push_back(*found);
    }
    if (runs.size() < 2)
        return;
    const QString baseFile = jsonText(kept, "base");
    const auto base =
        std::find_if(runs.begin(), runs.end(), [&baseFile](const RunDocument& run) { return run.path == baseFile; });
    const auto place = static_cast<std::size_t>(base - runs.begin());
    m_page->setRuns(runs);
    m_restored = this->kept().at("files");
    if (place < runs.size())
        m_page->setBase(place);
    m_page->setAlignment(static_cast<TimelineAlignment>(
        std::clamp<std::int64_t>(lenient::integer(kept, "alignment"), 0, static_cast<int>(TimelineAlignment::Phase))));
}

void CompareWorkspace::restoreViews(const nlohmann::json& kept)
{
    const auto view = viewFromJson(lenient::member(lenient::member(kept, "views"), "timelines"));
    if (view && this->kept().at("files") == m_restored)
        showView(m_page->timelines(), *view);
}

} // namespace peakscope
