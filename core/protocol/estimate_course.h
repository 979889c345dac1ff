// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the stochastic values of a run narrowed: every estimate it told, thinned, as the result keeps them under
// "estimates". Used by the ResultAssembler; one thread at a time.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace peakscope {

// One estimate as it stood. Of an eigenvalue `standardError` is the residual.
struct EstimateMoment {
    std::int64_t samples = 0; // probes, entries or products until then
    double mean = 0;
    double standardError = 0;
    double timeSeconds = 0; // of the run's own clock
};

class EstimateCourse
{
public:
    static constexpr std::size_t kMost = 512; // moments of one estimate; beyond, every other one is let go

    // What is not finite is left out. A moment of as many samples as one before takes its place: the last of a quantity
    // is told once more, and a resumed run tells it from its start.
    void add(const std::string& name, const EstimateMoment& moment);
    // What a section "curvature" says beyond the estimates of their own events: the diagonal's mean ("diagonal_mean")
    // and the eigenvalues after the first ("eigenvalue.2", ...), whose samples are the products until then.
    void addSection(const nlohmann::json& curvature, double timeSeconds);

    bool empty() const { return m_series.empty(); }
    // {"trace": {"samples": [..], "mean": [..], "standard_error": [..], "time_seconds": [..]}, ...}
    nlohmann::json toJson() const;

private:
    struct Series {
        std::vector<EstimateMoment> kept; // every `stride`-th
        EstimateMoment last;
        std::size_t stride = 1, told = 0;
    };

    static void append(Series& series, const EstimateMoment& moment);

    std::map<std::string, Series> m_series;
    std::int64_t m_eigenProducts = 0;
};

} // namespace peakscope
