// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One device: transformers' Trainer.
#include "core/planning/scripts/script_writer.h"

namespace peakscope {

namespace {

class TrainerScript : ScriptWriter
{
public:
    TrainerScript(const Experiment& experiment, const ScriptOptions& options) : ScriptWriter(experiment, options) {}

    Result<TrainingScript> write()
    {
        if (const std::string missing = missingAnywhere(); !missing.empty())
            return badInput("", missing);
        if (const Status chosen = chooseModel(); !chosen)
            return chosen.error();
        if (const Status loss = chooseLoss(); !loss)
            return loss.error();
        std::vector<std::string> imports{"import torch"};
        if (makesOptimizer() && m_words.bitsandbytes)
            imports.emplace_back("import bitsandbytes");
        head(imports, {"Trainer", "TrainingArguments"});
        model("with torch.device(\"cuda\"):", "0");
        if (const Status adapted = adapters(); !adapted)
            return adapted.error();
        line("\n# Random tokens. Your own data set goes here: rows of input_ids and labels, {} tokens each.",
             m_experiment.data.seq);
        rows(4 * m_experiment.data.batch);
        line("data = [{{\"input_ids\": row, \"labels\": row}} for row in rows]\n");
        trainer();
        return std::move(m_script);
    }

private:
    bool makesOptimizer() const
    {
        const bool loop = m_training.implementation == Implementation::Loop && !m_words.bitsandbytes;
        return m_words.trainer.empty() || loop;
    }

    void trainer()
    {
        const auto [rows, count] = passes();
        line("arguments = TrainingArguments(\n    output_dir={},", nlohmann::json(m_options.outputFolder).dump());
        line("    max_steps=100,\n    per_device_train_batch_size={},\n    gradient_accumulation_steps={},", rows,
             count);
        line("    bf16={}, fp16={},", pythonText(m_training.amp == Amp::BFloat16),
             pythonText(m_training.amp == Amp::Float16));
        if (!makesOptimizer()) {
            const bool paged = m_options.pages && !m_words.pagedTrainer.empty();
            line("    optim=\"{}\",", paged ? m_words.pagedTrainer : m_words.trainer);
            line("    learning_rate={}, weight_decay={},", pythonText(m_training.lr), pythonText(m_words.weightDecay));
        }
        line("    max_grad_norm=1.0,");
        if (m_training.checkpointing)
            line("    gradient_checkpointing=True,\n    gradient_checkpointing_kwargs={{\"use_reentrant\": False}},");
        else
            line("    gradient_checkpointing=False,");
        line("    use_liger_kernel={},{}", pythonText(chunked()),
             chunked() ? "  # the loss with the head, in chunks" : "");
        line("    save_strategy=\"no\", report_to=\"none\",\n)");
        if (makesOptimizer())
            optimizer();
        line("trainer = Trainer(model=model, args=arguments, train_dataset=data{})\ntrainer.train()",
             makesOptimizer() ? ", optimizers=(optimizer, None)" : "");
    }
};

} // namespace

Result<TrainingScript> trainerScript(const Experiment& experiment, const ScriptOptions& options)
{
    return TrainerScript(experiment, options).write();
}

} // namespace peakscope
