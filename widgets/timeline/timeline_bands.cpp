// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_bands.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace peakscope {

namespace {

double usualWidth(std::span<const StepBand> steps)
{
    std::vector<double> widths;
    for (const StepBand& step : steps)
        widths.push_back(step.width());
    const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
    std::nth_element(widths.begin(), middle, widths.end());
    return *middle;
}

// How many steps make one band, so that the words of the last one, the longest, fit a usual band.
std::size_t stepsPerBand(std::span<const StepBand> steps, const std::function<double(const StepBand&)>& roomFor)
{
    const double usual = usualWidth(steps);
    for (std::size_t decade = 1; decade < steps.size(); decade *= 10) {
        for (const std::size_t digit : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
            const std::size_t count = decade * digit;
            if (count >= steps.size())
                break;
            const StepBand last{0, 0, steps[steps.size() - count].first, steps.back().last};
            if (usual * static_cast<double>(count) >= roomFor(last))
                return count;
        }
    }
    return steps.size();
}

void gatherStretch(std::span<const StepBand> steps, const std::function<double(const StepBand&)>& roomFor, double least,
                   std::vector<StepBand>& bands)
{
    const std::size_t begin = bands.size();
    const std::size_t count = stepsPerBand(steps, roomFor);
    for (std::size_t i = 0; i < steps.size(); i += count) {
        const StepBand& last = steps[std::min(i + count, steps.size()) - 1];
        const StepBand band{steps[i].left, last.right, steps[i].first, last.last};
        // A stretch may hold wide steps and many thin ones.
        const bool thin = bands.size() > begin && (band.width() < least || bands.back().width() < least);
        if (thin) {
            bands.back().right = band.right;
            bands.back().last = band.last;
        } else {
            bands.push_back(band);
        }
    }
}

void addDense(std::span<const PhasePiece> pieces, double window, std::vector<PhaseBand>& bands)
{
    const double left = pieces.front().left, right = pieces.back().right;
    const auto count = static_cast<std::size_t>(std::max(1.0, std::round((right - left) / window)));
    std::size_t next = 0;
    for (std::size_t i = 0; i < count; ++i) {
        PhaseBand band;
        band.left = left + (right - left) * static_cast<double>(i) / static_cast<double>(count);
        band.right = left + (right - left) * static_cast<double>(i + 1) / static_cast<double>(count);
        std::array<double, kPhaseCount> room{};
        double sum = 0;
        for (std::size_t k = next; k < pieces.size() && pieces[k].left < band.right; ++k) {
            const double common = std::min(pieces[k].right, band.right) - std::max(pieces[k].left, band.left);
            room[static_cast<std::size_t>(pieces[k].phase)] += std::max(common, 0.0);
            sum += std::max(common, 0.0);
            next = pieces[k].right <= band.right ? k + 1 : k;
        }
        for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
            if (room[phase] > 0)
                band.shares.emplace_back(static_cast<Phase>(phase), room[phase] / sum);
        }
        if (!band.shares.empty())
            bands.push_back(std::move(band));
    }
}

} // namespace

std::vector<StepBand> gatherSteps(const std::vector<StepBand>& steps,
                                  const std::function<double(const StepBand&)>& roomFor, double least)
{
    std::vector<StepBand> bands;
    const double gap = least / 4;
    for (std::size_t begin = 0; begin < steps.size();) {
        std::size_t end = begin + 1;
        // Numbers that begin anew are of another part of the run.
        while (end < steps.size() && steps[end].left - steps[end - 1].right <= gap &&
               steps[end].first >= steps[end - 1].last)
            ++end;
        gatherStretch(std::span(steps).subspan(begin, end - begin), roomFor, least, bands);
        begin = end;
    }
    return bands;
}

QString stepBandText(const StepBand& band)
{
    const auto number = [](std::int64_t step) { return QLocale().toString(static_cast<qlonglong>(step)); };
    return band.first == band.last ? number(band.first) : number(band.first) + QChar(0x2013) + number(band.last);
}

Phase PhaseBand::main() const
{
    const auto more = [](const auto& a, const auto& b) { return a.second < b.second; };
    return std::max_element(shares.begin(), shares.end(), more)->first;
}

std::vector<PhaseBand> gatherPhases(const std::vector<PhasePiece>& pieces, double least, double window)
{
    std::vector<PhaseBand> bands;
    std::size_t dense = 0; // where the thin ones before piece i begin
    const auto close = [&](std::size_t end) {
        if (dense < end && pieces[end - 1].right > pieces[dense].left)
            addDense(std::span(pieces).subspan(dense, end - dense), window, bands);
    };
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].right - pieces[i].left < least)
            continue;
        close(i);
        dense = i + 1;
        bands.push_back({pieces[i].left, pieces[i].right, {{pieces[i].phase, 1.0}}});
    }
    close(pieces.size());
    return bands;
}

} // namespace peakscope
