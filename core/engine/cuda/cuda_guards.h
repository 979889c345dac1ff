// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps CUDA's and LibTorch's ways inside the CUDA module.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>

namespace peakscope {

// LibTorch's exceptions end here.
template <typename Work>
bool succeeds(const Work& work)
{
    try {
        return work();
    } catch (const std::exception&) {
        return false;
    }
}

// Makes `device` current for a query and puts the old one back.
class CurrentDevice
{
public:
    explicit CurrentDevice(int device)
    {
        m_valid = cudaGetDevice(&m_before) == cudaSuccess && cudaSetDevice(device) == cudaSuccess;
    }
    ~CurrentDevice()
    {
        if (m_valid)
            cudaSetDevice(m_before);
    }
    CurrentDevice(const CurrentDevice&) = delete;
    CurrentDevice& operator=(const CurrentDevice&) = delete;
    bool valid() const { return m_valid; }

private:
    int m_before = 0;
    bool m_valid = false;
};

} // namespace peakscope
