// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A plan as the window and the figures show it: ranked strategies, the ladder and the capacity map, read from what
// `recommend --json` writes or from a result of kind "plan". Plain data without the search; any thread.
#pragma once

#include "core/base/result.h"
#include "core/results/component.h"
#include "core/results/plans/dry_proof.h"
#include "core/results/plans/tier.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

enum class Verdict { Comfortable, Fits, Tight, NeedsSharding, DoesNotFit };
inline constexpr std::size_t kVerdictCount = 5;
template <>
inline constexpr std::array<std::string_view, kVerdictCount> kEnumWords<Verdict>{"comfortable", "fits", "tight",
                                                                                 "needs_sharding", "does_not_fit"};
inline constexpr auto& verdictFromName = fromName<Verdict>;
// By reserved bytes plus context against the usable bytes: <= 60 %, <= 85 %, <= 100 %, above.
Verdict verdictFor(std::int64_t reservedBytes, std::int64_t contextBytes, std::int64_t usableBytes);

struct PlannedDevice {
    std::string id;   // "a800-80gb", "cpu", "cuda:0", "bytes:80GiB"
    std::string name; // for people
    bool cuda = true;
    std::int64_t totalBytes = 0;
    std::int64_t usableBytes = 0;  // what a process may use of it, context included; 0: not said
    std::int64_t contextBytes = 0; // CUDA context and libraries of one process; not the allocator's

    // What the allocator may reserve: usable less context.
    std::int64_t capacityBytes() const { return usableBytes - contextBytes; }
    bool operator==(const PlannedDevice&) const = default;
};
inline Verdict verdictFor(std::int64_t reservedBytes, const PlannedDevice& device)
{
    return verdictFor(reservedBytes, device.contextBytes, device.usableBytes);
}

// By what it took, or that it ran out.
inline Verdict verdictFor(const DryProof& proof, const PlannedDevice& device)
{
    return proof.fits ? verdictFor(proof.reservedBytes, device) : Verdict::DoesNotFit;
}

struct PlannedStrategy {
    std::string title;
    Verdict verdict = Verdict::Fits;
    std::optional<Tier> tier; // against what was asked for; plans of earlier versions do not say
    std::int64_t devicesNeeded = 1;
    std::int64_t peakBytes = 0; // of one device, like all bytes here
    std::int64_t reservedBytes = 0;
    ComponentBytes components{}; // at the peak
    std::optional<DryProof> proved; // where it ran dry; verdict and margin are then by it
    std::int64_t marginBytes = 0;
    std::string givesUp;        // against what was asked for, in a few words; may be empty
    double tokensPerSecond = 0; // an upper bound; 0: unknown
    double stepSeconds = 0;     // 0: unknown
    bool verified = true;   // its kind of step was measured and agreed
    std::string peakPhase;  // may be empty, as may the module
    std::string peakModule;
    std::vector<std::string> reasons;
    std::vector<std::string> notes;
    nlohmann::json experiment; // null where the file holds none
    std::vector<PlannedStrategy> folded; // variants of it that few would take for what they save

    std::int64_t knownPeakBytes() const { return knownBytes(proved, &DryProof::allocatedBytes, peakBytes); }
    std::int64_t knownReservedBytes() const { return knownBytes(proved, &DryProof::reservedBytes, reservedBytes); }
    bool operator==(const PlannedStrategy&) const = default;
};

// One step of the degradation ladder.
struct PlannedStep {
    std::string change;
    std::int64_t peakBytes = 0;
    std::int64_t savedBytes = 0; // against the step before
    Verdict verdict = Verdict::Fits;
    nlohmann::json experiment;
    std::optional<Tier> tier; // of this step and all before it
    bool operator==(const PlannedStep&) const = default;
};

