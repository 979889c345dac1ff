// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How much a curvature run holds at a time, so that it keeps to its budget: decided before the first product, by the
// estimator and by the engine alike. No LibTorch; any thread.
#pragma once

#include "core/base/result.h"
#include "core/experiment/curvature_options.h"
#include "core/model/curvature_pieces.h"
#include "core/model/model_config.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace peakscope {

struct CurvatureSizes {
    std::int64_t microBatch = 1; // rows of one pass
    std::int64_t inFlight = 1;   // vectors of one call
    std::int64_t basis = 0;      // Lanczos vectors
    std::int64_t directions = 1; // of one pass that holds no weights' tangents
    bool held = false;           // the batch's values and adjoints are kept between products
    // The first product and the gradient before it are of the whole space; else of one tensor, and tensor by tensor,
    // so that nothing as long as the parameters is held.
    bool wholeOpening = true;
    std::int64_t predictedBytes = 0;
    std::string costliest; // the quantity that makes the peak, or "the first product"
    bool bound = false;    // predictedBytes is the most that this can take, not what it will (QuantityTraits::foreseen)
};

struct CurvatureNeeds {
    ModelConfig config;
    std::vector<ParameterSpec> parameters; // the model's, adapters among them
    std::vector<bool> wanted;              // which of them are in the space
    std::int64_t rows = 1;                 // of the batch
    std::int64_t microBatch = 1;           // at most, of one pass
    std::int64_t length = 1;
    std::int64_t elementBytes = 4;
    std::set<CurvatureQuantity> quantities;
    ProductMethod method = ProductMethod::Auto;
    FeatureUnit unit = FeatureUnit::Tensor;
    std::int64_t probes = 100;
    std::int64_t topK = 5;
    bool wholeDiagonal = false;                // the trace comes from it
    bool opens = true;                         // with a gradient and a product that are measured
    bool mayHold = true;                       // the batch's values and adjoints, between products
    std::int64_t mostEntries = 1;              // of the diagonal, in one tensor
    std::int64_t onePassBytes = kOnePassBytes; // of alignmentPasses()
    // Over how many ranks parameters and vectors are cut (ZeRO-3); 0: every rank has them whole. `rows` are then the
    // most that a rank has.
    std::int64_t shards = 0;
    std::int64_t residentBytes = 0; // weights and data, there all the time
    std::int64_t budgetBytes = 0;   // 0: none
    // Of a run that is gone on with elsewhere: what its finished work was made by (directions, basis, wholeOpening)
    // stays where it fits.
    std::optional<CurvatureSizes> kept;
};

// The largest sizes that fit the budget (without one: those beyond which nothing is gained). The error says what the
// least would need, what fits and what is cheaper.
Result<CurvatureSizes> planCurvature(const CurvatureNeeds& needs);

struct QuantityLeftOut {
    CurvatureQuantity quantity{};
    std::string reason; // a sentence
};

// The same where not all of the quantities fit the budget: those that do, in the order of CurvatureQuantity, and in
// `leftOut` the others; `needs` then asks for no more than these. An error where none fits.
Result<CurvatureSizes> planWhatFits(CurvatureNeeds& needs, std::vector<QuantityLeftOut>& leftOut);

// "full is left out: REASON"
std::string leftOutSentence(const QuantityLeftOut& one);

// Whose product stands for the whole space's where that is too much to hold: the smallest matrix of the space, which
// lies low enough that its tangents run through the layers; the smallest tensor where there is no matrix.
std::size_t openingParameter(const std::vector<ParameterSpec>& parameters, const std::vector<bool>& wanted);

// Gradient pairs that L-BFGS keeps (Nocedal 1980; SciPy's maxcor).
constexpr std::int64_t kLbfgsPairs = 10;

// A Hessian of more parameters is never computed whole.
constexpr std::int64_t kFullHessianLimit = 20000;

// Bytes that the whole Hessian of `size` parameters takes at the most, its products aside: the matrix in entries of
// `elementBytes`, and what the eigensolver holds in float64: the symmetric part and the copy that it works on, the
// matrix itself where that is of another type, and LAPACK's work space (syevd for values: 2 columns and one for each
// of a block's, 128 in the libraries seen).
constexpr std::int64_t fullMatrixBytes(std::int64_t size, std::int64_t elementBytes)
{
    const std::int64_t copies = elementBytes == 8 ? 2 : 3, columns = 132;
    return size * size * (elementBytes + copies * 8) + size * columns * 8 + (std::int64_t{1} << 15);
}

// Parameters of the largest Hessian that is computed whole within so many bytes.
std::int64_t largestFullHessian(std::int64_t bytes, std::int64_t elementBytes);

// Why the whole Hessian of `size` parameters is not computed, a sentence; empty where it is. `roomBytes`: what the
// budget leaves, negative where there is none.
std::string fullHessianRefusal(std::int64_t size, std::int64_t elementBytes, std::int64_t roomBytes);

// Vectors that Hutch++ sketches the range with, of a space of `size` parameters; 0: it is not computed. Its basis is
// not written down, so it is left to models whose products are quick to repeat.
std::int64_t sketchVectors(std::int64_t size, std::int64_t probes);

} // namespace peakscope
