// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One row of numbers for every parameter unit: curvature, gradients, weights, alignment, sparsity. The table that later
// steps embed and cluster.
#include "core/engine/device/stand_in_readback.h"
#include "core/engine/curvature/vectors/counter_random.h"
#include "core/engine/curvature/products/curvature_run.h"
#include "core/engine/curvature/products/parameter_units.h"
#include "core/engine/curvature/vectors/lanczos.h"
#include "core/engine/curvature/quantities/unit_operator.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/model/loss_head.h"
#include "core/model/curvature_pieces.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

constexpr std::int64_t kFeatureProbes = 20; // at most
constexpr double kRelativeZero = 1e-2;      // of the activations' root mean square
constexpr double kAbsoluteZero = 1e-5;
constexpr std::int64_t kBlockDirections = 5; // leading ones of a unit's own Hessian block
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

struct FeatureColumns {
    std::vector<std::string> names;
    std::vector<std::vector<double>> values; // of each name, one a unit

    void add(std::string name, std::vector<double> column)
    {
        names.push_back(std::move(name));
        values.push_back(std::move(column));
    }
};

std::vector<double> rootOf(std::vector<double> values)
{
    for (double& value : values)
        value = std::sqrt(std::max(0.0, value));
    return values;
}

std::vector<double> perEntry(std::vector<double> values, const ParameterUnits& units)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] /= static_cast<double>(std::max<std::int64_t>(1, units.units()[i].count));
    return values;
}

// Trace, its standard error and the norm of the unit's rows of H, from shared products.
Status addCurvature(CurvatureRun& run, const ParameterUnits& units, FeatureColumns& columns)
{
    const std::int64_t probes = std::min(kFeatureProbes, run.options.probes);
    std::vector<MeanEstimate> traces(units.units().size()), squares(units.units().size());
    const at::Tensor x = run.space().vector(), y = run.space().vector();
    for (std::int64_t k = 0; k < probes; ++k) {
        const std::string key = "features." + std::to_string(k);
        std::vector<double> trace, square;
        if (const nlohmann::json* known = run.log.recall(key)) {
            trace = (*known)[0].get<std::vector<double>>();
            square = (*known)[1].get<std::vector<double>>();
        } else {
            if (Status stop = run.monitor.checkStop("the features"); !stop)
                return stop;
            fillSigns(x, run.seed, DrawPurpose::FeatureProbe, static_cast<std::uint64_t>(k));
            run.products.apply(x, y);
            trace = units.sums(x.mul_(y));
            square = units.sums(y.square_());
            run.log.note(key, {trace, square});
            run.monitor.advance(1, "features: probe " + std::to_string(k + 1) + " of " + std::to_string(probes));
        }
        for (std::size_t i = 0; i < trace.size(); ++i) {
            traces[i].add(trace[i]);
            squares[i].add(square[i]);
        }
    }
    std::vector<double> mean, error, norm;
    for (std::size_t i = 0; i < traces.size(); ++i) {
        mean.push_back(traces[i].mean());
        error.push_back(traces[i].standardError());
        norm.push_back(std::sqrt(squares[i].mean()));
    }
    columns.add("hessian_mean_diagonal", perEntry(mean, units));
    columns.add("hessian_trace", std::move(mean));
    columns.add("hessian_trace_error", std::move(error));
    columns.add("hessian_row_norm", std::move(norm));
    return Done{};
}

std::vector<AlignmentPass> passesOf(const CurvatureRun& run)
{
    const auto& tensors = run.space().tensors();
    std::vector<std::int64_t> counts;
    for (const SpaceTensor& tensor : tensors)
        counts.push_back(tensor.count);
    const auto elementBytes = static_cast<std::int64_t>(run.space().weights().front().element_size());
    return alignmentPasses(counts, elementBytes, run.surface.rows(), run.onePassBytes);
}

// Gradients of single rows; the first half gives the mean gradient, the second the leading directions. Of large spaces
// not all of these are there at once: the rows' gradients are computed again for each run of tensors.
class Alignment
{
public:
    Alignment(CurvatureRun& run, const ParameterUnits& units)
        : m_run(run), m_units(units), m_passes(passesOf(run)), m_samples(std::min(run.surface.rows(), kAlignmentRows)),
          m_half(m_samples / 2), m_kept(static_cast<std::size_t>(alignedGradients(run.surface.rows()) + 1)),
          m_fisher(units.units().size(), 0.0),
          m_products(m_kept * (m_kept + 1) / 2, std::vector<double>(units.units().size(), 0.0))
    {}

