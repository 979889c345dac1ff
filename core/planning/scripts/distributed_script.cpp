// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Several devices, one process each, started by torchrun: a plain loop with DDP, ZeroRedundancyOptimizer or FSDP2.
#include "core/planning/scripts/script_writer.h"

namespace peakscope {

namespace {

class DistributedScript : ScriptWriter
{
public:
    DistributedScript(const Experiment& experiment, const ScriptOptions& options)
        : ScriptWriter(experiment, options),
          m_fully(m_training.sharding == Sharding::Zero2 || dividesParameters(m_training.sharding))
    {}

    Result<TrainingScript> write()
    {
        for (const std::string& missing : {missingAnywhere(), missingFromRanks()}) {
            if (!missing.empty())
                return badInput("", missing);
        }
        if (const Status chosen = chooseModel(); !chosen)
            return chosen.error();
        if (const Status loss = chooseLoss(); !loss)
            return loss.error();
        if (m_fully && m_script.loads.empty())
            m_imports.emplace_back("from accelerate import init_empty_weights");
        imports();
        head(m_imports, {});
        line("torch.distributed.init_process_group(\"nccl\")");
        line("torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"]))");
        line("torch.manual_seed(42)  # the same rows on every device");
        if (chunked())
            line("apply_liger_kernel_to_{}()  # the loss with the head, in chunks", m_script.modelType);
        if (m_fully && !m_script.loads.empty())
            line("# Every process reads the weights into the host's memory, and its part goes to its card.");
        // Shapes alone, but for what is no weight; the parts of a card are made when the model is divided.
        model(m_fully ? "with init_empty_weights(include_buffers=False):" : "with torch.device(\"cuda\"):",
              m_fully ? "" : "torch.cuda.current_device()");
        if (m_fully)
            line("layers = [part for part in model.modules() if type(part).__name__ in model._no_split_modules]");
        if (const Status adapted = adapters(); !adapted)
            return adapted.error();
        data();
        if (m_training.checkpointing)
            line("model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={{\"use_reentrant\": False}})");
        else
            line("model.gradient_checkpointing_disable()");
        if (m_fully)
            divide();
        else
            line("model = DistributedDataParallel(model, gradient_as_bucket_view=True)");
        line("model.train()");
        optimizer(m_training.sharding == Sharding::Zero1 ? "ZeroRedundancyOptimizer" : "");
        loop();
        return std::move(m_script);
    }

private:
    std::string missingFromRanks() const
    {
        if (m_training.clipping != Clipping::None)
            return "scripts of private training are for one device";
        if (m_experiment.data.batch % m_experiment.ranks != 0)
            return fmt::format("{} rows are not the same number on each of {} devices", m_experiment.data.batch,
                               m_experiment.ranks);
        if (m_training.amp == Amp::Float16)
            return "scripts for several devices have no loss scaler for float16";
        if (m_words.made.empty())
            return fmt::format("{} is Trainer's, whose scripts are for one device", m_words.ours);
        if (m_fully && quantized())
            return "FSDP2 does not divide bitsandbytes weights; set training.sharding=zero1";
        if (m_fully && m_words.bitsandbytes)
            return "bitsandbytes does not update the shards of FSDP2; set training.sharding=zero1";
        return "";
    }

    void imports()
    {
        m_imports.insert(m_imports.end(), {"import os", "import torch"});
        if (m_words.bitsandbytes)
            m_imports.emplace_back("import bitsandbytes");
        if (chunked())
            m_imports.push_back(
                fmt::format("from liger_kernel.transformers import apply_liger_kernel_to_{}", m_script.modelType));
        if (m_fully)
            m_imports.emplace_back("from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard");
        else
            m_imports.emplace_back("from torch.nn.parallel import DistributedDataParallel");
        if (m_training.sharding == Sharding::Zero1)
            m_imports.emplace_back("from torch.distributed.optim import ZeroRedundancyOptimizer");
        if (passes().second > 1 && !m_fully)
            m_imports.emplace_back("from contextlib import nullcontext");
        m_imports.emplace_back("from torch.utils.data import DataLoader, DistributedSampler");
    }

    // Layer by layer, and what is around the layers as one more part.
    void divide()
    {
        const Dtype computes = computeDtype(m_experiment), sums = reduceDtype(m_experiment);
        if (computes != m_experiment.dtype || (m_training.sharding == Sharding::Fsdp && sums != computes))
            line("policy = MixedPrecisionPolicy(param_dtype=torch.{}, reduce_dtype=torch.{})", name(computes),
                 name(sums));
        else if (m_training.amp == Amp::None)
            line("policy = MixedPrecisionPolicy()  # as the weights are");
        else
            line("policy = MixedPrecisionPolicy(param_dtype={}, reduce_dtype=torch.float32)", computeType());
        line("for part in [*layers, model]:");
        line("    fully_shard(part, mp_policy=policy, reshard_after_forward={})",
             pythonText(m_training.sharding == Sharding::Zero3 ||
                        (m_training.sharding == Sharding::Fsdp && m_training.fsdp.reshardAfterForward)));
        if (!m_script.loads.empty())
            return;
        line("if any(parameter.is_meta for parameter in model.parameters()):  # shapes alone: random weights");
        line("    model._apply(lambda each: torch.empty_like(each, device=\"cuda\") if each.is_meta else each)");
        line("    model.tie_weights()");
        line("    with torch.no_grad():\n        for name, parameter in model.named_parameters():");
        line("            if \"lora_B\" in name or name.endswith(\"bias\"):\n                parameter.zero_()");
        line("            elif parameter.ndim == 1:\n                parameter.fill_(1.0)");
        line("            else:\n                parameter.normal_(std=0.02)");
    }

    void data()
    {
        line("# Random tokens. Your own data set goes here, {} tokens a row.", m_experiment.data.seq);
        rows(8 * m_experiment.data.batch);
        line("data = DataLoader(rows, batch_size={}, sampler=DistributedSampler(rows))  # of one device",
             rowsOfStep(m_experiment));
    }

    void loop()
    {
        const auto [rows, count] = passes();
        const bool waits = count > 1 && !m_fully; // DDP sums gradients once, in the last pass of a step
        std::string indent(8, ' ');
        line("\nfor epoch in range(12):\n    for batch in data:");
        if (count > 1) {
            line("        for number, ids in enumerate(batch.cuda().split({})):", rows);
            indent += "    ";
        } else {
            line("        ids = batch.cuda()");
        }
        if (waits) {
            line("{}with model.no_sync() if number < {} else nullcontext():", indent, count - 1);
            indent += "    ";
        }
        const bool autocast = m_training.amp != Amp::None && !m_fully;
        if (autocast)
            line("{}with torch.autocast(\"cuda\", {}):", indent, computeType());
        line("{}{}loss = model(input_ids=ids, labels=ids).loss{}", indent, autocast ? "    " : "",
             count > 1 ? fmt::format(" / {}", count) : "");
        line("{}loss.backward()\n{}del loss", indent, indent);
        line("        torch.nn.utils.clip_grad_norm_(trained, 1.0)\n        optimizer.step()");
        line("        optimizer.zero_grad()\ntorch.distributed.destroy_process_group()");
    }

    bool m_fully; // divided by FSDP2
    std::vector<std::string> m_imports;
};

} // namespace

Result<TrainingScript> distributedScript(const Experiment& experiment, const ScriptOptions& options)
{
    return DistributedScript(experiment, options).write();
}

} // namespace peakscope
