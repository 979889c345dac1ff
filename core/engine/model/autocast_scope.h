// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Autocast for a forward pass: operators that profit run in the lower precision, parameters stay as they are.
#pragma once

#include "core/experiment/experiment.h"

#include <c10/core/Device.h>

namespace peakscope {

class AutocastScope
{
public:
    AutocastScope(Amp amp, c10::Device device);
    ~AutocastScope();
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;

private:
    bool m_active;
    c10::DeviceType m_device;
};

} // namespace peakscope
