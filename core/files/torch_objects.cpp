// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors as torch/_utils.py describes them in a pickle, and where a checkpoint of training keeps its weights.
#include "core/files/torch_objects.h"

#include "core/files/message_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace peakscope {

namespace {

using PickleKind = PickleValue::Kind;

constexpr std::size_t kMostNames = 5; // in a message
constexpr int kWrapperLimit = 8;      // Parameters around tensors, checkpoints around state dicts

struct TorchType {
    std::string_view name;
    std::string_view dtype;
};

// Typed storages carry the element type; an untyped one is read with the dtype that _rebuild_tensor_v3 gives.
constexpr TorchType kStorageTypes[] = {
    {"FloatStorage", "F32"}, {"DoubleStorage", "F64"}, {"HalfStorage", "F16"},         {"BFloat16Storage", "BF16"},
    {"LongStorage", "I64"},  {"IntStorage", "I32"},    {"ShortStorage", "I16"},        {"CharStorage", "I8"},
    {"ByteStorage", "U8"},   {"BoolStorage", "BOOL"},  {"ComplexFloatStorage", "C64"}, {"ComplexDoubleStorage", "C128"},
    {"UntypedStorage", ""},
};
constexpr TorchType kDtypes[] = {
    {"torch.uint16", "U16"},          {"torch.uint32", "U32"},
    {"torch.uint64", "U64"},          {"torch.float8_e4m3fn", "F8_E4M3"},
    {"torch.float8_e5m2", "F8_E5M2"},
};
constexpr std::string_view kRebuildV1 = "torch._utils._rebuild_tensor"; // of 2017
constexpr std::string_view kRebuildV2 = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuildV3 = "torch._utils._rebuild_tensor_v3";
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";
constexpr std::string_view kRebuildParameterWithState = "torch._utils._rebuild_parameter_with_state";

const TorchType* dtypeOf(std::string_view global)
{
    const auto* found = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                     [&](const TorchType& type) { return type.name == global; });
    return found == std::end(kDtypes) ? nullptr : found;
}

bool isParameter(const PickleValue& value)
{
    return value.is(PickleKind::Call) &&
           (value.items[0]->isGlobal(kRebuildParameter) || value.items[0]->isGlobal(kRebuildParameterWithState));
}

bool isTensor(const PickleValue& value)
{
    return isParameter(value) || (value.is(PickleKind::Call) &&
                                  (value.items[0]->isGlobal(kRebuildV1) || value.items[0]->isGlobal(kRebuildV2) ||
                                   value.items[0]->isGlobal(kRebuildV3)));
}

// The name that an object comes from, which is never called; empty for plain values.
std::string_view originOf(const PickleValue& value)
{
    const PickleValue* origin = &value;
    for (int level = 0; level < kWrapperLimit; ++level) {
        if (origin->is(PickleKind::Global))
            return origin->text;
        // ('module', the class, its file, its source): how a class stands in what was saved before PyTorch 1.6.
        if (origin->is(PickleKind::PersistentId) && origin->items[0]->is(PickleKind::Tuple) &&
            origin->items[0]->items.size() > 1)
            origin = origin->items[0]->items[1];
        else if (origin->is(PickleKind::Call))
            origin = origin->items[0];
        else
            break;
    }
    return origin == &value ? std::string_view() : std::string_view("an object");
}

// Sizes or strides: a tuple of non-negative integers, or torch.Size around one.
std::optional<std::vector<std::int64_t>> integers(const PickleValue& value)
{
    const PickleValue* list = &value;
    if (value.is(PickleKind::Call) && value.items[0]->isGlobal("torch.Size") && value.items[1]->items.size() == 1)
        list = value.items[1]->items[0];
    if (!list->is(PickleKind::Tuple) && !list->is(PickleKind::List))
        return std::nullopt;
    std::vector<std::int64_t> result;
    for (const PickleValue* item : list->items) {
        if (!item->is(PickleKind::Int) || item->integer < 0)
            return std::nullopt;
        result.push_back(item->integer);
    }
    return result;
}

bool isContiguous(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides)
{
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] != 1 && strides[i] != expected)
            return false;
        expected *= shape[i];
    }
    return true;
}

