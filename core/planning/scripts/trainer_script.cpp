// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One device: transformers' Trainer, or SFTTrainer, TRL's of the same kind.
#include "core/experiment/keys_together.h"
#include "core/planning/scripts/script_writer.h"

#include <fmt/ranges.h>

namespace peakscope {

namespace {

class TrainerScript : ScriptWriter
{
public:
    TrainerScript(const Experiment& experiment, const ScriptOptions& options)
        : ScriptWriter(experiment, options), m_tunes(options.loop == ScriptLoop::Sft)
    {}

    Result<TrainingScript> write()
    {
        for (const std::string& missing : {missingAnywhere(), m_tunes ? missingFromTrl() : std::string()}) {
            if (!missing.empty())
                return badInput("", missing);
        }
        if (const Status chosen = chooseModel(); !chosen)
            return chosen.error();
        if (m_tunes)
            m_script.packages.insert(m_script.packages.end(), {"trl", "datasets", "triton"});
        else if (const Status loss = chooseLoss(); !loss)
            return loss.error();
        imports();
        model("with torch.device(\"cuda\"):", "0");
        if (const Status adapted = adapters(); !adapted)
            return adapted.error();
        if (m_tunes)
            tokenizer();
        data();
        trainer();
        return std::move(m_script);
    }

private:
    std::string missingFromTrl() const
    {
        if (!chunked())
            return "TRL computes the loss in chunks; set training.loss_head=chunked";
        std::vector<std::string> keys; // of other adapters
        if (m_experiment.dtype != Dtype::BFloat16)
            keys.emplace_back("dtype=bfloat16");
        if (m_training.lora.dtype == AdapterType::Float32)
            keys.emplace_back("training.lora.dtype=weights");
        if (!quantized() || keys.empty())
            return "";
        return fmt::format("TRL turns adapters over weights in 4 bits into bfloat16; set {}", fmt::join(keys, " "));
    }

    bool makesOptimizer() const
    {
        const bool loop = m_training.implementation == Implementation::Loop && !m_words.bitsandbytes;
        return m_words.trainer.empty() || loop;
    }

    void imports()
    {
        std::vector<std::string> imports{"import torch"};
        std::vector<std::string> names;
        if (makesOptimizer() && m_words.bitsandbytes)
            imports.emplace_back("import bitsandbytes");
        if (!m_tunes) {
            names = {"Trainer", "TrainingArguments"};
        } else {
            imports.insert(imports.end(), {"from datasets import Dataset", "from trl import SFTConfig, SFTTrainer"});
            if (holdsTokenizer(m_script.loads)) {
                names = {"AutoTokenizer"};
            } else {
                imports.insert(imports.end(),
                               {"from tokenizers import Tokenizer", "from tokenizers.models import WordLevel"});
                names = {"PreTrainedTokenizerFast"};
            }
        }
        head(imports, names);
    }

    void tokenizer()
    {
        if (holdsTokenizer(m_script.loads)) {
            line("tokenizer = AutoTokenizer.from_pretrained({})", nlohmann::json(m_script.loads).dump());
            return;
        }
        line("\n# Of three words. Yours goes here: AutoTokenizer.from_pretrained(\"{}\")", source());
        line("words = WordLevel({{\"<unk>\": 0, \"<pad>\": 1, \"<eos>\": 2}}, unk_token=\"<unk>\")");
        line("tokenizer = PreTrainedTokenizerFast(\n    tokenizer_object=Tokenizer(words),");
        line("    unk_token=\"<unk>\", pad_token=\"<pad>\", eos_token=\"<eos>\",\n)");
    }

    void data()
    {
        line("\n# Random tokens. Your own data set goes here: rows of {}, {} tokens each.",
             m_tunes ? "input_ids" : "input_ids and labels", m_experiment.data.seq);
        rows(4 * m_experiment.data.batch);
        line("{}\n", m_tunes ? "data = Dataset.from_dict({\"input_ids\": rows.tolist()})"
                             : "data = [{\"input_ids\": row, \"labels\": row} for row in rows]");
    }

    void trainer()
    {
        const auto [rows, count] = passes();
        line("arguments = {}(\n    output_dir={},", m_tunes ? "SFTConfig" : "TrainingArguments",
             nlohmann::json(m_options.outputFolder).dump());
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
        if (m_tunes)
            tuning();
        else
            line("    use_liger_kernel={},{}", pythonText(chunked()),
                 chunked() ? "  # the loss with the head, in chunks" : "");
        line("    save_strategy=\"no\", report_to=\"none\",\n)");
        if (makesOptimizer())
            optimizer();
        line("trainer = {}(model=model, args=arguments, train_dataset=data{}{})\ntrainer.train()",
             m_tunes ? "SFTTrainer" : "Trainer", m_tunes ? ", processing_class=tokenizer" : "",
             makesOptimizer() ? ", optimizers=(optimizer, None)" : "");
    }

    void tuning()
    {
        line("    loss_type=\"nll\",  # computed with the head, in chunks\n    use_liger_kernel=False,");
        line("    max_length={}, packing=False, padding_free=False,", m_experiment.data.seq);
        line("    activation_offloading=False,");
        line("    dataset_kwargs={{\"skip_prepare_dataset\": True}},  # leave this out if your rows are text");
    }

    bool m_tunes; // by SFTTrainer
};

} // namespace

Result<TrainingScript> trainerScript(const Experiment& experiment, const ScriptOptions& options)
{
    return TrainerScript(experiment, options).write();
}

} // namespace peakscope
