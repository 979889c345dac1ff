// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every configuration of a search.
#include "core/planning/recommend/recommender_space.h"

#include <algorithm>

namespace peakscope {

namespace {

struct Precision {
    Dtype dtype;
    Amp amp;
};

template <typename T>
std::vector<T> axis(bool fixed, T value, std::vector<T> others)
{
    if (fixed) {
        return {value};
    }
    std::vector<T> values{value};
    for (auto&& other : others) {
        if (std::find(values.begin(), values.end(), other) == values.end()) {
            values.push_back(other);
        }
    }
    return values;
}

// Lists every configuration of a space.
class SpaceBuilder
{
    using Quantity = std::optional<CurvatureQuantity>;
    using Method = std::optional<ProductMethod>;

public:
    explicit SpaceBuilder(PlanSpace& space) : m_space(space), m_fixed(space.fixed), m_target(space.target)
    {
        precisions();
        sequences();
        batches();
    }

    void build()
    {
        if (m_space.goal == Goal::Hessian) {
            curvature();
        } else {
            training();
        }
    }

private:
    void precisions()
    {
        m_precisions.push_back({m_target.dtype, m_target.amp});
        const auto add = [this](Dtype dtype, Amp amp) {
            const bool allowed = (!m_fixed.dtype || dtype == m_target.dtype) && (!m_fixed.amp || amp == m_target.amp);
            const bool there = std::any_of(m_precisions.begin(), m_precisions.end(),
                                           [&](const Precision& one) { return one.dtype == dtype && one.amp == amp; });
            if (allowed && !there) {
                m_precisions.push_back({dtype, amp});
            }
        };
        const bool brain = hasBFloat16(m_space.device);
        add(Dtype::Float32, Amp::None);
        if (m_space.goal == Goal::Hessian) {
            add(Dtype::Float64, Amp::None);
        }
        if (takesCurvature(m_space.goal)) {
            return; // the engine refuses 16 bits
        }
        add(Dtype::Float32, brain ? Amp::BFloat16 : Amp::Float16);
        add(brain ? Dtype::BFloat16 : Dtype::Float16, Amp::None);
    }

    // What is asked for is kept, in passes of fewer rows.
    void batches()
    {
        if (m_space.goal == Goal::Hessian && !m_fixed.batch) {
            curvatureBatches();
            return;
        }
        const std::int64_t asked = m_fixed.batch ? m_target.batch : m_target.rowsOfDevice();
        std::int64_t physical = std::min(m_target.physical, asked);
        m_batches.push_back({asked, physical});
        while (!m_fixed.physical && physical > 1) {
            physical /= 2;
            m_batches.push_back({asked, physical});
        }
        if (!m_fixed.physical && (m_space.goal == Goal::Train || m_space.goal == Goal::DpSgd)) {
            moreRows(asked);
        }
    }

    // Of which the search finds the most that there is room for: passes of the step's rows, or where neither a batch is
    // asked for nor noise is shared by it, 1, 2, 3, 4, 6, 8, 12, … rows a step.
    void moreRows(std::int64_t asked)
    {
        constexpr std::int64_t kMost = 2048;
        if (keepsRows(m_space)) {
            for (std::int64_t rows = asked; rows > 1; rows /= 2) {
                m_space.moreRows.insert(m_space.moreRows.begin(), rows);
            }
            return;
        }
        for (std::int64_t rows = 1; rows <= kMost; rows *= 2) {
            for (const std::int64_t one : {rows, rows + rows / 2}) {
                if (one > asked && one <= kMost) {
                    m_space.moreRows.push_back(one);
                }
            }
        }
    }

    // Products with the Hessian add up over rows: the same number in passes of fewer rows.
    void curvatureBatches()
    {
        for (std::int64_t batch = 1; batch <= 2 * m_target.batch; batch *= 2) {
            for (std::int64_t physical = batch; physical >= 1; physical /= 2) {
                if (!m_fixed.physical || physical == std::min(m_target.physical, batch)) {
                    m_batches.push_back({batch, physical});
                }
            }
        }
    }

    void sequences()
    {
        m_sequences.push_back(m_target.seq);
        if (m_fixed.seq) {
            return;
        }
        const std::int64_t longest = longestSequence(m_space.base.model.config);
        // Training at greater lengths is the capacity map's matter.
        if (m_space.goal == Goal::Hessian && 2 * m_target.seq <= longest) {
            m_sequences.push_back(2 * m_target.seq);
        }
        const int halvings = m_space.goal == Goal::Hessian ? 3 : 2;
        for (int i = 1; i <= halvings && m_target.seq >> i >= 16; ++i) {
            m_sequences.push_back(m_target.seq >> i);
        }
    }

