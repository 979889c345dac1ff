// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Python program that trains as an experiment says, with Hugging Face's libraries: Trainer or TRL's SFTTrainer,
// peft, bitsandbytes and Liger; over several devices with PyTorch's own DDP and FSDP2, private with Opacus. Pure
// functions, any thread.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/planning/scripts/script_loop.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

struct ScriptOptions {
    std::string title;          // a comment: what it trains
    std::string card;           // a comment: for which device it was written
    std::string outputFolder;   // of Trainer
    std::string modelFolder;    // of a config.json to be written where the weights must be loaded from files
    std::int64_t rowsAPass = 0; // rows of one forward pass; 0: rowsOfPass of the experiment
    bool pages = false;         // 8-bit states lie where CUDA moves pages between card and host
    ScriptLoop loop = ScriptLoop::Trainer;
};

struct TrainingScript {
    std::string text;                  // the program
    std::vector<std::string> packages; // that it imports, as pip has them: "peft"
    std::string modelType;             // "llama"
    std::string loads{};               // the folder whose weights it reads; empty: it makes random ones
    nlohmann::json writtenConfig{};    // to be written to `modelFolder`/config.json before it runs; null: nothing
};

// The program for an experiment of kind "memory". BadInput: what Trainer has not, as half a sentence
// ("Trainer has no Kahan rounding"); there is never a program for something else.
Result<TrainingScript> trainingScript(const Experiment& experiment, const ScriptOptions& options);

// Whether Liger computes the loss of this model type with the head, chunk by chunk.
bool hasLigerLoss(std::string_view modelType);

// Rows of one device in a step.
std::int64_t rowsOfStep(const Experiment& experiment);

// The largest number of rows up to `most` that divides the batch, so that whole passes make a step.
std::int64_t rowsOfPass(std::int64_t batch, std::int64_t most);

// A short name of what is trained, fit for a file: "float32-chunked-1x2048".
std::string scriptName(const Experiment& experiment, bool pages = false);

} // namespace peakscope