// Elements from the first to the last, both included; nothing where that passes 64 bits.
std::optional<std::uint64_t> elementSpan(const std::vector<std::int64_t>& shape,
                                         const std::vector<std::int64_t>& strides)
{
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0)
            return 0;
        std::uint64_t step = 0;
        if (__builtin_mul_overflow(static_cast<std::uint64_t>(shape[i] - 1), static_cast<std::uint64_t>(strides[i]),
                                   &step) ||
            __builtin_add_overflow(last, step, &last))
            return std::nullopt;
    }
    return last == UINT64_MAX ? std::nullopt : std::optional(last + 1);
}

std::string bareText(std::string_view text)
{
    const std::string quoted = inQuotes(text, 80);
    return quoted.substr(1, quoted.size() - 2);
}

// What stands beside the weights, a few words each.
class Contents
{
public:
    std::string text(const PickleValue& value)
    {
        switch (value.kind) {
        case PickleKind::None:
            return "none";
        case PickleKind::Bool:
            return value.integer ? "true" : "false";
        case PickleKind::Int:
            return std::to_string(value.integer);
        case PickleKind::Float:
            return fmt::format("{}", value.real);
        case PickleKind::String:
            return inQuotes(value.text, 60);
        case PickleKind::Call:
        case PickleKind::Global:
        case PickleKind::PersistentId:
            return isTensor(value) ? "a tensor" : fmt::format("{}, not read", inQuotes(originOf(value), 80));
        case PickleKind::List:
        case PickleKind::Tuple:
        case PickleKind::Set:
            return fmt::format("{} values", value.items.size()) + tensorsIn(value);
        case PickleKind::Dict:
            return fmt::format("{} entries", value.items.size() / 2) + tensorsIn(value);
        default:
            return byteCount(value.text.size());
        }
    }

private:
    std::string tensorsIn(const PickleValue& value)
    {
        m_left = 1'000'000;
        const std::size_t tensors = count(value, 0);
        return tensors == 0 ? "" : fmt::format(", {} tensors among them", tensors);
    }
    std::size_t count(const PickleValue& value, int level)
    {
        if (isTensor(value))
            return 1;
        if (level > kWrapperLimit || value.is(PickleKind::Call))
            return 0;
        std::size_t tensors = 0;
        for (const PickleValue* item : value.items) {
            if (m_left-- <= 0)
                break;
            tensors += count(*item, level + 1);
        }
        return tensors;
    }

    std::int64_t m_left = 0; // values still to be looked at: a shared one is met again and again
};

} // namespace

std::optional<std::string_view> torchStorageType(std::string_view global)
{
    for (const std::string_view prefix : {std::string_view("torch.storage."), std::string_view("torch.")}) {
        if (!global.starts_with(prefix))
            continue;
        const auto name = global.substr(prefix.size());
        const auto* found = std::find_if(std::begin(kStorageTypes), std::end(kStorageTypes),
                                         [&](const TorchType& type) { return type.name == name; });
        if (found != std::end(kStorageTypes))
            return found->dtype;
    }
    return std::nullopt;
}

Error TorchObjects::bad(const std::string& name, const std::string& reason) const
{
    return badInput(m_path, fmt::format("tensor {}: {}", inQuotes(name), reason));
}

// What a checkpoint holds beside the entry that is gone into.
void TorchObjects::noteBeside(const PickleValue& dictionary, const PickleValue* inner)
{
    constexpr std::size_t kMostLines = 100;
    Contents contents;
    for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
        const PickleValue& key = *dictionary.items[i];
        if (dictionary.items[i + 1] != inner && m_content.beside.size() < kMostLines)
            m_content.beside.push_back(fmt::format("{}: {}",
                                                   key.is(PickleKind::String) ? bareText(key.text) : contents.text(key),
                                                   contents.text(*dictionary.items[i + 1])));
    }
}

// Remembered, since a dictionary may stand at very many places of a file that means harm.
bool TorchObjects::isStateDict(const PickleValue& value)
{
    if (!value.is(PickleKind::Dict))
        return false;
    const auto [known, isNew] = m_isStateDict.try_emplace(&value, false);
    for (std::size_t i = 1; isNew && i < value.items.size() && !known->second; i += 2)
        known->second = value.items[i - 1]->is(PickleKind::String) && isTensor(*value.items[i]);
    return known->second;
}