    std::vector<Sharding> shardings() const
    {
        return axis(m_fixed.sharding || !runsSharded(m_target), m_target.sharding,
                    {Sharding::Zero1, Sharding::Zero2, Sharding::Zero3});
    }

    // Numbers of devices worth a look: those that are there, and powers of two beyond.
    std::vector<std::int64_t> deviceCounts() const
    {
        std::vector<std::int64_t> counts;
        if (m_space.devices > 1) {
            counts.push_back(m_space.devices);
        }
        for (std::int64_t count = 2; count <= 64; count *= 2) {
            if (count > m_space.devices) {
                counts.push_back(count);
            }
        }
        return counts;
    }

    std::vector<std::int64_t> loraRanks() const
    {
        if (m_space.goal == Goal::Prm) {
            return {m_target.loraRank};
        }
        return axis<std::int64_t>(m_fixed.lora, m_target.loraRank, {usualAdapterRank(m_space.base.model.config)});
    }

    // Over shards, where every byte of the weights is sent for each pass, adapters that nobody asked for stand over
    // 16-bit weights: those are not trained, and lose nothing by it.
    std::vector<std::int64_t> shardedRanks(const Precision& precision) const
    {
        const auto narrow = [](const Precision& one) { return bytesPerElement(one.dtype) == 2; };
        const bool wide = !narrow(precision) && std::ranges::any_of(m_precisions, narrow);
        return wide ? std::vector<std::int64_t>{m_target.loraRank} : loraRanks();
    }

    std::vector<Clipping> clippings() const
    {
        if (m_space.goal != Goal::DpSgd) {
            return {m_target.clipping};
        }
        return axis(m_fixed.clipping, m_target.clipping,
                    {Clipping::PerSample, Clipping::Microbatch, Clipping::Ghost, Clipping::Flash, Clipping::GhostBk,
                     Clipping::FlashBk});
    }

    // f(choice) for every way to run the choice: rows of a pass, attention, loss head, checkpointing.
    template <typename F>
    void eachWay(PlanChoice choice, const std::vector<AttentionKind>& attentions, F f) const
    {
        for (const bool checkpointing : axis(m_fixed.checkpointing, m_target.checkpointing, {false, true})) {
            for (const AttentionKind attention : attentions) {
                for (const LossHead head : axis(m_fixed.lossHead, m_target.lossHead, {LossHead::Chunked})) {
                    choice.checkpointing = checkpointing;
                    choice.attention = attention;
                    choice.lossHead = head;
                    f(choice);
                }
            }
        }
    }

    void add(const PlanChoice& choice) { m_space.choices.push_back(choice); }

    void training()
    {
        const bool privately = m_space.goal == Goal::DpSgd;
        // Nobody trains a language model by another rule for the sake of its states: 8-bit ones are fewerBits()'.
        std::vector<OptimizerKind> others;
        if (m_space.goal == Goal::Prm) {
            others.push_back(leanestOptimizer());
        }
        const auto optimizers = axis(m_fixed.optimizer, m_target.optimizer, others);
        // Clipping methods take the place of some of the other axes, so that both searches take equally long.
        const auto attentions =
            axis(m_fixed.attention, m_target.attention,
                 privately ? std::vector<AttentionKind>{}
                           : std::vector<AttentionKind>{AttentionKind::Chunked, AttentionKind::Math});
        for (const Precision& precision : m_precisions) {
            for (const OptimizerKind optimizer : optimizers) {
                for (const std::int64_t rank : loraRanks()) {
                    if (privately && optimizer != m_target.optimizer) {
                        continue;
                    }
                    PlanChoice choice = m_target;
                    choice.dtype = precision.dtype;
                    choice.amp = precision.amp;
                    choice.optimizer = optimizer;
                    choice.loraRank = rank;
                    trainingOf(withWideAdapters(m_space, ofPrecision(choice)), attentions);
                }
            }
            shardedOf(precision);
        }
        fewerBits();
        quantizedBases();
    }

    // What is said of bfloat16 weights, or of 16-bit weights, holds for no others.
    PlanChoice ofPrecision(PlanChoice choice) const
    {
        if (choice.dtype != m_target.dtype) {
            choice.rounding = WeightRounding::Nearest;
            choice.masters = false;
        }
        return choice;
    }

