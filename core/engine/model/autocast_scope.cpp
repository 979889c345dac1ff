// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/autocast_scope.h"

#include "core/engine/device/torch_compat.h"

#include <ATen/autocast_mode.h>

namespace peakscope {
namespace {

void switchAutocast(c10::DeviceType device, bool on, at::ScalarType dtype)
{
#if PEAKSCOPE_TORCH_AUTOCAST_DEVICE
    at::autocast::set_autocast_dtype(device, dtype);
    at::autocast::set_autocast_enabled(device, on);
#else
    if (device == c10::DeviceType::CPU) {
        at::autocast::set_autocast_cpu_dtype(dtype);
        at::autocast::set_cpu_enabled(on);
    } else {
        at::autocast::set_autocast_gpu_dtype(dtype);
        at::autocast::set_enabled(on);
    }
#endif
}

} // namespace

AutocastScope::AutocastScope(Amp amp, c10::Device device) : m_active(amp != Amp::None), m_device(device.type())
{
    if (!m_active)
        return;
    at::autocast::increment_nesting();
    switchAutocast(m_device, true, amp == Amp::BFloat16 ? at::kBFloat16 : at::kHalf);
}

AutocastScope::~AutocastScope()
{
    if (!m_active)
        return;
    switchAutocast(m_device, false, at::kBFloat16);
    // The outermost scope's end drops the cached casts of the weights.
    if (at::autocast::decrement_nesting() == 0)
        at::autocast::clear_cache();
}

} // namespace peakscope
