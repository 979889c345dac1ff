// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What one rank of a run on several found: an entry of the result document's "ranks". Plain data, filled in by the
// result assembler, shown side by side by the window; part of RunResult and never changed once it is final.
#pragma once

#include "core/base/json/json_reader.h"
#include "core/results/component.h"
#include "core/results/run_sections.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// Those of a kind that began in one phase.
struct CollectivePhase {
    Phase phase = Phase::Forward;
    std::int64_t count = 0;
    std::int64_t bytes = 0;
};

// One kind of collective over the measured steps. Bytes are logical: the payload, whatever the algorithm moves.
struct CollectiveUsage {
    std::string name; // "all_reduce", "reduce_scatter", "all_gather", "broadcast"
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    double seconds = 0; // in the call, waiting for slower ranks included
    std::vector<CollectivePhase> phases = {}; // which make up the whole; none in older files
};

struct CommunicationSection {
    double seconds = 0; // in collectives, over the measured steps
    double share = 0;   // of the measured steps' time, 0 to 1
    std::vector<CollectiveUsage> collectives;
    std::optional<double> overlappedSeconds = {}; // of them beside computing; none where nothing measures it
};

struct RankSection {
    std::int64_t rank = 0;
    std::string host;
    std::string device;
    std::optional<MemorySection> memory; // none where the rank ended before it had any
    std::optional<Timing> timing;
    std::optional<CommunicationSection> communication;
    RunStatus status = RunStatus::Complete;          // how this rank ended; absent in the file where it is complete
    std::string message;                             // why it ended early
    std::optional<std::int64_t> sameAs;              // a rank that stands for this one, which was not run
    nlohmann::json other = nlohmann::json::object(); // members this version does not know, kept as they came
};

// An entry of "ranks" as JSON.
nlohmann::json toJson(const RankSection& section);
// The same as the text of the document, large timelines without a detour over JSON.
void appendRankText(std::string& out, const RankSection& section);

// The entries of the array `key`, sorted by rank. A rank that is negative or there twice is a problem; what is odd but
// readable becomes a note that names its rank.
std::vector<RankSection> readRankSections(JsonReader& reader, std::string_view key, std::vector<std::string>& notes);

} // namespace peakscope
