// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison/comparison_settings.h"

#include "core/analysis/comparison/sweep_growth.h"

#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/results/prediction_bound.h"
#include "core/results/sweeps/timed_round.h"

#include <algorithm>
#include <map>
#include <set>

namespace peakscope {

namespace {

using nlohmann::json;
using Leaves = std::map<std::string, std::string>;

std::string textOf(const json& value)
{
    return value.is_string() ? value.get<std::string>() : value.is_null() ? std::string() : dumpJson(value);
}

// Every leaf of a configuration by its dotted path; lists count as one.
void flatten(const json& value, const std::string& path, Leaves& leaves)
{
    if (!value.is_object()) {
        leaves[path] = textOf(value);
        return;
    }
    for (const auto& [key, child] : value.items())
        flatten(child, path.empty() ? key : path + "." + key, leaves);
}

// Where and by whom a run was made is no setting of it; "max_physical_batch" follows the batch by default.
bool isSetting(const std::string& path)
{
    static const std::set<std::string> kOthers{"launcher", "threads", "data.path", "budget_bytes", "name", "fit"};
    return kOthers.count(path) == 0;
}

Leaves settingsOf(const RunResult& result)
{
    Leaves leaves;
    if (result.config.is_object())
        flatten(result.config, {}, leaves);
    std::erase_if(leaves, [](const auto& leaf) { return !isSetting(leaf.first); });
    return leaves;
}

// What tells one model from another, in words: its name, or its family and size.
std::string modelText(const RunResult& result)
{
    const json model = settingAt(result.config, "model");
    for (const char* key : {"id", "dir"}) {
        if (const std::string text = textOf(settingAt(model, key)); !text.empty())
            return text.substr(text.find_last_of('/', text.size() > 1 ? text.size() - 2 : 0) + 1);
    }
    const std::string family = textOf(settingAt(model, "family"));
    const std::string layers = textOf(settingAt(model, "layers")), hidden = textOf(settingAt(model, "hidden"));
    return layers.empty() || hidden.empty() ? family : family + " " + layers + " x " + hidden;
}

bool sameModel(const RunResult& a, const RunResult& b)
{
    const json first = settingAt(a.config, "model"), second = settingAt(b.config, "model");
    if (!first.is_object() || !second.is_object())
        return true; // nothing is known of one of them
    // Two programs write down different members: what both name must be equal.
    for (const auto& [key, value] : first.items()) {
        if (second.contains(key) && second[key] != value)
            return false;
    }
    return true;
}

// A stand-in of a card counts as a card does.
std::string deviceOf(const RunResult& result)
{
    const std::string device = textOf(settingAt(result.environment, "device")),
                      kind = device.substr(0, device.find(':'));
    return kind == "dry" ? "cuda" : kind;
}

std::string statisticOf(const RunResult& result)
{
    const std::string other = textOf(settingAt(result.other, "timing.statistic"));
    return other.empty() ? "median" : other;
}

std::string missingComponents(const RunResult& result, const RunResult& base)
{
    std::string names;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const auto component = static_cast<Component>(i);
        const bool matters = hasComponent(base, component) && base.memory->peakComponents[i] != 0;
        if (matters && !hasComponent(result, component))
            names += (names.empty() ? "" : ", ") + std::string(name(component));
    }
    return names;
}

class CaveatList
{
public:
    CaveatList(const std::vector<ComparedRun>& runs, std::size_t base) : m_runs(runs), m_base(base) {}

    std::vector<ComparisonCaveat> make()
    {
        for (std::size_t run = 0; run < m_runs.size(); ++run) {
            aboutItself(run);
            if (run != m_base)
                againstBase(run);
        }
        return std::move(m_caveats);
    }

private:
    const RunResult& result(std::size_t run) const { return *m_runs[run].result; }
    void add(Caveat kind, std::size_t run, std::string own = {}, std::string base = {})
    {
        m_caveats.push_back({kind, run, std::move(own), std::move(base)});
    }

    void aboutItself(std::size_t run)
    {
        const RunResult& r = result(run);
        if (tooBusy(timedRounds(r)))
            add(Caveat::BusyMachine, run);
        if (r.synthetic)
            add(Caveat::Synthetic, run);
        if (!r.memory) {
            const PeakClaim claim = peakClaim(r);
            add(claim == PeakClaim::None ? Caveat::NoMemory : Caveat::PredictedOnly, run,
                claim == PeakClaim::Bound ? "bound" : "");
            return;
        }
        if (r.status != RunStatus::Complete)
            add(Caveat::NotComplete, run, std::string(name(r.status)));
        if (!r.memory->has("peak_components"))
            add(Caveat::NoComponents, run);
        else if (!componentsAreAtPeak(r))
            add(Caveat::ComponentsAfterStep, run, std::string(name(commonReading(r))));
        const bool timeline = m_runs[run].timeline && m_runs[run].timeline->size() > 0;
        const bool placed = std::any_of(r.memory->snapshots.begin(), r.memory->snapshots.end(),
                                        [](const Snapshot& s) { return s.phase.has_value(); });
        if (!timeline)
            add(placed ? Caveat::PhasesFromSnapshots : Caveat::NoTimeline, run);
        if (r.memory->modules.empty() && anyModules())
            add(Caveat::NoModules, run);
        if (anyTimes() && (!r.timing || !(r.timing->medianStepSeconds > 0)))
            add(Caveat::NoTime, run);
    }