    Status compute(FeatureColumns& columns)
    {
        m_scratch = m_run.space().vector();
        for (std::size_t k = 0; k < m_kept; ++k) {
            m_parts.push_back(at::zeros({mostElements(m_passes)}, m_scratch.options()));
            tagStorage(m_parts.back(), Component::Hessian);
        }
        for (std::size_t pass = 0; pass < m_passes.size(); ++pass) {
            if (Status done = takePass(pass); !done)
                return done;
        }
        std::vector<double> aligned(m_units.units().size(), kNotKnown);
        if (m_kept > 1)
            aligned = shares();
        else
            m_run.notes.push_back("features: alignment needs at least 3 rows in the batch and is not a number here");
        columns.add("fisher_trace", std::move(m_fisher));
        columns.add("alignment", std::move(aligned));
        const at::Tensor mean = m_parts.back();
        m_scratch.reset();
        m_parts.clear();
        return m_half >= 1 && m_passes.size() == 1 ? addBlockAlignment(mean, columns) : Status(Done{});
    }

private:
    // The inner products of a pass's parts, unit by unit, and with the first pass the gradients' squares. One pass
    // alone is not recalled: the mean itself is of use then.
    Status takePass(std::size_t pass)
    {
        const std::string key = "features.pass." + std::to_string(pass);
        const bool several = m_passes.size() > 1;
        const std::vector<std::size_t> own = unitsOf(m_passes[pass]);
        if (const nlohmann::json* known = several ? m_run.log.recall(key) : nullptr) {
            addProducts(own, (*known)[0].get<std::vector<double>>());
            if (pass == 0)
                m_fisher = (*known)[1].get<std::vector<double>>();
            return Done{};
        }
        if (Status kept = keepGradients(pass); !kept)
            return kept;
        const std::vector<double> products = m_kept > 1 ? productsOf(m_passes[pass], own) : std::vector<double>();
        addProducts(own, products);
        if (several)
            m_run.log.note(key, {products, pass == 0 ? m_fisher : std::vector<double>()});
        return Done{};
    }

    Status keepGradients(std::size_t pass)
    {
        const std::string of = " of " + std::to_string(m_passes.size());
        const std::string where = m_passes.size() > 1 ? ", pass " + std::to_string(pass + 1) + of : "";
        const at::Tensor own = ownOf(m_scratch, m_passes[pass]), mean = ownPart(m_kept - 1, pass).zero_();
        for (std::int64_t row = 0; row < m_samples; ++row) {
            if (Status stop = m_run.monitor.checkStop("the features"); !stop)
                return stop;
            m_run.routes.rowGradient(row, m_scratch);
            if (row < m_half)
                mean.add_(own, 1 / static_cast<double>(m_half));
            else if (m_kept > 1)
                ownPart(static_cast<std::size_t>(row - m_half), pass).copy_(own);
            if (pass == 0)
                addFisher(m_units.sums(m_scratch.square_()));
            m_run.monitor.advance(1.0 / 3, "features: gradient of row " + std::to_string(row + 1) + where);
        }
        return Done{};
    }

    void addFisher(const std::vector<double>& squares)
    {
        for (std::size_t i = 0; i < squares.size(); ++i)
            m_fisher[i] += squares[i] / static_cast<double>(m_samples);
    }

    // The pass's tensors of a space vector, and of what is kept.
    at::Tensor ownOf(const at::Tensor& flat, const AlignmentPass& pass) const
    {
        return flat.narrow(0, m_run.space().tensors()[pass.begin].offset, pass.elements);
    }
    at::Tensor ownPart(std::size_t kept, std::size_t pass) const
    {
        return m_parts[kept].narrow(0, 0, m_passes[pass].elements);
    }

    std::vector<std::size_t> unitsOf(const AlignmentPass& pass) const
    {
        std::vector<std::size_t> own;
        for (std::size_t i = pass.begin; i < pass.end; ++i)
            own.insert(own.end(), m_units.slices()[i].units.begin(), m_units.slices()[i].units.end());
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        return own;
    }

