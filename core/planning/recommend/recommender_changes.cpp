// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/recommender_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

bool sixteenBits(Dtype dtype)
{
    return dtype == Dtype::BFloat16 || dtype == Dtype::Float16;
}

bool eightBit(const PlanChoice& c)
{
    return c.optimizer->eightBit != EightBitStates::None;
}

// Coarser from left to right: what is further right can stand in nothing further left.
int coarseness(const PlanChoice& c)
{
    const int states = eightBit(c) ? 1 : 0;
    if (c.masters || (c.loraRank > 0 && c.wideAdapters && sixteenBits(c.dtype))) {
        return 8 + states;
    }
    if (c.rounding != WeightRounding::Nearest) {
        return (c.rounding == WeightRounding::Kahan ? 10 : 12) + states;
    }
    if (sixteenBits(c.dtype)) {
        return (c.dtype == Dtype::BFloat16 ? 14 : 16) + states;
    }
    if (c.amp != Amp::None) {
        return (c.amp == Amp::BFloat16 ? 4 : 6) + states;
    }
    return c.dtype == Dtype::Float64 ? 0 : 2 + states;
}

bool keepsUpdates(const PlanChoice& c)
{
    return c.masters || c.rounding != WeightRounding::Nearest || (c.loraRank > 0 && c.wideAdapters);
}

// 8-bit AdamW in the place of Adam is the same rule with coarser moments.
bool codesStates(const PlanChoice& asked, const PlanChoice& c)
{
    return eightBit(c) && !eightBit(asked) && asked.optimizer->states.size() == c.optimizer->states.size();
}

bool differences(const PlanChoice& c)
{
    return c.method == ProductMethod::FiniteDifference;
}

// Curvature's rows say what is computed; a step's are those of a device times the devices.
bool fewerRows(const PlanChoice& asked, const PlanChoice& c)
{
    return c.method && c.batch < asked.batch;
}

std::string quantitySentence(const PlanChoice& asked, const PlanChoice& c)
{
    switch (*c.quantity) {
    case CurvatureQuantity::GgnDiagonal:
        return "The Gauss-Newton diagonal leaves the network's own second derivatives out: never negative, not the "
               "Hessian's.";
    case CurvatureQuantity::FisherDiagonal:
        return "The empirical Fisher diagonal squares gradients: it takes the Hessian's place near a minimum only.";
    case CurvatureQuantity::Kfac:
        return "K-FAC approximates each layer's block by two Kronecker factors; no entry is exact.";
    case CurvatureQuantity::Lbfgs:
        return "L-BFGS keeps a rank-10 approximation from differences of gradients.";
    case CurvatureQuantity::Full:
    case CurvatureQuantity::BlockDiagonal:
        return fmt::format("Computes {}, more than {}: longer and with more memory.", quantityWord(c),
                           quantityWord(asked));
    case CurvatureQuantity::Diagonal:
    case CurvatureQuantity::Trace:
    case CurvatureQuantity::Eigenvalues:
    case CurvatureQuantity::Density:
    case CurvatureQuantity::Features:
        break;
    }
    return fmt::format("Computes {} instead of {}: a summary, no entries.", quantityWord(c), quantityWord(asked));
}

std::string differencesSentence(const PlanChoice&, const PlanChoice& c)
{
    const char* error = c.dtype == Dtype::Float64   ? "1e-9"
                        : c.dtype == Dtype::Float32 ? "1e-5 to 1e-4"
                                                    : "1e-2 or more";
    return fmt::format("Finite differences of gradients approximate each product: relative error about {} in {}.",
                       error, name(c.dtype));
}

std::string weightsSentence(const PlanChoice&, const PlanChoice& c)
{
    if (c.method) {
        return fmt::format("Second derivatives in {} carry relative errors of 1e-2 or more; curvature runs in float32 "
                           "and float64.",
                           name(c.dtype));
    }
    return fmt::format("Weights, gradients and states in {}, rounded to nearest: updates below 1/{} of a weight are "
                       "lost.",
                       name(c.dtype), c.dtype == Dtype::BFloat16 ? 256 : 2048);
}

