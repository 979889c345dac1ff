// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/curvature/tape_memory.h"

#include "core/planning/simulation/depth_derivation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace peakscope {
namespace {

// Whether all layers have the same parameters, wanted alike, and do the same.
bool layersAlike(const ModelConfig& config, const std::vector<ParameterSpec>& parameters,
                 const std::vector<bool>& wanted, std::int64_t length)
{
    std::vector<std::vector<std::pair<std::string_view, bool>>> layers(static_cast<std::size_t>(config.layers));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].layer < 0)
            continue;
        const std::string_view name = parameters[i].name;
        const std::string place = fmt::format(".{}.", parameters[i].layer);
        const std::size_t at = name.find(place);
        if (at == std::string_view::npos)
            return false;
        layers[static_cast<std::size_t>(parameters[i].layer)].emplace_back(name.substr(at + place.size()), wanted[i]);
    }
    return config.layersAlike(length) &&
           std::all_of(layers.begin(), layers.end(), [&](const auto& layer) { return layer == layers.front(); });
}

// The same model with its first layers only.
TapeProgram shallowProgram(ModelConfig config, const std::vector<ParameterSpec>& parameters,
                           const std::vector<bool>& wanted, std::int64_t layers, std::int64_t length,
                           std::int64_t elementBytes)
{
    config.layers = layers;
    std::vector<ParameterSpec> left;
    std::vector<bool> leftWanted;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].layer < layers) {
            left.push_back(parameters[i]);
            leftWanted.push_back(wanted[i]);
        }
    }
    return {config, left, std::move(leftWanted), length, elementBytes};
}

// The answers' key: adapters are all that a configuration does not tell of the parameters.
using TapeKey = std::tuple<std::int64_t, std::int64_t, ModelConfig, std::vector<bool>, std::vector<std::int64_t>>;

std::vector<std::int64_t> adapterKey(const std::vector<ParameterSpec>& parameters)
{
    std::vector<std::int64_t> key;
    for (std::size_t i = parameters.size(); i-- > 0 && parameters[i].kind == ModuleKind::Lora;) {
        key.push_back(static_cast<std::int64_t>(std::hash<std::string>{}(parameters[i].name)));
        key.insert(key.end(), parameters[i].shape.begin(), parameters[i].shape.end());
    }
    return key;
}

} // namespace

// The whole model, or two shallow ones; and what was asked of them so far.
class TapeMemory::Answers
{
public:
    struct Answer {
        std::int64_t peak = 0;
        std::int64_t live = 0;
    };

    Answers(const ModelConfig& config, const std::vector<ParameterSpec>& parameters, const std::vector<bool>& wanted,
            std::int64_t length, std::int64_t elementBytes)
    {
        if (config.layers < kLeastDepth || !layersAlike(config, parameters, wanted, length)) {
            m_programs.emplace_back(config, parameters, wanted, length, elementBytes);
            return;
        }
        m_further = config.layers - kDeeper;
        for (const std::int64_t layers : {kDeeper, kShallow})
            m_programs.push_back(shallowProgram(config, parameters, wanted, layers, length, elementBytes));
    }

    Answer answer(const TapeWork& work)
    {
        {
            const std::lock_guard lock(m_mutex);
            if (const auto known = m_known.find(work); known != m_known.end())
                return known->second;
        }
        const Answer found = compute(work);
        const std::lock_guard lock(m_mutex);
        return m_known.emplace(work, found).first->second;
    }

    std::int64_t matrixWeights() const
    {
        const std::int64_t weights = m_programs.front().matrixWeights();
        return weights + m_further * (weights - m_programs.back().matrixWeights());
    }

private:
    Answer compute(const TapeWork& work) const
    {
        const TapeProfile deeper = m_programs.front().profile(work);
        if (m_further == 0)
            return {*std::max_element(deeper.highest.begin(), deeper.highest.end()), deeper.live};
        const TapeProfile shallow = m_programs.back().profile(work);
        const auto derived = [this](std::int64_t more, std::int64_t less) { return more + m_further * (more - less); };
        const std::vector<Operation>& operations = m_programs.front().operations();
        const std::size_t size = operations.size(), ofLayer = size - m_programs.back().operations().size();
        Answer answer{derived(deeper.highest[0], shallow.highest[0]), derived(deeper.live, shallow.live)};
        for (std::size_t moment = 1; moment < deeper.highest.size(); ++moment) {
            const std::size_t pass = (moment - 1) / size, i = (moment - 1) % size;
            // The first two layers stand for themselves, the last two and what follows for those one layer earlier.
            const std::size_t same = 1 + pass * (size - ofLayer) + (operations[i].layer < 2 ? i : i - ofLayer);
            if (deeper.highest[moment] != TapeProfile::kNever)
                answer.peak = std::max(answer.peak, derived(deeper.highest[moment], shallow.highest[same]));
        }
        return answer;
    }

    std::vector<TapeProgram> m_programs; // the deepest first
    std::int64_t m_further = 0;          // layers beyond those of the deepest
    std::mutex m_mutex;
    std::map<TapeWork, Answer> m_known;
};

TapeMemory::TapeMemory(const ModelConfig& config, const std::vector<ParameterSpec>& parameters,
                       const std::vector<bool>& wanted, std::int64_t length, std::int64_t elementBytes)
    : m_length(length)
{
    constexpr std::size_t kRemembered = 64; // of some ten kilobytes each
    static std::mutex mutex;
    static std::map<TapeKey, std::shared_ptr<Answers>> remembered;
    TapeKey key(length, elementBytes, config, wanted, adapterKey(parameters));
    const std::lock_guard lock(mutex);
    if (const auto known = remembered.find(key); known != remembered.end()) {
        m_answers = known->second;
        return;
    }
    m_answers = std::make_shared<Answers>(config, parameters, wanted, length, elementBytes);
    if (remembered.size() >= kRemembered)
        remembered.clear();
    remembered.emplace(std::move(key), m_answers);
}

std::int64_t TapeMemory::peak(const TapeWork& work) const
{
    return m_answers->answer(work).peak;
}

std::int64_t TapeMemory::held(std::int64_t rows) const
{
    TapeWork work;
    work.kind = TapeWork::Kind::Hold;
    work.rows = rows;
    return m_answers->answer(work).live;
}

double TapeMemory::productWork(std::int64_t rows) const
{
    return 2 * 6 * static_cast<double>(m_answers->matrixWeights()) * static_cast<double>(rows * m_length);
}

} // namespace peakscope
