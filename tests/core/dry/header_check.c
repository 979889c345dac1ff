/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled, not linked, where CUDA's own headers are: what the stand-in declares is what they say. */
#include <cuda_runtime_api.h>
#include <stddef.h>

#if CUDART_VERSION / 1000 != CUDA_MAJOR
#error "headers of another major version"
#endif
#include "core/dry/stand_in/runtime_abi.h"

#define AT(place, member) _Static_assert(offsetof(struct cudaDeviceProp, member) == (place), #member)
_Static_assert(sizeof(struct cudaDeviceProp) == DEVICE_PROPERTIES_BYTES, "cudaDeviceProp");
AT(PROPERTY_NAME, name);
AT(PROPERTY_TOTAL_BYTES, totalGlobalMem);
AT(PROPERTY_SHARED_BLOCK, sharedMemPerBlock);
AT(PROPERTY_REGISTERS_BLOCK, regsPerBlock);
AT(PROPERTY_WARP, warpSize);
AT(PROPERTY_PITCH, memPitch);
AT(PROPERTY_THREADS_BLOCK, maxThreadsPerBlock);
AT(PROPERTY_BLOCK_DIM, maxThreadsDim);
AT(PROPERTY_GRID_DIM, maxGridSize);
AT(PROPERTY_CONSTANT, totalConstMem);
AT(PROPERTY_MAJOR, major);
AT(PROPERTY_MINOR, minor);
AT(PROPERTY_TEXTURE_ALIGNMENT, textureAlignment);
AT(PROPERTY_TEXTURE_PITCH, texturePitchAlignment);
AT(PROPERTY_SMS, multiProcessorCount);
AT(PROPERTY_MAP_HOST, canMapHostMemory);
AT(PROPERTY_CONCURRENT, concurrentKernels);
AT(PROPERTY_BUS_ID, pciBusID);
AT(PROPERTY_COPY_ENGINES, asyncEngineCount);
AT(PROPERTY_UNIFIED, unifiedAddressing);
AT(PROPERTY_BUS_WIDTH, memoryBusWidth);
AT(PROPERTY_L2, l2CacheSize);
AT(PROPERTY_PERSISTING_L2, persistingL2CacheMaxSize);
AT(PROPERTY_THREADS_SM, maxThreadsPerMultiProcessor);
AT(PROPERTY_PRIORITIES, streamPrioritiesSupported);
AT(PROPERTY_GLOBAL_L1, globalL1CacheSupported);
AT(PROPERTY_LOCAL_L1, localL1CacheSupported);
AT(PROPERTY_SHARED_SM, sharedMemPerMultiprocessor);
AT(PROPERTY_REGISTERS_SM, regsPerMultiprocessor);
AT(PROPERTY_MANAGED, managedMemory);
AT(PROPERTY_PAGEABLE, pageableMemoryAccess);
AT(PROPERTY_CONCURRENT_MANAGED, concurrentManagedAccess);
AT(PROPERTY_COOPERATIVE, cooperativeLaunch);
AT(PROPERTY_SHARED_OPTIN, sharedMemPerBlockOptin);
AT(PROPERTY_BLOCKS_SM, maxBlocksPerMultiProcessor);
AT(PROPERTY_SHARED_RESERVED, reservedSharedMemPerBlock);
AT(PROPERTY_POOLS, memoryPoolsSupported);
_Static_assert(sizeof(struct cudaPointerAttributes) == sizeof(struct pointer_attributes), "cudaPointerAttributes");
_Static_assert(sizeof(struct cudaFuncAttributes) == sizeof(struct function_attributes), "cudaFuncAttributes");
_Static_assert(offsetof(struct cudaFuncAttributes, ptxVersion) == offsetof(struct function_attributes, ptx_version), "ptx");
_Static_assert(offsetof(struct cudaFuncAttributes, maxDynamicSharedSizeBytes) ==
                   offsetof(struct function_attributes, most_dynamic_shared),
               "dynamic shared memory");
_Static_assert(sizeof(cudaLaunchConfig_t) == sizeof(struct launch_config), "cudaLaunchConfig_t");
