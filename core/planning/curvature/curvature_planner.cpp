// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/curvature/curvature_planner.h"

#include "core/base/bytes_apart.h"
#include "core/model/curvature_pieces.h"
#include "core/planning/curvature/lanczos_basis.h"
#include "core/planning/curvature/tape_memory.h"
#include "core/planning/inputs/shard_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace peakscope {
namespace {

constexpr std::string_view kFirstProduct = "the first product";
constexpr std::int64_t kMostInFlight = 8;
constexpr std::int64_t kMostDirections = 64;
// Without a budget: what one call may hold beyond the least, and what is kept between calls.
constexpr std::int64_t kFreeBytes = std::int64_t{64} << 20;
constexpr std::int64_t kFreeHeldBytes = std::int64_t{1} << 30;
// Multiplications of one call: more gains no speed, and a kill loses more.
constexpr double kCallWork = 2e11;
// The simulation knows every tensor but not what operators hold inside.
constexpr double kTransientShare = 1.05;
constexpr std::int64_t kTransientBytes = std::int64_t{16} << 10;
constexpr std::int64_t kLbfgsVectors = 2 * kLbfgsPairs + 16; // and those of a step, a product and its check

// What is proposed where a budget has no room for what was asked for, and what that is good for.
constexpr std::pair<CurvatureQuantity, const char*> kCheaper[] = {
    {CurvatureQuantity::Trace, "gives each tensor's share of the curvature"},
    {CurvatureQuantity::Density, "shows the whole spectrum with its ends"},
    {CurvatureQuantity::Diagonal, "single entries are exact"}};

class CurvaturePlanner
{
public:
    explicit CurvaturePlanner(const CurvatureNeeds& needs)
        : m_needs(needs), m_memory(needs.config, needs.parameters, needs.wanted, needs.length, needs.elementBytes)
    {
        for (std::size_t i = 0; i < needs.parameters.size(); ++i) {
            const std::int64_t count = needs.parameters[i].count();
            m_size += needs.wanted[i] ? count : 0;
            m_largest = std::max(m_largest, needs.wanted[i] ? count : 0);
        }
        m_held = m_size;
        if (needs.shards > 0)
            cut();
        m_vector = m_held * needs.elementBytes;
        if (wants(CurvatureQuantity::Features))
            m_alignment = alignmentBytes();
        if (m_size > 0)
            m_opening = needs.parameters[openingParameter(needs.parameters, needs.wanted)].count() * needs.elementBytes;
    }

    Result<CurvatureSizes> plan() const
    {
        CurvatureSizes sizes = least();
        const std::int64_t limit = m_needs.budgetBytes;
        if (limit > 0 && total(sizes) > limit)
            return refusal(sizes);
        const auto fits = [&](const CurvatureSizes& request) { return limit <= 0 || total(request) <= limit; };
        CurvatureSizes kept = sizes;
        if (m_needs.kept) {
            kept.basis = std::min(m_needs.kept->basis, m_size);
            kept.directions = m_needs.kept->directions;
            kept.wholeOpening = m_needs.kept->wholeOpening;
        }
        if (m_needs.kept && fits(kept)) {
            sizes = kept;
            growRows(sizes, fits);
            growHeld(sizes, fits);
            growInFlight(sizes, fits);
        } else {
            grow(sizes, fits);
        }
        const Peak most = peak(sizes);
        sizes.predictedBytes = most.bytes;
        sizes.costliest = most.name();
        sizes.bound = !byTape() || (most.quantity && !traitsOf(*most.quantity).foreseen);
        return sizes;
    }

private:
    struct Peak {
        std::int64_t bytes = 0;
        std::optional<CurvatureQuantity> quantity; // that makes it; none: the first product

        std::string_view name() const { return quantity ? traitsOf(*quantity).name : kFirstProduct; }
    };

    CurvatureSizes least() const
    {
        CurvatureSizes sizes;
        sizes.basis = std::min(m_needs.topK + 3, m_size);
        sizes.wholeOpening = !entriesOnly();
        return sizes;
    }

