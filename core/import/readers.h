// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The readers behind readAny, one a format, and what they share. Private to this folder.
#pragma once

#include "core/import/byte_source.h"
#include "core/import/import_object.h"
#include "core/import/read_any.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace peakscope {

struct SnapshotListener; // cuda_snapshot_file.h

using RunList = std::vector<RunResult>;

// Readers of documents: problems go to the log (its notes are added to every result by the caller). `stem` is the
// file's name without folder and endings.
RunList readDpsgdRun(const nlohmann::json& document, bool dit, const std::string& stem, ImportLog& log);
RunList readDpsgdPoints(const nlohmann::json& document, ImportLog& log); // one object, or an array of them
RunList readMemorySweep(const nlohmann::json& document, ImportLog& log); // one object, or an array of them
RunList readDetailedMemory(const nlohmann::json& document, ImportLog& log);
RunList readPrmResults(const nlohmann::json& document, ImportLog& log); // an object, or the bare rows
RunList readPrmPilot(const nlohmann::json& document, ImportLog& log);
RunList readHessianAnalysis(const nlohmann::json& document, ImportLog& log);

// Readers of tables: rows as objects of text, and empty cells left out.
RunList readSweepSummary(const nlohmann::json& rows, ImportLog& log);
RunList readPrmCsv(const nlohmann::json& rows, ImportLog& log);
RunList readPilotCsv(const nlohmann::json& rows, ImportLog& log);

// Readers of streams; errors name the file and the place in it.
Result<RunList> readChromeTrace(ByteSource& source);
Result<RunList> readMemoryTimeline(ByteSource& source);
Result<RunList> readMemoryTimelineRaw(ByteSource& source);

Result<RunList> readCudaSnapshot(ByteSource& source, const ReadOptions& options, const SnapshotListener& listener);

// A complete result of another program.
RunResult importedRun(ResultKind kind);
// Takes a section of the result document in; what this version has no type for goes to `other`.
void putSection(RunResult& result, const char* key, nlohmann::json section);
// Every component but these is unknown to the result's source.
void limitComponents(MemorySection& memory, std::initializer_list<Component> known);
// A whole section in which nothing is known yet: every member is missing.
MemorySection emptyMemory();
void setKnown(MemorySection& memory, std::initializer_list<std::string_view> members);
// Members of a script's configuration under the names that Peakscope's experiments have; what has none keeps its own.
nlohmann::json experimentFrom(const nlohmann::json& config, ImportLog& log, const std::string& path);
// "ghost_fsdp" -> "ghost", as training.clipping calls it; empty for an unknown name.
std::string clippingOf(std::string_view method);

} // namespace peakscope
