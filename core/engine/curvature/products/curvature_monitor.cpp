// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/products/curvature_monitor.h"

#include <algorithm>

namespace peakscope {
namespace {

constexpr auto kEventInterval = std::chrono::milliseconds(40);
constexpr auto kSectionInterval = std::chrono::seconds(4);
constexpr double kProgressStep = 0.001;

} // namespace

CurvatureMonitor::CurvatureMonitor(EventSink& sink, Ledger& ledger)
    : m_sink(sink), m_ledger(ledger), m_start(Clock::now())
{}

void CurvatureMonitor::skip(double units)
{
    m_total = std::max(m_done, m_total - units);
}

void CurvatureMonitor::advance(double units, const std::string& message)
{
    m_done = std::min(m_total, m_done + units);
    const auto now = Clock::now();
    if (fraction() - m_sentFraction < kProgressStep || now - m_sentProgress < kEventInterval)
        return;
    ProgressEvent progress;
    progress.fraction = fraction();
    if (m_done > 0)
        progress.remainingSeconds = std::chrono::duration<double>(now - m_start).count() / m_done * (m_total - m_done);
    progress.message = message;
    m_sink.send(progress);
    m_sentFraction = fraction();
    m_sentProgress = now;
}

void CurvatureMonitor::estimate(const std::string& name, double mean, double standardError, std::int64_t samples,
                                bool final)
{
    const auto now = Clock::now();
    if (!final && now - m_sentEstimate < kEventInterval)
        return;
    m_sink.send(EstimateEvent{name, mean, standardError, samples});
    m_sentEstimate = now;
}

void CurvatureMonitor::estimate(const std::string& name, const MeanEstimate& value, bool final)
{
    estimate(name, value.mean(), value.standardError(), value.count(), final);
}

void CurvatureMonitor::section(const nlohmann::json& curvature, bool force)
{
    const auto now = Clock::now();
    if (!force && now - m_sentSection < kSectionInterval)
        return;
    m_sink.send(StageEvent{"curvature", {{"curvature", curvature}}});
    m_sentSection = now;
}

Status CurvatureMonitor::checkStop(const std::string& where) const
{
    if (m_ledger.stopRequested())
        return Error{ErrorCode::Interrupted, "cancelled in " + where, ""};
    return Done{};
}

} // namespace peakscope