    // Of each pair of what is kept, of each of the units `own`.
    std::vector<double> productsOf(const AlignmentPass& pass, const std::vector<std::size_t>& own)
    {
        at::Tensor product = ownOf(m_scratch, pass);
        const std::vector<at::Tensor> views = m_run.space().views(m_scratch);
        std::vector<double> products;
        for (std::size_t a = 0; a < m_kept; ++a) {
            for (std::size_t b = 0; b <= a; ++b) {
                at::mul_out(product, m_parts[a].narrow(0, 0, pass.elements), m_parts[b].narrow(0, 0, pass.elements));
                const std::vector<double> sums = m_units.sums(views, pass.begin, pass.end);
                for (const std::size_t unit : own)
                    products.push_back(sums[unit]);
            }
        }
        return products;
    }

    void addProducts(const std::vector<std::size_t>& own, const std::vector<double>& products)
    {
        for (std::size_t i = 0; i < products.size(); ++i)
            m_products[i / own.size()][own[i % own.size()]] += products[i];
    }

    // |P mean| / |mean| with P on the leading directions of the unit's own Hessian block.
    Status addBlockAlignment(const at::Tensor& mean, FeatureColumns& columns)
    {
        const auto count = static_cast<std::int64_t>(m_units.units().size());
        if (!alignsBlocks(count, m_run.space().size()))
            return Done{};
        std::vector<double> aligned;
        for (std::size_t unit = 0; unit < m_units.units().size(); ++unit) {
            if (Status stop = m_run.monitor.checkStop("the features"); !stop)
                return stop;
            const std::string key = "features.alignment." + std::to_string(unit);
            if (const nlohmann::json* known = m_run.log.recall(key)) {
                aligned.push_back(known->get<double>());
                continue;
            }
            aligned.push_back(blockShare(mean, unit));
            m_run.log.note(key, aligned.back());
        }
        columns.add("alignment_hessian", std::move(aligned));
        return Done{};
    }

    double blockShare(const at::Tensor& mean, std::size_t unit) const
    {
        UnitOperator block(m_run, m_units, unit);
        const at::Tensor own = block.part(mean), vector = block.vector();
        const double length = normOf(own);
        if (length == 0)
            return 0;
        LanczosOptions options;
        options.topK = std::min(kBlockDirections, block.size());
        options.basis = kBlockBasis;
        options.tolerance = 1e-3;
        options.mostProducts = kAlignmentProducts;
        Lanczos lanczos(block, options, [&](const at::Tensor& start, std::uint64_t number) {
            fillNormal(start, m_run.seed, DrawPurpose::FeatureProbe,
                       (std::uint64_t{1} << 40) + (static_cast<std::uint64_t>(unit) << 16) + number);
        });
        const LanczosResult result = lanczos.run();
        double inside = 0;
        for (std::size_t i = 0; i < result.pairs.size(); ++i) {
            lanczos.ritzVector(i, vector);
            const double share = dotOf(vector, own) / length;
            inside += share * share;
        }
        return std::min(1.0, std::sqrt(inside));
    }

    // |P mean| / |mean| with P on the leading half of the others' principal directions, unit by unit. The mean is the
    // last of what is kept.
    std::vector<double> shares() const
    {
        const std::size_t n = m_kept - 1, directions = std::max<std::size_t>(1, n / 2);
        const auto product = [](std::size_t a, std::size_t b) { return a * (a + 1) / 2 + b; }; // b no larger than a
        std::vector<double> result;
        for (std::size_t unit = 0; unit < m_units.units().size(); ++unit) {
            std::vector<double> matrix(n * n), values, vectors;
            for (std::size_t a = 0; a < n; ++a) {
                for (std::size_t b = 0; b <= a; ++b)
                    matrix[a * n + b] = matrix[b * n + a] = m_products[product(a, b)][unit];
            }
            symmetricEigen(matrix, static_cast<std::int64_t>(n), values, vectors);
            double inside = 0;
            for (std::size_t k = 0; k < directions; ++k) {
                const std::size_t column = n - 1 - k; // ascending
                if (values[column] <= 1e-12 * values[n - 1])
                    continue;
                double cross = 0;
                for (std::size_t a = 0; a < n; ++a)
                    cross += vectors[a * n + column] * m_products[product(n, a)][unit];
                inside += cross * cross / values[column];
            }
            const double whole = m_products[product(n, n)][unit];
            result.push_back(whole > 0 ? std::min(1.0, std::sqrt(inside / whole)) : 0);
        }
        return result;
    }

