// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/device_types.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace peakscope {

namespace {

// By number. Most backends behind PrivateUse1 are NPUs.
constexpr std::array<std::string_view, 21> kDeviceTypes{"cpu",  "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",
                                                        "fpga", "maia", "xla",    "vulkan", "metal",  "xpu",   "mps",
                                                        "meta", "hpu",  "ve",     "lazy",   "ipu",    "mtia",  "npu"};
constexpr std::string_view kUnknownType = "device type ";

// A word of cards or libraries, and the name under which its backend is registered.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kBackends{{{"ascend", "npu"},
                                                                                  {"torch_npu", "npu"},
                                                                                  {"mtt s", "musa"},
                                                                                  {"torch_musa", "musa"},
                                                                                  {"mlu", "mlu"},
                                                                                  {"torch_mlu", "mlu"},
                                                                                  {"gcu", "gcu"},
                                                                                  {"torch_gcu", "gcu"}}};

// What only a backend's own code is called. ROCm's devices are "cuda" to PyTorch.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kCode{{{"c10::xpu::", "xpu"},
                                                                               {"/torch/xpu/", "xpu"},
                                                                               {"c10_npu::", "npu"},
                                                                               {"/torch_npu/", "npu"},
                                                                               {"c10::musa::", "musa"},
                                                                               {"/torch_musa/", "musa"},
                                                                               {"torch_mlu::", "mlu"},
                                                                               {"/torch_mlu/", "mlu"},
                                                                               {"torch_gcu::", "gcu"},
                                                                               {"/torch_gcu/", "gcu"},
                                                                               {"c10::mtia::", "mtia"},
                                                                               {"/torch/mtia/", "mtia"}}};

} // namespace

std::string deviceName(std::int64_t type, std::int64_t id, std::string_view privateUse)
{
    if (type == kCpuType)
        return "cpu";
    const bool known = type > 0 && type < static_cast<std::int64_t>(kDeviceTypes.size());
    std::string name = !known ? std::string(kUnknownType) + std::to_string(type)
                              : std::string(kDeviceTypes[static_cast<std::size_t>(type)]);
    if (type == kPrivateUseType && !privateUse.empty())
        name = privateUse;
    return name + ":" + std::to_string(std::max<std::int64_t>(id, 0));
}

std::pair<std::int64_t, std::int64_t> deviceOfName(std::string_view name)
{
    constexpr std::pair<std::int64_t, std::int64_t> kCpu{kCpuType, -1};
    const std::size_t colon = std::min(name.find(':'), name.size());
    const std::string_view kind = name.substr(0, colon);
    const auto numberOf = [](std::string_view text) {
        std::int64_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    };
    const std::int64_t id = colon < name.size() ? numberOf(name.substr(colon + 1)) : 0;
    if (kind.starts_with(kUnknownType))
        return {numberOf(kind.substr(kUnknownType.size())), id};
    const auto known = std::find(kDeviceTypes.begin(), kDeviceTypes.end(), kind);
    if (known != kDeviceTypes.end())
        return known == kDeviceTypes.begin() ? kCpu
                                             : std::pair<std::int64_t, std::int64_t>{known - kDeviceTypes.begin(), id};
    const bool backend =
        std::any_of(kBackends.begin(), kBackends.end(), [&](const auto& row) { return row.second == kind; });
    return backend ? std::pair{kPrivateUseType, id} : kCpu;
}

std::optional<std::string_view> privateUseBackend(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    for (const auto& [word, backend] : kBackends) {
        if (lower.find(word) != std::string::npos)
            return backend;
    }
    return std::nullopt;
}

std::optional<std::string_view> backendOfCode(std::string_view text)
{
    for (const auto& [code, backend] : kCode) {
        if (text.find(code) != std::string_view::npos)
            return backend;
    }
    return std::nullopt;
}

} // namespace peakscope
