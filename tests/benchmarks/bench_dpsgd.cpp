// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What clipping costs: time and peak of every method over those of a plain step, on the plain model of 4 layers × 256.
// Times are taken in this process without the ledger, the methods in turn so that the machine's drift falls on all;
// peaks in a worker process each. A ratio is the median of those to the plain steps before and after it in the same
// turn, so that what slows the machine for a while falls on both. bench_dpsgd [REPEATS [CASE [METHOD,METHOD …]]];
// PEAKSCOPE_CLI names a worker's program other than the one beside this.
#include "core/engine/dpsgd/clipped_step.h"
#include "core/engine/model/model.h"
#include "core/experiment/experiment.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"
#include "tests/benchmarks/bench_worker.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

struct Case {
    const char* name;
    std::int64_t rows;
    std::int64_t length;
    std::int64_t vocab;
    std::int64_t rank;
    const char* head;
};

// Processor time of this process: what runs beside it on a shared machine does not count.
double now()
{
    timespec time = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

Json documentOf(const Case& own, const std::string& method)
{
    return {{"kind", "memory"},
            {"model",
             {{"family", "plain"},
              {"hidden", 256},
              {"layers", 4},
              {"heads", 4},
              {"vocab", own.vocab},
              {"max_positions", own.length}}},
            {"device", "cpu"},
            {"data", {{"batch", own.rows}, {"seq", own.length}}},
            {"training",
             {{"optimizer", "sgd"},
              {"warmup_steps", 1},
              {"steps", 1},
              {"loss_head", own.head},
              {"clipping", method},
              {"lora", {{"rank", own.rank}}}}}};
}

std::int64_t peakOf(const Json& document)
{
    const auto experiment = experimentFromJson(document);
    if (!experiment)
        return -1;
    ResultAssembler assembler;
    const auto end = runWorker(*experiment, [&](const Event& event, std::string_view) { assembler.add(event); });
    const RunResult result = assembler.result();
    return end && result.memory ? result.memory->peakBytes : -1;
}

// One method's step, without an optimiser: its time is the same for all.
class Method
{
public:
    Method(const Case& own, const std::string& method) : m_experiment(*experimentFromJson(documentOf(own, method)))
    {
        auto data = TrainingData::open(m_experiment, at::Device(at::kCPU));
        m_batch = data->batch(0);
        m_model = std::move(*Model::create(m_experiment.model.config, at::TensorOptions(at::kFloat), 1, true));
        if (m_experiment.training.lora.rank > 0 && !m_model->addAdapters(m_experiment.training.lora, 1))
            std::exit(1);
        m_options.lossHead = m_experiment.training.lossHead;
        if (m_experiment.training.clipping != Clipping::None)
            m_step = std::make_unique<ClippedStep>(m_experiment, *m_model, m_options, Ledger::instance(),
                                                   [](const std::string&) {});
    }

    double seconds()
    {
        for (Parameter& parameter : m_model->parameters())
            parameter.tensor.mutable_grad().reset();
        const double start = now();
        if (m_step) {
            m_step->run(m_batch, 0);
        } else {
            at::Tensor logits;
            m_options.logits = &logits;
            m_model->loss(m_model->hidden(m_batch.inputs, m_options), m_batch.labels, m_options).backward();
        }
        return now() - start;
    }

    const ClippingPlan* plan() const { return m_step ? &m_step->plan() : nullptr; }

private:
    Experiment m_experiment;
    Batch m_batch;
    std::unique_ptr<Model> m_model;
    ForwardOptions m_options;
    std::unique_ptr<ClippedStep> m_step;
};

// Of each turn: the method's time over the mean of the plain steps around it. The first turn warms up.
void measure(std::vector<std::unique_ptr<Method>>& methods, int repeats, std::vector<std::vector<double>>& times,
             std::vector<std::vector<double>>& ratios)
{
    double before = methods[0]->seconds();
    for (int repeat = -1; repeat < repeats; ++repeat) {
        for (std::size_t i = 1; i < methods.size(); ++i) {
            const double seconds = methods[i]->seconds();
            const double after = methods[0]->seconds();
            if (repeat >= 0) {
                times[0].push_back(after);
                times[i].push_back(seconds);
                ratios[i].push_back(2 * seconds / (before + after));
            }
            before = after;
        }
    }
    ratios[0] = {1};
}

void runCase(const Case& own, int repeats, const std::string& wanted)
{
    std::vector<std::string> names{"none"};
    for (const char* name : {"microbatch", "per_sample", "auto", "flash", "flash_bk", "ghost", "ghost_bk"}) {
        if (wanted.empty() || ("," + wanted + ",").find("," + std::string(name) + ",") != std::string::npos)
            names.emplace_back(name);
    }
    std::vector<std::unique_ptr<Method>> methods;
    for (const std::string& name : names)
        methods.push_back(std::make_unique<Method>(own, name));
    std::vector<std::vector<double>> times(names.size()), ratios(names.size());
    measure(methods, repeats, times, ratios);
    std::printf("%s: B %lld, T %lld, vocabulary %lld, %s head\n", own.name, static_cast<long long>(own.rows),
                static_cast<long long>(own.length), static_cast<long long>(own.vocab), own.head);
    const auto plainPeak = static_cast<double>(peakOf(documentOf(own, "none")));
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto peak = static_cast<double>(peakOf(documentOf(own, names[i])));
        std::printf("  %-10s %7.3f s  x %.3f   peak %8.1f MiB  %+6.2f %% (%+.1f MiB)\n", names[i].c_str(),
                    median(times[i]), median(ratios[i]), peak / 0x1p20, 100 * (peak / plainPeak - 1),
                    (peak - plainPeak) / 0x1p20);
        if (names[i] == "auto" && !methods[i]->plan()->notes.empty())
            std::printf("             %s\n", methods[i]->plan()->notes.front().c_str());
    }
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    findWorker();
    const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
    const std::string only = argc > 2 ? argv[2] : "";
    const std::string methods = argc > 3 ? argv[3] : "";
    at::set_num_threads(2);
    const Case cases[] = {{"one long row", 1, 4096, 1000, 0, "auto"},
                          {"two rows", 2, 2048, 1000, 0, "auto"},
                          {"adapters", 2, 2048, 1000, 16, "auto"},
                          {"large vocabulary, naive", 1, 1024, 32000, 0, "naive"},
                          {"large vocabulary, chunked", 1, 1024, 32000, 0, "chunked"}};
    for (const Case& own : cases) {
        if (only.empty() || std::string(own.name).find(only) != std::string::npos)
            runCase(own, repeats, methods);
    }
    return 0;
}
