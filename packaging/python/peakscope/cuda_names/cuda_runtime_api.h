/* SPDX-FileCopyrightText: 2026 The Peakscope authors
   SPDX-License-Identifier: GPL-3.0-or-later
   The names of CUDA that PyTorch's allocator header mentions, for a machine without CUDA's own headers: types, and
   functions that nothing of the probe calls. */
#pragma once
#include <cstddef>

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
typedef struct CUuserObject_st* cudaUserObject_t;
typedef void (*cudaHostFn_t)(void*);
typedef int cudaError_t;
typedef unsigned long long cuuint64_t;
typedef unsigned long long cudaGraphConditionalHandle;
enum { cudaSuccess = 0, cudaErrorNotReady = 600, cudaErrorStreamCaptureUnsupported = 900 };
enum { cudaUserObjectNoDestructorSync = 1, cudaGraphUserObjectMove = 1 };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1 };
struct cudaDeviceProp {
    int major, minor;
};
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
template <typename... A> cudaError_t cudaMemcpyAsync(A...) { return 0; }
template <typename... A> cudaError_t cudaStreamQuery(A...) { return 0; }
template <typename... A> cudaError_t cudaStreamSynchronize(A...) { return 0; }
template <typename... A> cudaError_t cudaGetLastError(A...) { return 0; }
template <typename... A> const char* cudaGetErrorString(A...) { return ""; }
template <typename... A> cudaError_t cudaStreamIsCapturing(A...) { return 0; }
template <typename... A> cudaError_t cudaThreadExchangeStreamCaptureMode(A...) { return 0; }
template <typename... A> cudaError_t cudaDeviceGetStreamPriorityRange(A...) { return 0; }
template <typename... A> cudaError_t cudaStreamGetPriority(A...) { return 0; }
template <typename... A> cudaError_t cudaStreamGetCaptureInfo_v2(A...) { return 0; }
template <typename... A> cudaError_t cudaStreamGetCaptureInfo(A...) { return 0; }
template <typename... A> cudaError_t cudaUserObjectCreate(A...) { return 0; }
template <typename... A> cudaError_t cudaUserObjectRelease(A...) { return 0; }
template <typename... A> cudaError_t cudaGraphRetainUserObject(A...) { return 0; }
template <typename... A> cudaError_t cudaMemGetInfo(A...) { return 0; }
