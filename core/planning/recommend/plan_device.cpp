// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/plan_device.h"

#include "core/base/units.h"
#include "core/model/dry_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace peakscope {

namespace {

// Where the catalogue does not say: a CUDA context with the kernels that a training step loads lazily takes 0.3 to 0.6
// GiB. The upper end stands here, so that a verdict errs to the safe side.
constexpr std::int64_t kCudaContextBytes = std::int64_t{600} << 20;
// LibTorch's code, its thread stacks and the heap of a worker that computes on the CPU.
constexpr std::int64_t kCpuProcessBytes = std::int64_t{300} << 20;

constexpr std::int64_t kLeastCapacity = std::int64_t{1} << 20;
constexpr std::int64_t kMostCapacity = std::int64_t{1} << 50;

// Runs of letters and digits in lower case: "NVIDIA A100-SXM4-80GB" -> nvidia a100 sxm4 80gb.
std::vector<std::string> wordsOfName(const std::string& text)
{
    std::vector<std::string> words;
    std::string word;
    for (const unsigned char c : text + " ") {
        if (std::isalnum(c) != 0) {
            word += static_cast<char>(std::tolower(c));
        } else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
    return words;
}

bool holdsWord(const std::vector<std::string>& words, const std::string& word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool isMemoryWord(const std::string& word)
{
    return word.size() > 2 && word.ends_with("gb") && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
}

// Whether a card that calls itself `name` is of the catalogue's model, its amount of memory aside. Laptop versions
// and H100 cards for PCI Express share names with faster ones.
bool sameModel(const std::vector<std::string>& name, const std::string& catalogueId)
{
    for (const char* slower : {"laptop", "mobile", "max"}) {
        if (holdsWord(name, slower)) {
            return false;
        }
    }
    if (holdsWord(name, "pcie") && holdsWord(name, "h100")) {
        return false;
    }
    const std::vector<std::string> words = wordsOfName(catalogueId);
    return std::all_of(words.begin(), words.end(),
                       [&name](const std::string& word) { return isMemoryWord(word) || holdsWord(name, word); });
}

Result<PlanDevice> deviceOfCapacity(const std::string& text, const std::string& amount)
{
    const auto bytes = parseBytes(amount);
    if (!bytes) {
        return badInput(text, bytes.error().message);
    }
    if (*bytes < kLeastCapacity || *bytes > kMostCapacity) {
        return badInput(text, fmt::format("{} is not a device's memory, between 1 MiB and 1 PiB", formatBytes(*bytes)));
    }
    PlanDevice device;
    device.id = text;
    device.name = formatBytes(*bytes) + " of CUDA memory";
    device.totalBytes = device.usableBytes = *bytes;
    device.contextBytes = kCudaContextBytes;
    return device;
}

// A dry card is planned for as the card itself, of the size that it is given.
Result<PlanDevice> planDeviceOfDry(const std::string& text)
{
    const auto dry = dryDevice(text, "device");
    if (!dry)
        return dry.error();
    PlanDevice device = planDevice(dry->card);
    device.id = dry->name().substr(kDryPrefix.size());
    device.totalBytes = dry->bytes == device.usableBytes ? device.totalBytes : dry->bytes;
    device.usableBytes = dry->bytes;
    return device;
}

} // namespace

PlanDevice planDevice(const CatalogueDevice& entry)
{
    PlanDevice device;
    device.id = entry.id;
    device.name = entry.name;
    device.totalBytes = entry.totalBytes;
    device.usableBytes = entry.usableBytes;
    device.contextBytes = entry.contextBytes > 0 ? entry.contextBytes : kCudaContextBytes;
    device.bandwidthBytesPerSecond = entry.bandwidthBytesPerSecond;
    device.float64Flops = entry.float64Flops;
    device.float32Flops = entry.float32Flops;
    device.bfloat16Flops = entry.bfloat16Flops;
    device.float16Flops = entry.float16Flops;
    return device;
}

Result<PlanDevice> planDeviceFromText(const std::string& text)
{
    if (isDryDevice(text))
        return planDeviceOfDry(text);
    constexpr std::string_view kPrefix = "bytes:";
    if (text.starts_with(kPrefix)) {
        return deviceOfCapacity(text, text.substr(kPrefix.size()));
    }
    if (text.empty()) {
        return badInput("device", "is empty (a local device, a catalogue id, or bytes:80GiB)");
    }
    const auto entry = findDevice(text);
    if (!entry) {
        return badInput("device", entry.error().message + ", nor is it a capacity like bytes:80GiB");
    }
    return planDevice(*entry);
}

PlanDevice planDeviceOfMachine(const LocalDevice& local)
{
    PlanDevice device;
    device.cuda = local.id.starts_with("cuda");
    if (device.cuda) {
        const auto loaded = loadDeviceCatalogue();
        const std::vector<CatalogueDevice> catalogue = loaded ? *loaded : std::vector<CatalogueDevice>{};
        const std::vector<std::string> words = wordsOfName(local.name);
        const CatalogueDevice* best = nullptr;
        for (const CatalogueDevice& entry : catalogue) {
            const auto distance = [&local](const CatalogueDevice& one) {
                return std::llabs(one.totalBytes - local.totalBytes);
            };
            if (sameModel(words, entry.id) && (best == nullptr || distance(entry) < distance(*best))) {
                best = &entry;
            }
        }
        if (best != nullptr) {
            device = planDevice(*best);
        }
    }
    device.id = local.id;
    device.name = local.name;
    device.totalBytes = local.totalBytes;
    device.usableBytes = local.usableBytes;
    if (device.contextBytes == 0) {
        device.contextBytes = device.cuda ? kCudaContextBytes : kCpuProcessBytes;
    }
    return device;
}

EstimateOptions estimateOptionsOn(const PlanDevice& device)
{
    EstimateOptions options;
    options.cuda = device.cuda;
    if (device.cuda)
        options.capacityBytes = device.capacityBytes();
    return options;
}

} // namespace peakscope