// Is it a state dict, or does it hold one?
bool TorchObjects::holdsStateDict(const PickleValue& value)
{
    if (!value.is(PickleKind::Dict) || isStateDict(value))
        return value.is(PickleKind::Dict);
    for (std::size_t i = 1; i < value.items.size(); i += 2) {
        if (isStateDict(*value.items[i]))
            return true;
    }
    return false;
}

// The entry of a checkpoint that holds the weights: by a usual name, else the only one that is a dictionary of tensors.
// Nothing where there is none: the dictionary itself is the weights.
Result<const PickleValue*> TorchObjects::inside(const PickleValue& dictionary)
{
    Error opaque;
    for (const std::string_view key : {"state_dict", "model_state_dict", "model", "module", "model_state"}) {
        const PickleValue* inner = dictionary.find(key);
        if (inner && holdsStateDict(*inner))
            return inner;
        if (inner && opaque.message.empty() && !isTensor(*inner) && !originOf(*inner).empty())
            opaque =
                badInput(m_path, fmt::format("its {} comes from {}, which is not read: a dictionary of tensors is, "
                                             "as torch.save(model.state_dict(), ...) writes it",
                                             inQuotes(key), inQuotes(originOf(*inner))));
    }
    if (isStateDict(dictionary))
        return nullptr;
    std::vector<std::string> names;
    const PickleValue* only = nullptr;
    for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
        if (!dictionary.items[i]->is(PickleKind::String) || !isStateDict(*dictionary.items[i + 1]))
            continue;
        only = dictionary.items[i + 1];
        if (names.size() < kMostNames)
            names.push_back(inQuotes(dictionary.items[i]->text, 40));
    }
    if (names.size() > 1)
        return badInput(m_path, fmt::format("holds several dictionaries of tensors, and none is called model or "
                                            "state_dict: {}",
                                            fmt::join(names, ", ")));
    if (!only && !opaque.message.empty())
        return opaque;
    return only;
}

Result<const PickleValue*> TorchObjects::stateDict(const PickleValue& root)
{
    const PickleValue* value = &root;
    std::string place;
    for (int level = 0; level < kWrapperLimit && value->is(PickleKind::Dict); ++level) {
        const auto inner = inside(*value);
        if (!inner)
            return inner.error();
        if (!*inner) {
            if (!isStateDict(*value) && !value->items.empty())
                break;
            if (!place.empty())
                m_content.notes.push_back(fmt::format(
                    "a checkpoint of training: its {} holds the weights; the rest is not read", inQuotes(place)));
            return value;
        }
        for (std::size_t i = 0; i + 1 < value->items.size(); i += 2) {
            if (value->items[i + 1] == *inner && value->items[i]->is(PickleKind::String)) {
                place += (place.empty() ? "" : ".") + bareText(value->items[i]->text);
                break;
            }
        }
        noteBeside(*value, *inner);
        value = *inner;
    }
    std::string_view origin = originOf(*value);
    std::string what = "holds";
    for (std::size_t i = 0; value->is(PickleKind::Dict) && origin.empty() && i + 1 < value->items.size(); i += 2) {
        origin = originOf(*value->items[i + 1]);
        if (!origin.empty())
            what = fmt::format("its {} comes", inQuotes(value->items[i]->text));
    }
    if (!origin.empty())
        what = fmt::format("{} from {}, which is not read, and it holds", what == "holds" ? "it comes" : what,
                           inQuotes(origin));
    return badInput(m_path, what + " no state dict: a dictionary of tensors, as torch.save(model.state_dict(), ...) "
                                   "writes it");
}

