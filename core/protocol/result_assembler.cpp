// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/result_assembler.h"

#include "core/base/json/json_reader.h"
#include "core/results/component_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace peakscope {

namespace {

// What a rank tells of itself; all else in its stages is about the run.
constexpr const char* kOwnSections[] = {"memory", "timing", "communication"};

} // namespace

void ResultAssembler::add(const Event& event)
{
    if (m_ended) {
        return;
    }
    if (event.rank >= 0 && !std::holds_alternative<EndEvent>(event)) {
        addOfRank(event);
        return;
    }
    std::visit([this](const auto& one) { take(one); }, static_cast<const AnyEvent&>(event));
}

void ResultAssembler::take(const StartEvent& event)
{
    m_started = true;
    m_result.id = event.id;
    m_result.created = event.created;
    m_result.config = event.config;
    m_result.environment = event.environment;
    if (const auto kind = jsonAs<std::string>(lenient::member(event.config, "kind"))) {
        m_result.kind = valueOf(*kind, m_result.kind);
    }
}

void ResultAssembler::take(const EstimateEvent& event)
{
    m_course.add(event.name, {event.samples, event.mean, event.standardError, seconds()});
}

void ResultAssembler::take(const StageEvent& event)
{
    if (event.data.is_object() && event.data.contains("curvature")) {
        m_course.addSection(event.data["curvature"], seconds());
    }
    if (const Status status = mergeSections(m_result, event.data); !status) {
        m_result.notes.push_back("the section \"" + event.name + "\" could not be read: " + status.error().text());
    }
}

void ResultAssembler::take(const EndEvent& event)
{
    m_ended = true;
    m_badInput = event.badInput;
    m_result.status = event.status;
    m_result.message = event.message;
    for (const std::string& note : event.notes) {
        if (std::find(m_result.notes.begin(), m_result.notes.end(), note) == m_result.notes.end()) {
            m_result.notes.push_back(note);
        }
    }
}

// ---- several ranks

void ResultAssembler::addOfRank(const Event& event)
{
    Rank& rank = m_ranks[event.rank];
    rank.section.rank = event.rank;
    if (const auto* start = std::get_if<StartEvent>(&event)) {
        takeStart(rank, *start);
    } else if (const auto* phase = std::get_if<PhaseEvent>(&event)) {
        rank.live.take(*phase);
    } else if (const auto* memory = std::get_if<MemoryEvent>(&event)) {
        rank.live.take(*memory);
    } else if (const auto* snapshot = std::get_if<SnapshotEvent>(&event)) {
        rank.live.take(*snapshot);
    } else if (const auto* stage = std::get_if<StageEvent>(&event)) {
        takeStage(rank, *stage);
    } else if (const auto* estimate = std::get_if<EstimateEvent>(&event); estimate && event.rank == 0) {
        take(*estimate);
    }
}

void ResultAssembler::takeStart(Rank& rank, const StartEvent& event)
{
    rank.section.host = lenient::text(event.environment, "host");
    rank.section.device = lenient::text(event.environment, "device");
    if (rank.section.rank == 0) {
        take(event);
    }
}

