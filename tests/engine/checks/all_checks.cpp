// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/all_checks.h"

#include "core/engine/cuda/device.h"
#include "core/model/dry_device.h"
#include "core/ranks/rank_module.h"
#include "tests/engine/checks/curvature/curvature_checks.h"
#include "tests/engine/checks/dpsgd/dpsgd_checks.h"
#include "tests/engine/checks/ledger/device_checks.h"
#include "tests/engine/checks/ledger/ledger_checks.h"
#include "tests/engine/checks/model/lora_checks.h"
#include "tests/engine/checks/model/matrix_update_checks.h"
#include "tests/engine/checks/model/model_checks.h"
#include "tests/engine/checks/model/optimizer_checks.h"
#include "tests/engine/checks/model/quantization_checks.h"
#include "tests/engine/checks/model/wide_update_checks.h"
#include "tests/engine/checks/prm/prm_checks.h"
#include "tests/engine/checks/ranks/rank_checks.h"
#include "tests/engine/checks/ranks/rank_prediction_checks.h"
#include "tests/engine/checks/ranks/rank_processes.h"
#include "tests/engine/checks/ranks/sharding_checks.h"
#include "tests/engine/checks/runs/prediction_checks.h"
#include "tests/engine/checks/runs/token_prediction_checks.h"

#include <set>

namespace peakscope {

Status runAllChecks(const std::string& device, const std::string& only,
                    const std::function<void(const CheckResult&)>& onResult)
{
    // On a dry device there are no numbers to check: its runs, in processes of their own, hold memory alone.
    const bool dry = isDryDevice(device);
    auto resolved = dry ? Result<std::string>(device) : resolveDevice(device);
    if (!resolved)
        return resolved.error();
    if (dry) {
        if (auto card = dryDevice(device); !card)
            return card.error();
    }
    const auto hand = [&](const CheckResult& check) {
        if (only.empty() || check.name.find(only) != std::string::npos)
            onResult(check);
    };
    // A name such as "ledger: opt" skips the groups that cannot hold it.
    const auto mayHold = [&](const std::string& group) {
        static const std::set<std::string> ofMemory{"ledger rules: ", "ledger: ", "device: "};
        if (dry && !ofMemory.contains(group))
            return false;
        return only.find(": ") == std::string::npos || only.rfind(group, 0) == 0;
    };
    if (mayHold("ledger rules: ")) {
        for (const CheckResult& check : ledgerRuleChecks())
            hand(check);
    }
    if (mayHold("model: ")) {
        for (const CheckResult& check : modelChecks(*resolved))
            hand(check);
    }
    if (mayHold("lora: ")) {
        for (const CheckResult& check : loraChecks(*resolved))
            hand(check);
        loraRunChecks(*resolved, hand);
    }
    if (mayHold("optimizer: ")) {
        for (const CheckResult& check : optimizerChecks(*resolved))
            hand(check);
        for (const CheckResult& check : matrixUpdateChecks(*resolved))
            hand(check);
    }
    if (mayHold("precision: ")) {
        for (const CheckResult& check : wideUpdateChecks(*resolved))
            hand(check);
    }
    if (mayHold("quantization: ")) {
        for (const CheckResult& check : quantizationChecks(*resolved))
            hand(check);
    }
    if (mayHold("curvature: ")) {
        for (const CheckResult& check : curvatureNumericsChecks())
            hand(check);
        for (const CheckResult& check : featurePassChecks())
            hand(check);
        for (const CheckResult& check : raggedRowChecks())
            hand(check);
        for (const CheckResult& check : curvatureRouteChecks(*resolved))
            hand(check);
        for (const CheckResult& check : curvatureMinimumChecks(*resolved))
            hand(check);
        for (const CheckResult& check : curvatureDiagonalChecks(*resolved))
            hand(check);
        for (const CheckResult& check : curvatureRunChecks(*resolved))
            hand(check);
    }
    if (mayHold("dp-sgd: ")) {
        for (const CheckResult& check : clippingChecks(*resolved))
            hand(check);
        clippingRunChecks(*resolved, hand);
    }
    if (mayHold("prm: ")) {
        for (const CheckResult& check : prmChecks(*resolved))
            hand(check);
        prmRunChecks(*resolved, hand);
    }
    // Runs small enough for a check are made of cuBLAS's workspaces there; packaging/gpu-check compares real ones.
    if (mayHold("prediction: ") && *resolved == "cpu") {
        predictionChecks(*resolved, hand);
        clippingPredictionChecks(*resolved, hand);
        tokenPredictionChecks(*resolved, hand);
        rankPredictionChecks(*resolved, hand);
    }
    if (mayHold("sharding: ") && *resolved == "cpu") {
        vectorLayoutChecks(hand);
        shardingChecks(hand);
    }
    if (mayHold("sharding: ") && *resolved == "cpu" && hasMpirun() && mpiModule()) {
        rankRunNumberChecks(hand);
        curvatureOnShardsChecks(hand);
    }
    if (mayHold("ranks: ") && *resolved == "cpu")
        rankRunChecks(*resolved, hand);
    if (mayHold("run: "))
        runEndChecks(*resolved, hand);
    if (mayHold("ledger: "))
        ledgerRunChecks(*resolved, hand);
    if (mayHold("device: ") && *resolved != "cpu")
        deviceLedgerChecks(*resolved, hand);
    return Done{};
}

} // namespace peakscope
