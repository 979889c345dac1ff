// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/catalogue.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostDeviceBytes = std::int64_t{1} << 50;
constexpr double kMostRate = 1e18;
constexpr std::int64_t kLongestRevision = 4096; // bytes of the file that names one

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// A catalogue file's list of entries, after its head was checked.
Result<nlohmann::json> loadEntries(const std::string& file, const std::string& format, const std::string& key)
{
    const fs::path path = resourceFolder() / "catalogues" / file;
    auto document = readJsonFile(path);
    if (!document) {
        return document.error();
    }
    const auto has = [&document](const std::string& name, const nlohmann::json& value) {
        return document->is_object() && document->contains(name) && (*document)[name] == value;
    };
    if (!has("format", format) || !has("version", 1)) {
        return badInput(path.string(), fmt::format("not a catalogue of format {} and version 1", format));
    }
    if (!document->contains(key) || !(*document)[key].is_array()) {
        return badInput(path.string(), fmt::format("{} is missing (a list)", key));
    }
    return (*document)[key];
}

std::string catalogueFile(const std::string& file)
{
    return (resourceFolder() / "catalogues" / file).string();
}

Result<CatalogueModel> readModel(const nlohmann::json& entry, const std::string& where)
{
    Problems problems;
    ObjectReader reader(entry, "", problems);
    CatalogueModel model;
    model.id = reader.text("id", "");
    model.aliases = reader.texts("aliases", {});
    model.title = reader.text("title", model.id);
    model.hub = reader.text("hub", "");
    model.hubAliases = reader.texts("hub_aliases", {});
    model.source = reader.text("source", "");
    const nlohmann::json& config = reader.child("config");
    reader.refuseUnknownKeys();
    if (model.id.empty()) {
        reader.refuse("id", "is missing (a name in lower case)");
    }
    if (!problems.empty()) {
        return badInput(where, problemText(problems.front()));
    }
    const std::string place = where + " (" + model.id + ").config";
    const auto shape = config.is_object() && config.contains("model_type") ? modelConfigFromHuggingFace(config, place)
                                                                           : modelConfigFromExperiment(config, place);
    if (!shape) {
        return shape.error();
    }
    model.config = *shape;
    model.parameters = parameterCount(*shape);
    return model;
}

CudaCard readCard(const nlohmann::json& entry, Problems& problems)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    ObjectReader reader(entry, "cuda", problems);
    CudaCard card;
    card.major = reader.requiredInteger("major", 1, 99);
    card.minor = reader.requiredInteger("minor", 0, 9);
    card.multiprocessors = reader.requiredInteger("multiprocessors", 1, kMost);
    card.multiprocessorThreads = reader.requiredInteger("multiprocessor_threads", 1, kMost);
    card.multiprocessorSharedBytes = reader.requiredInteger("multiprocessor_shared_bytes", 1, kMost);
    card.blockSharedBytes = reader.requiredInteger("block_shared_bytes", 1, kMost);
    card.l2Bytes = reader.requiredInteger("l2_bytes", 1, kMost);
    card.busBits = reader.requiredInteger("bus_bits", 1, kMost);
    card.clockKhz = reader.requiredInteger("clock_khz", 1, kMost);
    card.memoryClockKhz = reader.requiredInteger("memory_clock_khz", 1, kMost);
    reader.refuseUnknownKeys();
    return card;
}

