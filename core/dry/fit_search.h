// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The search for the largest value that fits: which values to try next, given what became of those before, and the
// straight line that the bytes follow. Pure, any thread; fit_program.h runs programs for it.
#pragma once

#include "core/results/plans/plan_document.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// Of a range: the first value, then each the double of the one before, until one does not fit or the range ends; then
// what lies between is divided until nothing does. A list is divided from the start.
class FitSearch
{
public:
    FitSearch(std::int64_t first, std::int64_t last);
    explicit FitSearch(std::vector<std::int64_t> rising);

    // At most so many values to try now, rising; none: it is over. All of them are told before the next question.
    std::vector<std::int64_t> next(std::size_t most) const;
    void tell(std::int64_t value, bool fits);
    // The largest that fits and has none below it that does not; nothing where the first does not.
    std::optional<std::int64_t> largest() const;

private:
    std::int64_t valueAt(std::int64_t rank) const;
    std::int64_t lowestFull() const; // the rank of the first that does not fit, or the count
    std::int64_t highestFit() const; // of the last that fits below it, or -1

    std::vector<std::int64_t> m_list; // empty: a range
    std::int64_t m_first = 0, m_count = 0;
    std::map<std::int64_t, bool> m_fits; // by rank
};

// A run, with which of the program's rows.
struct FitDraw {
    static constexpr std::int64_t kLongest = -1;

    std::int64_t number = 0;     // 0: the first rows; kLongest: the longest together
    std::int64_t longestRow = 0; // of those, in tokens, or letters where they become tokens later
    std::int64_t allocatedBytes = 0, reservedBytes = 0;
    bool fits = true;
    std::string ended{}; // how the program ended, where it did so otherwise than for lack of memory; no bytes then
};

struct FitPoint {
    std::int64_t value = 0;
    std::int64_t allocatedBytes = 0, reservedBytes = 0; // peaks; of one that does not fit those before it was refused
    Verdict verdict = Verdict::Fits;
    std::int64_t steps = 0;             // of the optimiser that it took
    std::int64_t unknownAnswers = 0;    // values that it read back and nobody knew
    std::int64_t rank = 0;              // of several, the one that decides: it does not fit, or reserves most
    std::int64_t communicatorBytes = 0; // NCCL's own, a margin, in neither of the peaks
    bool stepsDiffer = false;           // in the bytes that they asked for: rows of other lengths may take more
    std::int64_t batches = 0;           // that it took from PyTorch's loaders
    bool limited = false;               // where it does not fit: a limit of the program's own refused it, not the card
    std::vector<FitDraw> draws{}; // each run of it: each has to fit, the peaks are those of the one that reserved most

    bool fits() const { return verdict != Verdict::DoesNotFit; }
    bool ranWith(std::int64_t draw) const;
    FitPoint& add(FitPoint ran); // with other rows
};

struct FitLine {
    double bytesAtZero = 0, bytesEach = 0;

    double at(std::int64_t value) const { return bytesAtZero + bytesEach * static_cast<double>(value); }
    // How far a point lies above it, as a share of the line.
    double offBy(const FitPoint& point) const;
};
// Whether the steps of this value differed, or of one so near that lengths of its rows are as mixed.
bool stepsDiffer(const std::vector<FitPoint>& points, std::int64_t value);
// Of allocated bytes by least squares over the points that fit; nothing for fewer than two.
std::optional<FitLine> fitLine(const std::vector<FitPoint>& points);
// The points that fit and lie further from it than this share: what grows otherwise.
inline constexpr double kOffLine = 0.02;
std::vector<FitPoint> offLine(const std::vector<FitPoint>& points, const FitLine& line);

} // namespace peakscope
