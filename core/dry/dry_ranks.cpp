// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dry/dry_ranks.h"

#include "core/base/file.h"
#include "core/dry/dry_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

Status makeFolder(const fs::path& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    return error ? badInput("dry run", folder.string() + " can't be made: " + error.message()) : Status(Done{});
}

// In their own files, for what is not asked for itself; several at once.
using LineCallback = std::function<void(const std::string&)>;
Status runAside(const std::vector<DryProgram>& programs, const std::vector<fs::path>& folders,
                const LineCallback& waits, std::vector<ProgramEnd>& ends)
{
    DryRuns runs([&waits](std::size_t, const std::string& line) {
        if (waits)
            waits(line);
    });
    ends.assign(programs.size(), {});
    for (std::size_t i = 0; i < programs.size(); ++i) {
        if (const Status made = makeFolder(folders[i]); !made)
            return made;
        DryProgram program = programs[i];
        program.namesBlocks = false;
        if (const Status started = runs.start(i, program, folders[i]); !started)
            return started;
    }
    while (runs.running() > 0) {
        const auto ended = runs.wait();
        if (!ended)
            return ended.error();
        ends[ended->number] = ended->end;
    }
    return Done{};
}

// What is reserved where the card is done with everything at once, and where it is never done unasked.
Status addRange(const DryProgram& program, const fs::path& folder, const LineCallback& waits, Recorded& recorded)
{
    std::vector<DryProgram> programs(2, program);
    programs[0].pace = CardPace::AtOnce;
    programs[1].pace = CardPace::NeverUnasked;
    const std::vector<fs::path> folders{folder / "at-once", folder / "never-unasked"};
    std::vector<ProgramEnd> ends;
    if (const Status run = runAside(programs, folders, waits, ends); !run)
        return run;
    std::int64_t low = recorded.result.memory->peakReservedBytes, high = low;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const auto other = recordedProgram(programs[i], ends[i], folders[i]);
        if (!other)
            return Done{}; // it ran out of memory before anything was kept
        low = std::min(low, other->result.memory->peakReservedBytes);
        high = std::max(high, other->result.memory->peakReservedBytes);
    }
    recorded.result.config["program"]["reserved_range"] = {low, high};
    if (low < high)
        recorded.result.notes.push_back(
            fmt::format("reserved memory depends on how far the card lags behind the host: {} to {} bytes, from no lag "
                        "to the largest. A real run lies between",
                        low, high));
    return Done{};
}

// The rank whose objects a run asked for and which no run has left yet; the folder of objects forgets it.
std::optional<std::int64_t> takeWantedRank(const fs::path& objects)
{
    const fs::path file = objects / "wanted";
    const auto text = readTextFile(file);
    std::error_code ignored;
    fs::remove(file, ignored);
    std::int64_t rank = 0;
    if (!text || std::from_chars(text->data(), text->data() + text->size(), rank).ec != std::errc())
        return std::nullopt;
    return rank;
}

// Of the ranks that have ended, and of the one that runs as far as it has come.
Result<RunResult> ranksSoFar(const RecordedRanks& all, std::int64_t rank, Result<RunResult> running)
{
    std::vector<RecordedRank> ranks = all.ranks;
    if (running)
        ranks.push_back({rank, Recorded{std::move(*running), {}}});
    return ranks.empty() ? running : resultOfRanks(ranks);
}

} // namespace

Result<std::vector<std::int64_t>> dryRanks(std::vector<std::int64_t> ranks, std::int64_t world)
{
    std::ranges::sort(ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] < 0 || ranks[i] >= world)
            return badInput("--rank", fmt::format("{} is not below --world {}", ranks[i], world));
        if (i > 0 && ranks[i] == ranks[i - 1])
            return badInput("--rank", fmt::format("{} appears twice", ranks[i]));
    }
    return ranks;
}

