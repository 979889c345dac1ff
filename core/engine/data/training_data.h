// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of token rows as tensors on the run's device.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/text/batches.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

namespace peakscope {

struct Batch {
    at::Tensor inputs;              // [B, T] int64
    at::Tensor labels;              // [B, T] int64, the next tokens; -100: not counted
    std::int64_t countedLabels = 0; // of the step's batch, over all ranks
    std::int64_t rowsOfStep = 0;    // likewise
    bool padded = false;            // rows may end before the batch does: what has no label then is padding
};

class TrainingData
{
public:
    // Reads and tokenises what the experiment names; the error says which file or row is wrong.
    static Result<TrainingData> open(const Experiment& experiment, c10::Device device);

    Batch batch(std::int64_t step) const;
    // Every row of the data with the chance `rate` on its own, as the accounting of DP-SGD assumes; the same for the
    // same seed. Seldom as many as the experiment's batch, and at times none.
    Batch poissonBatch(double rate, std::uint64_t seed) const;
    // From now on batches are this rank's rows of the step's batch (rowShare of core/planning/inputs/shard_groups.h).
    void setShare(std::int64_t rank, std::int64_t ranks);
    std::int64_t ranks() const { return m_ranks; }
    std::int64_t rows() const { return m_source.rows(); }
    bool isPadded() const { return m_padded; } // some row ends before a batch does
    const BatchSource& source() const { return m_source; }

private:
    TrainingData(BatchSource source, c10::Device device);

    Batch toBatch(const TokenBatch& tokens) const;

    BatchSource m_source;
    c10::Device m_device;
    bool m_padded = false;
    std::int64_t m_rank = 0;
    std::int64_t m_ranks = 1;
};

} // namespace peakscope