Result<CatalogueDevice> readDevice(const nlohmann::json& entry, const std::string& where)
{
    Problems problems;
    ObjectReader reader(entry, "", problems);
    CatalogueDevice device;
    device.id = reader.text("id", "");
    device.aliases = reader.texts("aliases", {});
    device.name = reader.text("name", device.id);
    device.source = reader.text("source", "");
    device.totalBytes = reader.requiredInteger("total_bytes", 1, kMostDeviceBytes);
    device.reservedBytes = reader.integer("reserved_bytes", 0, 0, kMostDeviceBytes);
    device.usableBytes = reader.integer("usable_bytes", device.totalBytes - device.reservedBytes, 1, kMostDeviceBytes);
    device.bandwidthBytesPerSecond = reader.number("bandwidth_bytes_per_second", 0, 0, kMostRate);
    device.contextBytes = reader.integer("context_bytes", 0, 0, kMostDeviceBytes);
    device.float64Flops = reader.number("float64_flops", 0, 0, kMostRate);
    device.float32Flops = reader.number("float32_flops", 0, 0, kMostRate);
    device.tf32Flops = reader.number("tf32_flops", 0, 0, kMostRate);
    device.bfloat16Flops = reader.number("bfloat16_flops", 0, 0, kMostRate);
    device.float16Flops = reader.number("float16_flops", 0, 0, kMostRate);
    if (entry.is_object() && entry.contains("cuda"))
        device.cuda = readCard(reader.child("cuda"), problems);
    reader.refuseUnknownKeys();
    if (device.id.empty()) {
        reader.refuse("id", "is missing (a name in lower case)");
    }
    if (problems.empty() && device.contextBytes > device.usableBytes) {
        reader.refuse("context_bytes", fmt::format("{} is more than usable_bytes", device.contextBytes));
    }
    if (problems.empty() && device.usableBytes + device.reservedBytes > device.totalBytes) {
        reader.refuse("usable_bytes",
                      fmt::format("{} is more than total_bytes less reserved_bytes", device.usableBytes));
    }
    if (!problems.empty()) {
        return badInput(where, problemText(problems.front()));
    }
    return device;
}

template <typename T>
Result<std::vector<T>> loadCatalogue(const std::string& file, const std::string& format, const std::string& key,
                                     Result<T> (*read)(const nlohmann::json&, const std::string&))
{
    const auto entries = loadEntries(file, format, key);
    if (!entries) {
        return entries.error();
    }
    std::vector<T> list;
    for (std::size_t i = 0; i < entries->size(); ++i) {
        const std::string where = fmt::format("{}: {}.{}", catalogueFile(file), key, i);
        auto entry = read((*entries)[i], where);
        if (!entry) {
            return entry.error();
        }
        const bool twice =
            std::any_of(list.begin(), list.end(), [&entry](const T& earlier) { return earlier.id == entry->id; });
        if (twice) {
            return badInput(where, fmt::format("id: {} appears twice", entry->id));
        }
        list.push_back(std::move(*entry));
    }
    return list;
}

// "llama-3.1-8b" and "Llama3.1_8B" alike.
std::string lettersAndDigits(std::string_view text)
{
    std::string kept;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            kept += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return kept;
}

// Up to five ids that are a few letters away or begin alike; all of them where none is near.
template <typename T>
std::string nearIds(const std::string& wanted, const std::vector<T>& list)
{
    std::vector<std::string> ids, plain, near;
    for (const T& entry : list) {
        ids.push_back(entry.id);
        plain.push_back(lettersAndDigits(entry.id));
    }
    const std::string bare = wanted.substr(wanted.find('/') + 1); // the owner says nothing of what it is
    const std::string nearest = nearestWord(lettersAndDigits(bare), plain);
    if (!nearest.empty()) {
        near.push_back(ids[static_cast<std::size_t>(std::ranges::find(plain, nearest) - plain.begin())]);
    }
    const std::size_t letters = bare.find_first_of("0123456789-");
    for (const std::size_t length : {bare.find('-'), letters}) { // "llama3", then "llama"
        const std::string stem = bare.substr(0, std::max<std::size_t>(3, length));
        for (const std::string& id : ids) {
            if (near.size() < 5 && id.starts_with(stem) && std::ranges::find(near, id) == near.end()) {
                near.push_back(id);
            }
        }
        if (near.size() > 1) {
            break;
        }
    }
    return near.empty() ? fmt::format("known: {}", joinWords(ids)) : fmt::format("near: {}", joinWords(near, "or"));
}

template <typename T>
bool isAlias(const T& entry, const std::string& wanted)
{
    return std::any_of(entry.aliases.begin(), entry.aliases.end(),
                       [&wanted](const std::string& alias) { return lowerCase(alias) == wanted; });
}

bool answersTo(const CatalogueModel& model, const std::string& wanted)
{
    const auto same = [&wanted](const std::string& hub) {
        const std::string full = lowerCase(hub);
        return !hub.empty() && (full == wanted || full.substr(full.find('/') + 1) == wanted);
    };
    return model.id == wanted || isAlias(model, wanted) || same(model.hub) ||
           std::any_of(model.hubAliases.begin(), model.hubAliases.end(), same);
}

