// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pipeline_tokenizer.h"

#include "core/base/file.h"
#include "core/base/utf8.h"
#include "core/text/sentencepiece_module.h"

#include <algorithm>
#include <cctype>

#include <dlfcn.h>

namespace peakscope {

namespace fs = std::filesystem;

namespace {

// tiktoken's files, which Llama-3 folders have under the same name: "BASE64 RANK" a line.
bool isTiktoken(std::string_view content)
{
    const std::string_view line = content.substr(0, std::min<std::size_t>(content.find('\n'), 1024));
    const auto space = line.find(' ');
    if (space == std::string_view::npos || space == 0 || space + 1 == line.size())
        return false;
    const auto isBase64 = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '/' || c == '=';
    };
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(space), isBase64) &&
           std::all_of(line.begin() + static_cast<std::ptrdiff_t>(space) + 1, line.end(), isDigit);
}

using Api = PeakscopeSentencePieceApi;

// Where the module may be: beside the program (a build folder), or where it is installed, whatever the prefix became.
std::vector<fs::path> moduleFolders()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    return {program, program / "../" PEAKSCOPE_MODULE_FOLDER, fs::path(PEAKSCOPE_INSTALLED_MODULES)};
}

// Loads the module once; it stays loaded.
Result<const Api*> openModule()
{
    int flags = RTLD_NOW | RTLD_LOCAL;
#if !defined(__SANITIZE_ADDRESS__)
    flags |= RTLD_DEEPBIND; // its own Protocol Buffers first
#endif
    std::string problem = "it is not installed";
    for (const fs::path& folder : moduleFolders()) {
        const fs::path path = folder / PEAKSCOPE_SENTENCEPIECE_MODULE;
        std::error_code error;
        if (!fs::exists(path, error))
            continue;
        void* const module = ::dlopen(path.c_str(), flags);
        void* const symbol = module ? ::dlsym(module, "peakscopeSentencePiece") : nullptr;
        if (symbol)
            return reinterpret_cast<decltype(&peakscopeSentencePiece)>(symbol)();
        const char* const reason = ::dlerror();
        problem = reason ? reason : "it has no entry point";
    }
    return failed(PEAKSCOPE_SENTENCEPIECE_MODULE, "the SentencePiece module cannot be loaded: " + problem);
}

const Result<const Api*>& module()
{
    static const Result<const Api*> opened = openModule();
    return opened;
}

class SentencePieceTokenizer : public Tokenizer
{
public:
    SentencePieceTokenizer(const Api& api, PeakscopeSentencePiece* model) : m_api(api), m_model(model) {}
    ~SentencePieceTokenizer() override { m_api.release(m_model); }
    SentencePieceTokenizer(const SentencePieceTokenizer&) = delete;
    SentencePieceTokenizer& operator=(const SentencePieceTokenizer&) = delete;

    std::vector<std::int32_t> encode(std::string_view utf8) const override
    {
        std::string repaired;
        if (!isValidUtf8(utf8))
            utf8 = repaired = repairedUtf8(utf8);
        std::vector<std::int32_t> ids;
        const auto sink = [](void* context, const std::int32_t* values, std::size_t count) {
            static_cast<std::vector<std::int32_t>*>(context)->assign(values, values + count);
        };
        m_api.encode(m_model, utf8.data(), utf8.size(), sink, &ids);
        return ids;
    }

    std::string decode(std::span<const std::int32_t> ids) const override
    {
        std::vector<std::int32_t> known;
        std::copy_if(ids.begin(), ids.end(), std::back_inserter(known),
                     [&](std::int32_t id) { return id >= 0 && id < m_api.pieces(m_model); });
        std::string text;
        const auto sink = [](void* context, const char* bytes, std::size_t size) {
            static_cast<std::string*>(context)->assign(bytes, size);
        };
        m_api.decode(m_model, known.data(), known.size(), sink, &text);
        return text;
    }

    std::int64_t vocabSize() const override { return m_api.pieces(m_model); }
    std::string name() const override { return "SentencePiece (tokenizer.model)"; }

private:
    const Api& m_api;
    PeakscopeSentencePiece* m_model; // owned
};

} // namespace

Result<std::unique_ptr<Tokenizer>> loadSentencePiece(const fs::path& file)
{
    const auto content = readTextFile(file, kLargestTokenizerFile);
    if (!content)
        return content.error();
    if (isTiktoken(*content))
        return badInput(file.string(),
                        "a tiktoken file, which is not supported; the tokenizer.json of the same model is");
    const auto& api = module();
    if (!api)
        return badInput(file.string(), api.error().text());
    PeakscopeSentencePiece* const model = (*api)->load(content->data(), content->size());
    if (!model)
        return badInput(file.string(), "not a SentencePiece model");
    return std::unique_ptr<Tokenizer>(std::make_unique<SentencePieceTokenizer>(**api, model));
}

} // namespace peakscope
