// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch's numbers of devices (c10::DeviceType) and the names it gives them. Private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace peakscope {

inline constexpr std::int64_t kCpuType = 0;
inline constexpr std::int64_t kPrivateUseType = 20; // a backend that is no part of PyTorch

// "cpu", "cuda:1", "hip:0", "device type 77:0". `privateUse` is what PrivateUse1 is called, where it is known.
std::string deviceName(std::int64_t type, std::int64_t id, std::string_view privateUse = {});

// What such a name stands for: "xpu:1" -> 12, 1. The CPU's 0, -1 for a name that is none.
std::pair<std::int64_t, std::int64_t> deviceOfName(std::string_view name);

// Whose backend PrivateUse1 is, by a card's name or a library's ("Ascend910B3", "torch_npu"): "npu", "musa", "mlu", …
std::optional<std::string_view> privateUseBackend(std::string_view text);

// Whose allocator made a record, by a file or a function of its stacks ("c10::xpu::XPUCachingAllocator::malloc"):
// "xpu", "npu", …; nothing for those that PyTorch calls cuda, and for a program's own words.
std::optional<std::string_view> backendOfCode(std::string_view text);

} // namespace peakscope
