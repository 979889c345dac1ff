// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/secrets/secret_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

namespace peakscope {

namespace {

using Names = std::vector<std::string>;

template <std::size_t N>
bool isOneOf(std::string_view text, const std::array<std::string_view, N>& list)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

bool isDigitOfName(char c)
{
    return c >= '0' && c <= '9';
}

// "HF_TOKEN_2" is hf, token; "apiKey" is api, key: lower case, without the digits at their ends.
Names wordsOfName(std::string_view name)
{
    Names words;
    std::string word;
    const auto finish = [&] {
        while (!word.empty() && isDigitOfName(word.back()))
            word.pop_back();
        if (!word.empty())
            words.push_back(word);
        word.clear();
    };
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        if (!std::isalnum(c)) {
            finish();
            continue;
        }
        if (i > 0 && std::isupper(c) && std::islower(static_cast<unsigned char>(name[i - 1])))
            finish();
        word += static_cast<char>(std::tolower(c));
    }
    finish();
    return words;
}

std::string joinedWords(const Names& words)
{
    std::string text;
    for (const std::string& word : words)
        text += word;
    return text;
}

// Tokens of a vocabulary, not of an account, by the word before …
constexpr std::array<std::string_view, 36> kTextWords{
    "pad", "bos",    "eos",  "unk",    "mask",  "sep",    "cls",    "per",    "image",  "max",   "min",     "num",
    "n",   "next",   "last", "first",  "stop",  "prompt", "video",  "audio",  "vision", "start", "special", "prefix",
    "boi", "suffix", "eoi",  "middle", "input", "output", "target", "source", "new",    "word",  "decoder", "batch"};
// … and by the word behind. A file's name is no secret either.
constexpr std::array<std::string_view, 36> kCountWords{
    "id",        "ids",    "type",      "types", "count",      "counts",   "len",     "length", "size",
    "limit",     "budget", "rate",      "loss",  "losses",     "level",    "index",   "idx",    "position",
    "positions", "probs",  "embedding", "dim",   "embeddings", "dropout",  "logits",  "per",    "accuracy",
    "norm",      "mixing", "usage",     "wise",  "throughput", "strategy", "counter", "shape",  "classification"};
constexpr std::array<std::string_view, 4> kFileWords{"file", "path", "dir", "folder"};
constexpr std::array<std::string_view, 7> kAccountWords{"access", "auth", "api", "secret", "refresh", "bearer", "hf"};

bool isTokenOfAccount(const Names& words, std::size_t at)
{
    constexpr std::string_view kToken = "token";
    const std::string& word = words[at];
    const std::size_t begin = word.find(kToken);
    if (begin == std::string::npos)
        return false;
    const std::string_view own(word);
    const std::string_view glued = own.substr(0, begin), rest = own.substr(begin + kToken.size());
    const std::string_view before = !glued.empty() ? glued : at > 0 ? std::string_view(words[at - 1]) : "";
    const std::string_view behind = !rest.empty() ? rest : at + 1 < words.size() ? std::string_view(words[at + 1]) : "";
    if (rest.starts_with("iz") || rest.starts_with("is")) // tokenizer, tokenised
        return false;
    if (rest == "s") // many are of a text, unless they say otherwise
        return isOneOf(before, kAccountWords);
    return !isOneOf(before, kTextWords) && !isOneOf(behind, kCountWords);
}

bool containsOneOf(std::string_view text, const auto& list)
{
    return std::any_of(list.begin(), list.end(),
                       [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool isSessionOfAccount(std::string_view name)
{
    constexpr std::string_view kSession = "session";
    constexpr std::array<std::string_view, 4> kBehind{"", "id", "key", "data"};
    const std::size_t at = name.find(kSession);
    return at != std::string_view::npos && isOneOf(name.substr(at + kSession.size()), kBehind);
}

constexpr std::array<std::string_view, 24> kSecretParts{
    "secret",        "password",   "passwd",    "passphrase", "passwort",  "passcode", "apikey",   "accesskey",
    "privatekey",    "authkey",    "masterkey", "signingkey", "sharedkey", "sshpass",  "userpass", "dbpass",
    "encryptionkey", "accountkey", "kennwort",  "credential", "jwt",       "bearer",   "cookie",   "authorization"};

constexpr std::array<std::string_view, 74> kHarmlessVariables{"PATH",
                                                              "LD_LIBRARY_PATH",
                                                              "LD_PRELOAD",
                                                              "LIBRARY_PATH",
                                                              "HOME",
                                                              "PWD",
                                                              "OLDPWD",
                                                              "TMPDIR",
                                                              "VIRTUAL_ENV",
                                                              "LANG",
                                                              "LANGUAGE",
                                                              "TZ",
                                                              "HOSTNAME",
                                                              "TERM",
                                                              "SHELL",
                                                              "SHLVL",
                                                              "COLUMNS",
                                                              "LINES",
                                                              "NO_COLOR",
                                                              "DISPLAY",
                                                              "WORLD_SIZE",
                                                              "RANK",
                                                              "LOCAL_RANK",
                                                              "LOCAL_WORLD_SIZE",
                                                              "GROUP_RANK",
                                                              "GROUP_WORLD_SIZE",
                                                              "ROLE_RANK",
                                                              "ROLE_WORLD_SIZE",
                                                              "NODE_RANK",
                                                              "NNODES",
                                                              "NPROC_PER_NODE",
                                                              "MASTER_ADDR",
                                                              "MASTER_PORT",
                                                              "CUBLAS_WORKSPACE_CONFIG",
                                                              "CUDNN_PATH",
                                                              "CUDNN_VERSION",
                                                              "CUDNN_LOGINFO_DBG",
                                                              "GPU_DEVICE_ORDINAL",
                                                              "NVIDIA_VISIBLE_DEVICES",
                                                              "NVIDIA_DRIVER_CAPABILITIES",
                                                              "NVIDIA_REQUIRE_CUDA",
                                                              "NVIDIA_TF32_OVERRIDE",
                                                              "NVIDIA_PYTORCH_VERSION",
                                                              "NVIDIA_PRODUCT_NAME",
                                                              "NVIDIA_BUILD_ID",
                                                              "GLIBC_TUNABLES",
                                                              "RAYON_NUM_THREADS",
                                                              "TOKENIZERS_PARALLELISM",
                                                              "BLIS_NUM_THREADS",
                                                              "VECLIB_MAXIMUM_THREADS",
                                                              "GOTO_NUM_THREADS",
                                                              "HF_HOME",
                                                              "HF_HUB_CACHE",
                                                              "HF_HUB_OFFLINE",
                                                              "HF_DATASETS_CACHE",
                                                              "HF_DATASETS_OFFLINE",
                                                              "HF_HUB_ENABLE_HF_TRANSFER",
                                                              "TRANSFORMERS_CACHE",
                                                              "TRANSFORMERS_OFFLINE",
                                                              "TRANSFORMERS_VERBOSITY",
                                                              "XDG_CACHE_HOME",
                                                              "XLA_FLAGS",
                                                              "XLA_PYTHON_CLIENT_PREALLOCATE",
                                                              "XLA_PYTHON_CLIENT_MEM_FRACTION",
                                                              "XLA_PYTHON_CLIENT_ALLOCATOR",
                                                              "TF_CPP_MIN_LOG_LEVEL",
                                                              "TF_FORCE_GPU_ALLOW_GROWTH",
                                                              "TF_GPU_ALLOCATOR",
                                                              "TF_ENABLE_ONEDNN_OPTS",
                                                              "QT_QPA_PLATFORM",
                                                              "QT_SCALE_FACTOR",
                                                              "JOB_ID",
                                                              "NSLOTS",
                                                              "WANDB_MODE"};

constexpr std::array<std::string_view, 43> kHarmlessPrefixes{
    "CONDA_", "LC_",     "PYTHON", "CUDA_",  "PYTORCH_", "TORCH_", "TORCHINDUCTOR_", "TORCHELASTIC_", "TRITON_",
    "OMP_",   "MKL_",    "KMP_",   "GOMP_",  "NUMEXPR_", "DNNL_",  "ONEDNN_",        "OPENBLAS_",     "ATEN_",
    "NCCL_",  "RCCL_",   "GLOO_",  "UCX_",   "UCC_",     "FI_",    "OMPI_",          "OPAL_",         "PRTE_",
    "PMIX_",  "PMI_",    "MV2_",   "I_MPI_", "MPICH_",   "HYDRA_", "SLURM_",         "PBS_",          "LSB_",
    "SGE_",   "MALLOC_", "HSA_",   "HIP_",   "ROCR_",    "ROCM_",  "PEAKSCOPE_"};

} // namespace

bool isSecretName(std::string_view name)
{
    const Names words = wordsOfName(name);
    if (words.empty() || isOneOf(words.back(), kFileWords))
        return false;
    const std::string joined = joinedWords(words);
    if (words.back() == "auth" || containsOneOf(joined, kSecretParts) || isSessionOfAccount(joined))
        return true;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (isTokenOfAccount(words, i))
            return true;
    }
    return false;
}

bool isCommandSecretName(std::string_view name)
{
    constexpr std::array<std::string_view, 8> kLast{"pass", "pw", "pwd", "pat", "cred", "creds", "otp", "pgpass"};
    const Names words = wordsOfName(name);
    if (words.empty())
        return false;
    return isSecretName(name) || isOneOf(words.back(), kLast) || (words.size() > 1 && words.back() == "key");
}

bool isQuerySecretName(std::string_view name)
{
    constexpr std::array<std::string_view, 5> kShort{"key", "sig", "sign", "code", "hmac"};
    const std::string joined = joinedWords(wordsOfName(name));
    return isOneOf(joined, kShort) || joined.find("signature") != std::string::npos || isCommandSecretName(name);
}

bool isIdentifier(std::string_view name)
{
    return !name.empty() && !isDigitOfName(name.front()) &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

bool isVariableName(std::string_view name)
{
    return isIdentifier(name) &&
           std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c); });
}