    CurvatureRun& m_run;
    const ParameterUnits& m_units;
    const std::vector<AlignmentPass> m_passes;
    const std::int64_t m_samples, m_half;
    const std::size_t m_kept;        // vectors of a pass: gradients of the second half, then the first half's mean
    std::vector<at::Tensor> m_parts; // of these
    at::Tensor m_scratch;            // a row's gradient, then products
    std::vector<double> m_fisher;    // of each unit
    std::vector<std::vector<double>> m_products; // of each pair of what is kept, of each unit
};

// What the unit's layer makes of the batch's data: the share of numbers near zero.
class Sparsity
{
public:
    Sparsity(CurvatureRun& run, const ParameterUnits& units)
        : m_run(run), m_units(units), m_squares(units.units().size(), 0.0), m_counts(units.units().size(), 0.0),
          m_near(units.units().size(), 0.0), m_nothing(units.units().size(), 0.0)
    {}

    void compute(FeatureColumns& columns)
    {
        const at::NoGradGuard guard;
        for (const bool counting : {false, true}) {
            m_run.routes.forEachPart([&](TapePass& pass) { visit(pass, counting); });
            for (std::vector<double>* sums : {counting ? &m_near : &m_squares, counting ? &m_nothing : &m_counts})
                m_run.surface.sumOverRanks(*sums);
        }
        std::vector<double> relative, absolute;
        for (std::size_t i = 0; i < m_near.size(); ++i) {
            relative.push_back(m_counts[i] > 0 ? m_near[i] / m_counts[i] : kNotKnown);
            absolute.push_back(m_counts[i] > 0 ? m_nothing[i] / m_counts[i] : kNotKnown);
        }
        columns.add("sparsity", std::move(relative));
        columns.add("sparsity_absolute", std::move(absolute));
    }

private:
    void visit(TapePass& pass, bool counting)
    {
        const auto& tensors = m_run.space().tensors();
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            for (const auto& op : pass.tape().ops()) {
                const bool own = std::find(op->parameters.begin(), op->parameters.end(), tensors[i].parameter) !=
                                 op->parameters.end();
                if (own && op->index != pass.tape().headOp())
                    take(i, countedRows(pass, activationOf(pass, *op)), counting);
            }
        }
    }

    // [positions, width], without padding.
    static at::Tensor countedRows(const TapePass& pass, const at::Tensor& activation)
    {
        const at::Tensor rows = activation.reshape({-1, activation.size(-1)});
        if (!pass.tape().padded())
            return rows;
        if (const at::Tensor known = sentContents(pass.labels()); known.defined())
            answerNextRead(countedLabels(known));
        return rows.index_select(0, pass.labels().reshape({-1}).ne(kIgnoredLabel).nonzero().squeeze(1));
    }

    // The output, after the activation function where one follows; it may have been let go already.
    at::Tensor activationOf(TapePass& pass, const TapeOp& op) const
    {
        std::size_t node = op.output;
        for (const auto& next : pass.tape().ops()) {
            const bool reads = std::find(next->inputs.begin(), next->inputs.end(), node) != next->inputs.end();
            if (reads && next->isActivation())
                node = next->output;
        }
        return valueOf(pass, node);
    }

    // A node's value, made anew where the pass has let it go: at most an embedding and what is added to it.
    static at::Tensor valueOf(TapePass& pass, std::size_t node)
    {
        if (pass.value(node).defined())
            return pass.value(node);
        for (const auto& op : pass.tape().ops()) {
            if (op->output != node)
                continue;
            std::vector<std::size_t> borrowed;
            for (const std::size_t input : op->inputs) {
                if (!pass.value(input).defined()) {
                    pass.value(input) = valueOf(pass, input);
                    borrowed.push_back(input);
                }
            }
            op->forward(pass);
            for (const std::size_t input : borrowed)
                pass.value(input).reset();
            return std::exchange(pass.value(node), at::Tensor());
        }
        return {};
    }

    void take(std::size_t tensor, const at::Tensor& rows, bool counting)
    {
        const UnitSlices& slices = m_units.slices()[tensor];
        const std::int64_t width = rows.size(-1);
        const SpaceTensor& own = m_run.space().tensors()[tensor];
        if (slices.dim == 0 && own.spec.kind == ModuleKind::Embedding && own.spec.shape.size() == 2 &&
            static_cast<std::int64_t>(slices.units.size()) == own.spec.shape[0]) {
            // What a row of a table produces is the row itself.
            const at::Tensor table = m_run.space().model().parameters()[own.parameter].tensor.detach();
            for (std::size_t c = 0; c < slices.units.size(); ++c)
                add(slices.units[c], table.narrow(0, static_cast<std::int64_t>(c), 1), counting);
            return;
        }
        const bool along = slices.dim >= 0 && width == slices.chunk * static_cast<std::int64_t>(slices.units.size());
        if (!along) {
            add(slices.units.front(), rows, counting); // a table's rows, or a tensor that is one unit
            return;
        }
        for (std::size_t c = 0; c < slices.units.size(); ++c)
            add(slices.units[c], rows.narrow(1, static_cast<std::int64_t>(c) * slices.chunk, slices.chunk), counting);
    }

    void add(std::size_t unit, const at::Tensor& numbers, bool counting)
    {
        if (!counting) {
            m_squares[unit] += numbers.square().sum(at::kDouble).item<double>();
            m_counts[unit] += static_cast<double>(numbers.numel());
            return;
        }
        const double bound = kRelativeZero * std::sqrt(m_squares[unit] / m_counts[unit]);
        const at::Tensor sizes = numbers.abs();
        m_near[unit] += sizes.lt(bound).sum().item<double>();
        m_nothing[unit] += sizes.lt(kAbsoluteZero).sum().item<double>();
    }

    CurvatureRun& m_run;
    const ParameterUnits& m_units;
    std::vector<double> m_squares, m_counts, m_near, m_nothing;
};

