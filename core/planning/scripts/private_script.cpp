// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// DP-SGD on one device: a plain loop with Opacus.
#include "core/planning/scripts/script_writer.h"

#include <algorithm>
#include <array>

namespace peakscope {

namespace {

// Model types of which Opacus gets the rows' gradients right for all layers. For adapters, which are linear layers, it
// does so in any.
constexpr std::array<std::string_view, 6> kPrivateTypes{"llama", "mistral", "qwen2", "qwen3", "gpt_neox", "gpt2"};

class PrivateScript : ScriptWriter
{
public:
    PrivateScript(const Experiment& experiment, const ScriptOptions& options)
        : ScriptWriter(experiment, options), m_ghost(m_training.clipping == Clipping::Ghost)
    {}

    Result<TrainingScript> write()
    {
        for (const std::string& missing : {missingAnywhere(), missingFromOpacus()}) {
            if (!missing.empty())
                return badInput("", missing);
        }
        if (const Status chosen = chooseModel(); !chosen)
            return chosen.error();
        if (const std::string layers = missingLayers(); !layers.empty())
            return badInput("", layers);
        m_script.packages.emplace_back("opacus");
        std::vector<std::string> imports{"import torch", "from opacus import PrivacyEngine",
                                         "from opacus.utils.batch_memory_manager import BatchMemoryManager",
                                         "from torch.utils.data import DataLoader"};
        if (m_words.bitsandbytes)
            imports.emplace_back("import bitsandbytes");
        head(imports, {});
        model("with torch.device(\"cuda\"):", "0");
        if (const Status adapted = adapters(); !adapted)
            return adapted.error();
        if (m_training.checkpointing) {
            // Only so do Opacus's hooks see each layer once.
            line("model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={{\"use_reentrant\": True}})");
            line("model.enable_input_require_grads()");
        } else {
            line("model.gradient_checkpointing_disable()");
        }
        line("model.train()");
        optimizer();
        engine();
        loop();
        return std::move(m_script);
    }

private:
    std::string missingFromOpacus() const
    {
        switch (m_training.clipping) {
        case Clipping::Microbatch:
            return "Opacus does not clip row by row; set training.clipping=per_sample or ghost";
        case Clipping::Flash:
            return "Opacus has no norms in tiles; set training.clipping=ghost";
        case Clipping::GhostBk:
        case Clipping::FlashBk:
            return "Opacus has no book-keeping; set training.clipping=ghost";
        case Clipping::Auto:
            return "Opacus does not plan its clipping; set training.clipping=per_sample or ghost";
        default:
            break;
        }
        if (m_training.normPrecision != NormPrecision::Full || m_training.normSafety > 0)
            return "Opacus has no norms in tf32 and no margin for them";
        const std::int64_t expected = m_training.privacy.expectedBatch;
        if (expected != 0 && expected != m_experiment.data.batch)
            return "Opacus expects as many rows as a batch has";
        if (m_training.amp == Amp::Float16)
            return "Opacus has no loss scaler for float16";
        if (chunked())
            return "Liger hides the head from Opacus; set training.loss_head=naive";
        if (m_words.made.empty())
            return fmt::format("{} is Trainer's, which has no private training", m_words.ours);
        return "";
    }

    std::string missingLayers() const
    {
        if (adapted())
            return "";
        if (m_ghost && m_experiment.model.config.tied)
            return "Opacus has no ghost norm of a tied embedding; set training.clipping=per_sample";
        if (std::ranges::find(kPrivateTypes, m_script.modelType) == kPrivateTypes.end())
            return fmt::format("Opacus gets no rows' gradients of all layers of {}; adapters can", m_script.modelType);
        if (m_ghost && m_script.modelType == "gpt2")
            return "Opacus has no ghost norm of gpt2's layers; set training.clipping=per_sample";
        return "";
    }

    void engine()
    {
        line("\n# Random tokens. Your own data set goes here, {} tokens a row.", m_experiment.data.seq);
        rows(4 * m_experiment.data.batch);
        line("data = DataLoader(rows, batch_size={})  # the rows of a step, which share its noise\n",
             m_experiment.data.batch);
        line("engine = PrivacyEngine()");
        line("model, optimizer, {}data = engine.make_private(", m_ghost ? "criterion, " : "");
        line("    module=model,\n    optimizer=optimizer,\n    data_loader=data,");
        if (m_ghost)
            line("    criterion=torch.nn.CrossEntropyLoss(),");
        line("    noise_multiplier={},\n    max_grad_norm={},\n    poisson_sampling={},",
             pythonText(m_training.noiseMultiplier), pythonText(m_training.maxGradNorm),
             pythonText(m_training.privacy.poisson));
        line("    grad_sample_mode=\"{}\",\n)", m_ghost ? "ghost" : "hooks");
    }

    void loop()
    {
        line("for epoch in range(25):");
        line(
            "    with BatchMemoryManager(data_loader=data, max_physical_batch_size={}, optimizer=optimizer) as passes:",
            passes().first);
        line("        for ids in passes:\n            ids = ids.cuda()");
        std::string given = "input_ids=ids";
        if (m_script.modelType == "gpt2") { // Opacus needs its positions row by row
            line("            positions = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)");
            given += ", position_ids=positions";
        }
        std::string indent(12, ' ');
        if (m_training.amp != Amp::None) {
            line("{}with torch.autocast(\"cuda\", {}):", indent, computeType());
            indent += "    ";
        }
        if (m_ghost) {
            line("{}logits, words = model({}).logits[:, :-1], ids[:, 1:]", indent, given);
            line("{}loss = criterion(logits.flatten(0, 1).float(), words.flatten(), shape=words.shape)", indent);
            line("            del logits");
        } else {
            line("{}loss = model({}, labels=ids).loss", indent, given);
        }
        line("            loss.backward()\n            del loss\n            optimizer.step()");
        line("            optimizer.zero_grad()");
    }

    bool m_ghost;
};

} // namespace

Result<TrainingScript> privateScript(const Experiment& experiment, const ScriptOptions& options)
{
    return PrivateScript(experiment, options).write();
}

} // namespace peakscope
