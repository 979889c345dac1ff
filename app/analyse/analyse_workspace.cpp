// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_workspace.h"

#include "app/analyse/analyse_page.h"
#include "app/export/figure_export.h"
#include "app/jobs/result_loader.h"
#include "app/jobs/run_queue.h"
#include "app/parts/device_choice.h"
#include "app/parts/window_actions.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"
#include "core/results/dry_result.h"
#include "core/results/plans/plan_document.h"
#include "widgets/analysis/analysis_scatter_view.h"

#include <QAction>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

PartitionRule ruleFromName(std::string_view text)
{
    return text == name(PartitionRule::Quantile) ? PartitionRule::Quantile : PartitionRule::Absolute;
}

std::array<double, 4> numbersOf(const ClassThresholds& t)
{
    return {t.funcAlignment, t.funcSparsity, t.sensAlignment, t.sensSparsity};
}

} // namespace

AnalyseWorkspace::AnalyseWorkspace(const WorkspaceServices& parts, QWidget* pages, QObject* parent)
    : Workspace([] { return tr("Analyse"); }, Glyph::Analyse, Shows::Front, new AnalysePage(pages), parts, parent),
      m_page(static_cast<AnalysePage*>(page())), m_thresholds(m_page, parts.history, this)
{
    connect(m_page, &AnalysePage::openRequested, this,
            [this] { m_services.shell.openFiles(m_services.shell.chooseFiles()); });
    connect(m_page, &AnalysePage::figureRequested, &m_services.figures, &FigureExport::showFigure);
    connect(m_page, &AnalysePage::actionRequested, this,
            [this](const QString& id) { m_services.actions.find(id)->trigger(); });
    connect(m_page, &AnalysePage::inspected, this, &Workspace::inspected);
    connect(m_page, &AnalysePage::documentShown, this, &Workspace::becameIdle);
    connect(&m_services.front, &ShownDocument::changed, &m_thresholds, &ThresholdHistory::follow);
    connect(&m_services.queue, &RunQueue::runChanged, this, [this](int id) {
        if (id == m_services.front.run() && m_page->liveId() != id)
            showLive(id);
    });
    connect(&m_services.queue, &RunQueue::batchArrived, this, [this](const LiveBatch& batch) {
        if (batch.analysis && batch.id == m_services.front.run())
            showLive(batch.id);
    });
}

bool AnalyseWorkspace::showLive(int id)
{
    const RunInfo* info = m_services.queue.info(id);
    const LiveRun* live = m_services.queue.live();
    if (!info || isFinished(info->state) || !live || live->id != id ||
        experimentKind(info->experiment) != ExperimentKind::Prm)
        return false;
    if (isDryExperiment(info->experiment))
        m_page->showDry(id, info->title);
    else
        m_page->showLive(id, info->title, live->analysis);
    return true;
}

Workspace::Claim AnalyseWorkspace::showAnalysis(const RunDocument& document)
{
    if (!document.result || !document.result->analysis) {
        if (document.result && document.result->kind == ResultKind::Prm && isDry(*document.result))
            m_page->showDry(0, resultTitle(*document.result));
        else
            m_page->clear();
        emit nothingInspected();
        return Claim::None;
    }
    if (m_page->result() != document.result)
        m_page->showDocument(document);
    return document.result->kind == ResultKind::Prm ? Claim::Subject : Claim::Part;
}

Workspace::Claim AnalyseWorkspace::showDocument(const RunDocument& document)
{
    return holdsPlan(*document.result) ? Claim::None : showAnalysis(document);
}

// A run comes to the front where it was set up and is told of; what it says of analysis stands here.
Workspace::Claim AnalyseWorkspace::showRun(const RunInfo& info)
{
    if (info.outcome.result || !showLive(info.id))
        showAnalysis({info.outcome.path, info.outcome.result, info.outcome.timeline, {}});
    return Claim::Part;
}

nlohmann::json AnalyseWorkspace::kept() const
{
    if (!m_page->hasDocument() || !m_page->plane()->showsPlot())
        return {};
    return {{"views", {{"thresholds", numbersOf(m_page->lines())}, {"rule", std::string(name(m_page->rule()))}}}};
}

bool AnalyseWorkspace::busy() const
{
    return m_page->result() && !m_page->hasDocument();
}

void AnalyseWorkspace::restoreViews(const nlohmann::json& kept)
{
    if (!m_page->hasDocument())
        return;
    const nlohmann::json& views = lenient::member(kept, "views");
    const std::vector<double> t = lenient::numbers(lenient::member(views, "thresholds"));
    const auto isFinite = [](double value) { return std::isfinite(value); };
    if (t.size() == 4 && std::all_of(t.begin(), t.end(), isFinite) && m_page->plane()->showsPlot()) {
        const ClassThresholds lines{t[0], t[1], t[2], t[3]};
        const PartitionRule rule = ruleFromName(lenient::text(views, "rule"));
        if (numbersOf(m_page->lines()) != numbersOf(lines) || m_page->rule() != rule)
            m_page->setPartition(lines, rule);
    }
    // Nothing of this was done by the user, so there is nothing to take back.
    m_thresholds.restart();
}

} // namespace peakscope
