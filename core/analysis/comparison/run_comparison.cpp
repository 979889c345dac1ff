// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison/run_comparison.h"

#include "core/analysis/comparison/comparison_settings.h"
#include "core/analysis/comparison/phase_peaks.h"
#include "core/results/prediction_bound.h"
#include "core/results/sweeps/timed_round.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

namespace peakscope {

namespace {

using Value = std::optional<double>;

// Rows in the order in which their names first came, one value a run.
class RowList
{
public:
    explicit RowList(std::size_t runs) : m_runs(runs) {}

    void set(std::size_t run, const std::string& name, const std::string& detail, Value value)
    {
        const auto [place, isNew] = m_places.try_emplace(name + '\n' + detail, m_rows.size());
        if (isNew)
            m_rows.push_back({name, detail, std::vector<Value>(m_runs)});
        m_rows[place->second].values[run] = value;
    }

    void add(std::size_t run, const std::string& name, double value)
    {
        const auto place = m_places.find(name + '\n');
        const Value before = place == m_places.end() ? Value() : m_rows[place->second].values[run];
        set(run, name, {}, before.value_or(0) + value);
    }

    std::vector<ComparedRow> take() { return std::move(m_rows); }

private:
    std::size_t m_runs;
    std::vector<ComparedRow> m_rows;
    std::unordered_map<std::string, std::size_t> m_places;
};

template <typename Fill>
std::vector<ComparedRow> rowsOf(const std::vector<ComparedRun>& runs, Fill fill)
{
    RowList rows(runs.size());
    for (std::size_t run = 0; run < runs.size(); ++run)
        fill(rows, run, runs[run]);
    return rows.take();
}

Value bytesOf(const MemorySection& memory, std::string_view member, std::int64_t bytes)
{
    return memory.has(member) ? Value(static_cast<double>(bytes)) : Value();
}

void fillTotals(RowList& rows, std::size_t run, const ComparedRun& compared)
{
    const RunResult& result = *compared.result;
    if (result.memory) {
        const MemorySection& memory = *result.memory;
        rows.set(run, "peak", {}, bytesOf(memory, "peak_bytes", memory.peakBytes));
        if (memory.peakRequestedBytes > 0)
            rows.set(run, "peak_requested", {}, bytesOf(memory, "peak_requested_bytes", memory.peakRequestedBytes));
        if (memory.peakReservedBytes > 0)
            rows.set(run, "peak_reserved", {}, bytesOf(memory, "peak_reserved_bytes", memory.peakReservedBytes));
        if (memory.peakResidentBytes > 0)
            rows.set(run, "peak_resident", {}, bytesOf(memory, "peak_resident_bytes", memory.peakResidentBytes));
    }
    if (const PeakClaim claim = peakClaim(result); claim != PeakClaim::None)
        rows.set(run, claim == PeakClaim::Bound ? "planned_at_most" : "predicted_peak", {},
                 static_cast<double>(result.prediction->peakBytes));
}

void fillComponents(RowList& rows, std::size_t run, const RunResult& result, bool ownMaxima)
{
    if (!result.memory)
        return;
    const MemorySection& memory = *result.memory;
    const std::string list = ownMaxima ? "max_components" : "peak_components";
    const ComponentBytes& bytes = ownMaxima ? memory.maxComponents : memory.peakComponents;
    if (!memory.has(list))
        return;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const std::string component(name(static_cast<Component>(i)));
        if (!memory.has(list + "." + component))
            continue;
        // What was added up over iterations is no more or less than what was alive elsewhere: a row of its own.
        const bool cumulated =
            !ownMaxima && componentReading(result, static_cast<Component>(i)) == ComponentReading::Cumulated;
        rows.set(run, component + (cumulated ? "_cumulated" : ""), {}, static_cast<double>(bytes[i]));
    }
}

// Components that hold nothing in any run say nothing.
void dropZeros(std::vector<ComparedRow>& rows)
{
    std::erase_if(rows, [](const ComparedRow& row) {
        return std::all_of(row.values.begin(), row.values.end(), [](const Value& v) { return v.value_or(0) == 0; });
    });
}

void fillPhases(RowList& rows, std::size_t run, const ComparedRun& compared)
{
    const RunResult& result = *compared.result;
    if (!result.memory)
        return;
    if (compared.timeline && compared.timeline->size() > 0) {
        for (const PhasePeak& peak : phasePeaks(*result.memory, *compared.timeline)) {
            if (peak.totalBytes > 0)
                rows.set(run, std::string(name(peak.phase)), {}, static_cast<double>(peak.totalBytes));
        }
        return;
    }
    std::map<Phase, std::int64_t> most;
    std::int64_t highest = 0; // that any snapshot recorded so far: where it rises, the phase that ends there held it
    for (const Snapshot& snapshot : result.memory->snapshots) {
        const std::int64_t maximum = snapshot.maxAllocatedBytes.value_or(0);
        if (snapshot.phase)
            most[*snapshot.phase] =
                std::max({most[*snapshot.phase], snapshot.allocatedBytes, maximum > highest ? maximum : 0});
        highest = std::max(highest, maximum);
    }
    for (const auto& [phase, bytes] : most)
        rows.set(run, std::string(name(phase)), {}, static_cast<double>(bytes));
}

void fillModules(RowList& rows, std::size_t run, const RunResult& result)
{
    if (!result.memory)
        return;
    for (const ModuleUsage& module : result.memory->modules) {
        const std::string kind(module.kind ? name(*module.kind) : std::string_view());
        rows.set(run, module.name, kind, bytesOf(*result.memory, "modules.peak_bytes", module.peakBytes));
    }
}

void fillKinds(RowList& rows, std::size_t run, const RunResult& result)
{
    if (!result.memory)
        return;
    for (const ModuleUsage& module : result.memory->modules) {
        const auto bytes = static_cast<double>(module.parameterBytes + module.gradientBytes + module.activationBytes);
        rows.add(run, std::string(module.kind ? name(*module.kind) : "other"), bytes);
    }
}

void fillOperators(RowList& rows, std::size_t run, const RunResult& result)
{
    if (!result.memory)
        return;
    for (const OperatorUsage& usage : result.memory->operators) {
        const std::string phase(usage.phase ? name(*usage.phase) : std::string_view());
        rows.set(run, usage.name, phase, bytesOf(*result.memory, "operators.peak_bytes", usage.peakBytes));
    }
}

void fillTimes(RowList& rows, std::size_t run, const RunResult& result)
{
    if (!result.timing || !(result.timing->medianStepSeconds > 0))
        return;
    const double step = result.timing->medianStepSeconds;
    rows.set(run, "step", {}, step);
    if (const std::int64_t tokens = tokensPerStep(result.config); tokens > 0)
        rows.set(run, "token", {}, step / static_cast<double>(tokens));
    if (!result.memory)
        return;
    double forward = 0, backward = 0;
    for (const ModuleUsage& module : result.memory->modules) {
        forward += module.forwardSeconds;
        backward += module.backwardSeconds;
    }
    if (forward > 0)
        rows.set(run, "modules_forward", {}, forward);
    if (backward > 0)
        rows.set(run, "modules_backward", {}, backward);
}

// Times are compared as they were measured: in turns, or not at all where the machine had other work.
void setTimeRatios(std::vector<ComparedRow>& rows, const std::vector<ComparedRun>& runs, std::size_t base)
{
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const auto ratio = ratioOfTimes(*runs[run].result, *runs[base].result);
        if (run == base || !ratio)
            continue;
        const bool busy = ratio->doubt == RatioDoubt::TooBusy;
        for (ComparedRow& row : rows) {
            if (!busy && row.name != "step")
                continue;
            if (row.ratios.empty()) {
                std::vector<Value> quotients;
                for (std::size_t each = 0; each < runs.size(); ++each)
                    quotients.push_back(row.ratio(each, base));
                row.ratios = std::move(quotients);
            }
            row.ratios[run] = busy ? Value() : Value(ratio->median);
            if (row.name == "step" && ratio->rounds > 1) {
                row.inRounds.resize(runs.size());
                row.inRounds[run] = *ratio;
            }
        }
    }
}

