// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/mpi/mpi_module.h"

#include <cstdio>
#include <mpi.h>
#include <mutex>

namespace peakscope {

struct TransportRequest {
    MPI_Request request = MPI_REQUEST_NULL;
    bool failed = false;
};

namespace {

std::mutex callMutex; // MPI_THREAD_SERIALIZED: one call at a time
MPI_Comm collectives = MPI_COMM_NULL;
MPI_Comm messages = MPI_COMM_NULL;

void tell(char* problem, std::size_t bytes, const char* text)
{
    if (bytes > 0)
        std::snprintf(problem, bytes, "%s", text);
}

MPI_Datatype typeOf(TransportNumber number)
{
    switch (number) {
    case TransportNumber::Float32:
        return MPI_FLOAT;
    case TransportNumber::Float64:
        return MPI_DOUBLE;
    case TransportNumber::Int64:
        break;
    }
    return MPI_INT64_T;
}

// A call that fails gives a request that tells so when it is tested.
template <typename Call>
TransportRequest* started(Call call)
{
    auto* request = new TransportRequest;
    const std::lock_guard lock(callMutex);
    request->failed = call(&request->request) != MPI_SUCCESS;
    return request;
}

bool join(int* rank, int* size, int* localSize, char* problem, std::size_t problemBytes)
{
    const std::lock_guard lock(callMutex);
    int provided = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
        tell(problem, problemBytes, "MPI_Init_thread failed");
        return false;
    }
    if (provided < MPI_THREAD_SERIALIZED) {
        tell(problem, problemBytes, "this MPI was built without threads; MPI_THREAD_SERIALIZED is needed");
        return false;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm local = MPI_COMM_NULL;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &collectives) != MPI_SUCCESS ||
        MPI_Comm_dup(MPI_COMM_WORLD, &messages) != MPI_SUCCESS ||
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local) != MPI_SUCCESS) {
        tell(problem, problemBytes, "MPI cannot make its communicators");
        return false;
    }
    MPI_Comm_set_errhandler(collectives, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(messages, MPI_ERRORS_RETURN);
    MPI_Comm_rank(collectives, rank);
    MPI_Comm_size(collectives, size);
    MPI_Comm_size(local, localSize);
    MPI_Comm_free(&local);
    return true;
}

TransportRequest* startAllReduce(const void* in, void* out, int count, TransportNumber number)
{
    return started([&](MPI_Request* request) {
        return MPI_Iallreduce(in, out, count, typeOf(number), MPI_SUM, collectives, request);
    });
}

TransportRequest* startReduceScatter(const void* in, void* out, int count, TransportNumber number)
{
    return started([&](MPI_Request* request) {
        return MPI_Ireduce_scatter_block(in, out, count, typeOf(number), MPI_SUM, collectives, request);
    });
}

TransportRequest* startAllGather(const void* in, void* out, int bytes)
{
    return started([&](MPI_Request* request) {
        return MPI_Iallgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, collectives, request);
    });
}

TransportRequest* startBroadcast(void* data, int bytes, int root)
{
    return started([&](MPI_Request* request) { return MPI_Ibcast(data, bytes, MPI_BYTE, root, collectives, request); });
}

TransportRequest* startSend(const void* data, int bytes, int to, int tag)
{
    return started([&](MPI_Request* request) { return MPI_Isend(data, bytes, MPI_BYTE, to, tag, messages, request); });
}

bool takeMessage(TransportMessage* message)
{
    const std::lock_guard lock(callMutex);
    int there = 0;
    MPI_Message handle = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, messages, &there, &handle, &status) != MPI_SUCCESS || there == 0)
        return false;
    message->from = status.MPI_SOURCE;
    message->tag = status.MPI_TAG;
    MPI_Get_count(&status, MPI_BYTE, &message->bytes);
    message->handle = new MPI_Message(handle);
    return true;
}

TransportRequest* startReceive(TransportMessage* message, void* data)
{
    auto* handle = static_cast<MPI_Message*>(message->handle);
    message->handle = nullptr;
    TransportRequest* request =
        started([&](MPI_Request* one) { return MPI_Imrecv(data, message->bytes, MPI_BYTE, handle, one); });
    delete handle;
    return request;
}

TransportTest test(TransportRequest* request)
{
    int over = 0;
    if (!request->failed) {
        const std::lock_guard lock(callMutex);
        request->failed = MPI_Test(&request->request, &over, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    }
    if (!request->failed && over == 0)
        return TransportTest::Waiting;
    const TransportTest end = request->failed ? TransportTest::Failed : TransportTest::Over;
    delete request;
    return end;
}

void leave()
{
    const std::lock_guard lock(callMutex);
    MPI_Finalize();
}

constexpr RankTransport kModule{
    kMpiModuleVersion, join, startAllReduce, startReduceScatter, startAllGather, startBroadcast, startSend, takeMessage,
    startReceive,      test, leave,
};

} // namespace
} // namespace peakscope

extern "C" __attribute__((visibility("default"))) const peakscope::RankTransport* peakscopeMpiModule()
{
    return &peakscope::kModule;
}