    // All weights, kept in 16 bits without losing small updates, or with states in 8.
    void fewerBits()
    {
        if (m_space.goal != Goal::Train || m_fixed.rounding || m_fixed.masters || m_target.loraRank > 0 ||
            !mayUpdateWide(m_space)) {
            return;
        }
        struct Kind {
            WeightRounding rounding;
            bool masters;
        };
        constexpr Kind kKinds[] = {{WeightRounding::Nearest, true},
                                   {WeightRounding::Kahan, false},
                                   {WeightRounding::Stochastic, false},
                                   {WeightRounding::Nearest, false}};
        std::vector<OptimizerKind> optimizers{m_target.optimizer};
        if (!m_fixed.optimizer && m_target.optimizer->states.size() == eightBitAdam()->states.size()) {
            optimizers.push_back(eightBitAdam());
        }
        const bool brain = hasBFloat16(m_space.device);
        const Dtype narrow = brain ? Dtype::BFloat16 : Dtype::Float16;
        for (const Kind& kind : kKinds) {
            for (const OptimizerKind optimizer : optimizers) {
                PlanChoice choice = m_target;
                choice.amp = Amp::None;
                choice.optimizer = optimizer;
                choice.rounding = kind.rounding;
                choice.masters = kind.masters;
                choice.dtype = kind.masters || kind.rounding != WeightRounding::Nearest ? narrow : Dtype::Float32;
                const bool known = choice.dtype == Dtype::Float32 && optimizer == m_target.optimizer;
                const bool open = (!m_fixed.dtype || choice.dtype == m_target.dtype) &&
                                  (!m_fixed.amp || m_target.amp == Amp::None) &&
                                  (brain || kind.rounding == WeightRounding::Nearest);
                if (open && !known) {
                    wayOfFewerBits(choice);
                }
            }
        }
    }

    // Adapters over weights in 4 bits, which compute in 16.
    void quantizedBases()
    {
        const bool open = m_space.goal == Goal::Train || m_space.goal == Goal::DpSgd;
        const Dtype narrow = hasBFloat16(m_space.device) ? Dtype::BFloat16 : Dtype::Float16;
        if (!open || m_fixed.quantization || (m_fixed.dtype && m_target.dtype != narrow) ||
            (m_fixed.amp && m_target.amp != Amp::None)) {
            return;
        }
        for (const std::int64_t rank : loraRanks()) {
            for (const Clipping clipping : clippings()) {
                PlanChoice choice = m_target;
                choice.dtype = narrow;
                choice.amp = Amp::None;
                choice.loraRank = rank;
                choice.quantization = Quantization::Nf4;
                choice.clipping = clipping;
                for (const std::int64_t seq : m_sequences) {
                    choice.seq = seq;
                    if (rank > 0) {
                        wayOfFewerBits(withWideAdapters(m_space, ofPrecision(choice)));
                    }
                }
            }
        }
    }

    void wayOfFewerBits(PlanChoice choice)
    {
        if (choice.loraRank > 0 && choice.seq == m_target.seq) {
            shardedWays(choice);
        }
        if (m_fixed.sharding && m_target.sharding != Sharding::None) {
            return;
        }
        for (const auto& [batch, physical] : m_batches) {
            choice.batch = batch;
            choice.physical = physical;
            eachWay(choice, {m_target.attention}, [this](const PlanChoice& one) { add(one); });
        }
    }

    void trainingOf(PlanChoice choice, const std::vector<AttentionKind>& attentions)
    {
        if (m_fixed.sharding && m_target.sharding != Sharding::None) {
            return; // shardedOf lists those
        }
        for (const Clipping clipping : clippings()) {
            for (const std::int64_t seq : m_sequences) {
                for (const auto& [batch, physical] : m_batches) {
                    choice.clipping = clipping;
                    choice.seq = seq;
                    choice.batch = batch;
                    choice.physical = physical;
                    eachWay(choice, attentions, [this](const PlanChoice& one) { add(one); });
                }
            }
        }
    }

    void shardedOf(const Precision& precision)
    {
        if (!runsSharded(m_space.goal)) {
            return;
        }
        for (const std::int64_t rank : shardedRanks(precision)) {
            PlanChoice choice = m_target;
            choice.dtype = precision.dtype;
            choice.amp = precision.amp;
            choice.loraRank = rank;
            shardedWays(withWideAdapters(m_space, ofPrecision(choice)));
        }
    }

