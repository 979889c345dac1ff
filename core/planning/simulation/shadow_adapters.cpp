// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/adapter_specs.h"
#include "core/planning/simulation/shadow_model.h"

namespace peakscope {

ShadowLinear* ShadowModel::linearNamed(const LinearShape& shape)
{
    const std::string last = shape.name.substr(shape.name.rfind('.') + 1);
    if (shape.layer < 0)
        return last == "project_in" ? &m_projectIn : &m_projectOut;
    Layer& layer = m_layers[static_cast<std::size_t>(shape.layer)];
    const bool feedForward = shape.name.find(".mlp.") != std::string::npos;
    if (last == "q_proj" || last == "c_attn" || last == "query_key_value")
        return &layer.q;
    if (last == "k_proj")
        return &layer.k;
    if (last == "v_proj")
        return &layer.v;
    if (last == "gate_proj")
        return &layer.gate;
    if (last == "fc1" || last == "up_proj" || last == "c_fc" || last == "dense_h_to_4h")
        return &layer.first;
    if (last == "fc2" || last == "down_proj" || last == "dense_4h_to_h" || feedForward)
        return &layer.second;
    return &layer.out;
}

ShadowNorm* ShadowModel::normNamed(const std::string& last, std::int64_t layer)
{
    if (layer < 0)
        return &m_finalNorm;
    Layer& own = m_layers[static_cast<std::size_t>(layer)];
    const bool first = last == "self_attn_layer_norm" || last == "ln_1" || last == "input_layernorm" || last == "ln1";
    return first ? &own.attentionNorm : &own.mlpNorm;
}

ShadowParameter* ShadowModel::trainedParameter(const ParameterSpec& spec, std::size_t index)
{
    if (!m_adapters.empty()) {
        ShadowAdapter& adapter = m_adapters[index / 2];
        return index % 2 == 0 ? &adapter.down : &adapter.up;
    }
    return modelParameter(spec);
}

ShadowParameter* ShadowModel::modelParameter(const ParameterSpec& spec)
{
    const std::size_t dot = spec.name.rfind('.');
    const std::string module = spec.name.substr(0, dot);
    const std::string last = module.substr(module.rfind('.') + 1);
    const bool bias = spec.name.substr(dot + 1) == "bias";
    if (spec.kind == ModuleKind::Norm) {
        ShadowNorm* norm = normNamed(last, spec.layer);
        return bias ? &norm->bias : &norm->weight;
    }
    if (spec.kind == ModuleKind::Embedding && last != "project_in")
        return last == "embed_positions" || last == "wpe" ? &m_positions : &m_embedding;
    if (spec.kind == ModuleKind::Head && last != "project_out")
        return &m_ownHead;
    ShadowLinear* linear = linearNamed({module, 0, 0, spec.layer});
    return bias ? &linear->bias : &linear->weight;
}

Status ShadowModel::addAdapters(const LoraOptions& options)
{
    auto plan = adapterPlan(m_config, options);
    if (!plan)
        return plan.error();
    for (ShadowParameter* parameter : m_parameters) {
        parameter->trainable = false;
        parameter->tensor.edge = {};
    }
    for (const LinearShape& shape : plan->layers) {
        ShadowLinear* linear = linearNamed(shape);
        ShadowAdapter& adapter = m_adapters.emplace_back();
        adapter.rank = options.rank;
        adapter.module = m_graph.memory().addModule({"", -1, "", ModuleKind::Lora, shape.name + ".lora"});
        make(adapter.down, options.rank * shape.in, adapter.module);
        make(adapter.up, shape.out * options.rank, adapter.module);
        linear->adapter = &adapter;
    }
    return Done{};
}

} // namespace peakscope