    // Changes the sizes where they still fit then.
    template <typename Fits, typename Change>
    static bool attempt(CurvatureSizes& sizes, const Fits& fits, const Change& change)
    {
        CurvatureSizes request = sizes;
        change(request);
        if (!fits(request))
            return false;
        sizes = request;
        return true;
    }

    template <typename Fits>
    void grow(CurvatureSizes& sizes, const Fits& fits) const
    {
        const auto wider = [](CurvatureSizes& request) { ++request.basis; };
        growRows(sizes, fits);
        const std::int64_t usual = usualBasis(m_needs.topK, m_size);
        while (wants(CurvatureQuantity::Eigenvalues) && sizes.basis < usual && attempt(sizes, fits, wider)) {
        }
        growHeld(sizes, fits);
        growDirections(sizes, fits);
        growInFlight(sizes, fits);
        const std::int64_t most =
            m_needs.budgetBytes > 0 ? std::min(kMostBasis, m_size) : lanczosBasis(m_needs.topK, m_size, m_vector, -1);
        while (wants(CurvatureQuantity::Eigenvalues) && sizes.basis < most && attempt(sizes, fits, wider)) {
        }
        if (!wants(CurvatureQuantity::Eigenvalues))
            sizes.basis = std::min(kBlockBasis, m_size);
        CurvatureSizes whole = sizes;
        whole.wholeOpening = true;
        if (!sizes.wholeOpening && total(whole) <= total(sizes) + kFreeBytes)
            attempt(sizes, fits, [](CurvatureSizes& request) { request.wholeOpening = true; });
    }

    template <typename Fits>
    void growRows(CurvatureSizes& sizes, const Fits& fits) const
    {
        const std::int64_t most = m_needs.microBatch;
        while (sizes.microBatch < most && attempt(sizes, fits, [most](CurvatureSizes& request) {
                   request.microBatch = std::min(2 * request.microBatch, most);
               })) {
        }
    }

    template <typename Fits>
    void growHeld(CurvatureSizes& sizes, const Fits& fits) const
    {
        if (m_needs.mayHold && byTape() && (m_needs.budgetBytes > 0 || heldBytes(sizes) <= kFreeHeldBytes))
            attempt(sizes, fits, [](CurvatureSizes& request) { request.held = true; });
    }

    bool worthOneCall(const CurvatureSizes& sizes, std::int64_t count, double share) const
    {
        return share * m_memory.productWork(sizes.microBatch) * static_cast<double>(count) <= kCallWork;
    }

    template <typename Fits>
    void growDirections(CurvatureSizes& sizes, const Fits& fits) const
    {
        const std::int64_t oneSweep = work(sizes, entryKind(), 1);
        const std::int64_t most = std::min(kMostDirections, m_needs.mostEntries);
        while (sizes.directions < most && worthOneCall(sizes, 2 * sizes.directions, 0.35) &&
               work(sizes, entryKind(), 2 * sizes.directions) <= oneSweep + kFreeBytes &&
               attempt(sizes, fits, [](CurvatureSizes& request) { request.directions *= 2; })) {
        }
    }

    template <typename Fits>
    void growInFlight(CurvatureSizes& sizes, const Fits& fits) const
    {
        const auto call = [&](std::int64_t count) {
            return work(sizes, TapeWork::Kind::Products, count) + 2 * count * m_vector;
        };
        while (byTape() && 2 * sizes.inFlight <= std::min(kMostInFlight, m_needs.probes) &&
               worthOneCall(sizes, 2 * sizes.inFlight, 1) && call(2 * sizes.inFlight) <= call(1) + kFreeBytes &&
               attempt(sizes, fits, [](CurvatureSizes& request) { request.inFlight *= 2; })) {
        }
    }

