// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/inspect_ranks.h"

#include "core/base/json/json_access.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/import/snapshot_ranks.h"

#include <algorithm>
#include <cstdlib>

namespace peakscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kShownChanges = 10; // `diff` of the two files has all

std::string_view endOf(const RankSummary& rank)
{
    return rank.ranOut ? "oom" : "whole";
}

Json rankJson(const RankSummary& rank)
{
    Json json = {
        {"rank", rank.rank},     {"file", rank.file},   {"device", rank.device}, {"history", name(rank.history)},
        {"events", rank.events}, {"steps", rank.steps}, {"end", endOf(rank)}};
    for (std::size_t i = 0; rank.hasPeak() && i < kSnapshotMeasures; ++i) {
        const std::string measure(name(static_cast<SnapshotMeasure>(i)));
        json["peak"][measure + "_bytes"] = rank.peaks[i].bytes;
        json["peak_event"][measure] = rank.peaks[i].event;
    }
    if (rank.hasPeak()) {
        json["reserved_at_peak_bytes"] = rank.reservedAtPeakBytes;
        json["peak_seconds"] = rank.peakSeconds;
        if (rank.peakStep > 0)
            json["peak_step"] = rank.peakStep;
    }
    if (rank.ranOut)
        json["message"] = rank.ranOutText;
    return json;
}

Json comparisonJson(const RankComparison& comparison)
{
    Json json = {{"format", "folder"},     {"format_title", "CUDA snapshots, one a rank"},
                 {"kind", "memory"},       {"notes", comparison.notes},
                 {"ranks", Json::array()}, {"spread_allocated_bytes", comparison.spreadBytes()}};
    for (const RankSummary& rank : comparison.ranks)
        json["ranks"].push_back(rankJson(rank));
    const auto say = [&](const char* key, std::optional<std::size_t> which) {
        json[key] = which ? Json(comparison.ranks[*which].rank) : Json();
    };
    say("worst", comparison.worst());
    say("fullest", comparison.fullest);
    say("ran_out", comparison.ranOut);
    say("median", comparison.median);
    if (comparison.median) {
        const RankSummary& median = comparison.ranks[*comparison.median];
        const RankSummary& worst = comparison.ranks[*comparison.worst()];
        Json rows = Json::array();
        for (const HolderChange& change : comparison.changes)
            rows.push_back(
                {{"what", change.what}, {"requested_bytes", change.requestedBytes}, {"blocks", change.blocks}});
        json["difference"] = {
            {"from", median.rank},
            {"to", worst.rank},
            {"requested_bytes",
             {median.peak(SnapshotMeasure::Requested).bytes, worst.peak(SnapshotMeasure::Requested).bytes}},
            {"rows", rows}};
    }
    return json;
}

std::string whenOf(const RankSummary& rank)
{
    const std::string seconds = fmt::format("{:.3g} s", rank.peakSeconds);
    return rank.peakStep > 0 ? fmt::format("step {}, {}", rank.peakStep, seconds) : seconds;
}

void printRanks(const RankComparison& comparison)
{
    print("{:>5}  {:>12}  {:>12}  {:<20}  {:<7}  {:<5}  {}\n", "rank", "peak", "reserved", "when", "history", "end",
          "file");
    for (const RankSummary& rank : comparison.ranks) {
        const bool known = rank.hasPeak();
        print("{:>5}  {:>12}  {:>12}  {:<20}  {:<7}  {:<5}  {}\n", rank.rank,
              known ? formatBytes(rank.peak(SnapshotMeasure::Allocated).bytes) : "unknown",
              known ? formatBytes(rank.reservedAtPeakBytes) : "", known ? whenOf(rank) : "", name(rank.history),
              endOf(rank), rank.file);
    }
}

void printWorst(const RankComparison& comparison)
{
    if (comparison.ranOut) {
        const RankSummary& out = comparison.ranks[*comparison.ranOut];
        print("rank {} {}\n", out.rank, "ran " + out.ranOutText);
    }
    if (!comparison.fullest)
        return;
    const RankSummary& fullest = comparison.ranks[*comparison.fullest];
    const RankSummary& emptiest = comparison.ranks[*comparison.emptiest];
    const std::string peak = formatBytes(fullest.peak(SnapshotMeasure::Allocated).bytes);
    if (comparison.spreadBytes() == 0)
        print("all ranks have the same peak, {}\n", peak);
    else
        print("rank {} is the fullest with {}, {} more than rank {}, the emptiest\n", fullest.rank, peak,
              formatBytes(comparison.spreadBytes()), emptiest.rank);
}

void printChanges(const RankComparison& comparison)
{
    if (!comparison.median || comparison.changes.empty())
        return;
    print("requested bytes at the peak: what rank {} holds more of than rank {}, the median:\n",
          comparison.ranks[*comparison.worst()].rank, comparison.ranks[*comparison.median].rank);
    const std::size_t shown = std::min(kShownChanges, comparison.changes.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const HolderChange& change = comparison.changes[i];
        print("{:>12}  {:>10} to {:>10}  {}\n", (change.bytes() > 0 ? "+" : "") + formatBytes(change.bytes()),
              formatBytes(change.requestedBytes[0]), formatBytes(change.requestedBytes[1]), change.what);
    }
    if (shown < comparison.changes.size())
        print("{:>12}  and {} more\n", "", comparison.changes.size() - shown);
}

} // namespace

std::optional<int> inspectRanks(const fs::path& folder, bool json)
{
    std::error_code error;
    if (fs::exists(folder / "sweep.json", error))
        return std::nullopt;
    const auto files = findRanks(folder);
    if (!files || files->files.size() < 2)
        return std::nullopt;
    const auto comparison = compareRanks(*files);
    if (!comparison)
        return report(comparison.error());
    if (json) {
        standardOutput().json(dumpJson(comparisonJson(*comparison)));
        return 0;
    }
    printRanks(*comparison);
    printWorst(*comparison);
    printChanges(*comparison);
    for (const std::string& note : comparison->notes)
        print("{}\n", note);
    return 0;
}

} // namespace peakscope
