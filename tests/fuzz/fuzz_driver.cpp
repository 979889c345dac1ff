// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fuzzer that needs no clang: mutates samples with a seeded generator and feeds them to every reader, for so many
// seconds. fuzz_readers [SECONDS [SEED]]; on a finding it writes fuzz_finding.bin and says what was wrong.
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

using namespace peakscope;

namespace {

namespace fs = std::filesystem;

// One small file of every format that is text.
const char* const kSeeds[] = {
    R"({"format":"peakscope-result","version":1,"kind":"memory","status":"complete","memory":{"peak_bytes":5,)"
    R"("timeline":{"time_seconds":[0,1],"delta_bytes":[5,-5],"component":[0,0],"components":["parameters"]}}})",
    R"({"format":"peakscope-sweep","version":1,"keys":["a"],"points":[{"values":{"a":1},"status":"complete"}]})",
    R"({"experiment":"ghost","config":{"seq_len":8},"avg_time_ms":5,"peak_memory_mb":10,"breakdown":)"
    R"({"model_parameters_mb":1.5},"snapshots":[{"name":"4_iter0_before_forward","allocated_mb":1,"timestamp":1.5}]})",
    R"({"peak_memory_mb":12.3,"peak_allocated_memory_mb":11.7,"avg_time_ms":8,"breakdown":{},"snapshots":[]})",
    R"({"mode":"ghost","seq_length":8,"peak_memory_mb":3,"peak_memory_gb":0.1,"avg_time_ms":2,"config":{"bf16":true}})",
    R"([{"seq_length":8,"peak_memory_gb":3,"memory_breakdown":{"a":1},"snapshots":[{"stage":"a_start"}]}])",
    "seq_length,is_lora,lora_rank,peak_memory_gb,a_memory_gb\n8,False,4,1.5,\n9,True,4,1.5,2\n",
    R"([{"config":{},"peak_memory":5,"detailed_breakdown":{"stages":{"a":1},"components":{"mlp":{"forward":2}}},)"
    R"("snapshots":[{"timestamp":0,"allocated_gb":1,"reserved_gb":1,"stage":"a"}]}])",
    R"([{"ph":"i","name":"[memory]","pid":7,"ts":1,"args":{"Bytes":5,"Total Allocated":15,"x":-nan(ind)}},)"
    R"({"ph":"i","name":"[memory]","pid":7,"ts":2,"args":{"Bytes":5,"Total Allocated":15,"Addr":18446603336221196288}},)"
    R"({"ph":"i","name":"[memory]","pid":7,"ts":3,"args":{"Bytes":5,"Total Allocated":20}},)"
    R"({"ph":"i","name":"[memory]","pid":7,"ts":4,"args":{"Bytes":5,"Total Allocated":20}}])",
    R"([{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1.5,"args":{"Bytes":64,"Total Allocated":64,"Addr":3}},)"
    R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2}])",
    R"({"schemaVersion":1,"traceEvents":[{"ph":"i","name":"[memory]","ts":1,"args":{"Bytes":-64}}],"traceName":"x"})",
    "[[1,2],[[0,1,2,3,4,5,6,7,8],[0,8,7,6,5,4,3,2,1]]]",
    "[[-1,1,100,5],[10,2,50,2],[20,3,-50,2],[20,3,50,3],[30,4,-50,3]]",
    R"({"prm_results":[{"noise_level":0.1,"param_type":"Wfunc","delta_ppl":"0.5","delta_auc":NaN}],)"
    R"("umap_silhouette_score":-1.0,"parameter_counts":{"Wfunc":2},"timestamp":"2024-01-01 11:00:00"})",
    R"([{"label":"Wfunc","sigma":0.0,"repeat":0,"ppl":27.65,"mia":null,"delta_ppl":0.0}])",
    "noise_level,param_type,delta_ppl,delta_auc,baseline_ppl\n0.1,\"W\"\"x\",1,,3\n",
    "label,sigma,repeat,ppl,mia,delta_ppl\nWfunc,0.0,0,27.65,,0.0\n",
    R"([{"model_name":"m","total_params":5,"memory_breakdown":{"a":1},"strategies":{"b":69248773213953720320}}])",
    R"({"strategies":[{"title":"a","verdict":"fits","peak_bytes":5,"components":{"parameters":5}}]})",
};