    bool wants(CurvatureQuantity quantity) const { return m_needs.quantities.count(quantity) != 0; }
    bool byTape() const { return peakscope::byTape(m_needs.method); }
    // Nothing as long as the parameters is asked for.
    bool entriesOnly() const
    {
        return byTape() && std::all_of(m_needs.quantities.begin(), m_needs.quantities.end(),
                                       [](CurvatureQuantity quantity) { return traitsOf(quantity).byTensor; });
    }
    TapeWork::Kind entryKind() const
    {
        return m_needs.method == ProductMethod::Jets ? TapeWork::Kind::Jets : TapeWork::Kind::Entries;
    }

    // `bare`: tensor by tensor, without vectors as long as the parameters.
    std::int64_t work(const CurvatureSizes& sizes, TapeWork::Kind kind, std::int64_t directions,
                      bool gaussNewton = false, bool bare = false) const
    {
        TapeWork one;
        one.kind = kind;
        one.rows = sizes.microBatch;
        one.directions = directions;
        one.gaussNewton = gaussNewton;
        one.held = sizes.held && kind != TapeWork::Kind::Gradient;
        std::int64_t transient =
            static_cast<std::int64_t>(kTransientShare * static_cast<double>(m_memory.peak(one))) + kTransientBytes;
        if (m_needs.shards > 0)
            transient += bare ? m_unit * m_needs.elementBytes : gathered(kind, directions);
        return std::max(transient, dots() + kTransientBytes) + (sizes.held ? heldBytes(sizes) : 0);
    }
    // This rank's part of a vector, and what a unit takes that is gathered: its parameters, and its part of a vector.
    void cut()
    {
        const std::int64_t layers = m_needs.config.layers;
        std::vector<std::int64_t> unit(shardUnitCount(layers), 0), row(unit);
        for (std::size_t i = 0; i < m_needs.parameters.size(); ++i) {
            const std::size_t at = shardUnit(m_needs.parameters[i], layers);
            unit[at] += m_needs.parameters[i].count();
            row[at] += m_needs.wanted[i] ? m_needs.parameters[i].count() : 0;
        }
        m_held = 0;
        for (const std::int64_t elements : row)
            m_held += (elements + m_needs.shards - 1) / m_needs.shards;
        if (m_needs.config.tied) {
            unit.back() += unit.front();
            row.back() += row.front();
        }
        const auto padded = [&](std::int64_t elements) { return elements + 2 * m_needs.shards; };
        m_unit = padded(*std::max_element(unit.begin(), unit.end()));
        m_row = padded(*std::max_element(row.begin(), row.end()));
    }
    std::int64_t gathered(TapeWork::Kind kind, std::int64_t directions) const
    {
        const std::int64_t rows = kind == TapeWork::Kind::Products ? 2 * directions : kind == TapeWork::Kind::Gradient;
        return (m_unit + rows * m_row) * m_needs.elementBytes;
    }

    std::int64_t heldBytes(const CurvatureSizes& sizes) const
    {
        const std::int64_t parts = (m_needs.rows + sizes.microBatch - 1) / sizes.microBatch;
        return parts * m_memory.held(std::min(sizes.microBatch, m_needs.rows));
    }
    std::int64_t product(const CurvatureSizes& sizes, std::int64_t count = 1) const
    {
        return work(sizes, TapeWork::Kind::Products, count);
    }
    std::int64_t dots() const { return m_needs.elementBytes == 8 ? 0 : 16 * std::min(m_held, kDotPiece); }
    std::int64_t vectors(std::int64_t count) const { return count * m_vector; }

    // ---- each quantity at its worst moment, without the weights and the data

    std::int64_t startBytes(const CurvatureSizes& sizes) const
    {
        if (!m_needs.opens)
            return 0;
        CurvatureSizes alone = sizes; // nothing is held yet
        alone.held = false;
        if (!sizes.wholeOpening)
            return openingBytes(sizes, alone);
        return std::max({vectors(1) + work(alone, TapeWork::Kind::Gradient, 1), vectors(3) + product(alone),
                         sizes.held ? heldBytes(sizes) + work(alone, TapeWork::Kind::Gradient, 1) / 2 : 0});
    }