// Rows in which any run is far apart come first: people look for differences.
void sortByDifference(std::vector<ComparedRow>& rows, std::size_t base)
{
    const auto distance = [base](const ComparedRow& row) {
        double most = 0;
        for (const Value& value : row.values)
            most = std::max(most, std::abs(value.value_or(0) - row.values[base].value_or(0)));
        return most;
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const ComparedRow& a, const ComparedRow& b) { return distance(a) > distance(b); });
}

} // namespace

std::optional<double> ComparedRow::ratio(std::size_t run, std::size_t base) const
{
    if (!ratios.empty())
        return ratios[run];
    const Value &value = values[run], &from = values[base];
    return value && from && *from != 0 ? Value(*value / *from) : Value();
}

std::string comparisonLetter(std::size_t run)
{
    std::string letters;
    for (std::size_t rest = run + 1; rest > 0; rest = (rest - 1) / 26)
        letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
    return letters;
}

bool hasComponent(const RunResult& result, Component component)
{
    return result.memory && result.memory->has("peak_components") &&
           result.memory->has("peak_components." + std::string(name(component)));
}

std::int64_t memoryFloor(const RunResult& result)
{
    if (!result.memory)
        return 0;
    const MemorySection& memory = *result.memory;
    // After the step the gradients may have been dropped already.
    if (!componentsAreAtPeak(result) && memory.peakComponents[static_cast<std::size_t>(Component::Gradients)] == 0)
        return 0;
    std::int64_t sum = 0;
    for (const Component component : {Component::Parameters, Component::Gradients, Component::OptimizerStates}) {
        const auto index = static_cast<std::size_t>(component);
        const std::string maximum = "max_components." + std::string(name(component));
        if (memory.has("max_components") && memory.has(maximum))
            sum += memory.maxComponents[index];
        else if (hasComponent(result, component))
            sum += memory.peakComponents[index];
        else
            return 0;
    }
    return memory.peakBytes > 0 && sum > memory.peakBytes ? 0 : sum; // maxima need not meet at one time
}

