// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The features' alignment in several passes over the rows: the same numbers as in one, in the memory that is planned.
#include "core/engine/curvature/products/curvature_run.h"
#include "tests/engine/checks/curvature/curvature_case.h"
#include "tests/engine/checks/curvature/curvature_checks.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

namespace peakscope {
namespace {

constexpr std::int64_t kPassRows = 7; // three for the mean, four beside it
constexpr std::int64_t kPassLength = 8, kPassMicroBatch = 2, kPassProbes = 3;

// What this thread has allocated and not freed since, at the most.
class LiveBytes final : public c10::MemoryReportingInfoBase
{
public:
    void reportMemoryUsage(void* /*block*/, std::int64_t bytes, std::size_t /*allocated*/, std::size_t /*reserved*/,
                           c10::Device /*device*/) override
    {
        m_live += bytes;
        m_peak = std::max(m_peak, m_live);
    }
    bool memoryProfilingEnabled() const override { return true; }
    std::int64_t peak() const { return m_peak; }

private:
    std::int64_t m_live = 0, m_peak = 0;
};

class TableSink final : public EventSink
{
public:
    void send(const Event& event) override
    {
        if (const auto* stage = std::get_if<StageEvent>(&event); stage && stage->name == "features")
            table = stage->data.at("features");
    }
    nlohmann::json table;
};

struct FoundFeatures {
    nlohmann::json table;
    double done = 0; // of twice the work that was announced
    std::int64_t measuredBytes = 0;
};

std::int64_t plannedFeatureBytes(const ModelConfig& config, FeatureUnit unit, std::int64_t onePassBytes)
{
    CurvatureNeeds needs;
    needs.config = config;
    needs.parameters = parameterSpecs(config);
    needs.wanted.assign(needs.parameters.size(), true);
    needs.rows = kPassRows;
    needs.microBatch = kPassMicroBatch;
    needs.length = kPassLength;
    needs.elementBytes = 8;
    needs.quantities = {CurvatureQuantity::Features};
    needs.unit = unit;
    needs.opens = needs.mayHold = false;
    needs.onePassBytes = onePassBytes;
    const auto plan = planCurvature(needs);
    return plan ? plan->predictedBytes : 0;
}

FoundFeatures featuresOf(const ModelConfig& config, FeatureUnit unit, std::int64_t onePassBytes,
                         const ProgressLog& log = {})
{
    CurvatureOptions options;
    options.quantities = {CurvatureQuantity::Features};
    options.unit = unit;
    options.probes = kPassProbes;
    CurvatureCase example(config, at::TensorOptions(at::kDouble), kPassRows, kPassLength, kPassMicroBatch, options);
    TableSink sink;
    CurvatureMonitor monitor(sink, Ledger::instance());
    HessianProducts products(example.surface(), example.routes(), ProductMethod::ForwardOverReverse, 0);
    std::vector<std::string> notes;
    CurvatureRun run(options, 7, example.surface(), example.routes(), products, monitor, notes);
    run.onePassBytes = onePassBytes;
    run.log = log;
    monitor.announce(2 * featuresWork(run));
    const auto live = std::make_shared<LiveBytes>();
    {
        const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, live);
        if (const Status computed = computeFeatures(run); !computed)
            throw std::runtime_error(computed.error().text());
    }
    return {std::move(sink.table), monitor.fraction(), live->peak()};
}

// The largest distance of the numbers, relative to the column's largest. (Of a space as small as this one pass has a
// column more.)
double tableDistance(const nlohmann::json& several, const nlohmann::json& one)
{
    const auto names = several.at("names").get<std::vector<std::string>>();
    const auto others = one.at("names").get<std::vector<std::string>>();
    const nlohmann::json &left = several.at("units"), &right = one.at("units");
    if (left.empty() || left.size() != right.size())
        return 1;
    double worst = 0;
    for (std::size_t column = 0; column < names.size(); ++column) {
        const std::size_t other = std::find(others.begin(), others.end(), names[column]) - others.begin();
        double scale = 0, apart = 0;
        for (std::size_t unit = 0; unit < left.size(); ++unit) {
            const double a = left[unit]["values"].at(column), b = right[unit]["values"].at(other);
            if (std::isnan(a) && std::isnan(b))
                continue; // what nothing is made with has no sparsity
            apart = std::max(apart, std::isfinite(a - b) ? std::abs(a - b) : 1);
            scale = std::max(scale, std::abs(b));
        }
        worst = std::max(worst, scale > 0 ? apart / scale : apart);
    }
    return worst;
}

// Long tables: the largest tensor is far more than a pass would have.
ModelConfig wideConfig(ModelConfig config)
{
    config.vocab = 512;
    config.hidden = config.embedDim = 64;
    config.headDim = config.hidden / config.heads;
    config.ffn = 128;
    return config;
}

std::size_t passCount(const ModelConfig& config)
{
    std::vector<std::int64_t> counts;
    for (const ParameterSpec& spec : parameterSpecs(config))
        counts.push_back(spec.count());
    return alignmentPasses(counts, 8, kPassRows, 0).size();
}

// Units that lie in several tensors, and in several passes. One layer has such: in one pass each unit has products of
// its own, which a second would make four times as long.
void addPassNumbers(ModelConfig config, const std::string& name, std::vector<CheckResult>& results)
{
    config.layers = 1;
    const FoundFeatures one = featuresOf(config, FeatureUnit::Head, kOnePassBytes);
    const FoundFeatures several = featuresOf(config, FeatureUnit::Head, 0);
    const double apart = passCount(config) > 1 ? tableDistance(several.table, one.table) : 1;
    results.push_back(boundCheck(name + ", heads", apart, 1e-12, "differ by"));
}

void addPassMemory(const ModelConfig& config, const std::string& name, std::vector<CheckResult>& results)
{
    const FoundFeatures one = featuresOf(config, FeatureUnit::Row, kOnePassBytes);
    const FoundFeatures several = featuresOf(config, FeatureUnit::Row, 0);
    results.push_back(boundCheck(name + ", rows", tableDistance(several.table, one.table), 1e-12, "differ by"));
    results.push_back(
        {name + ": progress",
         passCount(config) > 1 && std::abs(one.done - 0.5) < 1e-12 && std::abs(several.done - 0.5) < 1e-12,
         std::to_string(passCount(config)) + " passes, done " + std::to_string(several.done)});
    for (const bool whole : {true, false}) {
        const std::int64_t planned = plannedFeatureBytes(config, FeatureUnit::Row, whole ? kOnePassBytes : 0);
        const std::int64_t measured = (whole ? one : several).measuredBytes;
        const double share = static_cast<double>(planned) / static_cast<double>(measured);
        results.push_back({name + (whole ? ": memory of one" : ": memory of several"),
                           measured > 0 && share >= 1 && share <= 1.12,
                           "planned " + std::to_string(planned) + ", measured " + std::to_string(measured)});
    }
    results.push_back({name + ": less at a time", several.measuredBytes < one.measuredBytes, ""});
}

// A run that was killed between two passes goes on behind the first.
void addResumedPass(const ModelConfig& config, std::vector<CheckResult>& results)
{
    const auto path =
        std::filesystem::temp_directory_path() / ("peakscope-passes-" + std::to_string(::getpid()) + ".progress");
    const auto open = [&] { return ProgressLog::open(path.string(), "passes"); };
    auto log = open();
    const FoundFeatures straight = featuresOf(config, FeatureUnit::Head, 0, *log);
    log = open();
    const FoundFeatures known = featuresOf(config, FeatureUnit::Head, 0, *log);
    std::string kept, line;
    {
        std::ifstream file(path);
        while (std::getline(file, line) && line.find("features.pass.1\"") == std::string::npos)
            kept += line + "\n";
    }
    std::ofstream(path) << kept;
    log = open();
    const FoundFeatures resumed = featuresOf(config, FeatureUnit::Head, 0, *log);
    log->remove();
    const double passes = static_cast<double>(passCount(config)), gradients = kPassRows / 3.0;
    results.push_back(
        {"curvature: alignment goes on behind a finished pass",
         straight.table == resumed.table && straight.table == known.table && known.done == 0 &&
             std::abs(resumed.done - (passes - 1) * gradients / (2 * (kPassProbes + passes * gradients))) < 1e-12,
         "done " + std::to_string(resumed.done)});
}

} // namespace

std::vector<CheckResult> featurePassChecks()
{
    std::vector<CheckResult> results;
    try {
        // Tied, stored transposed, untied.
        const std::set<std::string> families{"OPT", "GPT-2", "Llama, grouped heads"};
        for (const auto& [family, small] : smallConfigs()) {
            if (!families.contains(family))
                continue;
            const ModelConfig config = wideConfig(small);
            const std::string name = "curvature: alignment in passes, " + family;
            addPassMemory(config, name, results);
            addPassNumbers(config, name, results);
        }
        addResumedPass(wideConfig(smallConfigs().front().second), results);
    } catch (const std::exception& exception) {
        results.push_back({"curvature: alignment in passes", false, exception.what()});
    }
    return results;
}

} // namespace peakscope
