// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/nccl_collectives.h"

#include "core/engine/cuda/cuda_guards.h"
#include "core/engine/cuda/torch_nccl.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <mutex>
#include <vector>

namespace peakscope {
namespace {

namespace nccl = torch::cuda::nccl;

// One collective on the stream: its beginning and its end there, and when the stream that follows came to need it.
struct Work {
    std::uint64_t ticket = 0;
    std::size_t kind = 0; // in the order of CudaCollectives
    cudaEvent_t begin = nullptr, end = nullptr, needed = nullptr;
};

struct Joined {
    int device = 0;
    nccl::ncclComm_t communicator = nullptr;
    nccl::stream_list::value_type stream;
    std::timed_mutex mutex; // the run's thread, autograd's, and whoever aborts
    bool aborted = false;
    std::uint64_t last = 0;
    std::deque<Work> works; // in the order of the stream
    std::array<double, 3> seconds = {}, waited = {}; // by kind
};

at::ScalarType scalarType(CudaNumber number)
{
    switch (number) {
    case CudaNumber::Int64:
        return at::kLong;
    case CudaNumber::Float16:
        return at::kHalf;
    case CudaNumber::BFloat16:
        return at::kBFloat16;
    case CudaNumber::Float32:
        return at::kFloat;
    case CudaNumber::Float64:
        return at::kDouble;
    case CudaNumber::Byte:
        break;
    }
    return at::kByte;
}

// The memory as a tensor. LibTorch compares the sizes of a collective's two tensors as if all ranks were in this
// process, and hands NCCL the addresses and the count: both are given the count.
at::Tensor over(const Joined& joined, const void* data, std::int64_t count, CudaNumber number)
{
    const c10::Device device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(joined.device));
    return at::for_blob(const_cast<void*>(data), {count})
        .options(at::TensorOptions(scalarType(number)).device(device))
        .target_device(device)
        .make_tensor();
}

// From one moment to the other; 0 where the first has not come, or came later.
double secondsBetween(cudaEvent_t first, cudaEvent_t second)
{
    float milliseconds = 0;
    if (cudaEventQuery(first) != cudaSuccess || cudaEventElapsedTime(&milliseconds, first, second) != cudaSuccess)
        return 0;
    return std::max(0.0, static_cast<double>(milliseconds) * 1e-3);
}

// Ends what is over, from the front.
void settle(Joined& joined)
{
    while (!joined.works.empty() && cudaEventQuery(joined.works.front().end) == cudaSuccess) {
        const Work work = joined.works.front();
        joined.works.pop_front();
        joined.seconds[work.kind] += secondsBetween(work.begin, work.end);
        if (work.needed)
            joined.waited[work.kind] += secondsBetween(work.needed, work.end);
        for (const cudaEvent_t event : {work.begin, work.end, work.needed}) {
            if (event)
                cudaEventDestroy(event);
        }
    }
}

// `first` goes on after all that `second` was told so far.
bool waits(cudaStream_t first, cudaStream_t second)
{
    cudaEvent_t moment = nullptr;
    const bool done = cudaEventCreateWithFlags(&moment, cudaEventDisableTiming) == cudaSuccess &&
                      cudaEventRecord(moment, second) == cudaSuccess &&
                      cudaStreamWaitEvent(first, moment, 0) == cudaSuccess;
    if (moment)
        cudaEventDestroy(moment); // CUDA keeps it for as long as something waits for it
    return done;
}

template <typename Call>
std::uint64_t begin(void* handle, std::size_t kind, const Call& call)
{
    auto& joined = *static_cast<Joined*>(handle);
    std::uint64_t ticket = 0;
    succeeds([&] {
        const std::lock_guard lock(joined.mutex);
        const CurrentDevice current(joined.device);
        if (joined.aborted || !current.valid())
            return false;
        settle(joined);
        const cudaStream_t stream = joined.stream->stream();
        const auto compute = c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(joined.device));
        Work work;
        if (!waits(stream, compute.stream()) || cudaEventCreate(&work.begin) != cudaSuccess ||
            cudaEventCreate(&work.end) != cudaSuccess || cudaEventRecord(work.begin, stream) != cudaSuccess)
            return false;
        call(joined);
        if (cudaEventRecord(work.end, stream) != cudaSuccess)
            return false;
        work.kind = kind;
        work.ticket = ticket = ++joined.last;
        joined.works.push_back(work);
        return true;
    });
    return ticket;
}

