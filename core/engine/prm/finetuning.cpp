// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prm/finetuning.h"

#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/ledger/operator_tracer.h"
#include "core/engine/ledger/storage_blocks.h"
#include "core/engine/model/autocast_scope.h"
#include "core/engine/model/forward_scope.h"
#include "core/engine/model/finite_values.h"
#include "core/engine/training/optimizer.h"
#include "core/text/random_bits.h"

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

class SampleTraining
{
public:
    SampleTraining(const Experiment& experiment, Model& model, const std::vector<TextSample>& samples,
                   std::uint64_t seed, Ledger& ledger)
        : m_experiment(experiment), m_model(model), m_samples(samples), m_seed(seed), m_ledger(ledger)
    {
        m_options.attention = experiment.training.attention;
        m_options.lossHead = experiment.training.lossHead;
        m_options.checkpointing = experiment.training.checkpointing;
        m_ledger.setPhase(Phase::OptimizerSetup, -1);
        m_optimizer = std::make_unique<Optimizer>(experiment.training, model.parameters(), experiment.seed);
    }

    ~SampleTraining()
    {
        for (Parameter& parameter : m_model.parameters())
            parameter.tensor.mutable_grad().reset();
    }

    std::int64_t stepsPerEpoch() const
    {
        const auto rows = static_cast<std::int64_t>(m_samples.size());
        return (rows + m_experiment.data.batch - 1) / m_experiment.data.batch;
    }

    // Loss of the step's rows before the update.
    double step(std::int64_t number)
    {
        OperatorTracer::instance().beginStep();
        const std::int64_t epoch = number / stepsPerEpoch(), inEpoch = number % stepsPerEpoch();
        const std::size_t first = static_cast<std::size_t>(inEpoch * m_experiment.data.batch);
        std::vector<std::size_t> rows;
        for (std::size_t i = first; i < std::min(m_samples.size(), first + batchRows()); ++i)
            rows.push_back(shuffledIndex(i, m_samples.size(), m_seed + static_cast<std::uint64_t>(epoch)));
        for (Parameter& parameter : m_model.parameters())
            parameter.tensor.mutable_grad().reset();
        const double loss = gradients(rows, number);
        if (std::isfinite(loss)) {
            m_ledger.setPhase(Phase::OptimizerStep, number);
            m_optimizer->step();
        }
        return loss;
    }

private:
    std::size_t batchRows() const { return static_cast<std::size_t>(m_experiment.data.batch); }

    double gradients(const std::vector<std::size_t>& rows, std::int64_t number)
    {
        std::int64_t counted = 0;
        for (const std::size_t row : rows)
            counted += static_cast<std::int64_t>(m_samples[row].tokens.size()) - 1;
        const auto physical = static_cast<std::size_t>(m_experiment.data.maxPhysicalBatch);
        const c10::Device device = m_model.parameters().front().tensor.device();
        double total = 0;
        for (std::size_t begin = 0; begin < rows.size(); begin += physical) {
            m_ledger.setPhase(Phase::Data, number);
            const Batch batch = sampleBatch(m_samples, rows, begin, std::min(physical, rows.size() - begin), device);
            m_ledger.setPhase(Phase::Forward, number);
            at::Tensor loss;
            {
                const ForwardScope scope(m_ledger);
                const AutocastScope autocast(m_experiment.training.amp, device);
                const at::Tensor hidden =
                    m_model.hidden(batch.inputs, m_options, batch.padded ? batch.labels : at::Tensor());
                loss = m_model.loss(hidden, batch.labels, m_options, counted);
            }
            total += loss.item<double>();
            m_ledger.setPhase(Phase::Backward, number);
            watchGradients(loss);
            loss.backward();
            loss.reset();
            for (const Parameter& parameter : m_model.parameters())
                tagStorage(parameter.tensor.grad(), Component::Gradients, parameter.module);
        }
        return total;
    }

    const Experiment& m_experiment;
    Model& m_model;
    const std::vector<TextSample>& m_samples;
    std::uint64_t m_seed;
    Ledger& m_ledger;
    ForwardOptions m_options;
    std::unique_ptr<Optimizer> m_optimizer;
};

} // namespace

Result<std::vector<double>> trainOnSamples(const Experiment& experiment, Model& model,
                                           const std::vector<TextSample>& samples, std::int64_t epochs,
                                           std::uint64_t seed, Ledger& ledger,
                                           const std::function<void(std::int64_t, std::int64_t, double)>& onStep)
{
    std::vector<double> losses;
    if (epochs == 0)
        return losses;
    SampleTraining training(experiment, model, samples, seed, ledger);
    const std::int64_t perEpoch = training.stepsPerEpoch(), steps = epochs * perEpoch;
    double sum = 0;
    for (std::int64_t number = 0; number < steps; ++number) {
        if (ledger.stopRequested())
            return Error{ErrorCode::Interrupted, "cancelled before training step " + std::to_string(number), ""};
        const double loss = training.step(number);
        if (!std::isfinite(loss))
            return failed(
                "", nonFiniteLoss(loss) + " at training step " + std::to_string(number) +
                        (number > 0 ? ": a smaller training.lr may help" : causeBeforeUpdates(model.parameters())));
        sum += loss;
        if ((number + 1) % perEpoch == 0) {
            losses.push_back(sum / static_cast<double>(perEpoch));
            sum = 0;
        }
        onStep(number + 1, steps, loss);
    }
    return losses;
}

} // namespace peakscope