    // A gradient tensor by tensor (a tied table stays until the embedding is reached), then one tensor's products.
    std::int64_t openingBytes(const CurvatureSizes& sizes, const CurvatureSizes& alone) const
    {
        const std::int64_t pieces = (m_needs.config.tied ? 2 : 1) * m_largest * m_needs.elementBytes;
        const std::int64_t gradient = work(alone, TapeWork::Kind::Gradient, 1, false, true);
        return std::max({pieces + gradient, 3 * m_opening + work(alone, TapeWork::Kind::Products, 1, false, true),
                         sizes.held ? heldBytes(sizes) + gradient / 2 : 0});
    }

    std::int64_t diagonalBytes(const CurvatureSizes& sizes, bool gaussNewton) const
    {
        if (!byTape() && !gaussNewton)
            return vectors(2) + product(sizes);
        const std::int64_t directions = std::min(sizes.directions, m_needs.mostEntries);
        std::int64_t most = work(sizes, entryKind(), directions, gaussNewton);
        if (m_needs.method == ProductMethod::Jets && gaussNewton)
            most = work(sizes, TapeWork::Kind::Entries, directions, true);
        const bool row = m_needs.method == ProductMethod::Row, chosen = m_needs.method == ProductMethod::Auto;
        if (row || (chosen && m_needs.mostEntries > m_needs.length))
            most = std::max(most, work(sizes, TapeWork::Kind::Rows, sizes.directions, gaussNewton));
        // The head's closed form, all positions at once.
        const std::int64_t positions = sizes.microBatch * m_needs.length;
        const std::int64_t closed =
            m_needs.elementBytes * positions *
                (3 * m_needs.config.vocab + 4 * std::min(m_needs.config.vocab, kHeadRows)) +
            (8 + 2 * m_needs.elementBytes) * std::min(m_needs.config.vocab, kHeadRows) * m_needs.config.embedDim;
        if (row || chosen)
            most = std::max(most, closed + m_memory.held(sizes.microBatch) + (sizes.held ? heldBytes(sizes) : 0));
        return most;
    }

    std::int64_t largestUnit() const
    {
        std::int64_t unit = m_largest;
        if (m_needs.unit == FeatureUnit::Block) {
            std::vector<std::int64_t> layers(static_cast<std::size_t>(m_needs.config.layers + 2), 0);
            for (std::size_t i = 0; i < m_needs.parameters.size(); ++i) {
                if (m_needs.wanted[i])
                    layers[static_cast<std::size_t>(m_needs.parameters[i].layer + 1)] += m_needs.parameters[i].count();
            }
            unit = std::max(unit, *std::max_element(layers.begin(), layers.end()));
        }
        return unit;
    }

    // As many as there are at the least: tensors in one piece, and the rows or heads of those that are cut.
    std::int64_t unitCount() const
    {
        if (m_needs.unit == FeatureUnit::Block)
            return 0;
        std::int64_t count = 0;
        for (std::size_t i = 0; i < m_needs.parameters.size(); ++i) {
            const ParameterSpec& spec = m_needs.parameters[i];
            const bool cut = m_needs.unit == FeatureUnit::Row && spec.shape.size() == 2;
            if (m_needs.wanted[i] && (m_needs.unit == FeatureUnit::Tensor || cut))
                count += cut ? std::min(spec.shape[0], spec.shape[1]) : 1;
        }
        return count;
    }

    std::int64_t blockBytes(const CurvatureSizes& sizes) const
    {
        const std::int64_t unit = largestUnit();
        const std::int64_t basis = std::min(kBlockBasis, unit) + 3;
        const std::int64_t dense = 5 * kDenseBlock * kDenseBlock * 8;
        return vectors(2) + std::max((basis + 1) * unit * m_needs.elementBytes + iteration(sizes, basis, unit),
                                     dense + product(sizes));
    }

    // A step of Lanczos beside its basis of vectors of some length: a product, or a restart, which mixes the basis
    // piece by piece, a copy of a piece at a time.
    std::int64_t iteration(const CurvatureSizes& sizes, std::int64_t basis, std::int64_t length) const
    {
        const std::int64_t piece = std::min(basis * length, kColumnPiece) * m_needs.elementBytes + basis * basis * 32;
        return std::max(product(sizes), piece + kTransientBytes + (sizes.held ? heldBytes(sizes) : 0));
    }

