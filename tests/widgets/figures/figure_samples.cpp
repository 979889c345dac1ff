// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/figures/figure_samples.h"

#include "core/results/memory_timeline.h"

#include <algorithm>
#include <vector>

namespace peakscope {

namespace {

constexpr double kMiB = 1024.0 * 1024.0;

// Writes events down as a clock runs.
class Recorder
{
public:
    explicit Recorder(MemorySection& memory) : m_memory(memory) {}

    void phase(Phase phase, std::int64_t step) { m_memory.phases.push_back({phase, step, m_now}); }
    void wait(double seconds) { m_now += seconds; }
    void change(Component component, double mib)
    {
        const auto bytes = static_cast<std::int64_t>(mib * kMiB);
        m_memory.timeline.timeSeconds.push_back(m_now);
        m_memory.timeline.deltaBytes.push_back(bytes);
        m_memory.timeline.component.push_back(component);
        m_allocated += bytes;
    }
    // Born and freed within an operator.
    void workspace(double mib)
    {
        change(Component::Workspace, mib);
        wait(0.002);
        change(Component::Workspace, -mib);
    }
    void snapshot(const std::string& name, Phase phase, std::int64_t step)
    {
        m_memory.snapshots.push_back({name, phase, step, m_now, m_allocated, m_allocated});
    }

private:
    MemorySection& m_memory;
    double m_now = 0;
    std::int64_t m_allocated = 0;
};

struct Sizes {
    double embedding, layer, activation, logits;
};

void recordForward(Recorder& recorder, const SampleOptions& options, const Sizes& sizes)
{
    recorder.change(Component::Inputs, 0.02 * options.unitMiB);
    for (int layer = 0; layer < options.layers; ++layer) {
        for (const double part : {0.25, 0.35, 0.4}) {
            recorder.workspace(sizes.activation * 0.3);
            recorder.change(Component::Activations, sizes.activation * part);
            if (options.clipping == "ghost")
                recorder.change(Component::ActivationHooks, sizes.activation * part * 0.5);
            recorder.wait(0.006);
        }
    }
    recorder.change(Component::Activations, sizes.logits);
    recorder.wait(0.02);
}

void recordBackward(Recorder& recorder, const SampleOptions& options, const Sizes& sizes, bool first)
{
    recorder.change(Component::ActivationGradients, sizes.logits);
    recorder.wait(0.01);
    recorder.change(Component::Activations, -sizes.logits);
    for (int layer = options.layers; layer-- > 0;) {
        recorder.change(Component::ActivationGradients, sizes.activation * 0.3);
        if (options.clipping == "ghost") {
            recorder.change(Component::TempMatrices, sizes.activation * 0.8);
            recorder.change(Component::NormSamples, 0.1 * options.unitMiB);
            recorder.wait(0.015);
            recorder.change(Component::TempMatrices, -sizes.activation * 0.8);
            recorder.change(Component::ActivationHooks, -sizes.activation * 0.5);
        }
        recorder.workspace(sizes.activation * 0.4);
        if (first)
            recorder.change(Component::Gradients, sizes.layer);
        recorder.wait(0.025);
        recorder.change(Component::Activations, -sizes.activation);
        recorder.change(Component::ActivationGradients, -sizes.activation * 0.3);
    }
    if (first)
        recorder.change(Component::Gradients, sizes.embedding);
    recorder.change(Component::ActivationGradients, -sizes.logits);
    recorder.change(Component::Inputs, -0.02 * options.unitMiB);
    if (options.clipping == "ghost")
        recorder.change(Component::NormSamples, -0.1 * options.unitMiB * options.layers);
}

void addModules(MemorySection& memory, const SampleOptions& options, const Sizes& sizes)
{
    const auto bytes = [](double mib) { return static_cast<std::int64_t>(mib * kMiB); };
    const auto add = [&](const std::string& name, ModuleKind kind, double parameters, double activations) {
        memory.modules.push_back({name, kind, bytes(parameters), bytes(parameters), bytes(activations),
                                  bytes(2 * parameters + activations), 0.012, 0.03});
    };
    add("model.decoder.embed_tokens", ModuleKind::Embedding, sizes.embedding, sizes.activation * 0.1);
    for (int layer = 0; layer < options.layers; ++layer) {
        const std::string prefix = "model.decoder.layers." + std::to_string(layer) + ".";
        add(prefix + "self_attn", ModuleKind::Attention, sizes.layer / 3, sizes.activation * 0.45);
        add(prefix + "fc1", ModuleKind::Mlp, sizes.layer / 3, sizes.activation * 0.3);
        add(prefix + "fc2", ModuleKind::Mlp, sizes.layer / 3, sizes.activation * 0.15);
        add(prefix + "final_layer_norm", ModuleKind::Norm, sizes.layer / 1000, sizes.activation * 0.1);
    }
    add("lm_head", ModuleKind::Head, 0, sizes.logits);
}

void addOperators(MemorySection& memory, const SampleOptions& options)
{
    static const char* const kNames[] = {"aten::mm",
                                         "aten::addmm",
                                         "aten::_log_softmax",
                                         "aten::add",
                                         "aten::mul",
                                         "aten::relu",
                                         "aten::layer_norm",
                                         "aten::bmm",
                                         "aten::embedding",
                                         "aten::transpose",
                                         "aten::_softmax",
                                         "aten::copy_",
                                         "aten::_scaled_dot_product_flash_attention_for_cpu_backward"};
    double size = 900 * options.unitMiB;
    for (const char* operatorName : kNames) {
        const auto bytes = static_cast<std::int64_t>(size * kMiB);
        memory.operators.push_back({operatorName, Phase::Forward, 36, bytes, bytes / 3, size * 2e-4});
        memory.operators.push_back({operatorName, Phase::Backward, 72, bytes * 2, bytes / 2, size * 5e-4});
        if (size > 300 * options.unitMiB)
            memory.operators.push_back({operatorName, Phase::OptimizerStep, 12, bytes / 2, bytes / 8, size * 1e-4});
        size *= 0.72;
    }
}

} // namespace

RunResult sampleRun(const SampleOptions& options)
{
    RunResult run;
    run.id = options.id;
    run.created = "2026-01-01T00:00:00Z";
    run.status = options.status;
    run.synthetic = options.synthetic;
    run.config = {{"kind", "memory"},
                  {"model", {{"id", options.model}}},
                  {"training", {{"clipping", options.clipping}, {"optimizer", "adam"}}},
                  {"budget_bytes", options.budgetBytes}};
    MemorySection memory;
    Recorder recorder(memory);
    const double unit = options.unitMiB;
    const Sizes sizes{150 * unit, 27 * unit, 40 * unit, 98 * unit};
    const double parameters = sizes.embedding + sizes.layer * options.layers;
    recorder.phase(Phase::Load, -1);
    recorder.change(Component::Parameters, parameters);
    recorder.wait(0.25);
    recorder.phase(Phase::OptimizerSetup, -1);
    recorder.wait(0.02);
    for (int step = 0; step < options.steps; ++step) {
        recorder.phase(Phase::Data, step);
        recorder.wait(0.005);
        recorder.phase(Phase::Forward, step);
        recordForward(recorder, options, sizes);
        recorder.snapshot("after_forward", Phase::Forward, step);
        recorder.phase(Phase::Backward, step);
        recordBackward(recorder, options, sizes, step == 0);
        recorder.phase(Phase::OptimizerStep, step);
        if (step == 0)
            recorder.change(Component::OptimizerStates, 2 * parameters);
        recorder.workspace(sizes.layer);
        recorder.wait(0.12);
        recorder.snapshot("after_step", Phase::OptimizerStep, step);
    }
    recorder.workspace(sizes.layer); // an event at the end of the last phase
    const MemoryTimeline timeline(memory.timeline);
    memory.peakBytes = timeline.peakBytes();
    memory.peakRequestedBytes = timeline.peakBytes();
    memory.peakReservedBytes = timeline.peakBytes();
    memory.peakTimeSeconds = timeline.peakSeconds();
    memory.peakComponents = timeline.peakComponents();
    memory.maxComponents = timeline.maxComponents();
    addModules(memory, options, sizes);
    addOperators(memory, options);
    const double step = 0.4 * unit * (options.clipping == "none" ? 1 : 1.6);
    run.timing = Timing{{step, step, step}, step, {step}, true};
    run.memory = std::move(memory);
    return run;
}

RunResults sampleRuns(int count)
{
    RunResults runs;
    SampleOptions options;
    const std::vector<std::string> clippings{"none", "ghost", "flash", "per_sample"};
    for (int i = 0; i < count; ++i) {
        options.id = "20260101-00000" + std::to_string(i) + "-sample";
        options.clipping = count == 1 ? "none" : clippings[static_cast<std::size_t>(i) % clippings.size()];
        options.unitMiB = 1 + 0.15 * i;
        options.status = i == 3 ? RunStatus::OverBudget : RunStatus::Complete;
        options.budgetBytes = i == 3 ? std::int64_t{4} << 30 : 0;
        runs.push_back(shared(sampleRun(options)));
    }
    return runs;
}

} // namespace peakscope
