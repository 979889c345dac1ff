// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prm/unit_noise.h"

#include "core/text/random_bits.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace peakscope {
namespace {

constexpr std::uint64_t kControlSeed = 0x70726d636f6e7472ULL;

std::uint64_t addToChecksum(std::uint64_t sum, const void* data, std::size_t bytes)
{
    const auto* at = static_cast<const unsigned char*>(data);
    for (; bytes >= sizeof(std::uint64_t); bytes -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        sum = RandomBits::mix(sum + word + 0x9e3779b97f4a7c15ULL);
    }
    for (; bytes > 0; --bytes, ++at)
        sum = RandomBits::mix(sum + *at + 0x9e3779b97f4a7c15ULL);
    return sum;
}

} // namespace

std::vector<std::int64_t> controlUnits(const std::vector<CurvatureUnit>& units, std::int64_t entries,
                                       std::uint64_t seed)
{
    std::vector<std::int64_t> chosen;
    std::int64_t taken = 0;
    for (std::uint64_t position = 0; position < units.size() && taken < entries; ++position) {
        const auto unit = shuffledIndex(position, units.size(), seed ^ kControlSeed);
        const std::int64_t count = units[unit].count;
        // One that would pass the size by more than it now lacks is left for a smaller one.
        if (!chosen.empty() && taken + count - entries > entries - taken)
            continue;
        chosen.push_back(static_cast<std::int64_t>(unit));
        taken += count;
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

UnitNoise::UnitNoise(const ParameterSpace& space, const ParameterUnits& units) : m_space(space), m_units(units)
{
    const at::NoGradGuard guard;
    m_copy = space.vector();
    const std::vector<at::Tensor> parts = space.views(m_copy), weights = space.weights();
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].copy_(weights[i]);
    m_original = checksum();
}

NoiseGroup UnitNoise::group(UnitClass unitClass, bool control, std::vector<std::int64_t> members) const
{
    const at::NoGradGuard guard;
    NoiseGroup group{unitClass, control, std::move(members), 0, 0, {}};
    std::vector<bool> inside(m_units.units().size(), false);
    for (const std::int64_t unit : group.units) {
        inside[static_cast<std::size_t>(unit)] = true;
        group.entries += m_units.units()[static_cast<std::size_t>(unit)].count;
    }
    const std::vector<at::Tensor> weights = m_space.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const UnitSlices& slices = m_units.slices()[i];
        const auto isInside = [&](std::size_t unit) { return inside[unit]; };
        group.masks.emplace_back();
        if (std::none_of(slices.units.begin(), slices.units.end(), isInside))
            continue;
        std::vector<std::int64_t> shape(static_cast<std::size_t>(weights[i].dim()), 1);
        at::Tensor mask = at::ones({1}, weights[i].options());
        if (slices.dim >= 0) {
            const auto chunks = static_cast<std::int64_t>(slices.units.size());
            const at::Tensor flags = at::zeros({chunks, 1}, at::TensorOptions().dtype(weights[i].scalar_type()));
            for (std::int64_t c = 0; c < chunks; ++c) {
                if (inside[slices.units[static_cast<std::size_t>(c)]])
                    flags.narrow(0, c, 1).fill_(1);
            }
            mask = flags.expand({chunks, slices.chunk}).reshape({-1}).to(weights[i].device());
            shape[static_cast<std::size_t>(slices.dim)] = mask.numel();
        }
        group.masks.back() = mask.view(shape);
    }
    const std::vector<double> squares = m_units.sums(m_copy.square());
    double sum = 0;
    for (const std::int64_t unit : group.units)
        sum += squares[static_cast<std::size_t>(unit)];
    group.rms = group.entries > 0 ? std::sqrt(sum / static_cast<double>(group.entries)) : 0;
    return group;
}

void UnitNoise::add(const NoiseGroup& group, double sigma, bool relative, std::uint64_t seed, DrawPurpose purpose,
                    std::uint64_t number, double sign) const
{
    const double scale = sign * sigma * (relative ? group.rms : 1);
    if (scale == 0)
        return;
    // Tensor by tensor: a drawing of the whole model would be another copy of it.
    const at::NoGradGuard guard;
    std::vector<at::Tensor> weights = m_space.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (group.masks[i].defined())
            weights[i].add_(drawOne(i, group, seed, purpose, number), scale);
    }
}

at::Tensor UnitNoise::drawOne(std::size_t tensor, const NoiseGroup& group, std::uint64_t seed, DrawPurpose purpose,
                              std::uint64_t number) const
{
    const std::vector<at::Tensor> weights = m_space.weights();
    const at::Tensor noise = at::empty({weights[tensor].numel()}, weights[tensor].options().requires_grad(false));
    fillNormal(noise, seed, purpose, number * weights.size() + tensor);
    return noise.view(weights[tensor].sizes()).mul_(group.masks[tensor]);
}

std::vector<at::Tensor> UnitNoise::draw(const NoiseGroup& group, std::uint64_t seed, DrawPurpose purpose,
                                        std::uint64_t number) const
{
    const at::NoGradGuard guard;
    std::vector<at::Tensor> drawn(group.masks.size());
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        if (group.masks[i].defined())
            drawn[i] = drawOne(i, group, seed, purpose, number);
    }
    return drawn;
}

void UnitNoise::addDrawn(const std::vector<at::Tensor>& drawn, double scale) const
{
    const at::NoGradGuard guard;
    std::vector<at::Tensor> weights = m_space.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (drawn[i].defined())
            weights[i].add_(drawn[i], scale);
    }
}

void UnitNoise::putBack()
{
    const at::NoGradGuard guard;
    const std::vector<at::Tensor> parts = m_space.views(m_copy);
    std::vector<at::Tensor> weights = m_space.weights();
    for (std::size_t i = 0; i < parts.size(); ++i)
        weights[i].copy_(parts[i]);
}

Status UnitNoise::restore()
{
    putBack();
    if (checksum() != m_original)
        return failed("", "the weights did not come back bit by bit after a noise; what was measured since is void");
    return Done{};
}

std::uint64_t UnitNoise::checksum() const
{
    std::uint64_t sum = 0;
    for (const at::Tensor& weight : m_space.weights()) {
        const at::Tensor bytes = weight.detach().cpu().contiguous();
        sum = addToChecksum(sum, bytes.data_ptr(), bytes.nbytes());
    }
    return sum;
}

} // namespace peakscope
