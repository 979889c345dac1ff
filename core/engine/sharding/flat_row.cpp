// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sharding/flat_row.h"

#include "core/engine/ledger/ledger_hooks.h"

#include <c10/core/Allocator.h>
#include <c10/core/DeviceGuard.h>

namespace peakscope {
namespace {

at::Tensor tensorOverStorage(const c10::Storage& storage, const at::TensorOptions& options, std::int64_t offset,
                             at::IntArrayRef shape)
{
    at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
        c10::Storage(storage), c10::DispatchKeySet(options.computeDispatchKey()), options.dtype());
    tensor.unsafeGetTensorImpl()->set_storage_offset(offset);
    tensor.unsafeGetTensorImpl()->set_sizes_contiguous(shape);
    return tensor;
}

void setMemory(const at::Tensor& flat, c10::DataPtr memory, std::size_t bytes)
{
    c10::StorageImpl* storage = flat.storage().unsafeGetStorageImpl();
    storage->set_data_ptr(std::move(memory));
    storage->set_nbytes(bytes);
}

} // namespace

at::Tensor flatWithoutMemory(const at::TensorOptions& options, std::int64_t elements)
{
    const c10::Storage storage(c10::Storage::use_byte_size_t(), 0, c10::DataPtr(nullptr, options.device()),
                               c10::GetAllocator(options.device().type()), /*resizable=*/true);
    return tensorOverStorage(storage, options, 0, {elements});
}

at::Tensor tensorOver(const at::Tensor& flat, std::int64_t offset, at::IntArrayRef shape)
{
    return tensorOverStorage(flat.storage(), flat.options(), offset, shape);
}

void giveMemory(const at::Tensor& flat, std::int64_t elements, Component component)
{
    const std::size_t bytes = static_cast<std::size_t>(elements) * flat.element_size();
    const c10::DeviceGuard guard(flat.device()); // an allocator's device is the thread's
    setMemory(flat, c10::GetAllocator(flat.device().type())->allocate(bytes), bytes);
    tagStorage(flat, component);
}

void takeMemory(const at::Tensor& flat)
{
    setMemory(flat, c10::DataPtr(nullptr, flat.device()), 0);
}

} // namespace peakscope
