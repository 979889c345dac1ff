// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One rank's parameters, gradients and optimiser states without numbers, over a simulated memory: the twin of the
// engine's ParameterShards (core/engine/sharding/parameter_shards.cpp), statement by statement. One run, one thread.
#pragma once

#include "core/experiment/tensor_shape.h"
#include "core/planning/inputs/shard_schedule.h"
#include "core/planning/shadow/collective_load.h"
#include "core/planning/shadow/shadow_model.h"

#include <deque>
#include <unordered_map>

namespace peakscope {

// A parameter's shard that the optimiser steps on, or a whole parameter.
struct ShadowOptimised {
    ShadowTensor* tensor = nullptr;
    ShadowTensor* gradient = nullptr;
    std::vector<ShadowTensor>* states = nullptr;
    std::uint16_t module = 0;
    TensorShape shape;
};

class ShadowSharding final : public ShadowHooks, private ShardRows
{
public:
    // `experiment` is that of all ranks; it and the graph must outlive this. `rank`: whose part where parts differ. An
    // error is shardGroups'.
    static Result<std::unique_ptr<ShadowSharding>> create(const Experiment& experiment, std::int64_t ranks,
                                                          std::int64_t rank, ShadowGraph& graph, bool cuda);

    // The memory of the model's parameters (`model` was made without), in the order in which the engine makes them,
    // drawn with random numbers or loaded; then that of its adapters.
    void placeParameters(ShadowModel& model);
    void placeAdapters(ShadowModel& model);
    void attach(ShadowModel& model);
    // From now on gradients stay whole until finishStep, as a clipped step's do.
    void holdGradients()
    {
        m_hold = true;
        m_schedule.holdGradients(true);
    }

    void finishPass() { m_schedule.finishPass(); }
    void finishStep();
    void spreadParameters();
    // Zeros for the shards that have no gradient.
    void fillGradients();
    // Of everything so far.
    const CommunicationPlan& communication() const { return m_communication; }
    // What the optimiser steps on.
    std::vector<ShadowOptimised> optimised();

    void enterForward(std::size_t unit) override { m_schedule.enterForward(unit); }
    void leaveForward(std::size_t unit) override { m_schedule.leaveForward(unit); }
    void enterBackward(std::size_t unit) override { m_schedule.enterBackward(unit); }
    void leaveBackward(std::size_t unit) override { m_schedule.leaveBackward(unit); }

private:
    struct Row {
        ShardGroup group;
        ShadowType type = ShadowType::Float32;         // of its shards
        ShadowType gatheredType = ShadowType::Float32; // and of gradients
        ShadowType sumType = ShadowType::Float32;
        std::int64_t share = 0;
        std::int64_t padded = 0;
        ShadowTensor memory; // the whole flat row; under zero3 this rank's shard
        ShadowTensor gathered;           // by rows: on its way
        std::vector<ShadowTensor> whole; // by rows: the parameters, while they are gathered
        ShadowTensor sum, scattered;     // under way
        ShadowTensor gradient;
        struct Optimised {
            TensorShape shape;
            ShadowTensor tensor, gradient;
            std::vector<ShadowTensor> states;
        };
        std::deque<Optimised> optimised; // the shard as one, or this rank's rows of each parameter
        std::vector<ShadowParameter*> members;
        std::uint16_t module = 0; // its unit's, which no summary lists
    };

    ShadowSharding(const Experiment& experiment, std::vector<ShardGroup> groups, std::int64_t ranks, std::int64_t rank,
                   ShadowGraph& graph, bool cuda);
    ShadowType typeOf(const ParameterSpec& spec) const;
    Row* rowOf(const ParameterSpec& spec);
    bool wholeRows() const { return !dividesParameters(m_stage); }
    void makeOptimised(Row& row) const;
    void allocate(Row& row);
    ShadowTensor place(const ParameterSpec& spec, ShadowParameter& parameter);
    void close(const ParameterSpec& spec, ShadowParameter& parameter);
    ShadowTensor computedOn(const ParameterSpec& spec, const ShadowTensor& values);
    void draw(const ParameterSpec& spec);
    void gather(std::size_t row) override;
    void await(std::size_t row) override;
    void release(std::size_t row) override;
    bool reduce(std::size_t row) override;
    void settle(std::size_t row) override;

    const Experiment& m_experiment;
    std::int64_t m_ranks;
    ShadowGraph& m_graph;
    bool m_cuda;
    Sharding m_stage;
    std::int64_t m_rank;
    ShadowType m_type;
    std::size_t m_units;
    std::deque<Row> m_rows;
    ShardSchedule m_schedule;
    std::unordered_map<std::string, Row*> m_rowOfName;
    ShadowModel* m_model = nullptr;
    bool m_hold = false;
    CommunicationPlan m_communication;
};

} // namespace peakscope
