// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The result document: what one run found, as written to and read from a result JSON. Plain data; a finished result
// is shared as std::shared_ptr<const RunResult> and never changed.
#pragma once

#include "core/base/enum_words.h"
#include "core/base/result.h"
#include "core/results/rank_section.h"
#include "core/results/run_sections.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

struct AnalysisData;
struct CurvatureData;
struct SnapshotRecording;

struct Prediction {
    std::int64_t peakBytes = 0;
    ComponentBytes components{};
};

// What a result is of: an experiment (first, in the order of their kinds), or what was made of many.
enum class ResultKind { Memory, Curvature, Prm, Plan, Sweep };
template <>
inline constexpr std::array<std::string_view, 5> kEnumWords<ResultKind>{"memory", "curvature", "prm", "plan", "sweep"};

struct RunResult {
    ResultKind kind = ResultKind::Memory;
    std::string id;
    std::string created; // ISO 8601, UTC; empty (absent in the file) where an imported file does not say
    RunStatus status = RunStatus::Interrupted;
    std::string message;
    bool synthetic = false;
    std::vector<std::string> notes;
    nlohmann::json config = nlohmann::json::object();
    nlohmann::json environment = nlohmann::json::object();
    std::optional<Timing> timing;
    std::optional<MemorySection> memory;
    std::optional<Prediction> prediction;
    std::optional<double> loss;
    std::optional<double> perplexity;
    std::optional<double> gradientNorm;
    std::vector<double> losses; // of every step, warm-up included, before its update
    std::vector<double> perSampleGradientNorms;
    std::vector<RankSection> ranks; // in rank order; empty for a run of one process
    nlohmann::json other =
        nlohmann::json::object(); // fields and sections this version does not know, kept as they came

    // What `other` holds of curvature and of analysis, as finishedResult reads it; null where it holds none.
    std::shared_ptr<const CurvatureData> curvature;
    std::shared_ptr<const Result<AnalysisData>> analysis; // or what is wrong there
    // All of the snapshot that it was made from, for whoever asks more of it; null for others, and in no file.
    std::shared_ptr<const SnapshotRecording> recording;
};

inline constexpr int kResultVersion = 1;

// The document as JSON and back. fromJson checks every type it reads and names the JSON path of what is wrong; an
// unknown "version" is refused.
nlohmann::json toJson(const RunResult& result);
Result<RunResult> runResultFromJson(const nlohmann::json& document);

// One section of the document, for a "stage" event.
nlohmann::json toJson(const MemorySection& memory);
nlohmann::json toJson(const Timing& timing);

// The text that saveRunResult writes: the same document as toJson in the contract's order, a line a section. A million
// timeline events take well under a second.
std::string toJsonText(const RunResult& result);

// Takes the sections that `data` holds (keys of the result document, such as a finished stage's) into the result; each
// replaces what was there, notes are added. Keys that this version does not know go to `other`. On an error the
// section named by it, and what follows it, stay as they were.
Status mergeSections(RunResult& result, const nlohmann::json& data);

// Writes the whole document through a temporary file beside it and a rename; on failure (full disk, missing right)
// an older file of that name is left as it was.
Status saveRunResult(const RunResult& result, const std::filesystem::path& path);
Result<RunResult> loadRunResult(const std::filesystem::path& path);

} // namespace peakscope