    std::int64_t eigenvalueBytes(const CurvatureSizes& sizes) const
    {
        return vectors(sizes.basis + 1) + iteration(sizes, sizes.basis, m_held);
    }

    std::int64_t factorBytes(const CurvatureSizes& sizes) const
    {
        CurvatureSizes held = sizes;
        held.held = true;
        std::int64_t most = 0;
        for (const ParameterSpec& spec : m_needs.parameters) {
            if (spec.shape.size() != 2)
                continue;
            const std::int64_t a = spec.shape[0] + 1, b = spec.shape[1] + 1, side = std::max(a, b);
            const std::int64_t positions = sizes.microBatch * m_needs.length;
            const bool linear = spec.layer >= 0;
            most = std::max(most, linear ? a * a + b * b + 3 * positions * (a + b) + (kFactorBasis + 3) * side : 0);
        }
        return heldBytes(held) + most * m_needs.elementBytes +
               work(sizes, TapeWork::Kind::Gradient, 1) / (sizes.held ? 1 : 2);
    }

    // What a pass of alignment keeps beside a whole gradient.
    std::int64_t alignmentBytes() const
    {
        std::vector<std::int64_t> counts;
        for (std::size_t i = 0; i < m_needs.parameters.size(); ++i) {
            if (m_needs.wanted[i])
                counts.push_back(m_needs.parameters[i].count());
        }
        const auto passes = alignmentPasses(counts, m_needs.elementBytes, m_needs.rows, m_needs.onePassBytes);
        return (alignedGradients(m_needs.rows) + 1) * mostElements(passes) * m_needs.elementBytes;
    }

    std::int64_t featureBytes(const CurvatureSizes& sizes) const
    {
        const std::int64_t wide = m_needs.elementBytes == 8 ? 0 : 8 * m_largest; // a tensor's sum in float64
        // Units that cut a tensor across its rows sum a copy of it.
        const bool cuts = m_needs.unit == FeatureUnit::Row || m_needs.unit == FeatureUnit::Head;
        const std::int64_t sums = wide + (cuts ? m_largest * m_needs.elementBytes : 0);
        CurvatureSizes row = sizes;
        row.microBatch = 1;
        // Alignment with the units' own blocks: two vectors, and a basis of the largest unit.
        const bool blocks = m_needs.rows > 1 && alignsBlocks(unitCount(), m_size);
        const std::int64_t unit = std::min(m_size, largestUnit());
        return std::max({vectors(2) + std::max(wide, product(sizes)),
                         blocks ? vectors(3) + (kBlockBasis + 4) * unit * m_needs.elementBytes +
                                      iteration(sizes, std::min(kBlockBasis, unit), unit)
                                : 0,
                         vectors(1) + m_alignment + std::max(sums, work(row, TapeWork::Kind::Gradient, 1)),
                         vectors(1) + work(sizes, TapeWork::Kind::Gradient, 1)});
    }

    std::int64_t fullBytes(const CurvatureSizes& sizes) const
    {
        const std::int64_t side = std::min(m_size, kFullHessianLimit);
        const std::int64_t matrix = side * side * m_needs.elementBytes;
        return std::max(matrix + vectors(1) + product(sizes),
                        fullMatrixBytes(side, m_needs.elementBytes) + (sizes.held ? heldBytes(sizes) : 0));
    }

    std::int64_t traceBytes(const CurvatureSizes& sizes) const
    {
        if (m_needs.wholeDiagonal)
            return 0;
        const std::int64_t sketch = sketchVectors(m_size, m_needs.probes);
        return std::max(vectors(2 * sizes.inFlight) + product(sizes, sizes.inFlight),
                        sketch >= 2 ? vectors(sketch + 2) + product(sizes) : 0);
    }

    std::int64_t fisherBytes(const CurvatureSizes& sizes) const
    {
        CurvatureSizes row = sizes;
        row.microBatch = 1;
        return vectors(2) + std::max(work(row, TapeWork::Kind::Gradient, 1), 8 * m_largest);
    }

