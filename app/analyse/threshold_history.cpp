// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/threshold_history.h"

#include "app/analyse/analyse_page.h"
#include "app/parts/view_history.h"

namespace peakscope {

ThresholdHistory::ThresholdHistory(AnalysePage* analysis, ViewHistory& history, QObject* parent)
    : QObject(parent), m_analysis(analysis), m_history(history)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(ViewHistory::kGesture);
    connect(&m_pause, &QTimer::timeout, this, &ThresholdHistory::note);
    connect(&history, &ViewHistory::aboutToUndo, this, &ThresholdHistory::note);
    connect(analysis, &AnalysePage::documentShown, this, &ThresholdHistory::follow);
    connect(analysis, &AnalysePage::partitionChanged, &m_pause, qOverload<>(&QTimer::start));
    follow();
}

ThresholdHistory::Lines ThresholdHistory::present() const
{
    return {m_analysis->lines(), m_analysis->rule()};
}

void ThresholdHistory::follow()
{
    const auto result = m_analysis->result();
    if ((result && !m_analysis->hasDocument()) || result == m_result)
        return;
    m_result = result;
    m_lines = present();
}

void ThresholdHistory::restart()
{
    m_pause.stop();
    m_result.reset();
    follow();
}

void ThresholdHistory::note()
{
    m_pause.stop();
    const Lines after = present(), before = m_lines;
    const auto same = [](const ClassThresholds& a, const ClassThresholds& b) {
        return a.funcAlignment == b.funcAlignment && a.funcSparsity == b.funcSparsity &&
               a.sensAlignment == b.sensAlignment && a.sensSparsity == b.sensSparsity;
    };
    if (!m_result || m_result != m_analysis->result() || !m_analysis->hasDocument() ||
        (same(before.thresholds, after.thresholds) && before.rule == after.rule))
        return;
    m_lines = after;
    const auto show = [this](const Lines& lines) {
        m_analysis->setPartition(lines.thresholds, lines.rule);
        m_lines = present(); // or the next look would take this for a change of the user's
    };
    m_history.note([] { return tr("thresholds"); }, [show, before] { show(before); }, [show, after] { show(after); });
}

} // namespace peakscope
