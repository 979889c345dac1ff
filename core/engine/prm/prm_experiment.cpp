// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prm/prm_experiment.h"

#include "core/analysis/response/response_document.h"
#include "core/base/json/json_reader.h"
#include "core/base/units.h"
#include "core/engine/device/stand_in_readback.h"
#include "core/engine/curvature/products/curvature_run.h"
#include "core/engine/curvature/products/parameter_units.h"
#include "core/engine/prm/prm_batching.h"
#include "core/engine/prm/prm_prediction.h"
#include "core/engine/prm/prm_run.h"
#include "core/engine/prm/small_noise.h"
#include "core/engine/data/prediction.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kFeatureRows = 16;
constexpr double kProductPasses = 8;                        // a Hessian product costs about eight forward passes
constexpr double kFeatureUnits = 20, kSmallNoiseUnits = 30; // of such products
constexpr auto kSectionPause = std::chrono::seconds(10);    // whoever keeps the result writes all of it each time

// Passes everything on and keeps the table of features.
class FeatureSink final : public EventSink
{
public:
    explicit FeatureSink(EventSink& sink) : m_sink(sink) {}
    void send(const Event& event) override
    {
        if (const auto* stage = std::get_if<StageEvent>(&event); stage && stage->data.contains("features"))
            m_features = stage->data["features"];
        m_sink.send(event);
    }
    const Json& features() const { return m_features; }

private:
    EventSink& m_sink;
    Json m_features;
};

std::vector<double> columnOf(const Json& features, const std::string& name)
{
    const auto& names = features.at("names");
    const auto found = std::find(names.begin(), names.end(), name);
    const auto column = static_cast<std::size_t>(found - names.begin());
    std::vector<double> values;
    for (const Json& unit : features.at("units")) {
        const Json& value = unit.at("values").at(column);
        values.push_back(lenient::number(value));
    }
    return values;
}

// A resumed run keeps to the sizes that it began with, so that its numbers stay what they would have been.
Error tooSmallToGoOn(const std::string& what, std::int64_t needed, std::int64_t budget)
{
    return {ErrorCode::OverBudget,
            what + " need " + formatBytes(needed) +
                " with as many rows at a time as the interrupted run began with, of " + formatBytes(budget) +
                "; resume with that much, or start anew without --resume",
            "budget_bytes"};
}

class PrmExperiment
{
public:
    PrmExperiment(PrmRun& run, FeatureSink& features) : m_run(run), m_features(features) {}

    Status execute()
    {
        announce();
        if (Status prepared = prepareModel(m_run); !prepared)
            return prepared;
        CurvatureOptions options;
        options.quantities = {CurvatureQuantity::Features};
        options.unit = m_run.options.unit;
        const auto space = ParameterSpace::create(m_run.model, options, m_run.experiment.seed);
        if (!space)
            return space.error();
        LossSurface surface(*space, featureBatch(), m_run.experiment.data.maxPhysicalBatch);
        TapeRoutes routes(surface);
        if (Status computed = computeUnits(surface, routes, std::move(options)); !computed)
            return computed;
        if (Status embedded = embed(); !embedded)
            return embedded;
        auto partition = divide();
        if (!partition)
            return partition.error();
        const ParameterUnits units(*space, routes.tape(), m_run.options.unit);
        if (Status measured = measureResponses(m_run, *space, units, *partition); !measured)
            return measured;
        if (Status checked = checkSmallNoise(*partition); !checked)
            return checked;
        m_run.sendSection(true);
        m_run.log.remove();
        return Done{};
    }

private:
    Ledger& ledger() const { return m_run.monitor.ledger(); }

    void announce()
    {
        const std::size_t rows = std::min(kFeatureRows, m_run.samples.base.size());
        double tokens = 0;
        for (std::size_t i = 0; i < rows; ++i)
            tokens += static_cast<double>(m_run.samples.base[i].tokens.size());
        m_run.progressUnit = kProductPasses * tokens;
        const auto scales = std::count_if(m_run.options.sigmas.begin(), m_run.options.sigmas.end(),
                                          [](double sigma) { return sigma > 0; });
        const double groups = 2 * static_cast<double>(kUnitClasses.size());
        // And one without noise before the features, one among the points.
        const double evaluations = static_cast<double>(scales) * groups * m_run.options.repeats + 2;
        m_run.monitor.announce((trainingWork(m_run) + scoringWork(m_run) * evaluations) / m_run.progressUnit);
        std::vector<std::int64_t> counts;
        for (const Parameter& parameter : m_run.model.parameters())
            counts.push_back(parameter.spec.count());
        const auto passes =
            alignmentPasses(counts, bytesPerElement(m_run.experiment.dtype), static_cast<std::int64_t>(rows));
        m_run.monitor.announce(kFeatureUnits + static_cast<double>(passes.size() * rows) / 3);
        m_run.monitor.announce(m_run.options.smallNoise ? kSmallNoiseUnits : 0);
    }