std::string keptSentence(const PlanChoice&, const PlanChoice& c)
{
    if (c.masters) {
        return fmt::format("Weights and gradients in {}; float32 masters and moments take the updates.", name(c.dtype));
    }
    if (c.wideAdapters) {
        return fmt::format("The frozen weights are {}; adapters, their gradients and moments are float32.",
                           name(c.dtype));
    }
    return fmt::format("Weights, gradients and moments in {}; {}.", name(c.dtype),
                       c.rounding == WeightRounding::Kahan
                           ? "what rounding loses of an update is kept in as many bits again (Kahan)"
                           : "updates are rounded up or down at random, right on average");
}

std::string autocastSentence(const PlanChoice&, const PlanChoice& c)
{
    return fmt::format("Matrix products round their inputs to {} ({} bits); weights, gradients and states stay {}.",
                       name(c.amp), c.amp == Amp::BFloat16 ? 8 : 11, name(c.dtype));
}

std::string adaptersSentence(const PlanChoice&, const PlanChoice& c)
{
    return c.loraRank > 0 ? fmt::format("Trains adapters of rank {} only; the weights stay as they are.", c.loraRank)
                          : "Trains all weights instead of adapters.";
}

std::string optimizerSentence(const PlanChoice& asked, const PlanChoice& c)
{
    const std::size_t states = c.optimizer->states.size(), before = asked.optimizer->states.size();
    const std::string kept = states == before ? ""
                             : states == 0    ? "no moments, "
                                              : fmt::format("{} instead of {} states a parameter, ", states, before);
    return fmt::format("{} instead of {}: {}another path of training.", name(c.optimizer), name(asked.optimizer), kept);
}

// A line each. Every strategy's tier, its words and its rank among equals follow from these.
constexpr PlanChange kChanges[] = {
    {"fewer rows at once", Tier::Exact,
     [](const PlanChoice& asked, const PlanChoice& c) {
         return c.physical < std::min(asked.physical, c.rowsOfDevice());
     },
     nullptr},
    {"chunked loss head", Tier::Exact,
     [](const PlanChoice& asked, const PlanChoice& c) { return c.lossHead != asked.lossHead; }, nullptr},
    {"attention", Tier::Exact,
     [](const PlanChoice& asked, const PlanChoice& c) { return c.attention != asked.attention && !differences(c); },
     nullptr},
    {"checkpointing", Tier::Exact,
     [](const PlanChoice& asked, const PlanChoice& c) { return c.checkpointing != asked.checkpointing; }, nullptr},
    {"update one by one", Tier::Exact,
     [](const PlanChoice& asked, const PlanChoice& c) {
         return c.implementation != asked.implementation && c.implementation != Implementation::InBackward;
     },
     nullptr},
    {"update in backward", Tier::Exact,
     [](const PlanChoice& asked, const PlanChoice& c) {
         return c.implementation != asked.implementation && c.implementation == Implementation::InBackward;
     },
     [](const PlanChoice&, const PlanChoice&) {
         return std::string("Updates each weight within backward: gradients are not accumulated, nor clipped by the "
                            "norm of all.");
     }},
    {"clipping method", Tier::Exact, // all have the same norms
     [](const PlanChoice& asked, const PlanChoice& c) { return c.clipping != asked.clipping; }, nullptr},
    {"second derivatives", Tier::Exact, // all but differences of gradients have the same entries
     [](const PlanChoice& asked, const PlanChoice& c) {
         return c.method != asked.method && c.quantity == asked.quantity && !differences(c);
     },
     nullptr},
    {"sharding", Tier::Exact,
     [](const PlanChoice& asked, const PlanChoice& c) {
         return c.sharding != asked.sharding || c.devices != asked.devices;
     },
     nullptr},
    {"autocast", Tier::Precision,
     [](const PlanChoice& asked, const PlanChoice& c) { return c.amp != Amp::None && c.amp != asked.amp; },
     autocastSentence},
    {"weights in fewer bits, updates kept", Tier::Precision,
     [](const PlanChoice& asked, const PlanChoice& c) {
         return keepsUpdates(c) && (c.rounding != asked.rounding || c.masters != asked.masters ||
                                    (c.wideAdapters != asked.wideAdapters && sixteenBits(c.dtype)));
     },
     keptSentence},
    {"8-bit states", Tier::Precision, codesStates,
     [](const PlanChoice&, const PlanChoice& c) {
         return fmt::format("Both moments in 8 bits, blocks of {} ({}).", kStateBlock, name(c.optimizer));
     }},
    {"finite differences", Tier::Precision,
     [](const PlanChoice& asked, const PlanChoice& c) { return differences(c) && !differences(asked); },
     differencesSentence},
    {"small updates (16-bit weights)", Tier::Method,
     [](const PlanChoice& asked, const PlanChoice& c) {
         return sixteenBits(c.dtype) && c.dtype != asked.dtype && !keepsUpdates(c);
     },
     weightsSentence},
    {"adapters", Tier::Method,
     [](const PlanChoice& asked, const PlanChoice& c) { return c.loraRank != asked.loraRank; }, adaptersSentence},
    {"4-bit base", Tier::Method,
     [](const PlanChoice& asked, const PlanChoice& c) { return c.quantization != asked.quantization; },
     [](const PlanChoice&, const PlanChoice& c) {
         return fmt::format("The weights under the adapters are rounded to 4 bits ({}).", name(c.quantization));
     }},
    {"optimizer", Tier::Method,
     [](const PlanChoice& asked, const PlanChoice& c) {
         return c.optimizer != asked.optimizer && !codesStates(asked, c);
     },
     optimizerSentence},
    {"shorter rows", Tier::Method, [](const PlanChoice& asked, const PlanChoice& c) { return c.seq < asked.seq; },
     [](const PlanChoice& asked, const PlanChoice& c) {
         return fmt::format("Rows of {} tokens instead of {}: nothing beyond is attended to.", c.seq, asked.seq);
     }},
    {"fewer rows", Tier::Method, fewerRows,
     [](const PlanChoice& asked, const PlanChoice& c) {
         return fmt::format("The loss is that of {} rows instead of {}: a noisier Hessian.", c.batch, asked.batch);
     }},
    {"fewer entries", Tier::Method,
     [](const PlanChoice& asked, const PlanChoice& c) { return c.count > 0 && c.count < asked.count; },
     [](const PlanChoice& asked, const PlanChoice& c) {
         return fmt::format("{} sampled parameters instead of {}: the statistics' errors grow {:.2g} times.", c.count,
                            asked.count, std::sqrt(static_cast<double>(asked.count) / static_cast<double>(c.count)));
     }},
    {"another quantity", Tier::Method,
     [](const PlanChoice& asked, const PlanChoice& c) { return c.quantity != asked.quantity; }, quantitySentence},
};