bool makeId(char id[kCudaIdBytes])
{
    static_assert(kCudaIdBytes == sizeof(nccl::ncclUniqueId));
    return succeeds([&] {
        nccl::ncclUniqueId made = {};
        nccl::get_unique_id(made);
        std::memcpy(id, made.internal, kCudaIdBytes);
        return true;
    });
}

void* join(int device, const char id[kCudaIdBytes], int rank, int size)
{
    auto* joined = new Joined; // for as long as the process lives: what is under way may outlive the run
    const bool done = succeeds([&] {
        const CurrentDevice current(device);
        nccl::ncclUniqueId group = {};
        std::memcpy(group.internal, id, kCudaIdBytes);
        joined->device = device;
        joined->communicator = current.valid() ? nccl::comm_init_rank(size, group, rank) : nullptr;
        joined->stream = c10::cuda::getStreamFromPool(/*isHighPriority=*/true, static_cast<c10::DeviceIndex>(device));
        return joined->communicator != nullptr;
    });
    if (done)
        return joined;
    delete joined;
    return nullptr;
}

std::uint64_t allReduceSum(void* handle, void* data, std::int64_t count, CudaNumber number)
{
    return begin(handle, 0, [&](Joined& joined) {
        const at::Tensor tensor = over(joined, data, count, number);
        std::vector<at::Tensor> out = {tensor};
        nccl::all_reduce({tensor}, out, nccl::kSum, {joined.stream}, {joined.communicator});
    });
}

std::uint64_t reduceScatterSum(void* handle, const void* in, void* to, std::int64_t count, CudaNumber number)
{
    return begin(handle, 1, [&](Joined& joined) {
        std::vector<at::Tensor> out = {over(joined, to, count, number)};
        nccl::reduce_scatter({over(joined, in, count, number)}, out, nccl::kSum, {joined.stream},
                             {joined.communicator});
    });
}

std::uint64_t allGather(void* handle, const void* in, void* to, std::int64_t count, CudaNumber number)
{
    return begin(handle, 2, [&](Joined& joined) {
        std::vector<at::Tensor> out = {over(joined, to, count, number)};
        nccl::all_gather({over(joined, in, count, number)}, out, {joined.stream}, {joined.communicator});
    });
}

bool follow(void* handle, std::uint64_t ticket)
{
    auto& joined = *static_cast<Joined*>(handle);
    return succeeds([&] {
        const std::lock_guard lock(joined.mutex);
        const CurrentDevice current(joined.device);
        for (Work& work : joined.works) {
            if (work.ticket != ticket)
                continue;
            const auto compute = c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(joined.device));
            if (!work.needed && (cudaEventCreate(&work.needed) != cudaSuccess ||
                                 cudaEventRecord(work.needed, compute.stream()) != cudaSuccess))
                return false;
            return current.valid() && cudaStreamWaitEvent(compute.stream(), work.end, 0) == cudaSuccess;
        }
        return ticket > 0 && ticket <= joined.last; // it is over
    });
}

void seconds(void* handle, double each[3], double waited[3])
{
    auto& joined = *static_cast<Joined*>(handle);
    const std::lock_guard lock(joined.mutex);
    settle(joined);
    std::copy(joined.seconds.begin(), joined.seconds.end(), each);
    std::copy(joined.waited.begin(), joined.waited.end(), waited);
}

// LibTorch exports no such function; the NCCL that it loaded has one.
bool abortAll(void* handle)
{
    auto& joined = *static_cast<Joined*>(handle);
    using Abort = int (*)(void*);
    void* library = ::dlopen("libnccl.so.2", RTLD_LAZY | RTLD_NOLOAD);
    auto* abort = reinterpret_cast<Abort>(::dlsym(library ? library : RTLD_DEFAULT, "ncclCommAbort"));
    // A collective that waits for its peers as it begins holds the lock; then the process is ended without this.
    std::unique_lock lock(joined.mutex, std::chrono::milliseconds(200));
    if (!abort || !lock)
        return false;
    if (!joined.aborted)
        abort(joined.communicator);
    joined.aborted = true;
    return true;
}

} // namespace

CudaCollectives ncclCollectives()
{
    return {makeId, join, allReduceSum, reduceScatterSum, allGather, follow, seconds, abortAll};
}

} // namespace peakscope
