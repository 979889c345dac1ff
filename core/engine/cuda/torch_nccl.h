// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch's NCCL, as far as ranks on devices need it. Declared as in torch/csrc/cuda/nccl.h of PyTorch 2.4 to 2.15.
// That header includes those of cuBLAS, cuSOLVER and cuSPARSE, which LibTorch does not bring and few machines have.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/macros/Export.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace torch::cuda::nccl {

using ncclComm_t = void*;

typedef struct { // NOLINT: its name in the symbols
    char internal[128];
} ncclUniqueId;

inline constexpr std::int32_t kSum = 0;

using comm_list = std::vector<ncclComm_t>;
using stream_list = std::vector<std::optional<c10::cuda::CUDAStream>>;

TORCH_CUDA_CPP_API void get_unique_id(ncclUniqueId& id);
TORCH_CUDA_CPP_API ncclComm_t comm_init_rank(int nranks, const ncclUniqueId& comm_id, int rank);

TORCH_CUDA_CPP_API void all_reduce(const std::vector<at::Tensor>& inputs, std::vector<at::Tensor>& outputs,
                                   std::int32_t op, const stream_list& streams, const comm_list& user_comms);
TORCH_CUDA_CPP_API void reduce_scatter(const std::vector<at::Tensor>& inputs, std::vector<at::Tensor>& outputs,
                                       std::int32_t op, const stream_list& streams, const comm_list& user_comms);
TORCH_CUDA_CPP_API void all_gather(const std::vector<at::Tensor>& inputs, std::vector<at::Tensor>& outputs,
                                   const stream_list& streams, const comm_list& user_comms);

} // namespace torch::cuda::nccl