    void againstBase(std::size_t run)
    {
        const RunResult &r = result(run), &b = result(m_base);
        if (r.kind != b.kind && !(isMemory(r) && isMemory(b)))
            add(Caveat::OtherKind, run, std::string(name(r.kind)), std::string(name(b.kind)));
        if (!sameModel(r, b))
            add(Caveat::OtherModel, run, modelText(r), modelText(b));
        const auto differ = [&](Caveat kind, const std::string& own, const std::string& base) {
            if (!own.empty() && !base.empty() && own != base)
                add(kind, run, own, base);
        };
        differ(Caveat::OtherType, textOf(settingAt(r.config, "dtype")), textOf(settingAt(b.config, "dtype")));
        differ(Caveat::OtherDevice, deviceOf(r), deviceOf(b));
        differ(Caveat::OtherWork, workText(r), workText(b));
        if (r.memory && b.memory && mergedApart(r.memory->timeline, b.memory->timeline))
            add(Caveat::OtherMerging, run);
        if (r.memory && b.memory && r.memory->has("peak_components") && b.memory->has("peak_components"))
            if (const std::string names = missingComponents(r, b); !names.empty())
                add(Caveat::SomeComponents, run, names);
        if (r.timing && b.timing && r.timing->medianStepSeconds > 0 && b.timing->medianStepSeconds > 0) {
            if (r.timing->traced != b.timing->traced)
                add(Caveat::OtherTiming, run, r.timing->traced ? "traced" : "", b.timing->traced ? "traced" : "");
            differ(Caveat::OtherStatistic, statisticOf(r), statisticOf(b));
            if (const auto ratio = ratioOfTimes(r, b); ratio && ratio->doubt == RatioDoubt::Unsteady)
                add(Caveat::UnsteadyTimes, run, intervalText(*ratio));
        }
    }

    // What the comparison takes from timelines that are exact at other moments is not the same of equal runs.
    static bool mergedApart(const TimelineData& a, const TimelineData& b)
    {
        if (a.size() == 0 || b.size() == 0 || (!a.merged && !b.merged))
            return false;
        return a.merged != b.merged || a.deltaBytes != b.deltaBytes || a.component != b.component;
    }
    static bool isMemory(const RunResult& r)
    {
        return r.memory && (r.kind == ResultKind::Memory || r.kind == ResultKind::Sweep);
    }
    static std::string workText(const RunResult& r)
    {
        const json batch = settingAt(r.config, "data.batch"), sequence = settingAt(r.config, "data.seq");
        return batch.is_number() && sequence.is_number() ? textOf(batch) + " x " + textOf(sequence) : std::string();
    }
    bool anyModules() const
    {
        return std::any_of(m_runs.begin(), m_runs.end(), [](const ComparedRun& run) {
            return run.result->memory && !run.result->memory->modules.empty();
        });
    }
    bool anyTimes() const
    {
        return std::any_of(m_runs.begin(), m_runs.end(), [](const ComparedRun& run) {
            return run.result->timing && run.result->timing->medianStepSeconds > 0;
        });
    }

    const std::vector<ComparedRun>& m_runs;
    std::size_t m_base;
    std::vector<ComparisonCaveat> m_caveats;
};

} // namespace

json settingAt(const json& config, std::string_view path)
{
    const json* value = lenient::findPath(config, path);
    return value ? *value : json();
}

std::int64_t tokensPerStep(const json& experiment)
{
    const auto batch = jsonInteger(settingAt(experiment, "data.batch"));
    const auto sequence = jsonInteger(settingAt(experiment, "data.seq"));
    std::int64_t tokens = 0;
    if (!batch || !sequence || *batch <= 0 || *sequence <= 0 || __builtin_mul_overflow(*batch, *sequence, &tokens))
        return 0;
    return tokens;
}

std::vector<ComparisonCaveat> comparisonCaveats(const std::vector<ComparedRun>& runs, std::size_t base)
{
    return CaveatList(runs, base).make();
}

std::vector<DifferentSetting> differentSettings(const std::vector<ComparedRun>& runs)
{
    std::vector<Leaves> leaves;
    std::set<std::string> paths;
    for (const ComparedRun& run : runs) {
        leaves.push_back(settingsOf(*run.result));
        for (const auto& [path, value] : leaves.back())
            paths.insert(path);
    }
    std::vector<DifferentSetting> settings;
    for (const std::string& path : paths) {
        DifferentSetting setting{path, {}};
        for (const Leaves& run : leaves) {
            const auto found = run.find(path);
            setting.values.push_back(found == run.end() ? std::string() : found->second);
        }
        const std::set<std::string> values(setting.values.begin(), setting.values.end());
        if (values.size() > 1)
            settings.push_back(std::move(setting));
    }
    return settings;
}

