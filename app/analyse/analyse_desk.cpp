// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_desk.h"

#include "app/analyse_workspace.h"
#include "app/export/figure_export.h"
#include "app/run_queue.h"
#include "app/session.h"
#include "app/window/front.h"
#include "core/experiment/experiment.h"
#include "core/results/plan_document.h"
#include "widgets/analysis_scatter_view.h"

namespace peakscope {

namespace {

PartitionRule ruleFromName(const QString& text)
{
    return text == QString::fromStdString(std::string(name(PartitionRule::Quantile))) ? PartitionRule::Quantile
                                                                                      : PartitionRule::Absolute;
}

std::array<double, 4> numbersOf(const ClassThresholds& t)
{
    return {t.funcAlignment, t.funcSparsity, t.sensAlignment, t.sensSparsity};
}

} // namespace

AnalyseDesk::AnalyseDesk(const Bench& bench, QWidget* pages, QObject* parent)
    : Workspace(parent), m_bench(bench), m_page(new AnalyseWorkspace(pages)),
      m_thresholds(m_page, bench.history, this)
{
    connect(m_page, &AnalyseWorkspace::openRequested, this, [this] { m_bench.shell.openFiles(m_bench.shell.chooseFiles()); });
    connect(m_page, &AnalyseWorkspace::figureRequested, &m_bench.figures, &FigureExport::showFigure);
    connect(m_page, &AnalyseWorkspace::inspected, this, &Workspace::inspected);
    connect(m_page, &AnalyseWorkspace::documentShown, this, &Workspace::becameIdle);
    connect(&m_bench.front, &Front::changed, &m_thresholds, &ThresholdHistory::follow);
    connect(&m_bench.queue, &RunQueue::runChanged, this, [this](int id) {
        if (id == m_bench.front.run() && m_page->liveId() != id)
            showLive(id);
    });
    connect(&m_bench.queue, &RunQueue::batchArrived, this, [this](const LiveBatch& batch) {
        if (batch.analysis && batch.id == m_bench.front.run())
            showLive(batch.id);
    });
}

QWidget* AnalyseDesk::page() const
{
    return m_page;
}

QByteArray AnalyseDesk::saveLayout() const
{
    return m_page->saveLayout();
}

void AnalyseDesk::restoreLayout(const QByteArray& state)
{
    m_page->restoreLayout(state);
}

void AnalyseDesk::restoreDefaultLayout()
{
    m_page->restoreDefaultLayout();
}

bool AnalyseDesk::showLive(int id)
{
    const RunInfo* info = m_bench.queue.info(id);
    const LiveRun* live = m_bench.queue.live();
    if (!info || isFinished(info->state) || !live || live->id != id ||
        experimentKind(info->experiment) != ExperimentKind::Prm)
        return false;
    m_page->showLive(id, info->title, live->analysis);
    return true;
}

Workspace::Claim AnalyseDesk::showAnalysis(const RunDocument& document)
{
    if (!document.result || !document.result->analysis) {
        m_page->clear();
        emit nothingInspected();
        return Claim::None;
    }
    if (m_page->result() != document.result)
        m_page->showDocument(document);
    return document.result->kind == ResultKind::Prm ? Claim::Subject : Claim::Part;
}

Workspace::Claim AnalyseDesk::showDocument(const RunDocument& document)
{
    return holdsPlan(*document.result) ? Claim::None : showAnalysis(document);
}

// A run comes to the front where it was set up and is told of; what it says of analysis stands here.
Workspace::Claim AnalyseDesk::showRun(const RunInfo& info)
{
    if (info.outcome.result || !showLive(info.id))
        showAnalysis({info.outcome.path, info.outcome.result, info.outcome.timeline, {}});
    return Claim::Part;
}

void AnalyseDesk::note(Session& session) const
{
    if (m_page->hasDocument() && m_page->plane()->showsPlot()) {
        session.thresholds = numbersOf(m_page->lines());
        session.rule = QString::fromStdString(std::string(name(m_page->rule())));
    }
    session.units = m_page->selection();
}

bool AnalyseDesk::busy() const
{
    return m_page->result() && !m_page->hasDocument();
}

void AnalyseDesk::restoreViews(const Session& session)
{
    if (!m_page->hasDocument())
        return;
    if (session.thresholds && m_page->plane()->showsPlot()) {
        const auto& t = *session.thresholds;
        const auto rule = session.rule.isEmpty() ? PartitionRule::Absolute : ruleFromName(session.rule);
        if (numbersOf(m_page->lines()) != t || (!session.rule.isEmpty() && m_page->rule() != rule))
            m_page->setPartition({t[0], t[1], t[2], t[3]}, rule);
    }
    if (!session.units.isEmpty())
        m_page->selectUnits(session.units);
    // Nothing of this was done by the user, so there is nothing to take back.
    m_thresholds.restart();
}

} // namespace peakscope
