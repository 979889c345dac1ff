// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The estimates that the replay puts beside the seeds' numbers. Used by seed_tables.cpp and its test; any thread.
#pragma once

#include "core/base/result.h"
#include "core/model/catalogue.h"
#include "core/results/plans/plan_document.h"

#include <cstdint>
#include <string>

namespace peakscope {

// "501 MB", "62.7 PB", "6.66 billion": decimal, three digits; unit as in SeedCell.
std::string decimalText(double value, const std::string& unit);

// By id or hub name.
Result<CatalogueModel> seedModel(const std::string& name);

// Exact Hessian entries of sampled parameters, the whole model resident in float32.
struct SeedQuestion {
    std::string model;
    std::int64_t batch = 1;
    std::int64_t length = 128;
    std::int64_t sampled = 1000;
    bool cuda = true;
    std::string method = "auto";
};

// Sizes are bytes of one device.
struct SeedFit {
    double peak = 0;       // with as many devices as are needed
    double wholePeak = 0;  // on one device
    double reserved = 0;   // on one device
    double parameters = 0; // components at that one's peak
    double gradients = 0;
    double activations = 0;
    double hessian = 0;
    double sampledBytes = 0;               // of the found entries
    Verdict verdict = Verdict::DoesNotFit; // on one device
    std::int64_t devices = 0;              // that hold it, sharded by zero3; 0: not even kMostDevices
};
Result<SeedFit> seedEntries(const SeedQuestion& question, std::int64_t usableBytes, std::int64_t contextBytes);

// The parts and strategies of a Hessian memory analysis, on a CPU.
struct SeedBreakdown {
    std::int64_t rows = 1;
    std::int64_t length = 0;
    double activations = 0;  // that the graph of one training step keeps
    double intermediate = 0; // beside weights and activations at the peak of the entries
    double diagonalStrategy = 0;
    double blockDiagonalStrategy = 0;
    double fullStrategy = 0;
    double approximateStrategy = 0; // L-BFGS
};
Result<SeedBreakdown> seedBreakdown(const std::string& model, std::int64_t rows, std::int64_t length,
                                    std::int64_t sampled);

} // namespace peakscope
