// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: what connects the Analyse workspace.
#include "app/analyse_workspace.h"
#include "app/main_window.h"

namespace peakscope {

void MainWindow::connectAnalyse()
{
    connect(m_analyse, &AnalyseWorkspace::openRequested, this, &MainWindow::openDialog);
    connect(m_analyse, &AnalyseWorkspace::figureRequested, this, &MainWindow::exportFigure);
    connect(m_analyse, &AnalyseWorkspace::inspected, m_inspector, &InspectorPanel::showContent);
}

bool MainWindow::showAnalysis(const RunDocument& document)
{
    if (!document.result || !hasAnalysis(*document.result)) {
        m_analyse->clear();
        return false;
    }
    if (m_analyse->result() != document.result)
        m_analyse->showDocument(document);
    return document.result->kind == "prm";
}

} // namespace peakscope