    std::int64_t quantityBytes(CurvatureQuantity quantity, const CurvatureSizes& sizes) const
    {
        switch (quantity) {
        case CurvatureQuantity::Diagonal:
            return diagonalBytes(sizes, false);
        case CurvatureQuantity::BlockDiagonal:
            return blockBytes(sizes);
        case CurvatureQuantity::Full:
            return m_size <= kFullHessianLimit ? fullBytes(sizes) : 0; // refused for its size
        case CurvatureQuantity::Trace:
            return traceBytes(sizes);
        case CurvatureQuantity::Eigenvalues:
            return eigenvalueBytes(sizes);
        case CurvatureQuantity::Density:
            return vectors(3) + product(sizes);
        case CurvatureQuantity::GgnDiagonal:
            return diagonalBytes(sizes, true);
        case CurvatureQuantity::FisherDiagonal:
            return fisherBytes(sizes);
        case CurvatureQuantity::Kfac:
            return factorBytes(sizes);
        case CurvatureQuantity::Lbfgs:
            return vectors(kLbfgsVectors) + std::max(product(sizes), work(sizes, TapeWork::Kind::Gradient, 1));
        case CurvatureQuantity::Features:
            return featureBytes(sizes);
        }
        return 0;
    }

    // Of quantities that take as much, the first by name makes it.
    Peak peak(const CurvatureSizes& sizes) const
    {
        Peak most{startBytes(sizes), {}};
        for (const CurvatureQuantity quantity : m_needs.quantities) {
            const Peak own{quantityBytes(quantity, sizes), quantity};
            if (own.bytes > most.bytes || (own.bytes == most.bytes && most.quantity && own.name() < most.name()))
                most = own;
        }
        most.bytes += m_needs.residentBytes;
        return most;
    }
    std::int64_t total(const CurvatureSizes& sizes) const { return peak(sizes).bytes; }

    // The least that one quantity alone takes.
    std::int64_t alone(CurvatureQuantity quantity, const CurvatureSizes& sizes) const
    {
        return m_needs.residentBytes + std::max(startBytes(sizes), quantityBytes(quantity, sizes));
    }

    Error refusal(const CurvatureSizes& sizes) const
    {
        const Peak least = peak(sizes);
        const auto [needed, budget] = formatBytesApart(least.bytes, m_needs.budgetBytes);
        std::string text =
            fmt::format("{} needs at least {} here, the budget is {} (the weights and the data take {}); ",
                        least.name(), needed, budget, formatBytes(m_needs.residentBytes));
        if (least.quantity == CurvatureQuantity::Eigenvalues && m_needs.topK > 1) {
            CurvatureSizes one = sizes;
            one.basis = std::min<std::int64_t>(4, m_size);
            const auto fits = [&] { return alone(CurvatureQuantity::Eigenvalues, one) <= m_needs.budgetBytes; };
            if (fits()) {
                while (one.basis < sizes.basis && fits())
                    ++one.basis;
                text += "curvature.top_k " + std::to_string(one.basis - 4) + " fits, and ";
            }
        }
        for (const auto& [other, meaning] : kCheaper) {
            if (least.quantity != other && alone(other, sizes) <= m_needs.budgetBytes)
                return overBudget(text + "curvature.quantities [\"" + std::string(traitsOf(other).name) +
                                  "\"] fits: it needs " + formatBytes(alone(other, sizes)) + ", and " + meaning);
        }
        const std::int64_t first = m_needs.residentBytes + startBytes(sizes);
        if (least.quantity && first <= m_needs.budgetBytes)
            return overBudget(text + "fewer parameters (curvature.parameters.names) or a shorter data.seq need less");
        return overBudget(text + "one product alone takes " + formatBytes(first) +
                          ": fewer parameters (curvature.parameters.names), a shorter data.seq or a smaller model fit");
    }
    static Error overBudget(std::string text) { return {ErrorCode::OverBudget, std::move(text), "budget_bytes"}; }

