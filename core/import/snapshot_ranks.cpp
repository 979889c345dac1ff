// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/snapshot_ranks.h"

#include "core/base/words.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/snapshots/snapshot_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNames = 4; // that a note names
constexpr std::size_t kMostFiles = 5000;

std::string lowered(std::string_view text)
{
    std::string low(text);
    std::transform(low.begin(), low.end(), low.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return low;
}

bool isSnapshotName(const fs::path& file)
{
    std::string name = lowered(file.filename().string());
    if (name.ends_with(".gz"))
        name.resize(name.size() - 3);
    return !name.starts_with('.') && (name.ends_with(".pickle") || name.ends_with(".pkl"));
}

// "a, b, c, d and 3 more".
std::string namesText(const std::vector<std::string>& names)
{
    std::vector<std::string> shown(names.begin(),
                                   names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames)));
    if (names.size() > shown.size())
        shown.push_back(fmt::format("{} more", names.size() - shown.size()));
    return joinWords(shown, "and");
}

// The first number of a name; of "iteration_10_exit" 10.
std::int64_t firstNumber(std::string_view name)
{
    const std::size_t begin = name.find_first_of("0123456789");
    std::int64_t number = -1;
    if (begin != std::string_view::npos)
        std::from_chars(name.data() + begin, name.data() + name.size(), number);
    return number;
}

struct Listing {
    std::vector<fs::path> files, folders; // by name
};

Result<Listing> listingOf(const fs::path& folder)
{
    Listing listing;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code unreadable;
        if (entry->is_directory(unreadable))
            listing.folders.push_back(entry->path());
        else if (entry->is_regular_file(unreadable) && !entry->path().filename().string().starts_with('.'))
            listing.files.push_back(entry->path());
        if (listing.files.size() + listing.folders.size() > kMostFiles)
            return badInput(folder.string(), "holds more than 5000 files; open some of them");
    }
    if (error)
        return badInput(folder.string(), "can't be read: " + error.message());
    std::sort(listing.files.begin(), listing.files.end());
    std::sort(listing.folders.begin(), listing.folders.end(), [](const fs::path& a, const fs::path& b) {
        const std::string x = a.filename().string(), y = b.filename().string();
        return std::pair(firstNumber(x), x) < std::pair(firstNumber(y), y);
    });
    return listing;
}

// Those of the folder itself.
RankFolder ranksAmong(const std::vector<fs::path>& files)
{
    RankFolder ranks;
    std::map<std::int64_t, std::vector<fs::path>> byRank;
    std::vector<std::string> others, nameless;
    for (const fs::path& file : files) {
        const std::string name = file.filename().string();
        const auto rank = rankOfName(name);
        const auto snapshot = isSnapshotName(file) ? holdsCudaSnapshot(file) : Result<bool>(false);
        if (!snapshot || !*snapshot)
            others.push_back(name);
        else if (!rank)
            nameless.push_back(name);
        else
            byRank[*rank].push_back(file);
    }
    for (const auto& [rank, own] : byRank) {
        ranks.files.push_back({rank, own.front()});
        std::vector<std::string> names;
        for (auto file = own.begin() + 1; file != own.end(); ++file)
            names.push_back(file->filename().string());
        if (!names.empty())
            ranks.notes.push_back(fmt::format("rank {} is there {} times: {} is shown, {} passed over", rank,
                                              own.size(), own.front().filename().string(),
                                              namesText(names) + (names.size() == 1 ? " is" : " are")));
    }
    if (!others.empty())
        ranks.notes.push_back("skipped, because it is not a CUDA snapshot: " + namesText(others));
    if (!nameless.empty())
        ranks.notes.push_back("skipped, because its name has no rank: " + namesText(nameless));
    return ranks;
}

double secondsOf(const CudaSnapshot& snapshot, const SnapshotReplay& replay, std::int64_t event)
{
    const DeviceHistory* history = snapshot.history(replay.device);
    if (!history || event < 0)
        return 0;
    const auto& events = history->events;
    return static_cast<double>(events[static_cast<std::size_t>(event)].timeMicros - events.front().timeMicros) / 1e6;
}

// What was reserved after an event.
std::int64_t reservedAt(const CudaSnapshot& snapshot, const SnapshotReplay& replay, std::int64_t event)
{
    const std::vector<std::int64_t> curve = snapshotCurve(snapshot, replay, SnapshotMeasure::Reserved);
    return std::max<std::int64_t>(0, curve[static_cast<std::size_t>(event + 1)]);
}

RankSummary summaryOf(const CudaSnapshot& snapshot, const SnapshotReplay& replay)
{
    RankSummary summary;
    summary.device = replay.device;
    summary.history = replay.kind;
    summary.events = replay.events;
    summary.steps = static_cast<std::int64_t>(replay.stepEnds.size());
    summary.peaks = replay.peaks;
    if (const OutOfMemory* end = replay.lastEnd()) {
        summary.ranOut = *end;
        summary.ranOutText = outOfMemoryText(snapshot, *end);
    }
    if (!replay.hasPeak())
        return summary;
    const std::int64_t peak = replay.peak(SnapshotMeasure::Allocated).event;
    summary.reservedAtPeakBytes = reservedAt(snapshot, replay, peak);
    summary.peakStep = replay.stepEnds.empty() ? 0 : replay.stepOf(peak);
    summary.peakSeconds = secondsOf(snapshot, replay, peak);
    summary.holders = snapshotHolders(snapshot, replay, replay.peak(SnapshotMeasure::Requested).event, HolderKey::Line);
    return summary;
}

