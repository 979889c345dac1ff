// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/runner/experiment_runner.h"

#include "core/base/file.h"
#include "core/base/machine.h"
#include "core/base/median.h"
#include "core/base/units.h"
#include "core/engine/cuda/cuda_ranks.h"
#include "core/engine/cuda/cuda_support.h"
#include "core/engine/cuda/device.h"
#include "core/engine/device/device_generator.h"
#include "core/engine/ledger/device_ledger.h"
#include "core/engine/device/stand_in_readback.h"
#include "core/engine/curvature/curvature_experiment.h"
#include "core/engine/ledger/cpu_allocator.h"
#include "core/engine/ledger/ledger_report.h"
#include "core/engine/ledger/ledger_stream.h"
#include "core/engine/ledger/storage_blocks.h"
#include "core/engine/prm/prm_experiment.h"
#include "core/engine/runner/dry_sink.h"
#include "core/engine/data/prediction.h"
#include "core/engine/model/scalar_type.h"
#include "core/engine/training/trainer.h"
#include "core/experiment/keys_together.h"
#include "core/model/adapter_specs.h"
#include "core/model/dry_device.h"
#include "core/model/model_names.h"
#include "core/model/unknown_sizes.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>
#include <unistd.h>

namespace peakscope {
namespace {

// Where determinism is asked for, LibTorch 2 fills fresh memory; older ones never do and have no such switch.
template <typename Context>
void leaveFreshMemoryAlone(Context& context)
{
    if constexpr (requires { context.setDeterministicFillUninitializedMemory(false); })
        context.setDeterministicFillUninitializedMemory(false);
}

// LibTorch's messages carry a C++ stack after the first line.
std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

nlohmann::json phasesOf(const CollectiveTotals& totals)
{
    nlohmann::json phases = nlohmann::json::array();
    for (std::size_t i = 0; i < totals.phases.size(); ++i) {
        const CollectivePayload& part = totals.phases[i];
        if (part.count > 0)
            phases.push_back({{"phase", name(static_cast<Phase>(i))}, {"count", part.count}, {"bytes", part.bytes}});
    }
    return phases;
}

// What collectives took of `seconds` of work. On a device computing goes on beside them until it needs them.
nlohmann::json communicationSection(const std::vector<CollectiveTotals>& communication, double seconds, bool device)
{
    nlohmann::json collectives = nlohmann::json::array();
    double taken = 0, waited = 0;
    for (std::size_t i = 0; i < communication.size(); ++i) {
        const CollectiveTotals& totals = communication[i];
        taken += totals.seconds;
        waited += totals.waited;
        if (totals.count > 0)
            collectives.push_back({{"name", name(static_cast<Collective>(i))},
                                   {"count", totals.count},
                                   {"bytes", totals.bytes},
                                   {"seconds", totals.seconds},
                                   {"phases", phasesOf(totals)}});
    }
    nlohmann::json section{
        {"seconds", taken}, {"share", seconds > 0 ? taken / seconds : 0}, {"collectives", std::move(collectives)}};
    if (device)
        section["overlapped_seconds"] = std::max(0.0, taken - waited);
    return section;
}

// The synthetic mode computes nothing on a device.
bool isDry(const Experiment& experiment)
{
    return isDryDevice(experiment.device) && !isSyntheticPrm(experiment);
}

class MemoryExperiment
{
public:
    MemoryExperiment(const Experiment& experiment, EventSink& sink, Communicator& ranks)
        : m_experiment(experiment), m_sink(sink), m_host(ranks), m_ledger(Ledger::instance())
    {}