// A tokenizer of every kind of model, with steps of every kind.
const char* const kTokenizers[] = {
    R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"NFKD"},{"type":"StripAccents"},{"type":"Lowercase"}]},)"
    R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"\\s+|(?=x)|y"},)"
    R"("behavior":"MergedWithNext","invert":false},{"type":"ByteLevel","add_prefix_space":true}]},"model":{"type":"BPE",)"
    R"("unk_token":"<s>","vocab":{"<s>":0,"t":1,"h":2,"e":3,"he":4,"the":5},"merges":["h e",["t","he"]]}})",
    R"({"added_tokens":[{"id":3,"content":"<s>","lstrip":true,"special":true}],"normalizer":{"type":"BertNormalizer"},)"
    R"("pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","unk_token":"?",)"
    R"("continuing_subword_prefix":"##","max_input_chars_per_word":9,"vocab":{"?":0,"t":1,"##he":2}}})",
    R"({"normalizer":{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "},"pre_tokenizer":{"type":"Metaspace",)"
    R"("replacement":"_","prepend_scheme":"first"},"model":{"type":"Unigram","unk_id":0,"byte_fallback":true,)"
    R"("vocab":[["?",0],["_the",-3.5],["<0xFF>",-9]]}})",
    R"({"normalizer":{"type":"Strip"},"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Whitespace"},)"
    R"({"type":"Punctuation","behavior":"Contiguous"},{"type":"Digits"},{"type":"FixedLength","length":3}]},)"
    R"("model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"The":1}}})",
};

// What breaks parsers.
const char* const kTokens[] = {"\"",
                               "\\",
                               "{",
                               "}",
                               "[",
                               "]",
                               ",",
                               ":",
                               "null",
                               "NaN",
                               "1e999",
                               "-1",
                               "0",
                               "\\u",
                               "\n",
                               "true",
                               "-",
                               "\"\"",
                               "1e-5",
                               "\x80",
                               "\xff",
                               "9999999999999999999",
                               "-9223372036854775808",
                               "Infinity",
                               "-nan(ind)",
                               "1.#INF",
                               "18446744073709551615",
                               "\\ud800",
                               "[[[["};

