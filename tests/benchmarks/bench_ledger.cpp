// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the memory ledger costs: nanoseconds and bytes an event, and a training step with and without it, the two in
// turn so that the machine's drift falls on both.
#include "core/engine/ledger/cpu_allocator.h"
#include "core/engine/ledger/ledger.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/ledger/operator_tracer.h"
#include "core/engine/model/model.h"
#include "core/engine/training/optimizer.h"

#include <ATen/Parallel.h>
#include <ATen/SequenceNumber.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

using namespace peakscope;

namespace {

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

// Seconds of `count` allocations and frees of a small tensor's memory.
double allocateAndFree(int count)
{
    c10::Allocator* allocator = c10::GetCPUAllocator();
    const double start = now();
    for (int i = 0; i < count; ++i)
        const c10::DataPtr data = allocator->allocate(4096);
    return now() - start;
}

class StepBench
{
public:
    StepBench(std::int64_t layers, std::int64_t hidden, std::int64_t rows, std::int64_t length)
    {
        ModelConfig config = familyDefaults("gpt2");
        config.layers = layers;
        config.hidden = config.embedDim = hidden;
        config.heads = config.kvHeads = 4;
        config.headDim = hidden / 4;
        config.ffn = 4 * hidden;
        config.maxPositions = length;
        m_model = std::move(*Model::create(config, at::TensorOptions().dtype(at::kFloat), 1, true));
        m_optimizer = std::make_unique<Optimizer>(TrainingOptions(), m_model->parameters(), 0);
        m_tokens = at::randint(0, config.vocab, {rows, length}, at::TensorOptions().dtype(at::kLong));
    }

    double step(bool recorded)
    {
        Ledger& ledger = Ledger::instance();
        if (recorded) {
            ledger.start();
            OperatorTracer::instance().start();
        }
        const double start = now();
        for (Parameter& parameter : m_model->parameters())
            parameter.tensor.mutable_grad().reset();
        OperatorTracer::instance().beginForward(at::sequence_number::peek());
        const std::uint32_t scope = ledger.openScope(ScopeKind::Forward);
        ledger.setPhase(Phase::Forward, 0);
        at::Tensor loss = m_model->loss(m_model->hidden(m_tokens, {}), m_tokens, {});
        ledger.closeScope(scope);
        ledger.setPhase(Phase::Backward, 0);
        watchGradients(loss);
        loss.backward();
        loss.reset();
        ledger.setPhase(Phase::OptimizerStep, 0);
        m_optimizer->step();
        const double seconds = now() - start;
        OperatorTracer::instance().stop();
        ledger.stop();
        return seconds;
    }

private:
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Optimizer> m_optimizer;
    at::Tensor m_tokens;
};

void benchSteps(const char* name, StepBench& bench, int rounds)
{
    std::vector<double> with, without, ratios;
    bench.step(false);
    bench.step(true);
    const std::size_t before = Ledger::instance().eventCount();
    for (int i = 0; i < rounds; ++i) {
        without.push_back(bench.step(false));
        with.push_back(bench.step(true));
        ratios.push_back(with.back() / without.back());
    }
    const double events = static_cast<double>(Ledger::instance().eventCount() - before) / rounds;
    std::printf("%-28s %8.2f ms without, %8.2f ms with, %6.0f events, ratio of pairs %.4f (median)\n", name,
                median(without) * 1e3, median(with) * 1e3, events, median(ratios));
}

} // namespace

int main()
{
    at::set_num_threads(1);
    constexpr int kCount = 200000;
    allocateAndFree(kCount);
    const double plain = allocateAndFree(kCount);
    installCpuAllocator();
    Ledger& ledger = Ledger::instance();
    ledger.start();
    std::vector<double> extra;
    for (int round = 0; round < 9; ++round)
        extra.push_back((allocateAndFree(kCount) - plain) / (2.0 * kCount) * 1e9);
    ledger.stop();
    std::printf("ledger: %.0f ns an event (target 200), %.0f bytes an event (target 48)\n", median(extra),
                (sizeof(LedgerBlock) + 2.0 * sizeof(LedgerEvent)) / 2);

    StepBench small(2, 64, 2, 32), medium(4, 256, 4, 128);
    benchSteps("step, 2 x 64, 2 x 32 tokens", small, 300);
    benchSteps("step, 4 x 256, 4 x 128 tokens", medium, 25);
    return 0;
}