    EndEvent run()
    {
        requestCudaAllocator(m_experiment.cudaAllocator);
        auto device = deviceOfRank(m_experiment.device, m_host);
        if (!device)
            return badEnd(device.error());
        m_device = *device;
        if (Status possible = checkDevice(); !possible)
            return badEnd(possible.error());
        setThreads();
        if (isDry(m_experiment))
            m_notes.push_back("a dry run: LibTorch's own allocator and operators on a stand-in of " +
                              dryDevice(m_experiment.device)->card.name +
                              "; kernels did nothing, so no number was computed and no time measured");
        if (Status prepared = prepare(); !prepared)
            return badEnd(prepared.error());
        sendStart();
        EndEvent end;
        {
            const LedgerStream stream(m_ledger, m_sink, residentCap());
            end = guarded();
            OperatorTracer::instance().stop();
            m_ledger.stop();
        }
        sendSections();
        noteRefused(end);
        return end;
    }

private:
    static EndEvent badEnd(const Error& error)
    {
        EndEvent end{RunStatus::Failed, error.text(), {}, error.code == ErrorCode::BadInput};
        if (error.code == ErrorCode::Interrupted)
            end.status = RunStatus::Interrupted;
        if (error.code == ErrorCode::OverBudget)
            end.status = RunStatus::OverBudget;
        return end;
    }

    // Sizes that a library of the card would have asked for and nobody knows here.
    void noteRefused(EndEvent& end) const
    {
        const nlohmann::json report = standInReport();
        if (!report.is_object())
            return;
        if (const auto refused = report.value("refused", std::vector<std::string>()); !refused.empty())
            end.notes.push_back(unknownSizesNote(refused));
        if (const auto calls = report.value("at_least", std::vector<std::string>()); !calls.empty())
            end.notes.push_back(leastPeakNote(calls));
    }

    void setThreads()
    {
        // Ranks of one machine share its processors.
        const int share = std::max(1, processorCount() / std::max(1, m_host.localSize()));
        at::set_num_threads(m_experiment.threads > 0 ? static_cast<int>(m_experiment.threads) : share);
        leaveFreshMemoryAlone(at::globalContext());
    }

    Status checkDevice() const
    {
        if (m_device == "cpu" && m_experiment.training.normPrecision == NormPrecision::Tf32)
            return badInput("training.norm_precision", "tf32 is a format of CUDA devices, here is a cpu: use \"full\"");
        if (m_experiment.training.sharding == Sharding::Fsdp && m_host.size() == 1)
            return badInput("training.sharding",
                            "fsdp divides parameters among ranks, and here is one; give ranks 2 or "
                            "more, or \"none\"");
        if (m_device == "cpu" && m_host.size() > 1 && reduceDtype(m_experiment) != Dtype::Float32 &&
            reduceDtype(m_experiment) != Dtype::Float64)
            return badInput("training.fsdp.reduce_dtype", "ranks on CPUs add no 16-bit numbers; give \"auto\"");
        return Done{};
    }

    // On a device, once it is ready: what ranks say to each other about tensors goes by NCCL.
    Status joinDevices()
    {
        if (m_device == "cpu")
            return Done{};
        auto joined = CudaRanks::join(*cudaModule(), deviceIndex(), m_host);
        if (!joined)
            return joined.error();
        m_joined = std::move(*joined);
        m_joined->countBy([] { return Ledger::instance().phase(); });
        return Done{};
    }

    Communicator& ranks() { return m_joined ? *m_joined : m_host; }

    // A run whose times are to count does without ledger and tracer: it is as fast as the training alone, and says
    // nothing about memory but what a CUDA allocator counts for itself.
    Status prepare()
    {
        if (isSyntheticPrm(m_experiment))
            return Done{};
        if (traced())
            m_ledger.start();
        if (m_device != "cpu") {
            if (Status attached = attachCudaLedger(deviceIndex(), m_experiment.budgetBytes, traced()); !attached)
                return attached;
            m_ledger.setBudget(m_experiment.budgetBytes); // for those who plan; the allocator keeps it
        } else if (traced()) {
            installCpuAllocator();
            m_ledger.setBudget(m_experiment.budgetBytes);
        }
        if (traced())
            OperatorTracer::instance().start();
        return Done{};
    }