    Batch featureBatch() const
    {
        std::vector<std::size_t> order(std::min(kFeatureRows, m_run.samples.base.size()));
        std::iota(order.begin(), order.end(), std::size_t{0});
        return sampleBatch(m_run.samples.base, order, 0, order.size(),
                           m_run.model.parameters().front().tensor.device());
    }

    Status computeUnits(LossSurface& surface, TapeRoutes& routes, CurvatureOptions options)
    {
        ledger().setPhase(Phase::Curvature, 0);
        HessianProducts products(surface, routes, ProductMethod::ForwardOverReverse, 0);
        CurvatureRun curvature(std::move(options), m_run.experiment.seed, surface, routes, products, m_run.monitor,
                               m_run.notes);
        curvature.log = std::move(m_run.log);
        Status computed = roomForFeatures();
        if (computed) {
            curvature.plan = *m_run.batching.features;
            surface.setMicroBatch(curvature.plan.microBatch);
            computed = computeFeatures(curvature);
        }
        m_run.log = std::move(curvature.log);
        return computed;
    }

    Status roomForFeatures() const
    {
        if (!m_run.batching.features)
            return ofFeatures(m_run.batching.refusal);
        const std::int64_t budget = m_run.experiment.budgetBytes, needed = m_run.batching.features->predictedBytes;
        if (budget > 0 && needed > budget)
            return tooSmallToGoOn("the units' features", needed, budget);
        return Done{};
    }

    // What a curvature experiment would do instead is no help here.
    static Error ofFeatures(Error error)
    {
        if (error.code == ErrorCode::OverBudget)
            error.message = "the units' features: " + error.message.substr(0, error.message.find(';')) +
                            "; a shorter data.seq or a smaller data.max_physical_batch needs less";
        return error;
    }

    Status embed()
    {
        if (onStandIn())
            return Done{}; // numbers alone, on the host
        const Json& features = m_features.features();
        std::vector<std::string> names;
        std::vector<std::size_t> columns;
        for (std::size_t i = 0; i < features.at("names").size(); ++i) {
            const std::string name = features.at("names")[i];
            if (name == "hessian_trace_error")
                continue; // says how well another column is known
            names.push_back(name);
            columns.push_back(i);
        }
        std::vector<std::vector<double>> rows;
        for (const Json& unit : features.at("units")) {
            rows.emplace_back();
            for (const std::size_t column : columns) {
                const Json& value = unit.at("values").at(column);
                rows.back().push_back(lenient::number(value));
            }
        }
        const EmbeddingInput input = embeddingInput(names, rows);
        addNotes(input.notes);
        if (input.columns == 0 || input.rows < 2) {
            m_run.notes.emplace_back("embedding: the units differ in no feature");
            return Done{};
        }
        EmbeddingOptions options;
        options.umap.seed = m_run.experiment.seed;
        std::stop_source stop;
        const auto report =
            embedTable(input.values, input.rows, input.columns, options, stop.get_token(), [&](UmapStage, double) {
                if (ledger().stopRequested())
                    stop.request_stop();
            });
        if (!report)
            return report.error();
        addNotes(report->notes);
        Json section = toJson(*report, options);
        section["parameters"]["columns"] = input.names;
        m_run.monitor.sink().send(StageEvent{"embedding", {{"embedding", std::move(section)}}});
        return Done{};
    }

    Result<UnitPartition> divide()
    {
        const Json& features = m_features.features();
        auto partition =
            partitionUnits(columnOf(features, "alignment"), columnOf(features, "sparsity"), m_run.options.thresholds);
        if (!partition)
            return badInput("prm." + partition.error().context, partition.error().message);
        addNotes(partition->notes);
        m_run.monitor.sink().send(StageEvent{"partition", {{"partition", toJson(*partition)}}});
        for (const UnitClass unitClass : kUnitClasses) {
            if (partition->count(unitClass) == 0)
                return badInput("prm.unit", std::string(name(unitClass)) +
                                                " is empty: " + std::to_string(partition->labels.size()) +
                                                " units (\"" + std::string(name(m_run.options.unit)) +
                                                "\") make no three classes; a finer unit such as \"row\" does");
        }
        return partition;
    }

