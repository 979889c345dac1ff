// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How training over ranks of this machine scales: 1, 2 and 4 ranks, each with one thread, with the same batch (strong)
// and with the same rows a rank (weak); the share of the time spent in collectives, the bytes they count against the
// plan's, and those as a multiple of the parameters (ZeRO-3: about 3 a step).
//   bench_ranks [--layers N] [--hidden N] [--seq N] [--rows N]
// Exits 1 where the counted bytes are not the planned ones.
#include "core/base/units.h"
#include "core/planning/simulation/communication_plan.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"
#include "tests/benchmarks/bench_worker.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using namespace peakscope;
using Json = nlohmann::json;

struct Size {
    std::int64_t layers = 4, hidden = 512, seq = 256, rows = 4;
};

struct Row {
    double seconds = 0; // median of the measured steps, of the slowest rank
    double share = 0;   // of them in collectives, mean over ranks
    std::int64_t bytes = 0;
    std::int64_t planned = 0;
    std::int64_t parameterBytes = 0;
    std::string failure;
};

Json experimentFor(const Size& size, int ranks, bool weak, const char* stage)
{
    return {{"kind", "memory"},
            {"model",
             {{"family", "llama"},
              {"hidden", size.hidden},
              {"layers", size.layers},
              {"heads", 8},
              {"vocab", 4096},
              {"max_positions", size.seq}}},
            {"device", "cpu"},
            {"threads", 1},
            {"ranks", ranks},
            {"data", {{"batch", weak ? size.rows * ranks : size.rows}, {"seq", size.seq}}},
            {"training", {{"warmup_steps", 1}, {"steps", 3}, {"sharding", stage}}}};
}

std::int64_t collectiveBytes(const RankSection& rank)
{
    std::int64_t bytes = 0;
    for (const CollectiveUsage& collective : rank.communication->collectives)
        bytes += collective.bytes;
    return bytes;
}

Row measure(const Json& document)
{
    Row row;
    const auto experiment = experimentFromJson(document);
    if (!experiment) {
        row.failure = experiment.error().text();
        return row;
    }
    row.parameterBytes = parameterCount(experiment->model.config) * bytesPerElement(experiment->dtype);
    ResultAssembler assembler;
    const auto end = runWorker(*experiment, [&](const Event& event, std::string_view) { assembler.add(event); });
    const RunResult result = assembler.result();
    if (!end || result.status != RunStatus::Complete) {
        row.failure = end ? result.message : end.error().text();
        return row;
    }
    row.seconds = result.timing ? result.timing->medianStepSeconds : 0;
    for (const RankSection& rank : result.ranks) {
        if (!rank.timing || !rank.communication) {
            row.failure = "rank " + std::to_string(rank.rank) + " told no times";
            return row;
        }
        row.seconds = std::max(row.seconds, rank.timing->medianStepSeconds);
        row.share += rank.communication->share / static_cast<double>(result.ranks.size());
        row.bytes = std::max(row.bytes, collectiveBytes(rank));
    }
    if (!result.ranks.empty()) {
        const auto plan = communicationOfRun(*experiment, static_cast<std::int64_t>(result.ranks.size()));
        row.planned = plan ? plan->bytes() : -1;
    }
    return row;
}

bool table(const Size& size, bool weak)
{
    std::printf("%s scaling, llama %lld x %lld, %lld rows of %lld tokens%s\n", weak ? "weak" : "strong",
                static_cast<long long>(size.layers), static_cast<long long>(size.hidden),
                static_cast<long long>(size.rows), static_cast<long long>(size.seq), weak ? " a rank" : "");
    std::printf("  %-6s %5s %10s %10s %14s %16s %16s\n", "stage", "ranks", "step", "to 1 rank", "collectives",
                "bytes a step", "of parameters");
    bool right = true;
    for (const char* stage : {"none", "zero1", "zero2", "zero3"}) {
        double alone = 0;
        for (const int ranks : {1, 2, 4}) {
            const Row row = measure(experimentFor(size, ranks, weak, stage));
            if (!row.failure.empty()) {
                std::printf("  %-6s %5d  %s\n", stage, ranks, row.failure.c_str());
                right = false;
                continue;
            }
            alone = ranks == 1 ? row.seconds : alone;
            const bool asPlanned = row.bytes == row.planned;
            right = right && asPlanned;
            std::printf("  %-6s %5d %8.3f s %10.2f %12.1f %% %16s %14.2f x%s\n", stage, ranks, row.seconds,
                        row.seconds / alone, 100 * row.share, formatBytes(row.bytes / 3).c_str(),
                        static_cast<double>(row.bytes) / 3 / static_cast<double>(row.parameterBytes),
                        asPlanned ? "" : "  not as planned");
        }
    }
    return right;
}

} // namespace

int main(int argc, char** argv)
{
    findWorker();
    Size size;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::int64_t value = std::atoll(argv[i + 1]);
        if (std::strcmp(argv[i], "--layers") == 0)
            size.layers = value;
        else if (std::strcmp(argv[i], "--hidden") == 0)
            size.hidden = value;
        else if (std::strcmp(argv[i], "--seq") == 0)
            size.seq = value;
        else if (std::strcmp(argv[i], "--rows") == 0)
            size.rows = value;
    }
    const bool strong = table(size, false);
    const bool weak = table(size, true);
    return strong && weak ? 0 : 1;
}
