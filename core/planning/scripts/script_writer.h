// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What all kinds of scripts have in common: the model, its adapters and its optimiser, line by line. One writer makes
// one script.
#pragma once

#include "core/planning/scripts/training_script.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peakscope {

// An optimiser of ours in theirs. Where Trainer has no word for it, it is made before and handed over.
struct OptimizerWords {
    std::string_view ours;
    std::string_view trainer; // optim="…"; empty: none means the same
    std::string_view made;    // the class, where it is made by itself; empty: Trainer alone has it
    double weightDecay = 0;
    bool bitsandbytes = false;
    std::string_view pagedTrainer{}, pagedMade{}; // the same with paged states
};
const OptimizerWords& wordsFor(OptimizerKind optimizer);

bool isSixteenBit(Dtype dtype);
std::string pythonText(const nlohmann::json& value); // True and None in place of true and null

class ScriptWriter
{
public:
    ScriptWriter(const ScriptWriter&) = delete;
    ScriptWriter& operator=(const ScriptWriter&) = delete;

protected:
    ScriptWriter(const Experiment& experiment, const ScriptOptions& options);
    ~ScriptWriter() = default;

    template <typename... Arguments>
    void line(fmt::format_string<Arguments...> text, Arguments&&... arguments)
    {
        m_script.text += fmt::format(text, std::forward<Arguments>(arguments)...) + "\n";
    }

    // What no script has, whatever it is written with; empty: nothing.
    std::string missingAnywhere() const;
    // Where weights come from. Those in 4 bits are packed while a file is read, so there has to be one.
    Status chooseModel();
    // BadInput: Liger does not know the model.
    Status chooseLoss();
    // The comments and imports; `names` are transformers' besides those of the model.
    void head(std::vector<std::string> imports, const std::vector<std::string>& names);
    // `device`: a line that opens a block in which random weights are made; `card`: the card of those that are read,
    // empty: the host.
    void model(std::string_view device, std::string_view card);
    Status adapters();
    void rows(std::int64_t count); // random tokens
    std::string source() const;    // a name of weights and words at Hugging Face, or "FOLDER"
    // "torch.optim.Adam" of `parameters`, made by `maker` where it is not the class itself.
    void optimizer(std::string_view maker = "");
    // The rows of a pass and how many passes a device makes in a step.
    std::pair<std::int64_t, std::int64_t> passes() const;

    bool chunked() const { return m_training.lossHead == LossHead::Chunked; }
    bool quantized() const { return m_experiment.model.config.quantization != Quantization::None; }
    bool adapted() const { return m_training.lora.rank > 0; }
    std::string weightType() const;
    std::string computeType() const;

    const Experiment& m_experiment;
    const TrainingOptions& m_training;
    const ScriptOptions& m_options;
    const OptimizerWords& m_words;
    TrainingScript m_script;

private:
    void freshWeights(std::string_view device, std::string_view card, const std::string& attention);
    void storedWeights(std::string_view card, const std::string& attention);

    nlohmann::json m_config;
};

// On one device by Trainer or SFTTrainer, on several by DDP and FSDP2, and private on one by Opacus.
Result<TrainingScript> trainerScript(const Experiment& experiment, const ScriptOptions& options);
Result<TrainingScript> distributedScript(const Experiment& experiment, const ScriptOptions& options);
Result<TrainingScript> privateScript(const Experiment& experiment, const ScriptOptions& options);

} // namespace peakscope
