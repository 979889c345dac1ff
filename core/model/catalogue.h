// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Model and device catalogues: JSON files under resources/catalogues that a user may edit.
#pragma once

#include "core/base/result.h"
#include "core/model/model_config.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

struct CatalogueModel {
    std::string id;                      // lower case, as on the hub without the owner
    std::vector<std::string> aliases;    // other ids it answers to
    std::string title;                   // "OPT 125M"
    std::string hub;                     // owner/name on the hub; empty for shapes of our own
    std::vector<std::string> hubAliases; // names under which caches may hold it as well
    std::string source;                  // where the configuration is published
    ModelConfig config;
    std::int64_t parameters = 0; // computed
};

// What of a card steers CUDA's kernels and their workspaces.
struct CudaCard {
    std::int64_t major = 0, minor = 0; // compute capability
    std::int64_t multiprocessors = 0;
    std::int64_t multiprocessorThreads = 0;
    std::int64_t multiprocessorSharedBytes = 0;
    std::int64_t blockSharedBytes = 0; // the most that a block can ask for
    std::int64_t l2Bytes = 0;
    std::int64_t busBits = 0;
    std::int64_t clockKhz = 0;
    std::int64_t memoryClockKhz = 0;
};

// Rates are dense peaks per second; 0: the device has none.
struct CatalogueDevice {
    std::string id;
    std::vector<std::string> aliases; // other ids it answers to
    std::string name;
    std::string source;
    std::int64_t totalBytes = 0;    // as sold
    std::int64_t reservedBytes = 0; // by driver, display and error correction
    std::int64_t usableBytes = 0;   // what CUDA reports as the device's memory
    std::int64_t contextBytes = 0;  // CUDA context of one process, outside its allocator; a typical value
    double bandwidthBytesPerSecond = 0;
    double float64Flops = 0;
    double float32Flops = 0; // without tensor cores
    double tf32Flops = 0;    // float32 products by tensor cores
    double bfloat16Flops = 0;
    double float16Flops = 0;
    std::optional<CudaCard> cuda; // where it is known: it can be acted out

    // What a process's allocator may reserve.
    std::int64_t capacityBytes() const { return std::max<std::int64_t>(usableBytes - contextBytes, 0); }
};

// The folder with catalogues, palettes and samples: $PEAKSCOPE_RESOURCES, else beside the program
// (../share/peakscope), else the source tree it was built from.
std::filesystem::path resourceFolder();

Result<std::vector<CatalogueModel>> loadModelCatalogue();
Result<std::vector<CatalogueDevice>> loadDeviceCatalogue();
// By id, alias or hub name (any case); the error lists near ids.
Result<CatalogueModel> findModel(const std::string& id);
Result<CatalogueDevice> findDevice(const std::string& id);

// Hugging Face's cache ($HF_HUB_CACHE, $HF_HOME/hub, ~/.cache/huggingface/hub): the newest snapshot of owner/name that
// holds a config.json; the error names the folder looked in and the command that would download it.
Result<std::filesystem::path> findInHuggingFaceCache(const std::string& hub);

// The folder of that cache on this machine, whether it exists or not.
std::filesystem::path huggingFaceCacheFolder();

} // namespace peakscope