    // The synthetic mode takes no memory worth speaking of.
    bool traced() const { return m_experiment.traced && !isSyntheticPrm(m_experiment); }

    int deviceIndex() const { return m_device == "cpu" ? -1 : std::atoi(m_device.c_str() + sizeof("cuda:") - 1); }

    // Beside what the allocator hands out there are LibTorch's own code and buffers, and the heap keeps holes between
    // blocks that were freed: measured, up to three quarters of the live bytes. The cap is for what goes beyond that.
    std::int64_t residentCap() const
    {
        if (m_experiment.budgetBytes <= 0 || m_device != "cpu")
            return 0;
        constexpr std::int64_t kLeastSlack = 1LL << 30;
        return processMemory().residentBytes + m_experiment.budgetBytes +
               std::max(kLeastSlack, m_experiment.budgetBytes);
    }

    void sendStart()
    {
        StartEvent start;
        start.id = newRunId();
        start.created = isoTimeUtc();
        start.config = m_experiment.document;
        char host[256] = "";
        gethostname(host, sizeof(host) - 1);
        const MachineMemory memory = machineMemory().value_or(MachineMemory{});
        start.environment = {{"device", isDry(m_experiment) ? m_experiment.device : m_device},
                             {"host", host},
                             {"processor", processorName()},
                             {"cores", processorCount()},
                             {"threads", at::get_num_threads()},
                             {"memory_total_bytes", memory.totalBytes},
                             {"memory_available_bytes", memory.availableBytes},
                             {"libtorch", torchVersion()},
                             {"peakscope", PEAKSCOPE_VERSION}};
        for (const LocalDevice& device : localDevices()) {
            if (device.id == m_device)
                start.environment["device_name"] = device.name;
        }
        m_sink.send(start);
        if (isDry(m_experiment))
            m_sink.send(StageEvent{"dry", {{"dry", true}}});
        if (isSyntheticPrm(m_experiment)) {
            m_sink.send(StageEvent{"synthetic", {{"synthetic", true}}}); // whatever ends it, it says so
            return;
        }
        if (std::string note = positionsNote(m_experiment); !note.empty())
            m_notes.push_back(std::move(note));
        nlohmann::json prediction = predictionSection(m_experiment, m_device, at::get_num_threads(), m_host.size());
        if (m_experiment.model.config.experts > 0)
            noteRouting(prediction);
        m_sink.send(StageEvent{"prediction", std::move(prediction)});
    }

    // Whose tokens a mixture's numbers are of.
    void noteRouting(const nlohmann::json& prediction)
    {
        const bool skewed = m_experiment.data.routing == ExpertRouting::Skewed;
        const std::string few = std::to_string(m_experiment.model.config.expertsPerToken);
        const std::int64_t most = prediction.value("/prediction/skewed_peak_bytes"_json_pointer, std::int64_t{0});
        if (skewed)
            m_notes.push_back(isDry(m_experiment)
                                  ? "data.routing: all tokens went to the same " + few + " experts"
                                  : std::string("data.routing: skewed is for plans and dry runs; this run routed its "
                                                "own tokens"));
        else if (isDry(m_experiment) && most > 0)
            m_notes.push_back("data.routing: each expert got as many tokens; if all went to the same " + few +
                              ", the peak would be about " + formatBytes(most));
    }