bool isHarmlessVariable(std::string_view name)
{
    if (isOneOf(name, kHarmlessVariables))
        return true;
    return std::any_of(kHarmlessPrefixes.begin(), kHarmlessPrefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); }) &&
           !isCommandSecretName(name);
}

bool isHarmlessValue(std::string_view value)
{
    constexpr std::array<std::string_view, 10> kSwitches{"",   "yes", "no",   "true", "false",
                                                         "on", "off", "null", "None", kRemovedSecret};
    if (isOneOf(value, kSwitches))
        return true;
    if (value.size() <= 4 && std::all_of(value.begin(), value.end(), isDigitOfName))
        return true;
    if (!value.starts_with('$'))
        return false;
    // In capitals: "$ecret" may be a password.
    const bool braces = value.starts_with("${") && value.ends_with('}');
    const std::string_view name = braces ? value.substr(2, value.size() - 3) : value.substr(1);
    return isVariableName(name) || name == "@" || (name.size() == 1 && isDigitOfName(name.front()));
}

bool isEnvironmentKey(std::string_view key)
{
    constexpr std::array<std::string_view, 4> kLast{"env", "environ", "environment", "envs"};
    constexpr std::array<std::string_view, 4> kWhole{"variables", "envvars", "environmentvariables", "envvariables"};
    const Names words = wordsOfName(key);
    if (words.empty())
        return false;
    const std::string joined = joinedWords(words);
    return isOneOf(words.back(), kLast) || isOneOf(joined, kWhole) || joined.ends_with("envvars");
}

} // namespace peakscope