// A run whose set-up is the map's but for batch and sequence.
struct MeasuredCell {
    std::int64_t sequence = 0;
    std::int64_t batch = 0;
    std::int64_t peakBytes = 0;
    std::int64_t reservedBytes = 0; // 0: not recorded (CPU)
    Verdict verdict = Verdict::Fits;
    std::string device; // where it was measured
    std::string file;
    bool operator==(const MeasuredCell&) const = default;
};

struct PlannedMap {
    std::vector<std::int64_t> sequences; // rising
    std::vector<std::int64_t> batches;   // rising
    // Of each cell, row-major [sequence][batch]; 0 bytes: impossible.
    std::vector<std::int64_t> peakBytes;
    std::vector<std::int64_t> reservedBytes;
    std::vector<Verdict> verdicts;
    std::vector<std::int64_t> frontier; // the largest batch that fits at each sequence; 0: none
    std::string strategy;               // its title; may be empty
    nlohmann::json experiment;          // gives everything but batch and sequence
    std::vector<MeasuredCell> measured;

    std::size_t cell(std::size_t sequence, std::size_t batch) const { return sequence * batches.size() + batch; }
    // The cell of this sequence and batch; nothing where the map has none.
    std::optional<std::size_t> find(std::int64_t sequence, std::int64_t batch) const;
    bool possible(std::size_t cell) const { return peakBytes[cell] > 0; }
    bool operator==(const PlannedMap&) const = default;
};

struct PlanDocument {
    std::string model;  // as asked for
    std::string answer; // in one sentence; plans of earlier versions have none
    std::int64_t parameters = 0;
    PlannedDevice device;
    std::int64_t devices = 1;
    std::string goal; // train, hessian, dp-sgd, prm
    std::vector<PlannedStrategy> strategies;
    std::vector<PlannedStep> ladder;
    std::vector<std::string> wouldFit; // where nothing fits
    std::vector<std::string> notes;
    std::int64_t searched = 0;
    double seconds = 0;
    nlohmann::json base; // keys of an experiment that the user fixed
    std::optional<PlannedMap> map;

    // Whether other loops than our own, which take more (estimated_loop.h), fit where the first row does.
    enum class OtherLoops : std::uint8_t { Fit, MayNotFit, DoNotFit };
    OtherLoops otherLoops() const;
    bool operator==(const PlanDocument&) const = default;
};

// The parts of a ranked list, in their order: what fits by its tier, then the rest.
enum class PlanPart { Exact, Precision, Method, MoreDevices, DoesNotFit };
inline constexpr std::size_t kPlanPartCount = 5;
// Nothing where the plan does not say the tier of what fits.
std::optional<PlanPart> planPart(Verdict verdict, std::optional<Tier> tier);
std::string_view heading(PlanPart part); // in English; the window has its own
// Where a part begins: the part of strategy `index` where the one before is of another. Nothing anywhere where the
// list does not stand in the parts' order or one has no part.
std::vector<std::optional<PlanPart>> partHeadings(const PlanDocument& plan);

// Reads a plan; every wrong type is an error that names its JSON path. Unknown members are ignored.
Result<PlanDocument> planFromJson(const nlohmann::json& document);
nlohmann::json toJson(const PlannedMap& map);

// A plan as a result document of kind "plan": its JSON stands in `other` under "plan", with the map under
// "capacity_map".
RunResult planResult(const nlohmann::json& plan);
bool isPlan(const RunResult& result);
// Whether it holds strategies too: results of kind "plan" that come from other programs do not.
bool holdsPlan(const RunResult& result);
Result<PlanDocument> planOf(const RunResult& result);

// "Run this" on a cell of a map: the experiment with its batch and sequence. A smaller physical batch stays.
nlohmann::json experimentForCell(const nlohmann::json& experiment, std::int64_t sequence, std::int64_t batch);

Table strategiesTable(const PlanDocument& plan);
Table ladderTable(const PlanDocument& plan);
Table capacityTable(const PlannedMap& map); // a row a cell, measured ones last
// A booktabs table of the strategies: bytes in one unit, special characters escaped.
std::string strategiesLatex(const PlanDocument& plan);

} // namespace peakscope
