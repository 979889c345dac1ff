// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ledger/cpu_allocator.h"

#include "core/engine/device/torch_compat.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <malloc.h>

namespace peakscope {
namespace {

// Stands before every block, so that a free needs no look-up. As long as LibTorch's own alignment, which it keeps.
struct alignas(64) BlockHeader {
    BlockId block;
};
static_assert(sizeof(BlockHeader) == 64);

void release(void* data)
{
    if (!data)
        return;
    auto* header = static_cast<BlockHeader*>(data) - 1;
    Ledger::instance().released(header->block);
    c10::free_cpu(header);
}

class LedgerCpuAllocator final : public c10::Allocator
{
public:
    c10::DataPtr allocate(std::size_t bytes) PEAKSCOPE_ALLOCATE_CONST override
    {
        const c10::Device cpu(c10::DeviceType::CPU);
        if (bytes == 0)
            return {nullptr, nullptr, &release, cpu};
        Ledger& ledger = Ledger::instance();
        ledger.admit(static_cast<std::int64_t>(bytes));
        auto* header = static_cast<BlockHeader*>(c10::alloc_cpu(bytes + sizeof(BlockHeader)));
        header->block = ledger.allocated(static_cast<std::int64_t>(bytes));
        void* data = header + 1;
        return {data, data, &release, cpu};
    }

    c10::DeleterFnPtr raw_deleter() const override { return &release; }

#if PEAKSCOPE_TORCH_ALLOCATOR_COPY_DATA
    void copy_data(void* destination, const void* source, std::size_t count) const override
    {
        default_copy_data(destination, source, count);
    }
#endif
};

// A step takes and frees the same sizes again and again, and what glibc gives back to the system in between comes anew,
// page by page and zeroed: measured, a tenth to a fifth of the processor time. More than this is given back, so that
// the resident size stays within its cap's slack.
void keepFreedMemory()
{
#ifdef __GLIBC__
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20); // the most it allows: larger blocks are the system's at once
    ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

} // namespace

void installCpuAllocator()
{
    keepFreedMemory();
    static LedgerCpuAllocator allocator;
    c10::SetCPUAllocator(&allocator, 255);
}

BlockId blockOfCpuData(const void* data, void (*deleter)(void*))
{
    if (!data || deleter != &release)
        return 0;
    return (static_cast<const BlockHeader*>(data) - 1)->block;
}

} // namespace peakscope
