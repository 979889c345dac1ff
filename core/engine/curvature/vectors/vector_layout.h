// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the vectors of a matrix are held: whole, or over ranks, each of which has its part of every vector (for models
// whose parameters are sharded: vectors are cut alike). All ranks call the same things in the same order and get the
// same numbers; what is random is a function of the position in the whole vector, so that it is the same for any number
// of ranks. One thread.
#pragma once

#include "core/engine/curvature/vectors/counter_random.h"
#include "core/ranks/communicator.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace peakscope {

class VectorLayout
{
public:
    // One row of numbers that is cut over the ranks in equal shares.
    struct Member {
        std::int64_t position = 0; // of its first number in the whole vector
        std::int64_t inRow = 0;
        std::int64_t count = 0;
    };
    struct Row {
        std::size_t unit = 0;    // of shardUnit()
        std::int64_t share = 0;  // numbers of one rank
        std::int64_t padded = 0; // of all ranks
        std::int64_t held = 0;   // where this rank's share stands in its part of a vector
        std::vector<Member> members;
    };

    VectorLayout() = default; // whole vectors
    // `rows` without `held`; `ranks` must outlive it. Numbers of the rows that are no member's are zero in every
    // vector.
    VectorLayout(Communicator& ranks, std::vector<Row> rows);

    bool whole() const { return m_ranks == nullptr; }
    Communicator& ranks() const { return *m_ranks; } // where not whole
    const std::vector<Row>& rows() const { return m_rows; }
    std::int64_t held() const { return m_held; } // numbers of this rank's part

    // Inner products, summed in float64.
    double dot(const at::Tensor& a, const at::Tensor& b) const;
    double norm(const at::Tensor& a) const;
    // Of the positions [starts[i], starts[i] + counts[i]) alone.
    struct Range {
        std::int64_t position = 0;
        std::int64_t count = 0;
    };
    std::vector<double> dots(const at::Tensor& a, const at::Tensor& b, const std::vector<Range>& ranges) const;
    // Makes every rank's partial sums those of all, in place.
    void sum(const at::Tensor& partial) const;

    void fillSigns(const at::Tensor& vector, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number) const;
    void fillNormal(const at::Tensor& vector, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number) const;

    // The position of a number that is NaN or infinite, -1 where all are finite.
    std::int64_t firstNonFinite(const at::Tensor& vector) const;
    // The numbers at position + indices[i], on every rank.
    std::vector<double> valuesAt(const at::Tensor& vector, std::int64_t position,
                                 const std::vector<std::int64_t>& indices) const;

    // The whole vector piece by piece, on the CPU: to the first rank's `visit`, and from its `fetch`. Never more than a
    // row is held.
    using Piece = std::function<void(std::int64_t position, const at::Tensor& values)>;
    void collect(const at::Tensor& vector, const Piece& visit) const;
    void distribute(const at::Tensor& vector, const Piece& fetch) const;

private:
    // Numbers of a member that this rank has.
    struct Own {
        std::int64_t position = 0;
        std::int64_t held = 0;
        std::int64_t count = 0;
    };

    Communicator* m_ranks = nullptr;
    std::vector<Row> m_rows;
    std::vector<Own> m_own;
    std::int64_t m_held = 0;
};

} // namespace peakscope
