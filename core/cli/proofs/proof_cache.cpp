// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/proofs/proof_cache.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/cli/programs/engine_choice.h"
#include "core/recording/program_process.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargestEntry = 1 << 20;

fs::path cacheFolder()
{
    const auto folder = [](const char* name) {
        const char* value = std::getenv(name);
        return fs::path(value != nullptr ? value : "");
    };
    const fs::path home = folder("HOME");
    fs::path cache = folder("XDG_CACHE_HOME");
    if (cache.empty() && !home.empty())
        cache = home / ".cache";
    return cache.empty() ? cache : cache / "peakscope" / "proofs";
}

// FNV-1a: a name for the file, which holds the whole key.
std::uint64_t hashOf(const std::string& text)
{
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash;
}

fs::path fileOf(const std::string& key)
{
    const fs::path folder = cacheFolder();
    return folder.empty() ? folder : folder / fmt::format("{:016x}.json", hashOf(key));
}

// Another build of a program or a library has another size or time.
nlohmann::json identityOf(const fs::path& file)
{
    std::error_code error;
    const auto size = fs::file_size(file, error);
    const auto time = fs::last_write_time(file, error);
    if (error)
        return file.string();
    return {file.string(), size, time.time_since_epoch().count()};
}

} // namespace

std::string proofKey(const nlohmann::json& experiment)
{
    const EngineChoice engine = chooseEngine(kEngineProgram);
    nlohmann::json standIns = nlohmann::json::array();
    if (const auto folder = standInFolder()) {
        for (const char* cudaMajor : {"12", "13"})
            standIns.push_back(identityOf(*folder / cudaMajor / "libpeakscope_dry.so"));
    }
    const nlohmann::json key{{"experiment", experiment},
                             {"stand_ins", standIns},
                             {"engine", identityOf(engine.program)},
                             {"torch", identityOf(engine.libraries / "libtorch_cpu.so")},
                             {"cuda_module", identityOf(engine.cudaModule)},
                             {"version", PEAKSCOPE_VERSION}};
    return dumpJson(key);
}

std::optional<DryProof> keptProof(const std::string& key)
{
    const fs::path file = fileOf(key);
    const auto text = readTextFile(file, kLargestEntry);
    const auto entry = text ? parseJson(*text) : Result<nlohmann::json>(text.error());
    const bool same = entry && lenient::member(*entry, "key") == key;
    return same ? dryProofFromJson(lenient::member(*entry, "proof")) : std::nullopt;
}

void keepProof(const std::string& key, const DryProof& proof)
{
    const fs::path file = fileOf(key);
    if (file.empty())
        return;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (!error)
        (void)writeFileAtomically(file, dumpJson({{"key", key}, {"proof", toJson(proof)}}));
}

} // namespace peakscope