void ResultAssembler::takeStage(Rank& rank, const StageEvent& event)
{
    if (!event.data.is_object()) {
        return;
    }
    nlohmann::json own = {{"rank", rank.section.rank}};
    StageEvent rest{event.name, event.data};
    for (const char* key : kOwnSections) {
        if (rest.data.contains(key)) {
            own[key] = std::move(rest.data[key]);
            rest.data.erase(key);
        }
    }
    if (rest.data.contains("rank_end")) {
        own.update(rest.data["rank_end"]);
        rest.data.erase("rank_end");
        rank.ended = true;
    }
    if (const nlohmann::json& ledger = lenient::object(lenient::object(rest.data, "allocator"), "ledger");
        !ledger.empty()) {
        own["ledger"] = ledger; // beside this rank's own allocator
    }
    if (rest.data.contains("same_as")) {
        own["same_as"] = std::move(rest.data["same_as"]);
        rest.data.erase("same_as");
    }
    RunResult read;
    const Status status = mergeSections(read, {{"ranks", nlohmann::json::array({std::move(own)})}});
    if (!status) {
        m_result.notes.push_back("the section \"" + event.name + "\" of rank " + std::to_string(rank.section.rank) +
                                 " could not be read: " + status.error().text());
    } else if (!read.ranks.empty()) {
        RankSection& told = read.ranks.front();
        rank.section.other.update(told.other); // what is in no section that this version knows
        if (told.memory) {
            rank.section.memory = std::move(told.memory);
        }
        if (told.timing) {
            rank.section.timing = std::move(told.timing);
        }
        if (told.communication) {
            rank.section.communication = std::move(told.communication);
        }
        if (told.sameAs) {
            rank.section.sameAs = told.sameAs;
        }
        if (rank.ended) {
            rank.section.status = told.status;
            rank.section.message = told.message;
        }
    }
    // How much memory a refused step would have needed is told by whichever rank was refused.
    const bool refusal = event.name == "refusal" && !m_result.other.contains("refusal");
    if (rank.section.rank == 0 || refusal) {
        if (rank.section.rank == 0 && rank.section.timing && event.data.contains("timing")) {
            rest.data["timing"] = event.data["timing"];
        }
        take(rest);
    }
}

RankPosition ResultAssembler::lastSeen(int rank) const
{
    RankPosition seen;
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end()) {
        return seen;
    }
    seen.host = found->second.section.host;
    if (const auto& phases = found->second.live.soFar().phases; !phases.empty()) {
        seen.phase = phases.back().phase;
        seen.step = phases.back().step;
    }
    return seen;
}

RankSection ResultAssembler::sectionOf(const Rank& rank) const
{
    RankSection section = rank.section;
    if (rank.live.counts(section.memory, m_ended)) {
        section.memory = rank.live.section(section.memory);
    }
    return section;
}

// The run's memory is that of its fullest rank.
void ResultAssembler::addRanks(RunResult& out) const
{
    const RankSection* fullest = nullptr;
    bool live = false;
    std::size_t equal = 0;
    for (const auto& [number, rank] : m_ranks) {
        live = live || rank.live.counts(rank.section.memory, m_ended);
        out.ranks.push_back(sectionOf(rank));
    }
    for (const RankSection& section : out.ranks) {
        equal += section.sameAs ? 1 : 0;
        if (section.memory && (!fullest || section.memory->peakBytes > fullest->memory->peakBytes)) {
            fullest = &section;
        }
    }
    if (fullest && out.ranks.size() > 1) {
        out.memory = fullest->memory;
        out.notes.push_back("memory: that of rank " + std::to_string(fullest->rank) + ", the highest peak of " +
                            std::to_string(out.ranks.size()) + " ranks");
    } else if (fullest) {
        out.memory = fullest->memory;
    }
    if (equal > 0) {
        out.notes.push_back(fmt::format("{} of {} ranks were not run: each needs the memory of one that was (same_as)",
                                        equal, out.ranks.size()));
    }
    if (live && (m_gone || m_ended)) {
        setGuessed(out);
    }
}

// ---- the whole

void ResultAssembler::workerGone(const std::string& sentence, const std::optional<RankDeath>& death)
{
    m_gone = true;
    if (!m_ended) {
        m_result.status = RunStatus::Interrupted;
        m_result.message = death ? deathSentence(*death, lastSeen(death->rank)) : sentence;
        for (auto& [number, rank] : m_ranks) {
            if (!rank.ended) {
                const bool died = death && death->rank == number;
                rank.section.status = died ? RunStatus::Failed : RunStatus::Interrupted;
                rank.section.message = died ? m_result.message : "";
            }
        }
    }
}

const LiveMemory& ResultAssembler::firstLive() const
{
    const auto first = m_ranks.find(0);
    return first == m_ranks.end() ? m_live : first->second.live;
}

RunResult ResultAssembler::result() const
{
    RunResult out = m_result;
    if (!m_course.empty()) {
        out.other["estimates"] = m_course.toJson();
    }
    if (!m_ranks.empty()) {
        addRanks(out);
    } else if (m_live.counts(m_result.memory, m_ended)) {
        out.memory = m_live.section(m_result.memory);
        if (m_gone || m_ended) {
            setGuessed(out);
        }
    }
    return out;
}

} // namespace peakscope