    Status checkSmallNoise(const UnitPartition& partition)
    {
        if (!m_run.options.smallNoise)
            return Done{};
        const std::int64_t rows = m_run.batching.smallNoiseBatch;
        if (rows == 0 || rows > smallNoiseBatch(m_run.experiment, m_run.sizes, m_run.experiment.budgetBytes)) {
            m_run.notes.emplace_back("the check of small noise against the Hessian's trace was left out: its float64 "
                                     "copies of the model exceed the size limit or the budget");
            return Done{};
        }
        auto found =
            smallNoiseCheck({m_run.model, m_run.samples.evaluation, partition, m_run.options.unit,
                             m_run.experiment.seed, rows, ledger(), [&](double share, const std::string& message) {
                                 m_run.monitor.advance(kSmallNoiseUnits * share, message);
                             }});
        if (!found)
            return found.error();
        m_run.section["small_noise"] = std::move(*found);
        return Done{};
    }

    // Of what was found: on a stand-in of a card nothing was.
    void addNotes(const std::vector<std::string>& notes)
    {
        if (onStandIn())
            return;
        m_run.notes.insert(m_run.notes.end(), notes.begin(), notes.end());
    }

    PrmRun& m_run;
    FeatureSink& m_features;
};

// The file beside the result that a resumed run goes on from; named by whoever started this worker.
void openLog(PrmRun& run)
{
    const char* path = std::getenv("PEAKSCOPE_PROGRESS");
    if (!path || !*path)
        return;
    Json experiment = run.experiment.document;
    for (const char* key : {"launcher", "budget_bytes"}) // what does not change the numbers (see prm_batching.h)
        experiment.erase(key);
    auto log = ProgressLog::open(path, experiment.dump());
    if (!log) {
        run.notes.push_back(log.error().text() + "; this run cannot be resumed");
        return;
    }
    run.log = std::move(*log);
    if (run.log.resumed())
        run.notes.emplace_back("resumed from what an interrupted run had finished");
}

// Of every sample, so that the largest batch there will be is known.
std::int64_t longestInput(const PrmSamples& samples)
{
    std::size_t longest = 2;
    for (const auto* part : {&samples.members, &samples.others, &samples.evaluation, &samples.base}) {
        for (const TextSample& sample : *part)
            longest = std::max(longest, sample.tokens.size());
    }
    return static_cast<std::int64_t>(longest) - 1;
}

PrmSizes sizesOf(const PrmRun& run)
{
    const Experiment& experiment = run.experiment;
    const auto rowsOf = [](const std::vector<TextSample>& part) { return static_cast<std::int64_t>(part.size()); };
    PrmSizes sizes;
    if (run.options.finetuneEpochs > 0)
        sizes.trainingRows = std::min(experiment.data.batch, rowsOf(run.samples.members));
    if (!experiment.pretrained && run.options.baseEpochs > 0)
        sizes.trainingRows = std::max(sizes.trainingRows, std::min(experiment.data.batch, rowsOf(run.samples.base)));
    const std::size_t features = std::min(kFeatureRows, run.samples.base.size());
    sizes.featureRows = static_cast<std::int64_t>(features);
    for (std::size_t i = 0; i < features; ++i)
        sizes.featureLength =
            std::max(sizes.featureLength, static_cast<std::int64_t>(run.samples.base[i].tokens.size()) - 1);
    sizes.scoredRows = std::max(rowsOf(run.judged), rowsOf(run.samples.evaluation));
    if (run.options.smallNoise && parameterCount(experiment.model.config) <= kMostSmallNoiseParameters)
        sizes.smallNoiseRows = static_cast<std::int64_t>(std::min(kSmallNoiseRows, run.samples.evaluation.size()));
    sizes.length = longestInput(run.samples);
    sizes.unit = run.options.unit;
    return sizes;
}

