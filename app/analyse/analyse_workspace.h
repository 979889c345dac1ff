// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Analyse workspace: the embedding, classes and noise responses of the run or result in front. GUI thread.
#pragma once

#include "app/analyse/threshold_history.h"
#include "app/shell/workspace.h"

namespace peakscope {

class AnalysePage;

class AnalyseWorkspace : public Workspace
{
    Q_OBJECT

public:
    AnalyseWorkspace(const WorkspaceServices& parts, QWidget* pages, QObject* parent);

    Claim showDocument(const RunDocument& document) override;
    Claim showRun(const RunInfo& info) override;
    nlohmann::json kept() const override;
    void restoreViews(const nlohmann::json& kept) override;
    bool busy() const override;

private:
    Claim showAnalysis(const RunDocument& document);
    // The same of the run in front while it measures; false where it is none of that kind.
    bool showLive(int id);

    AnalysePage* m_page;
    ThresholdHistory m_thresholds;
};

} // namespace peakscope