// The snapshot that refs/main names, else the one written last, of those that hold a config.json.
fs::path newestSnapshot(const fs::path& folder)
{
    std::error_code error;
    const auto main = readTextFile(folder / "refs" / "main", kLongestRevision);
    const std::string revision = main ? main->substr(0, main->find_first_of(" \t\r\n")) : std::string();
    if (!revision.empty() && fs::exists(folder / "snapshots" / revision / "config.json", error)) {
        return folder / "snapshots" / revision;
    }
    fs::path newest;
    fs::file_time_type newestTime = fs::file_time_type::min();
    for (const auto& entry : fs::directory_iterator(folder / "snapshots", error)) {
        const auto time = fs::last_write_time(entry.path(), error);
        if (fs::exists(entry.path() / "config.json", error) && (newest.empty() || time > newestTime)) {
            newest = entry.path();
            newestTime = time;
        }
    }
    return newest;
}

} // namespace

fs::path resourceFolder()
{
    if (const std::string given = environment("PEAKSCOPE_RESOURCES"); !given.empty()) {
        return given;
    }
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        const fs::path installed = program.parent_path().parent_path() / "share" / "peakscope";
        if (fs::exists(installed / "catalogues", error)) {
            return installed;
        }
    }
    return PEAKSCOPE_SOURCE_RESOURCES;
}

Result<std::vector<CatalogueModel>> loadModelCatalogue()
{
    return loadCatalogue<CatalogueModel>("models.json", "peakscope-models", "models", &readModel);
}

Result<std::vector<CatalogueDevice>> loadDeviceCatalogue()
{
    return loadCatalogue<CatalogueDevice>("devices.json", "peakscope-devices", "devices", &readDevice);
}

Result<CatalogueModel> findModel(const std::string& id)
{
    const auto list = loadModelCatalogue();
    if (!list) {
        return list.error();
    }
    const std::string wanted = lowerCase(id);
    for (const CatalogueModel& model : *list) {
        if (answersTo(model, wanted)) {
            return model;
        }
    }
    return badInput("", fmt::format("{} is not in the model catalogue ({})", shortText(nlohmann::json(id)),
                                    nearIds(wanted, *list)));
}

Result<CatalogueDevice> findDevice(const std::string& id)
{
    const auto list = loadDeviceCatalogue();
    if (!list) {
        return list.error();
    }
    const std::string wanted = lowerCase(id);
    for (const CatalogueDevice& device : *list) {
        if (device.id == wanted || isAlias(device, wanted)) {
            return device;
        }
    }
    return badInput("", fmt::format("{} is not in the device catalogue ({})", shortText(nlohmann::json(id)),
                                    nearIds(wanted, *list)));
}

fs::path huggingFaceCacheFolder()
{
    for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
        if (const std::string folder = environment(name); !folder.empty()) {
            return folder;
        }
    }
    if (const std::string home = environment("HF_HOME"); !home.empty()) {
        return fs::path(home) / "hub";
    }
    if (const std::string cache = environment("XDG_CACHE_HOME"); !cache.empty()) {
        return fs::path(cache) / "huggingface" / "hub";
    }
    return fs::path(environment("HOME")) / ".cache" / "huggingface" / "hub";
}

Result<fs::path> findInHuggingFaceCache(const std::string& hub)
{
    const auto allowed = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/';
    };
    if (hub.empty() || !std::all_of(hub.begin(), hub.end(), allowed) || std::count(hub.begin(), hub.end(), '/') > 1) {
        return badInput(shortText(nlohmann::json(hub)), "not a name of the hub (owner/name)");
    }
    std::string folder = "models--" + hub;
    if (const auto slash = folder.find('/'); slash != std::string::npos) {
        folder.replace(slash, 1, "--");
    }
    const fs::path cache = huggingFaceCacheFolder();
    fs::path snapshot = newestSnapshot(cache / folder);
    if (snapshot.empty()) {
        return badInput("", fmt::format("{} is not in {}; `hf download {}` would download it", hub,
                                        (cache / folder).string(), hub));
    }
    return snapshot;
}

} // namespace peakscope