std::optional<std::int64_t> WantedRanks::next(const fs::path& objects)
{
    const auto wanted = takeWantedRank(objects);
    if (!wanted) {
        m_ended.insert(m_chain.back());
        m_chain.pop_back();
        return m_chain.empty() ? std::nullopt : std::optional(m_chain.back());
    }
    const std::int64_t sent = std::distance(fs::directory_iterator(objects), fs::directory_iterator());
    m_sent[m_chain.back()] = sent;
    const bool waits = std::ranges::find(m_chain, *wanted) != m_chain.end();
    if (m_ended.contains(*wanted) || (waits && m_sent[*wanted] == sent)) {
        m_stuck = failed("dry run", fmt::format("rank {} takes an object that rank {} {}", m_chain.back(), *wanted,
                                                waits ? "has not sent: it waits for one of a rank that waits for it"
                                                      : "doesn't send: it ends before"));
        return std::nullopt;
    }
    while (waits && m_chain.back() != *wanted)
        m_chain.pop_back();
    if (waits)
        return wanted;
    m_chain.push_back(*wanted);
    return wanted;
}

Result<RecordedRanks> recordRanks(DryProgram program, const std::vector<std::int64_t>& ranks, const fs::path& folder,
                                  const std::function<void(std::int64_t)>& begins, const LineCallback& waits,
                                  const ProgressListener& tells, const RanksListener& look)
{
    RecordedRanks all;
    const fs::path objects = folder / "objects";
    if (const Status made = makeFolder(objects); !made)
        return made.error();
    program.variables["PEAKSCOPE_OBJECTS"] = objects.string();
    for (const std::int64_t rank : ranks) {
        begins(rank);
        ProgramEnd end;
        fs::path own;
        std::optional<LiveRecording> recording;
        WantedRanks wanted(rank);
        int number = 0;
        for (std::optional<std::int64_t> next = rank; next; next = wanted.next(objects), ++number) {
            const fs::path place = folder / fmt::format("{}-{}", rank, number);
            if (const Status made = makeFolder(place); !made)
                return made.error();
            program.place->rank = *next;
            if (*next != rank) {
                std::vector<ProgramEnd> ends;
                if (const Status run = runAside({program}, {place}, waits, ends); !run)
                    return run.error();
                continue;
            }
            recording.emplace(place, LiveRecording::Listener{});
            const auto ended = runDryProgram(program, place, tells, &*recording, [&] {
                if (look)
                    look([&] { return ranksSoFar(all, rank, recordedSoFar(program, place, *recording)); });
            });
            if (!ended)
                return ended.error();
            end = *ended;
            own = place;
        }
        program.place->rank = rank;
        if (!wanted.stuck()) {
            all.problem = wanted.stuck();
            all.end = end;
            return all;
        }
        if (all.end.status() <= 0)
            all.end = end;
        auto recorded = recordedProgram(program, end, own, &*recording);
        if (!recorded) {
            all.problem = recorded.error();
            return all;
        }
        if (recorded->lateEvents) {
            if (const Status range = addRange(program, own, waits, *recorded); !range)
                return range.error();
        }
        const bool stopped = recorded->result.status == RunStatus::Interrupted;
        all.ranks.push_back({rank, std::move(*recorded)});
        if (stopped)
            break;
    }
    return all;
}

RunResult resultOfRanks(const std::vector<RecordedRank>& ranks)
{
    const auto size = [](const RecordedRank& rank) {
        const MemorySection& memory = *rank.recorded.result.memory;
        return std::pair(memory.peakReservedBytes, memory.peakBytes);
    };
    const RecordedRank& fullest = *std::ranges::max_element(ranks, {}, size);
    RunResult result = fullest.recorded.result;
    if (ranks.size() == 1)
        return result;
    for (const RecordedRank& rank : ranks) {
        const RunStatus status = rank.recorded.result.status;
        if (status == RunStatus::Interrupted ||
            (status != RunStatus::Complete && result.status == RunStatus::Complete)) {
            result.status = status;
            result.message = rank.recorded.result.message;
        }
        RankSection section;
        section.rank = rank.rank;
        section.device = rank.recorded.result.config["device"].get<std::string>();
        section.memory = rank.recorded.result.memory;
        section.status = rank.recorded.result.status;
        section.message = rank.recorded.result.message;
        section.other["program"] = rank.recorded.result.config["program"];
        result.ranks.push_back(std::move(section));
    }
    result.notes.push_back(fmt::format("memory: that of rank {}, the highest peak of the {} ranks that were run",
                                       fullest.rank, ranks.size()));
    return result;
}

} // namespace peakscope