SharedFloor memoryFloor(const std::vector<ComparedRun>& runs)
{
    SharedFloor floor;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::int64_t own = memoryFloor(*runs[i].result);
        if (own <= 0)
            continue;
        if (floor.of.empty() || own < floor.bytes)
            floor = {own, {}};
        if (own == floor.bytes)
            floor.of.push_back(i);
    }
    return floor;
}

std::string lettersOf(const SharedFloor& floor, std::size_t runs)
{
    std::string letters;
    for (std::size_t i = 0; floor.of.size() < runs && i < floor.of.size(); ++i)
        letters += (i > 0 ? ", " : "") + comparisonLetter(floor.of[i]);
    return letters;
}

std::size_t naturalBase(const std::vector<ComparedRun>& runs)
{
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const nlohmann::json clipping = settingAt(runs[i].result->config, "training.clipping");
        const nlohmann::json method = settingAt(runs[i].result->config, "method");
        if (clipping == "none" || method == "vanilla" || method == "no_dp" || method == "no_dp_single")
            return i;
    }
    return 0;
}

RunComparison compareRuns(const std::vector<ComparedRun>& runs, std::size_t base)
{
    RunComparison comparison;
    comparison.runs = runs.size();
    if (runs.empty())
        return comparison;
    comparison.base = std::min(base, runs.size() - 1);
    const auto rows = [&comparison](ComparisonGroup group) -> std::vector<ComparedRow>& {
        return comparison.groups[static_cast<std::size_t>(group)];
    };
    const auto byResult = [&runs](auto fill) {
        return rowsOf(runs, [fill](RowList& list, std::size_t run, const ComparedRun& compared) {
            fill(list, run, *compared.result);
        });
    };
    rows(ComparisonGroup::Totals) = rowsOf(runs, fillTotals);
    rows(ComparisonGroup::Components) =
        byResult([](RowList& list, std::size_t run, const RunResult& r) { fillComponents(list, run, r, false); });
    rows(ComparisonGroup::OwnMaxima) =
        byResult([](RowList& list, std::size_t run, const RunResult& r) { fillComponents(list, run, r, true); });
    rows(ComparisonGroup::Phases) = rowsOf(runs, fillPhases);
    rows(ComparisonGroup::Modules) = byResult(fillModules);
    rows(ComparisonGroup::ModuleKinds) = byResult(fillKinds);
    rows(ComparisonGroup::Operators) = byResult(fillOperators);
    rows(ComparisonGroup::Times) = byResult(fillTimes);
    setTimeRatios(rows(ComparisonGroup::Times), runs, comparison.base);
    for (const ComparisonGroup group : {ComparisonGroup::Components, ComparisonGroup::OwnMaxima})
        dropZeros(rows(group));
    // A run may begin later than another: in the order of a training run.
    std::stable_sort(
        rows(ComparisonGroup::Phases).begin(), rows(ComparisonGroup::Phases).end(),
        [](const ComparedRow& a, const ComparedRow& b) { return phaseFromName(a.name) < phaseFromName(b.name); });
    for (const ComparisonGroup group : {ComparisonGroup::Modules, ComparisonGroup::Operators})
        sortByDifference(rows(group), comparison.base);
    comparison.caveats = comparisonCaveats(runs, comparison.base);
    comparison.settings = differentSettings(runs);
    comparison.fits = scalingFits(runs);
    return comparison;
}

