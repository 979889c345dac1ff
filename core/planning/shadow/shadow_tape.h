// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a clipped step learns and keeps while backward runs, without numbers: the twin of the engine's SampleTape
// (core/engine/dpsgd/sample_tape.cpp and sample_norms.cpp), statement by statement. One pass, one thread.
#pragma once

#include "core/planning/inputs/clipping_rules.h"
#include "core/planning/shadow/shadow_graph.h"

#include <array>
#include <vector>

namespace peakscope {

// A trained parameter and how the plan treats it.
struct ShadowRule {
    ShadowParameter* parameter = nullptr;
    ClippingRule rule;
    bool tied = false; // an embedding that is the head too
};

// Sizes that the tape's operators depend on.
struct ShadowTapeSizes {
    std::int64_t rows = 1;                    // of this pass
    std::int64_t sequence = 1;                // tokens of a row
    std::vector<std::int64_t> distinct = {1}; // different tokens of each row
    bool cuda = false;
};

// A loss head that makes its gradients in the forward pass, and what it holds until the weighted sum.
struct ShadowFinisher {
    ShadowTensor hidden, matrix, shares;
    std::int64_t width = 0;
    std::int64_t vocab = 0;
    bool capped = false; // the logits, softly
    bool pending = false;
};

class ShadowTape
{
public:
    enum class Pass { Norms, Weighted };

    // `rules` of all that are trained, in the order of the model's parameters.
    ShadowTape(ShadowGraph& graph, const std::vector<ShadowRule>& rules, const ShadowTapeSizes& sizes);

    void setPass(Pass pass) { m_pass = pass; }
    Pass pass() const { return m_pass; }
    bool needsSecondPass() const;
    bool holds(const ShadowParameter& parameter) const;
    bool wantsGradient(const ShadowParameter& parameter) const;

    // The gradient of `weight` of sample b is left_b^T right_b; left [B, T, m], right [B, T, n].
    void addProduct(const ShadowParameter& weight, const ShadowTensor& left, std::int64_t m, const ShadowTensor& right,
                    std::int64_t n);
    // perSample [B, n] is the gradient itself.
    void addVector(const ShadowParameter& parameter, const ShadowTensor& perSample);
    void addRows(const ShadowParameter& table, const ShadowTensor& g, std::int64_t width);
    void addPositions(const ShadowParameter& table, const ShadowTensor& g);

    // For the chunked head: see SampleTape.
    ShadowTensor sampleBuffer(const ShadowParameter& weight);
    void sampleDone(const ShadowParameter& weight, bool last, std::int64_t width);
    void addSampleProduct(const ShadowParameter& weight, ShadowType type, std::int64_t m, std::int64_t n);
    void setFinisher(const ShadowParameter& weight, ShadowFinisher finisher);

    void norms();
    void finish();

private:
    struct Kept {
        ShadowTensor left, right;
    };
    struct Entry {
        ShadowRule rule;
        ShadowTensor held, vectors;
        std::vector<Kept> products;
        std::vector<ShadowTensor> tableRows;
        std::vector<ShadowTensor> productRows;
        bool positions = false;
        ShadowFinisher finisher;
    };

    Entry& entry(const ShadowParameter& parameter) { return m_entries[parameter.place - m_firstPlace]; }
    const Entry& entry(const ShadowParameter& parameter) const { return m_entries[parameter.place - m_firstPlace]; }
    ShadowTensor tagged(std::int64_t elements, ShadowType type, Component component, std::uint16_t module = 0);
    void copies(std::int64_t elements, ShadowType type, ShadowType wanted, int count);
    void squares(std::int64_t elements, ShadowType type);
    void tiledNorm(std::int64_t m, std::int64_t n, ShadowType type);
    void gramNorms(std::int64_t rows, ShadowType type);
    void rememberTie(Entry& entry, std::int64_t sample, std::int64_t width, ShadowType type);
    std::int64_t distinctOf(std::int64_t sample) const { return m_sizes.distinct[static_cast<std::size_t>(sample)]; }
    void keep(const ShadowTensor& tensor, const Entry& entry);
    void findRows(std::int64_t sample);
    ShadowTensor& gradientOf(ShadowParameter& parameter);
    void addGradient(ShadowParameter& parameter, ShadowTensor sum);
    void addInPlace(const ShadowTensor& to, const ShadowTensor& what);
    void sumHeld(Entry& entry);
    void sumProducts(Entry& entry);
    void sumRows(Entry& entry);
    void finishHead(Entry& entry);

    ShadowGraph& m_graph;
    ShadowTapeSizes m_sizes;
    std::vector<Entry> m_entries;
    std::uint32_t m_firstPlace = 0; // among the parameters, of the first entry's
    Pass m_pass = Pass::Norms;
    ShadowTensor m_squares;                               // of each sample
    std::vector<std::array<ShadowTensor, 2>> m_tableRows; // of each sample, once looked for
    ShadowTensor m_shared;                                // of sampleBuffer
};

} // namespace peakscope