    // Every way a run can end early becomes an end event here.
    EndEvent guarded()
    {
        EndEvent end;
        std::string thrown;
        try {
            if (Status status = train(); !status)
                end = badEnd(status.error());
        } catch (const AllocationRefused& refused) {
            thrown = refused.what();
        } catch (const RankFailure& failure) {
            end = {failure.stopped() ? RunStatus::Interrupted : RunStatus::Failed, failure.what(), {}, false};
        } catch (const std::bad_alloc&) {
            end = {RunStatus::OverBudget, "the machine has no memory left (" + phaseText() + ")", {}, false};
        } catch (const std::exception& exception) {
            thrown = firstLine(exception.what());
            end = {RunStatus::Failed, "LibTorch: " + thrown + " (" + phaseText() + ")", {}, false};
            if (thrown.find("can't allocate memory") != std::string::npos ||
                thrown.find("out of memory") != std::string::npos) {
                m_ranOut = true;
                const auto refusal = DeviceLedger::instance().outOfMemory();
                end = {RunStatus::OverBudget, refusal ? refusal->what() : thrown + " (" + phaseText() + ")", {}, false};
            }
        }
        // A refusal may arrive wrapped into another exception by the backward engine.
        if (const auto refusal = m_ledger.refusal()) {
            const bool cancelled = refusal->reason() == AllocationRefused::Reason::Cancelled;
            end = {cancelled ? RunStatus::Interrupted : RunStatus::OverBudget, refusal->what(), {}, false};
        }
        end.notes = m_notes;
        const ModelChoice& model = m_experiment.model;
        if (std::string note = architectureNote(model.id, model.dir); !note.empty())
            end.notes.insert(end.notes.begin(), std::move(note));
        end.notes.insert(end.notes.end(), m_record.notes.begin(), m_record.notes.end());
        return end;
    }

    std::string phaseText() const { return "phase " + std::string(name(m_ledger.phase())); }

    Status train()
    {
        if (isSyntheticPrm(m_experiment))
            return runSyntheticPrm(m_experiment, m_sink, m_notes);
        at::manual_seed(m_experiment.seed);
        m_ledger.setPhase(Phase::Load, -1);
        const auto options = at::TensorOptions(scalarTypeOf(computeDtype(m_experiment))).device(c10::Device(m_device));
        const bool shared = m_host.size() > 1 || m_experiment.training.sharding != Sharding::None;
        m_host.countBy([] { return Ledger::instance().phase(); });
        if (Status joined = shared ? joinDevices() : Done{}; !joined)
            return joined;
        // Data parallel curvature holds the whole parameters, and nothing of a trainer.
        const bool sharded =
            m_experiment.kind == ExperimentKind::Curvature && m_experiment.training.sharding != Sharding::None;
        if ((shared && m_experiment.kind == ExperimentKind::Memory) || sharded) {
            auto shards = ParameterShards::create(m_experiment, ranks());
            if (!shards)
                return shards.error();
            m_shards = std::move(*shards);
        }
        auto model = Model::create(m_experiment.model.config, options, m_experiment.seed, !m_experiment.pretrained,
                                   m_shards.get());
        if (!model)
            return model.error();
        if (!m_experiment.pretrained && !isDry(m_experiment) &&
            drawnByDevice(m_experiment.model.config, c10::Device(m_device)))
            m_notes.push_back("weights: too many to draw on the CPU, so the device drew them: others than a CPU run's");
        const auto& marks = m_experiment.marks;
        if (std::any_of(marks.begin(), marks.end(), [](const MarkOptions& mark) { return !mark.module.empty(); }))
            (*model)->scopeLinearLayers(); // marks may ask for a single projection
        tagParameters(**model);
        if (m_experiment.pretrained && !isDry(m_experiment)) {
            const auto loaded = loadWeights(**model, m_experiment.model.dir);
            if (!loaded)
                return loaded.error();
            for (const std::string& note : *loaded)
                m_notes.push_back("weights: " + note);
        }

        if (m_experiment.kind == ExperimentKind::Prm)
            return runPrm(m_experiment, **model, m_ledger, m_sink, m_notes);

        m_ledger.setPhase(Phase::Data, -1);
        auto data = TrainingData::open(m_experiment, c10::Device(m_device));
        if (!data)
            return data.error();
        data->setShare(m_host.rank(), m_host.size());
        m_notes.push_back("data: " + data->source().description());
        for (const std::string& note : data->source().notes())
            m_notes.push_back("data: " + note);
        if (Status fits = (*model)->checkSequence(data->source().width()); !fits)
            return fits;
        if (Status adapted = addAdapters(**model); !adapted)
            return adapted;
        if (m_shards)
            m_shards->tellModules(**model);
        if (m_experiment.kind == ExperimentKind::Curvature)
            return curvature(**model, *data);

        if (m_shards)
            m_shards->attach(**model);
        Trainer trainer(m_experiment, **model, *data, m_ledger, m_sink, m_record, m_shards.get());
        return trainer.run();
    }

