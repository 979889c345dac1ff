// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: what connects the Analyse workspace.
#include "app/analyse/analyse_workspace.h"
#include "app/run/run_panel.h"
#include "app/run/run_workspace.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "core/base/file.h"
#include "core/experiment/experiment.h"
#include "core/model/catalogue.h"

#include "core/base/json_reader.h"

namespace peakscope {

void MainWindow::connectAnalyse()
{
    connect(m_analyse, &AnalyseWorkspace::openRequested, this, &MainWindow::openDialog);
    connect(m_analyse, &AnalyseWorkspace::figureRequested, this, &MainWindow::exportFigure);
    connect(m_analyse, &AnalyseWorkspace::inspected, this,
            [this](const InspectorContent& content) { inspect(Page::Analyse, content); });
    connect(&m_queue, &RunQueue::runChanged, this, [this](int id) {
        if (id == m_shownRun && m_analyse->liveId() != id)
            showLiveAnalysis();
    });
    connect(&m_queue, &RunQueue::batchArrived, this, [this](const LiveBatch& batch) {
        if (batch.analysis && batch.id == m_shownRun)
            showLiveAnalysis();
    });
}

// First what everybody knows, a few training steps with their memory to the byte; behind them what noise in weights
// does, where that sample is installed.
void MainWindow::startDemo()
{
    const nlohmann::json steps = demoExperiment();
    prepare();
    m_workspace->panel()->setDocument(steps);
    const int first = startExperiment(steps);
    const Result<std::string> text = readTextFile(resourceFolder() / "samples" / "demo.json");
    const auto noise = nlohmann::json::parse(text ? *text : std::string(), nullptr, false);
    if (first == 0 || !noise.is_object())
        return;
    const int second = startExperiment(noise);
    showRun(first);
    m_messages->showMessage(
        MessageBar::Kind::Info,
        tr("The demo is two runs: a few training steps, then what noise in groups of weights does, a minute or two."),
        {{tr("Show the second"), [this, second] {
              m_messages->dismiss();
              showRun(second);
          }}});
}

bool MainWindow::showLiveAnalysis()
{
    const RunInfo* info = m_shownRun ? m_queue.info(m_shownRun) : nullptr;
    const LiveRun* live = m_queue.live();
    if (!info || isFinished(info->state) || !live || live->id != m_shownRun ||
        experimentKind(info->experiment) != ExperimentKind::Prm)
        return false;
    m_analyse->showLive(m_shownRun, info->title, live->analysis);
    return true;
}

bool MainWindow::showAnalysis(const RunDocument& document)
{
    if (!document.result && showLiveAnalysis())
        return false;
    if (!document.result || !document.result->analysis) {
        m_analyse->clear();
        m_inspected.erase(Page::Analyse);
        return false;
    }
    if (m_analyse->result() != document.result)
        m_analyse->showDocument(document);
    return document.result->kind == ResultKind::Prm;
}

} // namespace peakscope
