// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/end_merge.h"

#include <algorithm>

namespace peakscope {
namespace {

std::string rankWord(std::size_t rank)
{
    return "rank " + std::to_string(rank);
}

bool isFailure(const std::optional<RankEnd>& one)
{
    return one && one->end.status != RunStatus::Complete && !one->consequence;
}

// The rank that failed first by itself.
std::optional<std::size_t> firstFailure(const std::vector<std::optional<RankEnd>>& ranks)
{
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (isFailure(ranks[i]) && (!first || ranks[i]->order < ranks[*first]->order))
            first = i;
    }
    return first;
}

// Whether all say the same: then it is no one rank's affair.
bool saidByAll(const std::vector<std::optional<RankEnd>>& ranks, const std::string& message)
{
    return std::all_of(ranks.begin(), ranks.end(), [&](const std::optional<RankEnd>& one) {
        return isFailure(one) && one->end.message == message;
    });
}

std::vector<std::string> notesOfAll(const std::vector<std::optional<RankEnd>>& ranks)
{
    std::vector<std::string> notes;
    if (!ranks.empty() && ranks.front())
        notes = ranks.front()->end.notes;
    const std::vector<std::string> first = notes;
    for (std::size_t i = 1; i < ranks.size(); ++i) {
        if (!ranks[i])
            continue;
        for (const std::string& note : ranks[i]->end.notes) {
            if (std::find(first.begin(), first.end(), note) == first.end())
                notes.push_back(rankWord(i) + ": " + note);
        }
    }
    return notes;
}

EndEvent chosenEnd(const RankEnds& ends)
{
    const auto& ranks = ends.ranks;
    if (!ends.failure.empty())
        return {RunStatus::Failed, ends.failure, {}, false};
    if (const auto first = firstFailure(ranks)) {
        EndEvent end = ranks[*first]->end;
        if (!saidByAll(ranks, end.message))
            end.message = rankWord(*first) + ": " + end.message;
        return end;
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] && ranks[i]->end.status != RunStatus::Complete) {
            EndEvent end = ranks[i]->end;
            if (!ends.stopAsked)
                end.message = rankWord(i) + ": " + end.message;
            return end;
        }
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (!ranks[i])
            return {ends.stopAsked ? RunStatus::Interrupted : RunStatus::Failed,
                    rankWord(i) + " did not report how it ended",
                    {},
                    false};
    }
    return ranks.empty() ? EndEvent{} : ranks.front()->end;
}

} // namespace

EndEvent mergedEnd(const RankEnds& ends)
{
    EndEvent end = chosenEnd(ends);
    end.notes = notesOfAll(ends.ranks);
    return end;
}

} // namespace peakscope