    Status curvature(Model& model, const TrainingData& data)
    {
        const std::vector<CollectiveTotals> before = ranks().totals();
        const std::int64_t begin = m_ledger.nanosecondsNow();
        Status status = runCurvature(m_experiment, model, data, ranks(), m_shards.get(), m_ledger, m_sink, m_notes);
        if (m_device != "cpu")
            synchronizeCuda(deviceIndex());
        addSince(m_record.communication, before, ranks().totals());
        m_curvatureSeconds = static_cast<double>(m_ledger.nanosecondsNow() - begin) * 1e-9;
        return status;
    }

    Status addAdapters(Model& model)
    {
        const LoraOptions& lora = m_experiment.training.lora;
        if (lora.rank == 0)
            return Done{};
        m_ledger.setPhase(Phase::Wrap, -1);
        if (Status added = model.addAdapters(lora, m_experiment.seed); !added)
            return added;
        tagParameters(model);
        const auto plan = adapterPlan(m_experiment.model.config, lora);
        m_notes.insert(m_notes.end(), plan->notes.begin(), plan->notes.end());
        return Done{};
    }

    void tagParameters(Model& model)
    {
        for (Parameter& parameter : model.parameters()) {
            if (m_shards && m_shards->holds(parameter))
                continue; // a flat row is no one module's
            for (const at::Tensor& stored : model.storedTensors(parameter))
                tagStorage(stored, Component::Parameters, parameter.module);
        }
    }

    void sendSections()
    {
        if (m_experiment.kind == ExperimentKind::Memory)
            sendTraining();
        else if (!m_record.communication.empty())
            sendCommunication(m_curvatureSeconds);
        sendAllocator();
        if (!traced())
            return;
        auto refusal = m_ledger.refusal();
        if (!refusal && m_ranOut)
            refusal = DeviceLedger::instance().outOfMemory();
        if (refusal && refusal->neededBytes() > 0)
            m_sink.send(StageEvent{"refusal", {{"refusal", {{"needed_bytes", refusal->neededBytes()}}}}});
        RunResult memory;
        memory.memory = memorySection(m_ledger, OperatorTracer::instance(), m_experiment.marks);
        memory.memory->snapshots = m_record.snapshots;
        memory.memory->peakResidentBytes = processMemory().peakResidentBytes;
        if (m_device != "cpu") {
            if (const auto statistics = cudaStatistics(deviceIndex()))
                memory.memory->peakReservedBytes = statistics->peakReservedBytes;
        }
        m_sink.send(StageEvent{"memory", sectionsOf(memory)});
    }

    // What a CUDA allocator counted for itself; in a run without a ledger that is all there is about memory.
    void sendAllocator()
    {
        if (m_device == "cpu" || isSyntheticPrm(m_experiment))
            return;
        const nlohmann::json report = cudaAllocatorReport(deviceIndex());
        if (report.is_object())
            m_sink.send(StageEvent{"allocator", {{"allocator", report}}});
    }

