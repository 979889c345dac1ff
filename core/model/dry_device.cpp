// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/dry_device.h"

#include "core/base/units.h"

#include <fmt/format.h>

namespace peakscope {

std::string DryDevice::name() const
{
    const std::string card_ = std::string(kDryPrefix) + card.id;
    return bytes == card.usableBytes ? card_ : fmt::format("{}:{}", card_, bytes);
}

Result<DryDevice> dryDevice(const std::string& text, const char* where)
{
    if (!isDryDevice(text))
        return badInput(where,
                        fmt::format("\"{}\" is not a dry device, such as dry:h100-80gb or dry:h100-80gb:95GiB", text));
    const std::string words = text.substr(kDryPrefix.size());
    const std::size_t colon = words.find(':');
    auto card = findDevice(words.substr(0, colon));
    if (!card)
        return badInput(where, card.error().text());
    if (!card->cuda)
        return badInput(where, card->id + " cannot be simulated: its entry in the catalogue has no \"cuda\"");
    DryDevice device{std::move(*card), 0};
    device.bytes = device.card.usableBytes;
    if (colon != std::string::npos) {
        const auto bytes = parseBytes(words.substr(colon + 1));
        if (!bytes)
            return badInput(where, bytes.error().text());
        if (*bytes <= device.card.contextBytes)
            return badInput(where, fmt::format("{} is below the {} that a context takes", formatBytes(*bytes),
                                               formatBytes(device.card.contextBytes)));
        device.bytes = *bytes;
    }
    return device;
}

std::string standInCard(const DryDevice& device, std::int64_t count)
{
    const CudaCard& cuda = *device.card.cuda;
    return fmt::format(
        "name={};bytes={};context_bytes={};major={};minor={};sms={};threads_sm={};shared_sm={};shared_block={};"
        "l2={};bus={};clock={};memory_clock={};devices={}",
        device.card.name, device.bytes, device.card.contextBytes, cuda.major, cuda.minor, cuda.multiprocessors,
        cuda.multiprocessorThreads, cuda.multiprocessorSharedBytes, cuda.blockSharedBytes, cuda.l2Bytes, cuda.busBits,
        cuda.clockKhz, cuda.memoryClockKhz, count);
}

} // namespace peakscope