// The batching, by the log's memory of it or anew, and the prediction that goes with it. OverBudget where a resumed
// run's evaluations have no room in a smaller budget than it began with.
Status chooseSizes(PrmRun& run)
{
    const Experiment& experiment = run.experiment;
    run.sizes = sizesOf(run);
    if (const std::int64_t rows = run.sizes.trainingRows; rows > 0 && rows < experiment.data.batch)
        run.notes.push_back("data.batch: " + std::to_string(experiment.data.batch) + " is more than the " +
                            std::to_string(rows) + " samples that are trained on; a step takes each once");
    run.batching = batchingOf(experiment, run.sizes, run.log);
    run.scoring.forward.attention = experiment.training.attention;
    run.scoring.rows = run.batching.scoringRows;
    run.scoring.logitBytes = run.batching.logitBytes;
    const bool cpu = run.model.parameters().front().tensor.device().is_cpu();
    const EstimateOptions options = estimateOptions(cpu ? "cpu" : "cuda:0", at::get_num_threads());
    Json prediction = prmPrediction(experiment, run.sizes, run.batching, options, run.notes);
    run.monitor.sink().send(StageEvent{"prediction", std::move(prediction)});
    const std::int64_t budget = experiment.budgetBytes, begun = run.batching.budgetBytes;
    if (budget == begun)
        return Done{};
    run.notes.push_back("as many rows at a time as the interrupted run began with (" +
                        (begun > 0 ? "budget_bytes " + std::to_string(begun) : std::string("no budget_bytes")) +
                        "): sums in another order would differ in their last bits");
    const std::int64_t needed = evaluationBytes(experiment, run.sizes, run.batching, options);
    return budget > 0 && needed > budget ? tooSmallToGoOn("the evaluations", needed, budget) : Status(Done{});
}

} // namespace

void PrmRun::sendSection(bool force)
{
    const auto now = std::chrono::steady_clock::now();
    if (!force && now - lastSent < kSectionPause)
        return;
    Json whole = section;
    whole.update(responseSection(responses));
    monitor.sink().send(StageEvent{"prm", {{"prm", std::move(whole)}}});
    lastSent = now;
}

double PrmRun::tokensOf(const std::vector<TextSample>& part) const
{
    return std::accumulate(part.begin(), part.end(), 0.0, [](double sum, const TextSample& sample) {
        return sum + static_cast<double>(sample.tokens.size());
    });
}

bool isSyntheticPrm(const Experiment& experiment)
{
    return experiment.kind == ExperimentKind::Prm && experiment.prm->synthetic;
}

std::string unsupportedPrm(const Experiment& experiment)
{
    if (const Status fine = checkPrm(*experiment.prm); !fine)
        return fine.error().text();
    if (isSyntheticPrm(experiment))
        return "";
    const TrainingOptions& training = experiment.training;
    if (const Status fine = checkCurvaturePrecision(experiment); !fine) // of the units
        return fine.error().text();
    if (training.lora.rank > 0)
        return "training.lora.rank: noise goes into the model's own weights; it runs rank 0";
    if (training.clipping != Clipping::None)
        return "training.clipping: a perturbation experiment fine-tunes without clipping; it runs \"none\"";
    if (training.sharding != Sharding::None)
        return "training.sharding: a perturbation experiment runs \"none\"";
    return "";
}

Status runPrm(const Experiment& experiment, Model& model, Ledger& ledger, EventSink& sink,
              std::vector<std::string>& notes)
{
    PrmOptions options = *experiment.prm;
    if (const Status fine = checkPrm(options); !fine)
        return fine.error();
    options.sigmas = noiseScales(options);
    ledger.setPhase(Phase::Data, -1);
    auto samples = prmSamples(experiment, options);
    if (!samples)
        return samples.error();
    FeatureSink features(sink);
    CurvatureMonitor monitor(features, ledger);
    notes.push_back("data: " + samples->description);
    notes.insert(notes.end(), samples->notes.begin(), samples->notes.end());
    PrmRun run{.experiment = experiment,
               .options = std::move(options),
               .model = model,
               .monitor = monitor,
               .notes = notes,
               .samples = std::move(*samples),
               .baseline = PrmBaseline()};
    if (Status fits = model.checkSequence(experiment.data.seq); !fits)
        return fits;
    run.judged = run.samples.judged();
    run.labels = run.samples.judgedLabels();
    if (run.options.finetuneEpochs == 0)
        notes.emplace_back("prm.finetune_epochs is 0: nothing was memorised, so attacks have nothing to find");
    if (run.options.sigmas.back() == 0)
        notes.emplace_back("prm.sigmas holds no noise above 0: this is the baseline, nothing was perturbed");
    openLog(run);
    if (Status chosen = chooseSizes(run); !chosen)
        return chosen;
    return PrmExperiment(run, features).execute();
}

Status runSyntheticPrm(const Experiment& experiment, EventSink& sink, std::vector<std::string>& notes)
{
    auto run =
        syntheticRun({experiment.prm->sigmas, experiment.prm->repeats, experiment.prm->thresholds}, experiment.seed);
    if (!run)
        return run.error();
    notes.insert(notes.end(), run->notes.begin(), run->notes.end());
    for (const Json& row : run->sections["prm"]["results"])
        sink.send(PointEvent{row});
    sink.send(StageEvent{"synthetic", std::move(run->sections)});
    return Done{};
}

} // namespace peakscope
