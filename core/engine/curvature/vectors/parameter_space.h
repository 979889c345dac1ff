// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters that a curvature experiment differentiates by, laid out as one vector, and the entries whose diagonal
// it asks for. Tied weights are one parameter, under the embedding's name. Built once; used from one thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/curvature/vectors/vector_layout.h"
#include "core/engine/model/model.h"
#include "core/experiment/curvature_options.h"

#include <string>
#include <vector>

namespace peakscope {

// One parameter tensor inside the vector.
struct SpaceTensor {
    std::size_t parameter = 0; // index in Model::parameters()
    ParameterSpec spec;
    std::int64_t offset = 0; // of its first element in the vector
    std::int64_t count = 0;
};

// Diagonal entries of one tensor.
struct WantedEntries {
    std::size_t tensor = 0; // index in ParameterSpace::tensors()
    bool all = false;
    std::vector<std::int64_t> indices; // flattened positions, ascending; empty where all
    std::int64_t count = 0;
};

class ParameterShards;

class ParameterSpace
{
public:
    // Every parameter that is trained (where the model has adapters: theirs) but for `names`, which restricts the space
    // (and so trace, eigenvalues and spectrum) to the parameters that match. A name or an index that does not exist and
    // a sample larger than the space are errors.
    static Result<ParameterSpace> create(Model& model, const CurvatureOptions& options, std::uint64_t seed);

    std::int64_t size() const { return m_size; }
    const std::vector<SpaceTensor>& tensors() const { return m_tensors; }
    const std::vector<WantedEntries>& wanted() const { return m_wanted; }
    std::int64_t wantedCount() const;
    // Whether the wanted entries are the whole space's.
    bool wantsWholeDiagonal() const { return wantedCount() == m_size; }
    bool restricted() const { return m_restricted; }
    double adapterScale() const { return m_adapterScale; }

    // From now on vectors are cut like the parameters' shards, which must outlive the space.
    void cutLike(const ParameterShards& shards);
    const VectorLayout& layout() const { return m_layout; }
    const SpaceTensor& tensorAt(std::int64_t position) const; // in the whole vector

    // The model's tensors in the space's order.
    std::vector<at::Tensor> weights() const;
    // A zero vector in the weights' dtype, on their device, counted as `hessian`; this rank's part of one where vectors
    // are cut.
    at::Tensor vector() const;
    // Views of a whole vector [size] or of several [K, size], shaped like the tensors (after K where there is one).
    std::vector<at::Tensor> views(const at::Tensor& flat) const;

    Model& model() const { return *m_model; }

private:
    explicit ParameterSpace(Model& model) : m_model(&model) {}
    Status chooseTensors(const CurvatureOptions& options);
    Status chooseEntries(const CurvatureOptions& options, std::uint64_t seed);
    Status listEntries(const std::vector<EntryChoice>& entries);
    void sampleEntries(std::int64_t count, bool wholeRows, std::uint64_t seed);

    Model* m_model;
    std::vector<SpaceTensor> m_tensors;
    std::vector<WantedEntries> m_wanted;
    VectorLayout m_layout;
    std::int64_t m_size = 0;
    bool m_restricted = false;
    double m_adapterScale = 1;
};

// How many of `count` draws each stratum gets, proportional to its size and never more than that. Larger `count`s only
// add to every stratum's share (Webster's divisor method is house monotone), so that a sample can be extended.
std::vector<std::int64_t> apportion(const std::vector<std::int64_t>& sizes, std::int64_t count);

} // namespace peakscope
