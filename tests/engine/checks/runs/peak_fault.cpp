// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/runs/peak_fault.h"

#include <cmath>
#include <sstream>

namespace peakscope {
namespace {

// The phase in which the peak was measured and the last changes before it, so that one report of a run that will not
// be seen again says what was alive.
std::string momentOf(const MemorySection& measured)
{
    std::ostringstream text;
    const PhaseMark* phase = nullptr;
    for (const PhaseMark& mark : measured.phases) {
        if (mark.timeSeconds <= measured.peakTimeSeconds)
            phase = &mark;
    }
    if (phase != nullptr)
        text << " in phase " << name(phase->phase) << " of step " << phase->step;
    const TimelineData& data = measured.timeline;
    std::size_t end = 0;
    for (std::int64_t live = 0; end < data.size() && live < measured.peakBytes; ++end)
        live += data.deltaBytes[end];
    text << ", after";
    for (std::size_t i = end > 8 ? end - 8 : 0; i < end; ++i)
        text << ' ' << std::showpos << data.deltaBytes[i] << std::noshowpos << ' ' << name(data.component[i]);
    return text.str();
}

std::string componentsThatDiffer(const Prediction& prediction, const MemorySection& measured)
{
    std::ostringstream text;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        if (prediction.components[i] != measured.peakComponents[i])
            text << "; " << name(static_cast<Component>(i)) << ": predicted " << prediction.components[i]
                 << ", measured " << measured.peakComponents[i];
    }
    return text.str();
}

} // namespace

std::string peakFault(const Prediction& prediction, const MemorySection& measured, bool loose)
{
    const double peak = static_cast<double>(measured.peakBytes);
    bool fault = std::abs(static_cast<double>(prediction.peakBytes) / peak - 1) > (loose ? 0.01 : 0.0001);
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const double own = static_cast<double>(measured.peakComponents[i]);
        const double off = std::abs(static_cast<double>(prediction.components[i]) - own);
        fault = fault || (off > 0.05 * own && off > 0.01 * peak);
    }
    if (!fault)
        return "";
    std::ostringstream text;
    text << "predicted " << prediction.peakBytes << ", measured " << measured.peakBytes << momentOf(measured)
         << componentsThatDiffer(prediction, measured);
    return text.str();
}

} // namespace peakscope