// The same value as what was asked for, or as the other's.
template <typename T>
bool asOne(const T& asked, const T& mine, const T& theirs)
{
    return mine == asked || mine == theirs;
}

} // namespace

std::string quantityWord(const PlanChoice& c)
{
    return c.quantity ? std::string(name(*c.quantity)) : "several quantities";
}

std::vector<const PlanChange*> changesOf(const PlanChoice& asked, const PlanChoice& choice)
{
    std::vector<const PlanChange*> changes;
    for (const PlanChange& change : kChanges) {
        if (change.made(asked, choice)) {
            changes.push_back(&change);
        }
    }
    return changes;
}

bool takesNoMore(const PlanChoice& asked, const PlanChoice& c, const PlanChoice& other)
{
    const bool adapters = c.loraRank == asked.loraRank || (other.loraRank > 0 && c.loraRank >= other.loraRank);
    return coarseness(c) <= std::max(coarseness(asked), coarseness(other)) && adapters &&
           asOne(asked.optimizer, c.optimizer, other.optimizer) &&
           asOne(asked.quantization, c.quantization, other.quantization) &&
           asOne(asked.quantity, c.quantity, other.quantity) &&
           asOne(differences(asked), differences(c), differences(other)) && c.seq >= std::min(asked.seq, other.seq) &&
           c.count >= std::min(asked.count, other.count) && (!fewerRows(asked, c) || c.batch >= other.batch);
}

bool exceeds(const PlanSpace& space, const PlanChoice& c)
{
    const PlanChoice& asked = space.target;
    const bool rows = keepsRows(space) ? c.batch > asked.batch : c.rowsOfDevice() > asked.rowsOfDevice();
    return rows || c.seq > asked.seq;
}

} // namespace peakscope