    void shardedWays(PlanChoice choice)
    {
        for (const Sharding sharding : shardings()) {
            // Of adapters there is next to nothing to share but the weights that they stand beside.
            const bool little = sharding == Sharding::Zero1 || sharding == Sharding::Zero2;
            const bool blocks = choice.quantization != Quantization::None; // which a shard would cut
            if (choice.loraRank > 0 && !m_fixed.sharding && (little || (blocks && sharding != Sharding::None))) {
                continue;
            }
            for (const std::int64_t devices : deviceCounts()) {
                // Without sharding a further device only adds rows; one entry says so.
                if (sharding == Sharding::None && devices != m_space.devices) {
                    continue;
                }
                for (const auto& [batch, physical] : m_batches) {
                    choice.sharding = sharding;
                    choice.devices = 1;
                    choice.batch = batch;
                    choice.physical = physical;
                    choice = onDevices(m_space, choice, devices);
                    eachWay(choice, {m_target.attention}, [this](const PlanChoice& one) { add(one); });
                }
            }
        }
    }

    std::vector<Method> methodsFor(Quantity quantity) const
    {
        if (m_fixed.method || !quantity) {
            return {m_target.method};
        }
        if (!traitsOf(*quantity).products) {
            return {ProductMethod::Auto};
        }
        std::vector<Method> methods{ProductMethod::DoubleBackward, ProductMethod::ReverseOverForward,
                                    ProductMethod::ForwardOverReverse, ProductMethod::FiniteDifference};
        if (quantity == CurvatureQuantity::Diagonal) {
            methods.insert(methods.end(), {ProductMethod::Row, ProductMethod::Jets});
        }
        return axis(false, m_target.method, methods);
    }

    std::vector<std::int64_t> countsFor(Quantity quantity) const
    {
        const bool dense = quantity == CurvatureQuantity::Full;
        if (m_fixed.count || m_target.count == 0 || (quantity != CurvatureQuantity::Diagonal && !dense)) {
            return {m_target.count};
        }
        const std::vector<std::int64_t> divisors =
            dense ? std::vector<std::int64_t>{10, 100} : std::vector<std::int64_t>{2, 5, 10, 100};
        std::vector<std::int64_t> counts;
        for (const std::int64_t divisor : divisors) {
            counts.push_back(std::max<std::int64_t>(1, m_target.count / divisor));
        }
        return axis(false, m_target.count, counts);
    }

    void curvature()
    {
        using enum CurvatureQuantity;
        const std::vector<Quantity> others{Full,  BlockDiagonal, GgnDiagonal, FisherDiagonal, Kfac,
                                           Trace, Eigenvalues,   Density,     Lbfgs};
        for (const Precision& precision : m_precisions) {
            for (const Quantity quantity : axis(m_fixed.quantity, m_target.quantity, others)) {
                for (const Method method : methodsFor(quantity)) {
                    for (const std::int64_t count : countsFor(quantity)) {
                        PlanChoice choice = m_target;
                        choice.dtype = precision.dtype;
                        choice.amp = precision.amp;
                        choice.quantity = quantity;
                        choice.method = method;
                        choice.count = count;
                        curvatureOf(choice);
                    }
                }
            }
        }
    }

    void curvatureOf(PlanChoice choice)
    {
        // Finite differences and one-pass quantities are made of plain gradients, which any attention computes.
        const bool gradients = choice.method == ProductMethod::FiniteDifference || choice.method == ProductMethod::Auto;
        if (gradients && !m_fixed.attention) {
            choice.attention = AttentionKind::Auto;
        }
        for (const std::int64_t seq : m_sequences) {
            for (const auto& [batch, physical] : m_batches) {
                choice.seq = seq;
                choice.batch = batch;
                choice.physical = physical;
                m_space.choices.push_back(choice);
            }
        }
        if (m_fixed.sharding || !runsSharded(choice)) {
            return;
        }
        choice.seq = m_target.seq;
        choice.batch = m_target.batch;
        choice.physical = m_target.physical;
        choice.sharding = Sharding::Zero3;
        for (const std::int64_t devices : deviceCounts()) {
            m_space.choices.push_back(onDevices(m_space, choice, devices));
        }
    }

    PlanSpace& m_space;
    const PlanFixed& m_fixed;
    const PlanChoice& m_target;
    std::vector<Precision> m_precisions;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_batches; // batch, rows of one pass
    std::vector<std::int64_t> m_sequences;
};

} // namespace

std::int64_t longestSequence(const ModelConfig& config)
{
    return std::max<std::int64_t>(1, config.maxPositions);
}

void listChoices(PlanSpace& space)
{
    SpaceBuilder(space).build();
}

} // namespace peakscope
