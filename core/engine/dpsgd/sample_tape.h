// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a clipped step learns while backward runs: each sample's squared gradient norm, and whatever the plan keeps to
// make the weighted sum of the samples' gradients. The differentiable functions of sample_functions.h and sample_head.h
// find the tape of the process and tell it their factors. One at a time; not thread-safe.
#pragma once

#include "core/engine/dpsgd/sample_norms.h"
#include "core/engine/model/model.h"
#include "core/engine/model/sample_sink.h"
#include "core/planning/inputs/clipping_rules.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace peakscope {

class SampleTape : public SampleSink
{
public:
    enum class Pass {
        Norms,    // per-sample norms; parameters get no gradient from autograd
        Weighted, // the samples' losses are weighted: gradients as in any backward, of what the plan leaves to it
    };

    // The model must outlive the tape and keep its parameters where they are.
    // `tf32`: the products that only norms are made of are rounded (NormPrecisionScope).
    SampleTape(Model& model, const ClippingPlan& plan, bool tf32 = false);

    // The tape that backward writes to, or null: a plain step.
    static SampleTape* current() { return static_cast<SampleTape*>(SampleSink::current()); }

    // Starts a pass over `tokens` [B, T]; forgets what was learnt before.
    void begin(const at::Tensor& tokens);
    void setPass(Pass pass) { m_pass = pass; }
    Pass pass() const { return m_pass; }
    std::int64_t rows() const { return m_rows; }

    // Whether some parameter waits for a second pass.
    bool needsSecondPass() const;
    const ClippingRule& rule(const at::Tensor& parameter) const;
    bool wantsSamples() const override { return m_pass == Pass::Norms; }
    bool wantsGradient(const at::Tensor& parameter) const override; // in the weighted pass

    at::Tensor linear(const Linear& linear, const at::Tensor& x) override;
    at::Tensor layerNorm(const LayerNorm& norm, const at::Tensor& x) override;
    at::Tensor embedding(const at::Tensor& table, const at::Tensor& tokens) override;
    at::Tensor positions(const at::Tensor& x, const at::Tensor& table, std::int64_t offset) override;

    // ---- what the functions' backward tells in the norms pass; g is the gradient of the rows' own losses
    // The gradient of `weight` of sample b is left_b^T right_b; left [B, T, m], right [B, T, n], weight [m, n].
    void addProduct(const at::Tensor& weight, const at::Tensor& left, const at::Tensor& right);
    // perSample [B, n...] is the gradient itself (biases, norms' weights).
    void addVector(const at::Tensor& parameter, const at::Tensor& perSample) override;
    // `table`'s row ids[b, t] gets g [B, T, width].
    void addRows(const at::Tensor& table, const at::Tensor& ids, const at::Tensor& g);
    // Row offset + t gets g[b, t].
    void addPositions(const at::Tensor& table, std::int64_t offset, const at::Tensor& g);

    // ---- for a head that makes its gradients in the forward pass, one sample at a time
    // The buffer [m, n] that sample b's gradient of `weight` is to be added to (zeros, float32 at least): its own where
    // it is held, else one that the samples share.
    at::Tensor sampleBuffer(const at::Tensor& weight, std::int64_t sample);
    // The buffer holds sample b's gradient.
    void sampleDone(const at::Tensor& weight, std::int64_t sample, const at::Tensor& gradient);
    // One sample's factors at once, as addProduct.
    void addSampleProduct(const at::Tensor& weight, std::int64_t sample, const at::Tensor& left,
                          const at::Tensor& right);
    // Adds sum_b weights[b] gradient_b to the tensor, [m, n] float32 at least; called once the weights are known.
    using Finisher = std::function<void(const std::vector<double>& weights, const at::Tensor& sum)>;
    void setFinisher(const at::Tensor& weight, Finisher finisher);

    // ---- in the weighted pass, for an embedding that is the head too: its gradient comes in two parts
    // The product's part, [vocab, width], comes first. The tape keeps it where the weight is tied (what it returns is
    // undefined then), or else hands it back.
    at::Tensor productGradient(const at::Tensor& weight, at::Tensor gradient);
    // The lookup's part, or the sum in the memory of the product's: autograd would add in place only where nothing else
    // refers to that, and else take memory for a third matrix.
    at::Tensor lookupGradient(const at::Tensor& table, at::Tensor gradient);

    // ---- after the norms pass
    // Euclidean norms of the samples' gradients.
    std::vector<double> norms();
    // Adds sum_b weights[b] gradient_b of everything that the plan holds or keeps to the parameters' gradients, and
    // lets go of it.
    void finish(const std::vector<double>& weights);

private:
    struct Product {
        at::Tensor left, right;
    };
    struct Rows {
        at::Tensor ids; // [B, T]; undefined: positions from `offset` on
        std::int64_t offset = 0;
        at::Tensor g; // [B, T, width]
    };
    struct Entry {
        Parameter* parameter = nullptr;
        ClippingRule rule;
        bool tied = false;                   // an embedding that is the head too: its gradient comes in two parts
        at::Tensor held;                     // [B, shape]
        at::Tensor vectors;                  // [B, n]
        std::vector<Product> products;       // kept
        std::vector<Rows> tableRows;         // kept or held: never spread over the table
        std::vector<at::Tensor> productRows; // of each sample: its product's rows at the sample's ids, for the tie
        at::Tensor productPart;              // of a tied weight, until the lookup's part is there
        Finisher finisher;
    };

    Entry& entry(const at::Tensor& parameter);
    const Entry& entry(const at::Tensor& parameter) const;
    const TableRows& rowsOf(std::int64_t sample);
    void addSquares(std::int64_t sample, const at::Tensor& value);
    void hold(Entry& entry, const at::Tensor& left, const at::Tensor& right);
    void keep(const at::Tensor& tensor, const Entry& entry);
    void rememberTie(Entry& entry, std::int64_t sample, at::Tensor rows);
    void addProductNorms(Entry& entry, const at::Tensor& left, const at::Tensor& right);
    void addRowNorms(Entry& entry, const at::Tensor& g);
    void sumHeld(Entry& entry, const std::vector<double>& weights);
    void sumProducts(Entry& entry, const std::vector<double>& weights);
    void sumRows(Entry& entry, const std::vector<double>& weights);

    std::vector<Entry> m_entries;
    std::unordered_map<c10::TensorImpl*, std::size_t> m_index;
    bool m_tf32;
    Pass m_pass = Pass::Norms;
    std::int64_t m_rows = 0;
    at::Tensor m_tokens;
    at::Tensor m_squares; // [B] float64
    std::vector<TableRows> m_tableRows;
    at::Tensor m_shared; // of sampleBuffer
};

} // namespace peakscope