Table comparisonTable(const RunComparison& comparison, ComparisonGroup group)
{
    const std::vector<ComparedRow>& rows = comparison.rows(group);
    const bool detailed =
        std::any_of(rows.begin(), rows.end(), [](const ComparedRow& row) { return !row.detail.empty(); });
    const std::string unit = group == ComparisonGroup::Times ? "seconds" : "bytes";
    Table table{std::string(name(group)), {}, {}};
    const bool components = group == ComparisonGroup::Components || group == ComparisonGroup::OwnMaxima;
    table.columns.push_back({components                                                            ? "component"
                             : group == ComparisonGroup::Phases                                    ? "phase"
                             : group == ComparisonGroup::ModuleKinds                               ? "kind"
                             : group == ComparisonGroup::Totals || group == ComparisonGroup::Times ? "quantity"
                                                                                                   : "name",
                             ""});
    if (detailed)
        table.columns.push_back({group == ComparisonGroup::Operators ? "phase" : "kind", ""});
    const std::string base = comparisonLetter(comparison.base);
    const auto inRounds = [](const ComparedRow& row, std::size_t run) {
        return row.inRounds.empty() ? std::optional<RoundRatio>() : row.inRounds[run];
    };
    std::vector<bool> tookTurns(comparison.runs);
    for (std::size_t run = 0; run < comparison.runs; ++run)
        tookTurns[run] = std::any_of(rows.begin(), rows.end(),
                                     [&](const ComparedRow& row) { return inRounds(row, run).has_value(); });
    for (std::size_t run = 0; run < comparison.runs; ++run) {
        const std::string letter = comparisonLetter(run);
        table.columns.push_back({letter, unit});
        if (run == comparison.base)
            continue;
        table.columns.push_back({letter + "-" + base, unit});
        table.columns.push_back({letter + "/" + base, "ratio"});
        if (tookTurns[run]) {
            table.columns.push_back({letter + "/" + base + " range", ""});
            table.columns.push_back({letter + "/" + base + " rounds", ""});
        }
    }
    const auto number = [&unit](double value) {
        return unit == "bytes" ? TableCell(static_cast<std::int64_t>(value)) : TableCell(value);
    };
    const TableCell none = std::nan("");
    for (const ComparedRow& row : rows) {
        std::vector<TableCell> cells{row.name};
        if (detailed)
            cells.emplace_back(row.detail);
        const Value& from = row.values[comparison.base];
        for (std::size_t run = 0; run < comparison.runs; ++run) {
            const Value& value = row.values[run];
            cells.push_back(value ? number(*value) : none);
            if (run == comparison.base)
                continue;
            cells.push_back(value && from ? number(*value - *from) : none);
            const Value ratio = row.ratio(run, comparison.base);
            cells.push_back(cellOf(ratio));
            if (!tookTurns[run])
                continue;
            const auto rounds = inRounds(row, run);
            cells.emplace_back(ratio && rounds ? intervalText(*rounds) : std::string());
            cells.emplace_back(rounds ? std::to_string(rounds->ratios.size()) + " / " + std::to_string(rounds->rounds)
                                      : std::string());
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table settingsTable(const RunComparison& comparison)
{
    Table table{"settings", {{"setting", ""}}, {}};
    for (std::size_t run = 0; run < comparison.runs; ++run)
        table.columns.push_back({comparisonLetter(run), ""});
    for (const DifferentSetting& setting : comparison.settings) {
        std::vector<TableCell> cells{setting.path};
        cells.insert(cells.end(), setting.values.begin(), setting.values.end());
        table.rows.push_back(std::move(cells));
    }
    return table;
}

} // namespace peakscope
