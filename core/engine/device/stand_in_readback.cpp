// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/device/stand_in_readback.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <deque>
#include <dlfcn.h>

namespace peakscope {
namespace {

template <typename Function>
Function* ofStandIn(const char* name)
{
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

// Weakly: a batch must not live longer than it would on a card.
struct Sent {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    at::Tensor onHost;
};

// The latest two: a step's inputs and labels.
std::deque<Sent>& kept()
{
    static std::deque<Sent> sent;
    return sent;
}

} // namespace

bool onStandIn()
{
    static const bool here = ofStandIn<void(const std::int64_t*, int)>("peakscope_answers") != nullptr;
    return here;
}

at::Tensor sentTo(c10::Device device, const at::Tensor& onHost)
{
    at::Tensor onDevice = onHost.to(device);
    if (!onStandIn())
        return onDevice;
    kept().push_back({onDevice.storage().getWeakStorageImpl(), onHost});
    if (kept().size() > 2)
        kept().pop_front();
    return onDevice;
}

at::Tensor sentContents(const at::Tensor& view)
{
    if (!onStandIn())
        return {};
    for (const Sent& sent : kept()) {
        const auto storage = sent.storage.lock();
        if (storage && storage.get() == view.storage().unsafeGetStorageImpl())
            return sent.onHost.as_strided(view.sizes(), view.strides(), view.storage_offset());
    }
    return {};
}

at::Tensor onHost(const at::Tensor& view)
{
    const at::Tensor sent = sentContents(view);
    return sent.defined() ? sent : view.cpu();
}

void answerNextRead(std::int64_t value)
{
    if (onStandIn())
        ofStandIn<void(const std::int64_t*, int)>("peakscope_answers")(&value, 1);
}

nlohmann::json standInReport()
{
    if (!onStandIn())
        return nullptr;
    char* text = ofStandIn<char*()>("peakscope_report")();
    nlohmann::json report = nlohmann::json::parse(text ? text : "", nullptr, false);
    std::free(text);
    return report.is_discarded() ? nullptr : report;
}

} // namespace peakscope
