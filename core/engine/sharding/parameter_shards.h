// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters, gradients and optimiser states of a model over ranks: data parallel, and ZeRO stages 1 to 3
// (Rajbhandari et al. 2020) in flat shards of the rows that shardGroups() cuts. The thread of the run, or autograd's.
#pragma once

#include "core/engine/model/model.h"
#include "core/engine/sharding/collectives.h"
#include "core/planning/inputs/shard_schedule.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace peakscope {

// A row of trained parameters as it is cut, for vectors that are to be cut alike. As long as the shards.
struct ShardRow {
    const ShardGroup* group = nullptr;
    std::int64_t share = 0;  // elements of one rank
    std::int64_t padded = 0; // of all ranks
};

class ParameterShards final : public ParameterPlacement, public UnitHooks, private ShardRows
{
public:
    ~ParameterShards() override;

    // `ranks` must outlive it.
    static Result<std::unique_ptr<ParameterShards>> create(const Experiment& experiment, Communicator& ranks);

    // Whether a flat row has the parameter's numbers, or this rank's share of them.
    bool holds(const Parameter& parameter) const { return slotOf(parameter.spec).row != nullptr; }
    // Tells the ledger which of the rows' bytes here are which module's.
    void tellModules(Model& model) const;

    // Once the model is whole (adapters too): the hooks it needs, and which parameters train.
    void attach(Model& model);

    void holdGradients(bool hold) { m_schedule.holdGradients(hold); } // as the schedule's

    // After each pass's backward, and once after the last one of a step: from now on the gradients that step() reads
    // are there, summed over ranks.
    void finishPass() { m_schedule.finishPass(); }
    void finishStep();

    // For noise on summed gradients, after finishStep(): shards that got none become zeros; values for elements
    // first … of a parameter are added where this rank has them.
    bool shardsGradients() const { return m_stage != Sharding::None; }
    void fillGradients();
    void addToGradient(const Parameter& parameter, std::int64_t first, const at::Tensor& values);

    // What the optimiser steps on: the model's own parameters, or the shards of this rank.
    std::vector<Parameter>& optimised();
    // After the optimiser's step: every rank has the new parameters.
    void spreadParameters();
    // The norm of the whole gradient, on every rank; after finishStep().
    double gradientNorm() const;
    double sum(double value) const; // over ranks
    // One number a row of this rank -> of the whole step's batch, in its order.
    std::vector<double> ofAllRows(const std::vector<double>& own, std::int64_t rowsOfStep) const;
    int ranks() const { return m_ranks.size(); }
    Communicator& communicator() const { return m_ranks; }
    bool shardsParameters() const { return dividesParameters(m_stage); }
    std::vector<ShardRow> trainedRows() const;
    // Whether the unit works with the embedding's matrix too.
    bool tiedHead(std::size_t unit) const { return m_schedule.tiedHead(unit); }
    bool embeddingReadInBackward() const { return m_schedule.tableReadInBackward(); }
    const std::vector<CollectiveTotals>& totals() const { return m_ranks.totals(); }

    at::Tensor place(const ParameterSpec& spec, const at::TensorOptions& options) override;
    at::Tensor open(const Parameter& parameter) override;
    void close(Parameter& parameter, const at::Tensor& values) override;
    void enterForward(std::size_t unit) override { m_schedule.enterForward(unit); }
    void leaveForward(std::size_t unit) override { m_schedule.leaveForward(unit); }
    void enterBackward(std::size_t unit) override { m_schedule.enterBackward(unit); }
    void leaveBackward(std::size_t unit) override { m_schedule.leaveBackward(unit); }

private:
    struct Row; // a flat row of parameters and this rank's shard of it
    struct Slot {
        Row* row = nullptr;
        std::size_t index = 0; // in the row's group
    };

    ParameterShards(const Experiment& experiment, std::vector<ShardGroup> groups, Communicator& ranks);
    Slot slotOf(const ParameterSpec& spec) const;
    ShardPart partOf(const Slot& slot) const; // this rank's
    void allocate(Row& row, const at::TensorOptions& options);
    void makeOptimised(Row& row);
    // Elements first … of the parameter at `slot`, as far as this rank has them: where in `values` and in the shard.
    struct Overlap {
        std::int64_t inValues = 0, inShard = 0, count = 0;
    };
    Overlap overlap(const Slot& slot, std::int64_t first, std::int64_t count) const;
    void gather(std::size_t row) override;
    void await(std::size_t row) override;
    void release(std::size_t row) override;
    bool reduce(std::size_t row) override;
    void settle(std::size_t row) override;

    Communicator& m_ranks;
    Sharding m_stage;
    at::ScalarType m_shardType; // by rows: of what the optimiser steps on
    at::ScalarType m_sumType;   // of gradients over ranks
    std::vector<std::unique_ptr<Row>> m_rows;
    ShardSchedule m_schedule;
    std::map<std::string, Slot> m_slots; // by parameter name; what is not there is whole on every rank
    std::vector<Parameter> m_optimised;  // the shards; empty for data parallel
    Model* m_model = nullptr;
};

} // namespace peakscope
