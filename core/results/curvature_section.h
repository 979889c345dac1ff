// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The section "curvature" of a result with the course of its estimates, as tables, views and figures take it: read once
// (section_readers.h), finished or as far as it stands, whatever it lacks being absent. Plain data; any thread.
#pragma once

#include "core/results/curvature_matrix.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// Module kinds and one place for parameters of none.
inline constexpr std::size_t kCurvatureKinds = kModuleKindCount + 1;

// A stochastic value with its 95 % interval; the ends are not numbers where nothing is known of them.
struct CurvatureInterval {
    double mean = kNoNumber;
    double standardError = kNoNumber;
    double low = kNoNumber, high = kNoNumber;
    std::int64_t samples = 0; // probes, products or entries

    bool hasInterval() const { return low <= high; }
    bool exact() const { return low == high; }
};

struct CurvatureEigenvalue {
    double value = 0;
    double residual = kNoNumber; // |Hv - value v| of its unit vector: an eigenvalue lies within this of the value
};

// How the eigenvalues were found.
struct CurvatureSolver {
    std::int64_t products = 0, restarts = 0;
    std::optional<bool> converged;
    double tolerance = kNoNumber;
    std::int64_t freshDirections = 0, checkProducts = 0; // that looked for eigenvalues that were missed
    std::string check;                                   // what they say
};

// A probe's estimate of the spectrum.
struct CurvatureQuadrature {
    std::vector<double> nodes, weights;
};

// Eigenvalues per unit of eigenvalue, as a share of all: integrates to 1.
struct CurvatureDensity {
    std::vector<double> grid, value;
    std::vector<CurvatureQuadrature> quadratures; // of the document: a reader keeps the shares below and their number
    CurvatureInterval moment1, moment2;           // of the quadratures
    double sigma = kNoNumber; // width of the kernel it was smoothed with
    std::int64_t steps = 0, probes = 0;
    bool exact = false;       // from every eigenvalue rather than from quadratures
    double below = kNoNumber; // share of the eigenvalues more than sigma below zero
    double near = kNoNumber;  // and within sigma of it
};

// The trace of the whole matrix.
struct CurvatureTrace {
    CurvatureInterval estimate;
    std::string from;                // of one that is not estimated
    CurvatureInterval hutchPlusPlus; // without samples: not computed
};

struct CurvatureBlock {
    std::string name;
    std::size_t kind = kModuleKindCount; // a ModuleKind, or kModuleKindCount
    std::int64_t layer = -1;             // -1: in none
    std::int64_t size = 0;               // 0: not known, nor is anything beside the trace
    CurvatureInterval trace;
    double top = kNoNumber, topResidual = kNoNumber;             // the eigenvalue of largest magnitude
    CurvatureEigenvalue smallest{kNoNumber}, largest{kNoNumber}; // by value; not numbers in files of older versions
    std::vector<double> eigenvalues;                             // all of them, ascending, where it was computed whole
    double frobenius = kNoNumber;
    bool exact = false;
};

// What the block-diagonal matrix leaves out.
struct CurvatureOffBlocks {
    CurvatureInterval mass;       // as a share of the squared entries
    double frobenius = kNoNumber; // of the whole matrix
};

// An entry of finite differences beside the exact one.
struct CurvatureCheckedEntry {
    std::string parameter;
    std::int64_t index = 0;
    double value = kNoNumber, exact = kNoNumber, rounding = kNoNumber;
};

// Entries of one diagonal.
struct CurvatureDiagonal {
    std::string name; // "diagonal", "ggn_diagonal", "fisher_diagonal"
    std::vector<std::string> parameters;
    std::vector<std::size_t> kinds; // of each parameter, as in CurvatureBlock
    std::vector<std::int64_t> layers;
    std::vector<std::uint32_t> parameter; // of each entry
    std::vector<std::int64_t> index;
    std::vector<double> value;
    std::int64_t count = 0; // computed; beyond a million they are not listed
    double least = kNoNumber, most = kNoNumber, average = kNoNumber, deviation = kNoNumber; // of the entries
    std::optional<CurvatureInterval> population; // the mean over the whole space where it could be estimated
    std::optional<CurvatureCheckedEntry> largest;
    std::string fisher;     // what Fisher matrix it is of
    CurvatureInterval mean; // over the whole space where it could be estimated, else over the entries
};

// The Kronecker factors of one linear layer.
struct CurvatureFactors {
    std::string parameter;
    std::int64_t inputs = 0, outputs = 0;
    double inputTrace = kNoNumber, outputTrace = kNoNumber, inputTop = kNoNumber, outputTop = kNoNumber; // of each
    double trace = kNoNumber, exactTrace = kNoNumber; // of the factors' product, and of what it stands for
    double top = kNoNumber;
};

struct CurvatureKfac {
    std::vector<CurvatureFactors> layers;
    std::string fisher; // what Fisher matrix they are of
};

// How well an approximation by L-BFGS pairs does against exact products.
struct CurvatureLbfgs {
    std::int64_t pairs = 0, skipped = 0;
    double gamma = kNoNumber; // of the identity that the pairs correct
    CurvatureInterval relativeError, cosine;
};

// How an estimate came about.
struct CurvatureMoment {
    std::int64_t samples = 0;
    double mean = 0;
    double standardError = kNoNumber; // of eigenvalues: the residual
    double seconds = kNoNumber;       // of the run, or live since its first estimate
};

// "model.layers.0.self_attn.q_proj.weight" -> attention; kModuleKindCount where the name says nothing.
std::size_t curvatureKindOf(std::string_view parameter);

class CurvatureCourse
{
public:
    static constexpr std::size_t kMost = 2000; // of one name; beyond, every other older one is let go

    void add(const std::string& name, const CurvatureMoment& moment);
    const std::map<std::string, std::vector<CurvatureMoment>>& series() const { return m_series; }
    bool empty() const { return m_series.empty(); }
    // Products a second over the last seconds of the estimate that came last; not a number before there are two.
    double productsPerSecond() const;

private:
    std::map<std::string, std::vector<CurvatureMoment>> m_series;
    std::string m_last;
};

struct CurvatureData {
    std::optional<CurvatureInterval> trace, hutchPlusPlus, offBlockMass;
    std::vector<CurvatureEigenvalue> eigenvalues; // largest magnitude first
    std::int64_t eigenProducts = 0;
    std::optional<bool> eigenConverged;
    std::optional<CurvatureDensity> density;
    std::vector<CurvatureDiagonal> diagonals;
    std::vector<CurvatureBlock> blocks;
    std::vector<CurvatureFactors> factors;
    std::optional<CurvatureLbfgs> lbfgs;
    std::shared_ptr<const CurvatureMatrix> matrix; // of a small model
    double frobenius = kNoNumber;                  // of the whole matrix
    std::int64_t parameters = 0, products = 0;
    double productSeconds = kNoNumber;
    std::int64_t predictedPeakBytes = 0;
    std::string method;
    CurvatureCourse course;
    bool synthetic = false, imported = false;

    bool empty() const;
};

} // namespace peakscope
