// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Analyse workspace: the embedding, classes and noise responses of the run or result in front. GUI thread.
#pragma once

#include "app/analyse/threshold_history.h"
#include "app/window/shell.h"
#include "app/window/workspace.h"

namespace peakscope {

class AnalyseWorkspace;

class AnalyseDesk : public Workspace
{
    Q_OBJECT

public:
    AnalyseDesk(const Bench& bench, QWidget* pages, QObject* parent);

    QString title() const override { return tr("Analyse"); }
    Glyph glyph() const override { return Glyph::Analyse; }
    QWidget* page() const override;
    QByteArray saveLayout() const override;
    void restoreLayout(const QByteArray& state) override;
    void restoreDefaultLayout() override;
    Claim showDocument(const RunDocument& document) override;
    Claim showRun(const RunInfo& info) override;
    bool showsFront() const override { return true; }
    void note(Session& session) const override;
    void restoreViews(const Session& session) override;
    bool busy() const override;

private:
    Claim showAnalysis(const RunDocument& document);
    // The same of the run in front while it measures; false where it is none of that kind.
    bool showLive(int id);

    Bench m_bench;
    AnalyseWorkspace* m_page;
    ThresholdHistory m_thresholds;
};

} // namespace peakscope
