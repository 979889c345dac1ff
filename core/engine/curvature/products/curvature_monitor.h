// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a curvature experiment tells while it runs: progress with remaining time, estimates with their intervals, the
// section of the result as far as it stands; and whether it was asked to stop. The experiment's thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/curvature/vectors/estimate_statistics.h"
#include "core/engine/ledger/event_sink.h"
#include "core/engine/ledger/ledger.h"

#include <chrono>
#include <string>

namespace peakscope {

class CurvatureMonitor
{
public:
    CurvatureMonitor(EventSink& sink, Ledger& ledger);

    // Work is counted in gradient-like units; every quantity announces its own before the first begins.
    void announce(double units) { m_total += units; }
    // What was announced and will not be done after all.
    void skip(double units);
    // Done so far grows; sends progress where it moved by 0.1 % and the last was long enough ago.
    void advance(double units, const std::string& message);
    double fraction() const { return m_total > 0 ? m_done / m_total : 0; }

    // At most 25 a second and name, the last of a quantity always (`final`).
    void estimate(const std::string& name, double mean, double standardError, std::int64_t samples, bool final);
    void estimate(const std::string& name, const MeanEstimate& value, bool final);

    // The whole section as it stands; `force`: at the end of a quantity, else at most every few seconds.
    void section(const nlohmann::json& curvature, bool force);

    Status checkStop(const std::string& where) const;
    bool stopRequested() const { return m_ledger.stopRequested(); }
    Ledger& ledger() const { return m_ledger; }
    EventSink& sink() const { return m_sink; }

private:
    using Clock = std::chrono::steady_clock;

    EventSink& m_sink;
    Ledger& m_ledger;
    double m_total = 0;
    double m_done = 0;
    double m_sentFraction = -1;
    Clock::time_point m_start;
    Clock::time_point m_sentProgress{};
    Clock::time_point m_sentEstimate{};
    Clock::time_point m_sentSection{};
};

} // namespace peakscope
