// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What became of the three classes' hypotheses, in words and numbers: a sentence a class, then every part of it with
// the noises at which it was judged. GUI thread.
#pragma once

#include "core/results/analysis_sections.h"

#include <QTextBrowser>

#include <memory>

namespace peakscope {

class HypothesisReport : public QTextBrowser
{
    Q_OBJECT
public:
    explicit HypothesisReport(QWidget* parent = nullptr);

    // Null: nothing to report.
    void setData(std::shared_ptr<const AnalysisData> data);

protected:
    void changeEvent(QEvent* event) override;

private:
    void rewrite();
    QString conclusionHtml(const ConclusionRow& row) const;
    QString findingHtml(const HypothesisRow& row) const;
    QString verdictHtml(const std::string& verdict) const;

    std::shared_ptr<const AnalysisData> m_data;
};

} // namespace peakscope