    void sendTraining()
    {
        RunResult result;
        Timing timing;
        timing.traced = m_experiment.traced;
        timing.stepSeconds = m_record.stepSeconds;
        timing.warmupSeconds = m_record.warmupSeconds;
        timing.medianStepSeconds = medianOf(m_record.stepSeconds).value_or(0);
        result.timing = timing;
        TimedRound round = m_record.load;
        round.medianSeconds = timing.medianStepSeconds;
        if (round.wallSeconds > 0)
            setRounds(result, {round});
        result.losses = m_record.losses;
        if (!m_record.losses.empty()) {
            result.loss = m_record.losses.back();
            result.perplexity = std::exp(m_record.losses.back());
        }
        if (m_record.hasGradientNorm)
            result.gradientNorm = m_record.gradientNorm;
        result.perSampleGradientNorms = m_record.sampleNorms;
        if (m_record.privacy)
            result.other["privacy"] = {{"epsilon", m_record.privacy->epsilon},
                                       {"delta", m_experiment.training.privacy.delta}};
        if (!m_record.experts.empty() && !isDry(m_experiment)) { // nothing is routed on a stand-in
            result.other["experts"] = m_record.experts.section();
            m_sink.send(StageEvent{"prediction", predictionSection(m_experiment, m_device, at::get_num_threads(),
                                                                   m_host.size(), &m_record.experts)});
        }
        m_sink.send(StageEvent{"training", sectionsOf(result)});
        sendCommunication(std::accumulate(m_record.stepSeconds.begin(), m_record.stepSeconds.end(), 0.0));
    }

    void sendCommunication(double secondsOfWork)
    {
        if (m_host.size() == 1)
            return;
        nlohmann::json section = communicationSection(m_record.communication, secondsOfWork, m_joined != nullptr);
        if (const nlohmann::json report = standInReport(); report.is_object())
            section["nccl"] = report["nccl"]; // what it was asked for, warm-up included: [calls, bytes]
        m_sink.send(StageEvent{"communication", {{"communication", std::move(section)}}});
    }

    // Only what is filled in: the reader merges these keys into its document.
    static nlohmann::json sectionsOf(const RunResult& result)
    {
        nlohmann::json document = toJson(result);
        for (const char* key : {"format", "version", "kind", "id", "created", "status", "message", "synthetic", "notes",
                                "config", "environment"})
            document.erase(key);
        return document;
    }

    const Experiment& m_experiment;
    EventSink& m_sink;
    Communicator& m_host; // memory of this process; tensors too on a CPU
    std::unique_ptr<CudaRanks> m_joined;
    Ledger& m_ledger;
    std::string m_device = "cpu";
    bool m_ranOut = false;                     // of the device's memory
    std::unique_ptr<ParameterShards> m_shards; // where the training is not of one process alone
    TrainingRecord m_record;
    double m_curvatureSeconds = 0;
    std::vector<std::string> m_notes;
};

} // namespace

std::string unsupported(const Experiment& experiment)
{
    switch (experiment.kind) {
    case ExperimentKind::Memory:
        return "";
    case ExperimentKind::Curvature:
        return unsupportedCurvature(experiment);
    case ExperimentKind::Prm:
        return unsupportedPrm(experiment);
    }
    return "";
}

EndEvent runExperiment(const Experiment& experiment, EventSink& sink)
{
    const auto alone = communicatorAlone();
    return runExperiment(experiment, sink, *alone);
}

EndEvent runExperiment(const Experiment& experiment, EventSink& sink, Communicator& ranks)
{
    if (const std::string reason = unsupported(experiment); !reason.empty())
        return {RunStatus::Failed, reason, {}, true};
    if (ranks.size() > 1 && experiment.kind == ExperimentKind::Prm)
        return {RunStatus::Failed, "kind: prm runs on one rank in this version", {}, true};
    DrySink dry(sink);
    try {
        return MemoryExperiment(experiment, isDry(experiment) ? dry : sink, ranks).run();
    } catch (const RankFailure& failure) {
        return {failure.stopped() ? RunStatus::Interrupted : RunStatus::Failed, failure.what(), {}, false};
    } catch (const std::exception& exception) {
        return {RunStatus::Failed, firstLine(exception.what()), {}, false};
    }
}

} // namespace peakscope