nlohmann::json featureTable(const ParameterUnits& units, const FeatureColumns& columns)
{
    nlohmann::json rows = nlohmann::json::array();
    for (std::size_t i = 0; i < units.units().size(); ++i) {
        const CurvatureUnit& unit = units.units()[i];
        std::vector<double> values;
        for (const auto& column : columns.values)
            values.push_back(column[i]);
        rows.push_back(
            {{"name", unit.name}, {"parameter", unit.parameter}, {"kind", name(unit.kind)}, {"values", values}});
    }
    return {{"names", columns.names}, {"units", rows}};
}

} // namespace

double featuresWork(const CurvatureRun& run)
{
    return static_cast<double>(std::min(kFeatureProbes, run.options.probes)) +
           static_cast<double>(passesOf(run).size()) *
               static_cast<double>(std::min(run.surface.rows(), kAlignmentRows)) / 3;
}

Status computeFeatures(CurvatureRun& run)
{
    const ParameterUnits units(run.space(), run.routes.tape(), run.options.unit);
    FeatureColumns columns;
    std::vector<double> counts, layers;
    for (const CurvatureUnit& unit : units.units()) {
        counts.push_back(static_cast<double>(unit.count));
        layers.push_back(static_cast<double>(unit.layer));
    }
    columns.add("parameters", counts);
    columns.add("layer", layers);
    {
        const at::Tensor vector = run.space().vector();
        const std::vector<at::Tensor> weights = run.space().weights(), views = run.space().views(vector);
        const at::NoGradGuard guard;
        for (std::size_t i = 0; i < views.size(); ++i)
            views[i].copy_(weights[i]);
        columns.add("weight_norm", rootOf(units.sums(vector.square_())));
        run.routes.gradient(vector);
        columns.add("gradient_norm", rootOf(units.sums(vector.square_())));
    }
    if (Status status = addCurvature(run, units, columns); !status)
        return status;
    if (Status status = Alignment(run, units).compute(columns); !status)
        return status;
    Sparsity(run, units).compute(columns);
    run.monitor.sink().send(StageEvent{"features", {{"features", featureTable(units, columns)}}});
    return Done{};
}

} // namespace peakscope