// _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks[, metadata]); v3 has a dtype after the hooks.
Result<WeightEntry> TorchObjects::tensor(const std::string& name, const PickleValue& value)
{
    const PickleValue* call = &value;
    for (int level = 0; isParameter(*call); ++level) {
        const auto& arguments = call->items[1]->items;
        if (arguments.empty() || level >= kWrapperLimit)
            return bad(name, "its parameter is not described as PyTorch describes one");
        call = arguments[0];
    }
    const auto* arguments = isTensor(*call) && call->items[1]->is(PickleKind::Tuple) ? &call->items[1]->items : nullptr;
    const bool isV3 = arguments && call->items[0]->isGlobal(kRebuildV3);
    if (!arguments || arguments->size() < (isV3 ? 7u : 4u) || !(*arguments)[1]->is(PickleKind::Int) ||
        (*arguments)[1]->integer < 0)
        return bad(name, "it is not described as PyTorch describes a tensor");
    const auto source = m_storage(name, *(*arguments)[0]);
    if (!source)
        return source.error();
    const auto shape = integers(*(*arguments)[2]);
    const auto strides = integers(*(*arguments)[3]);
    if (!shape || !strides || shape->size() != strides->size() || !elementCount(*shape))
        return bad(name, "its sizes or strides are not possible");
    std::string_view dtype = source->dtype;
    if (isV3) {
        const TorchType* type = (*arguments)[6]->is(PickleKind::Global) ? dtypeOf((*arguments)[6]->text) : nullptr;
        dtype = type ? type->dtype : std::string_view();
    }
    if (dtype.empty())
        return bad(name, "its element type is not known");
    const std::uint64_t elementBytes = bytesPerElement(dtype);
    const auto offset = static_cast<std::uint64_t>((*arguments)[1]->integer);
    const auto span = elementSpan(*shape, *strides);
    const std::uint64_t available = source->bytes / elementBytes;
    if (!span || offset > available || *span > available - offset)
        return bad(name, fmt::format(
                             "shape {} with strides {} from element {} on passes the end of its storage of {} elements",
                             shapeText(*shape), shapeText(*strides), offset, available));
    WeightEntry entry{name, std::string(dtype), *shape, source->data + offset * elementBytes, *span * elementBytes, {}};
    if (!isContiguous(*shape, *strides))
        entry.strides = *strides;
    return entry;
}

Result<WeightContent> TorchObjects::read(const PickleValue& root)
{
    const auto dictionary = stateDict(root);
    if (!dictionary)
        return dictionary.error();
    const auto& items = (*dictionary)->items;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (!items[i]->is(PickleKind::String))
            continue;
        const std::string name(items[i]->text);
        if (!isTensor(*items[i + 1])) {
            // Step counters and the like, and what modules keep for themselves (torch.nn.Module.get_extra_state).
            const std::string_view origin = originOf(*items[i + 1]);
            if (!origin.empty() && !name.ends_with("_extra_state"))
                return bad(name,
                           fmt::format("it comes from {}, which is not read: only tensors are", inQuotes(origin)));
            continue;
        }
        auto entry = tensor(name, *items[i + 1]);
        if (!entry)
            return entry.error();
        m_content.entries.push_back(std::move(*entry));
    }
    std::stable_sort(m_content.entries.begin(), m_content.entries.end(),
                     [](const WeightEntry& a, const WeightEntry& b) { return a.data < b.data; });
    return std::move(m_content);
}

std::optional<TorchStorageId> torchStorageId(const PickleValue& value)
{
    const PickleValue* id = value.is(PickleKind::PersistentId) ? value.items[0] : nullptr;
    const bool fits = id && id->is(PickleKind::Tuple) && (id->items.size() == 5 || id->items.size() == 6) &&
                      id->items[0]->is(PickleKind::String) && id->items[0]->text == "storage" &&
                      id->items[1]->is(PickleKind::Global) && id->items[2]->is(PickleKind::String) &&
                      id->items[4]->is(PickleKind::Int) && id->items[4]->integer >= 0;
    const auto dtype = fits ? torchStorageType(id->items[1]->text) : std::nullopt;
    if (!dtype)
        return std::nullopt;
    TorchStorageId result{*dtype, std::string(id->items[2]->text), static_cast<std::uint64_t>(id->items[4]->integer),
                          dtype->empty() ? 1 : bytesPerElement(*dtype), nullptr};
    if (id->items.size() == 6 && !id->items[5]->is(PickleKind::None))
        result.view = id->items[5];
    return result;
}

} // namespace peakscope