    const CurvatureNeeds& m_needs;
    TapeMemory m_memory;
    std::int64_t m_size = 0;
    std::int64_t m_largest = 0;
    std::int64_t m_held = 0;    // numbers of a vector that a rank has
    std::int64_t m_vector = 0;  // their bytes
    std::int64_t m_opening = 0; // bytes of openingParameter()
    std::int64_t m_alignment = 0;
    std::int64_t m_unit = 0; // parameters of the largest unit, and those of them that are in the space
    std::int64_t m_row = 0;
};

} // namespace

Result<CurvatureSizes> planCurvature(const CurvatureNeeds& needs)
{
    return CurvaturePlanner(needs).plan();
}

Result<CurvatureSizes> planWhatFits(CurvatureNeeds& needs, std::vector<QuantityLeftOut>& leftOut)
{
    auto sizes = planCurvature(needs);
    if (sizes || sizes.error().code != ErrorCode::OverBudget || needs.quantities.size() < 2)
        return sizes;
    CurvatureNeeds fitting = needs;
    fitting.quantities.clear();
    std::vector<QuantityLeftOut> others;
    std::optional<CurvatureSizes> planned;
    for (const CurvatureQuantity quantity : needs.quantities) {
        CurvatureNeeds more = fitting;
        more.quantities.insert(quantity);
        more.wholeDiagonal = needs.wholeDiagonal && more.quantities.contains(CurvatureQuantity::Diagonal);
        if (const auto own = planCurvature(more)) {
            fitting = std::move(more);
            planned = *own;
        } else {
            others.push_back({quantity, own.error().message});
        }
    }
    if (!planned)
        return sizes;
    needs = std::move(fitting);
    leftOut.insert(leftOut.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    return *planned;
}

std::string leftOutSentence(const QuantityLeftOut& one)
{
    return std::string(traitsOf(one.quantity).name) + " is left out: " + one.reason;
}

std::size_t openingParameter(const std::vector<ParameterSpec>& parameters, const std::vector<bool>& wanted)
{
    std::size_t best = parameters.size();
    const auto better = [&](std::size_t one) {
        if (best == parameters.size())
            return true;
        const bool isMatrix = parameters[one].shape.size() == 2, hasMatrix = parameters[best].shape.size() == 2;
        return isMatrix != hasMatrix ? isMatrix : parameters[one].count() < parameters[best].count();
    };
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (wanted[i] && better(i))
            best = i;
    }
    return best;
}

std::int64_t largestFullHessian(std::int64_t bytes, std::int64_t elementBytes)
{
    std::int64_t fits = 0, refused = kFullHessianLimit + 1;
    while (refused - fits > 1) {
        const std::int64_t size = (fits + refused) / 2;
        (fullMatrixBytes(size, elementBytes) <= bytes ? fits : refused) = size;
    }
    return fits;
}

std::string fullHessianRefusal(std::int64_t size, std::int64_t elementBytes, std::int64_t roomBytes)
{
    const bool tooMany = size > kFullHessianLimit;
    if (!tooMany && (roomBytes < 0 || fullMatrixBytes(size, elementBytes) <= roomBytes))
        return {};
    const std::int64_t most = roomBytes < 0 ? kFullHessianLimit : largestFullHessian(roomBytes, elementBytes);
    const std::string needs = tooMany ? " is past the " + std::to_string(kFullHessianLimit) + " of any machine"
                                      : " needs " + formatBytes(fullMatrixBytes(size, elementBytes));
    return "the full matrix of " + std::to_string(size) + " parameters" + needs + "; at most " + std::to_string(most) +
           " parameters fit (choose some by curvature.parameters.names); density and eigenvalues answer the same "
           "question for any size";
}

std::int64_t sketchVectors(std::int64_t size, std::int64_t probes)
{
    constexpr std::int64_t kMostParameters = 2'000'000, kMostVectors = 10;
    return size > kMostParameters ? 0 : std::min({kMostVectors, probes / 3, size / 3});
}

} // namespace peakscope
