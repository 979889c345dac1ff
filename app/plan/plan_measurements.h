// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the library that measured what a plan predicts: read without their timelines, remembered while their
// files stay as they are, matched by everything that decides about memory. Belongs to the plan worker's thread.
#pragma once

#include "core/results/plans/plan_document.h"

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace peakscope {

struct MeasuredRun {
    std::string setup; // everything but batch and sequence that decides about memory; see memorySetup
    std::int64_t sequence = 0;
    std::int64_t batch = 0;
    std::int64_t peakBytes = 0;
    std::int64_t reservedBytes = 0;
    std::string device;
    std::string file;
};

struct MeasuredMatches {
    std::vector<std::int64_t> peaks; // of each strategy; 0: none measured
    std::vector<MeasuredCell> cells; // of the mapped experiment, its batch and sequence aside
};

// What of an experiment decides about its memory, batch and sequence aside, as text that is equal for equal set-ups;
// empty where it is no valid experiment. Defaults are filled in.
std::string memorySetup(const nlohmann::json& experiment);

// A complete, measured training run; nothing for any other file.
std::optional<MeasuredRun> readMeasuredRun(const std::filesystem::path& file);

class MeasuredRuns
{
public:
    // Reads the folder's newest results; those that have not changed since the last time are not read again.
    void scan(const std::filesystem::path& folder, const std::stop_token& stop);
    MeasuredMatches match(const std::vector<nlohmann::json>& strategies, const nlohmann::json& mapped,
                          const PlannedDevice& device) const;

private:
    struct Entry {
        std::filesystem::file_time_type time;
        std::optional<MeasuredRun> run;
    };
    std::map<std::string, Entry> m_entries; // by path
};

} // namespace peakscope