std::vector<ScalingFit> scalingFits(const std::vector<ComparedRun>& runs)
{
    std::vector<ScalingFit> fits;
    if (runs.size() < 3)
        return fits;
    const std::vector<DifferentSetting> settings = differentSettings(runs);
    for (const char* setting : {"data.seq", "data.batch", "training.lora.rank", "model.layers", "model.hidden"}) {
        // What follows the setting by itself may differ with it.
        const auto follows = [setting](const std::string& path) {
            return path == setting || path == "data.max_physical_batch" || path == "model.max_positions" ||
                   path.find("method") == 0 ||
                   (std::string_view(setting) == "model.hidden" &&
                    (path == "model.ffn" || path == "model.head_dim" || path == "model.embed_dim"));
        };
        const bool alone =
            std::all_of(settings.begin(), settings.end(), [&](const DifferentSetting& s) { return follows(s.path); });
        std::set<double> distinct;
        std::vector<HeldAlike> held;
        ScalingFit peak{setting, "peak_bytes", {}, {}, {}}, time{setting, "step_seconds", {}, {}, {}};
        for (const ComparedRun& run : runs) {
            const json value = settingAt(run.result->config, setting);
            if (!value.is_number() || run.result->status != RunStatus::Complete)
                continue;
            const double x = value.get<double>();
            distinct.insert(x);
            if (run.result->memory && run.result->memory->peakBytes > 0) {
                peak.x.push_back(x);
                peak.y.push_back(static_cast<double>(run.result->memory->peakBytes));
                const ComponentBytes& at = run.result->memory->peakComponents;
                const auto bytes = [&at](Component c) { return static_cast<double>(at[static_cast<std::size_t>(c)]); };
                held.push_back(
                    {bytes(Component::Parameters), bytes(Component::Gradients), bytes(Component::OptimizerStates)});
            }
            if (run.result->timing && run.result->timing->medianStepSeconds > 0) {
                time.x.push_back(x);
                time.y.push_back(run.result->timing->medianStepSeconds);
            }
        }
        if (!alone || distinct.size() < 3)
            continue;
        for (ScalingFit* fit : {&peak, &time}) {
            // Parameters and states do not grow with the sequence: an offset belongs to the law.
            fit->fit = fitAboveFloor(fit->x, fit->y, fit == &peak ? steadyFloor(held) : 0);
            if (fit->fit.usable() && fit->fit.points >= 3)
                fits.push_back(std::move(*fit));
        }
    }
    return fits;
}

std::string text(const ComparisonCaveat& caveat, std::size_t base)
{
    const std::string run = "run " + comparisonLetter(caveat.run), other = "run " + comparisonLetter(base);
    switch (caveat.kind) {
    case Caveat::OtherKind:
        return run + " is of kind " + caveat.own + ", " + other + " of kind " + caveat.base;
    case Caveat::NoMemory:
        return run + " holds no measured memory";
    case Caveat::PredictedOnly:
        return run + (caveat.own.empty() ? " was not measured: its bytes are a prediction"
                                         : " was not measured: its bytes are the most it was planned for");
    case Caveat::OtherModel:
        return run + " is another model (" + caveat.own + ") than " + other + " (" + caveat.base + ")";
    case Caveat::OtherType:
        return run + " computes in " + caveat.own + ", " + other + " in " + caveat.base;
    case Caveat::OtherDevice:
        return run + " ran on " + caveat.own + ", " + other + " on " + caveat.base +
               ": what counts as allocated differs";
    case Caveat::OtherWork:
        return "a step of " + run + " is " + caveat.own + " tokens, one of " + other + " " + caveat.base;
    case Caveat::Synthetic:
        return run + " is synthetic: its numbers were made up";
    case Caveat::NotComplete:
        return run + " is " + caveat.own + ": its peak is the highest until it ended";
    case Caveat::NoComponents:
        return run + " was imported without components: only its total can be compared";
    case Caveat::ComponentsAfterStep:
        return "the components of " + run +
               (caveat.own == name(ComponentReading::AfterStep) ? " were read after the step: they" : "") +
               " do not sum to its peak";
    case Caveat::SomeComponents:
        return "the source of " + run + " does not have " + caveat.own;
    case Caveat::NoTimeline:
        return run + " has no timeline";
    case Caveat::OtherMerging:
        return "the timelines of " + run + " and " + other +
               " were merged at other moments: between these, bytes of phases may be less than they were";
    case Caveat::PhasesFromSnapshots:
        return run + " has no timeline: its phases are single snapshots";
    case Caveat::NoModules:
        return run + " has no modules";
    case Caveat::OtherTiming:
        return "only one of " + run + " and " + other + " was timed with tracing on";
    case Caveat::OtherStatistic:
        return "the step time of " + run + " is the " + caveat.own + ", that of " + other + " the " + caveat.base;
    case Caveat::NoTime:
        return run + " has no step time";
    case Caveat::BusyMachine:
        return "the machine was too busy to compare the times of " + run;
    case Caveat::UnsteadyTimes:
        return "the times of " + run + " and " + other + " differ from round to round: a ratio of " + caveat.own;
    }
    return {};
}

} // namespace peakscope