// Weights of every form: of torch.save since 1.6 and before, a checkpoint of training, safetensors.
std::vector<std::string> collectWeights()
{
    std::vector<std::string> seeds = {std::string("\x38\0\0\0\0\0\0\0", 8) +
                                      R"({"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})" + "12345678"};
    for (const char* name : {"files_torch.bin", "files_torch_legacy.bin", "files_torch_checkpoint.bin"}) {
        std::ifstream stream(std::string(PEAKSCOPE_SOURCE_DIR "/tests/core/data/") + name, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
    return seeds;
}

// Tables as embed takes them: separators, quotes, an index, labels, missing values.
std::vector<std::string> collectTables()
{
    return {"a,b,label\n1,2.5,x\n3,-4e-3,y\n5,6,\"x, z\"\n", ",a;b\n0,1,2\n1,3,4\n",
            "# a b c\n1.0 2.0 3.0\n 4.0  5.0 nan\n",         "\xef\xbb\xbfi;a;b\r\n0;1;NA\r\n1;?;inf\r\n2;3;4\r\n",
            "1\t2\t3\n4\t5\t18446744073709551616\n",         "a,b\n1e308,1e308\n-1e308,2\n1e-320,0\n"};
}

std::vector<std::string> collectSeeds()
{
    std::vector<std::string> seeds(std::begin(kSeeds), std::end(kSeeds));
    const auto add = [&seeds](const fs::path& path) {
        std::ifstream stream(path, std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(stream), {}};
        if (text.size() < 20'000 && !text.empty())
            seeds.push_back(std::move(text));
    };
    add(PEAKSCOPE_SOURCE_DIR "/tests/core/data/cuda_snapshot.pickle");
    // Two events at a time are added to its list, so that a watcher sees it grow: Python's pickler adds a thousand.
    add(PEAKSCOPE_SOURCE_DIR "/tests/core/data/cuda_snapshot_batches.pickle");
    std::error_code error;
    std::vector<fs::path> files;
    for (const char* folder :
         {PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats", PEAKSCOPE_SOURCE_DIR "/tests/core/data/snapshot_forms",
          PEAKSCOPE_SHARED_DIR "/formats", PEAKSCOPE_SHARED_DIR "/public"}) {
        for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
            files.push_back(entry->path());
        error.clear(); // those beside the project are not everywhere
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        if (file.extension() == ".json" || file.extension() == ".csv" || file.extension() == ".pickle" ||
            file.extension() == ".pt")
            add(file);
    }
    return seeds;
}

class Mutator
{
public:
    explicit Mutator(std::uint32_t seed) : m_random(seed) {}

    std::string mutate(std::string text, const std::vector<std::string>& seeds)
    {
        for (std::size_t changes = 1 + below(6); changes > 0; --changes)
            change(text, seeds);
        return text;
    }
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : m_random() % limit; }

private:
    void change(std::string& text, const std::vector<std::string>& seeds)
    {
        const std::size_t at = below(text.size() + 1);
        const std::size_t length = below(std::min<std::size_t>(text.size() - at, 64) + 1);
        switch (below(8)) {
        case 0:
            text.resize(at);
            break;
        case 1:
            text.erase(at, length);
            break;
        case 2:
            text.insert(at, text.substr(at, length));
            break;
        case 3:
            if (at < text.size())
                text[at] = static_cast<char>(text[at] ^ 1 << below(8));
            break;
        case 4:
            text.insert(at, kTokens[below(std::size(kTokens))]);
            break;
        case 5:
            text.replace(at, length, kTokens[below(std::size(kTokens))]);
            break;
        case 6: { // a piece of another file
            const std::string& other = seeds[below(seeds.size())];
            text.insert(at, other.substr(below(other.size()), below(200)));
            break;
        }
        default:
            if (at < text.size())
                text[at] = static_cast<char>(below(256));
        }
    }

    std::mt19937 m_random;
};

int report(const std::string& bytes, const std::string& problem, const std::string& format)
{
    std::ofstream("fuzz_finding.bin", std::ios::binary) << bytes;
    std::fprintf(stderr, "fuzz_readers: %s: %s (the bytes are in fuzz_finding.bin)\n", format.c_str(), problem.c_str());
    return 1;
}

} // namespace

int main(int argc, char** argv)
{
    const double seconds = argc > 1 ? std::atof(argv[1]) : 4;
    Mutator mutator(argc > 2 ? static_cast<std::uint32_t>(std::atoi(argv[2])) : 1);
    const std::vector<std::string> seeds = collectSeeds();
    for (const std::string& seed : seeds) {
        if (const std::string problem = checkReader(seed, {}); !problem.empty())
            return report(seed, problem, "seed");
    }
    const std::vector<std::string> others[] = {
        collectWeights(), collectTables(), {std::begin(kTokenizers), std::end(kTokenizers)}};
    static_assert(std::size(others) == std::size(kOtherChecks));
    for (std::size_t i = 0; i < std::size(others); ++i) {
        for (const std::string& seed : others[i]) {
            if (const std::string problem = kOtherChecks[i].check(seed); !problem.empty())
                return report(seed, problem, std::string("seed of ") + kOtherChecks[i].name);
        }
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    long runs = 0;
    for (; std::chrono::steady_clock::now() < end; ++runs) {
        if (const std::size_t i = mutator.below(2 * std::size(others)); i < std::size(others)) {
            const std::string bytes = mutator.mutate(others[i][mutator.below(others[i].size())], others[i]);
            if (const std::string problem = kOtherChecks[i].check(bytes); !problem.empty())
                return report(bytes, problem, kOtherChecks[i].name);
            continue;
        }
        const std::string bytes = mutator.mutate(seeds[mutator.below(seeds.size())], seeds);
        // Half of them go where their content says, half to any reader.
        const std::size_t index = mutator.below(2 * kFileFormatCount);
        const auto format = index < kFileFormatCount ? std::optional(static_cast<FileFormat>(index)) : std::nullopt;
        if (const std::string problem = checkReader(bytes, format); !problem.empty())
            return report(bytes, problem, format ? std::string(name(*format)) : "any");
    }
    std::printf("fuzz_readers: %ld mutated files, %zu seeds, nothing found\n", runs, seeds.size());
    return 0;
}