// Of the worst of its devices; the others are named.
Result<RankSummary> readRank(const RankFile& file, std::vector<std::string>& notes, const std::stop_token& stop)
{
    ReadOptions options;
    options.stop = stop;
    const auto snapshot = openCudaSnapshot(file.path, options);
    if (!snapshot)
        return snapshot.error();
    const auto replays = replayDevices(*snapshot);
    if (!replays)
        return badInput(file.path.string(), replays.error().text());
    RankSummary summary = replays->empty() ? RankSummary() : summaryOf(*snapshot, replays->front());
    if (const std::string shown = shownDeviceText(*replays); !shown.empty())
        notes.push_back(fmt::format("rank {}: {}", file.rank, shown));
    summary.rank = file.rank;
    summary.file = file.path.filename().string();
    return summary;
}

void compare(RankComparison& comparison)
{
    std::vector<std::size_t> order; // by what was allocated, of those whose peak is known
    const auto bytes = [&](std::size_t i) { return comparison.ranks[i].peak(SnapshotMeasure::Allocated).bytes; };
    for (std::size_t i = 0; i < comparison.ranks.size(); ++i) {
        if (comparison.ranks[i].hasPeak())
            order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return bytes(a) > bytes(b); });
    if (order.empty())
        return;
    comparison.fullest = order.front();
    comparison.emptiest = order.back();
    const auto out =
        std::find_if(order.begin(), order.end(), [&](std::size_t i) { return comparison.ranks[i].ranOut.has_value(); });
    if (out != order.end())
        comparison.ranOut = *out;
    std::erase(order, *comparison.worst());
    if (order.empty())
        return;
    comparison.median = order[order.size() / 2];
    comparison.changes =
        holderChanges(comparison.ranks[*comparison.median].holders, comparison.ranks[*comparison.worst()].holders);
    std::erase_if(comparison.changes, [](const HolderChange& change) {
        return change.bytes() == 0 && change.blocks[0] == change.blocks[1];
    });
}

} // namespace

std::optional<std::int64_t> rankOfName(std::string_view file)
{
    const std::string name = lowered(file);
    for (std::size_t at = name.rfind("rank"); at != std::string::npos;
         at = at == 0 ? at - 1 : name.rfind("rank", at - 1)) {
        std::size_t digits = at + 4;
        if (digits < name.size() && (name[digits] == '_' || name[digits] == '-' || name[digits] == '.'))
            ++digits;
        std::int64_t rank = 0;
        const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), rank);
        if (error == std::errc() && rank >= 0)
            return rank;
    }
    return std::nullopt;
}

Result<RankFolder> findRanks(const fs::path& folder)
{
    const auto listing = listingOf(folder);
    if (!listing)
        return listing.error();
    RankFolder own = ranksAmong(listing->files);
    if (own.files.size() > 1 || listing->folders.empty())
        return own;
    std::vector<std::string> earlier;
    RankFolder last;
    for (const fs::path& each : listing->folders) {
        const auto inner = listingOf(each);
        RankFolder ranks = inner ? ranksAmong(inner->files) : RankFolder();
        if (ranks.files.size() < 2)
            continue;
        if (!last.files.empty())
            earlier.push_back(last.files.front().path.parent_path().filename().string());
        last = std::move(ranks);
    }
    if (last.files.empty())
        return own;
    if (!earlier.empty())
        last.notes.insert(last.notes.begin(), fmt::format("{} is shown, the last; {} {} ranks, too",
                                                          last.files.front().path.parent_path().filename().string(),
                                                          namesText(earlier), earlier.size() == 1 ? "holds" : "hold"));
    return last;
}

std::int64_t RankComparison::spreadBytes() const
{
    return fullest ? ranks[*fullest].peak(SnapshotMeasure::Allocated).bytes -
                         ranks[*emptiest].peak(SnapshotMeasure::Allocated).bytes
                   : 0;
}

Result<RankComparison> compareRanks(const RankFolder& folder, const std::stop_token& stop)
{
    RankComparison comparison;
    comparison.notes = folder.notes;
    for (const RankFile& file : folder.files) {
        auto summary = readRank(file, comparison.notes, stop);
        if (!summary && (summary.error().code != ErrorCode::BadInput || folder.files.size() < 2))
            return summary.error();
        if (summary)
            comparison.ranks.push_back(std::move(*summary));
        else // of a rank that died while it wrote
            comparison.notes.push_back(fmt::format("rank {} was not read: {}", file.rank, summary.error().text()));
    }
    if (comparison.ranks.empty())
        return badInput(folder.files.empty() ? std::string() : folder.files.front().path.parent_path().string(),
                        "no snapshot of it can be read; " + comparison.notes.back());
    compare(comparison);
    return comparison;
}

} // namespace peakscope
