// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Prints what an embedding costs and how good it is, beside stored numbers of umap-learn where the shared folder has
// them. Arguments: threads (0: all), seeds (3), and "large" for 100,000 rows as well.
#include "core/analysis/embedding/embedding.h"
#include "core/analysis/neighbors/random_stream.h"
#include "core/analysis/statistics/numeric_table.h"
#include "core/base/file.h"
#include "core/base/json/json_access.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace peakscope;

namespace {

struct BenchTable {
    const char* name;
    std::vector<double> values;
    std::vector<int> labels;
    std::int64_t rows = 0, columns = 0;
    std::string peer; // umap-learn's metrics; may be absent
};

BenchTable sharedTable(const char* name)
{
    const std::string shared = PEAKSCOPE_SHARED_DIR;
    NumericTableOptions options;
    options.labelsColumn = "label";
    auto table = readNumericTable(shared + "/data/" + name + ".csv", options);
    if (!table) {
        std::printf("%s: left out: %s\n", name, table.error().text().c_str());
        return {name, {}, {}, 0, 0, {}};
    }
    return {name,
            table->values,
            table->labels,
            table->rows,
            static_cast<std::int64_t>(table->columns.size()),
            shared + "/cases/umap/" + name + "_umap_learn_metrics.json"};
}

// Ten Gaussian clouds of unit width with centres of width 5.
BenchTable mixture(const char* name, std::int64_t rows, std::int64_t columns, const std::string& peer)
{
    BenchTable out{name, {}, {}, rows, columns, peer};
    RandomStream random(1);
    std::vector<double> centre(static_cast<std::size_t>(10 * columns));
    for (double& value : centre)
        value = 5 * random.normal();
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t label = random.below(10);
        out.labels.push_back(static_cast<int>(label));
        for (std::int64_t column = 0; column < columns; ++column)
            out.values.push_back(centre[static_cast<std::size_t>(label * columns + column)] + random.normal());
    }
    return out;
}

void printPeer(const BenchTable& table)
{
    const auto text = readTextFile(table.peer);
    if (!text)
        return;
    const auto metrics = parseJson(*text, table.peer);
    if (!metrics)
        return;
    const auto number = [&](const char* key, const char* other) {
        const auto& document = *metrics;
        return document.contains(key)     ? document[key].get<double>()
               : document.contains(other) ? document[other].get<double>()
                                          : 0.0;
    };
    std::printf(
        "  umap-learn 0.5.3 (stored)      %7.2f s cold %7.2f s warm   trust 15 %.4f  5 %.4f   silhouette %.4f\n",
        number("import_plus_first_fit_s", ""), number("second_fit_median_s", ""), number("trust15", "trust15_sub3000"),
        number("trust5", "trust5_sub3000"), number("silhouette", ""));
}

void measure(const BenchTable& table, int threads, std::uint64_t seeds)
{
    if (table.rows == 0)
        return;
    std::printf("%s: %lld x %lld\n", table.name, static_cast<long long>(table.rows),
                static_cast<long long>(table.columns));
    printPeer(table);
    ThreadTeam team(threads);
    for (std::uint64_t seed = 42; seed < 42 + seeds; ++seed) {
        UmapOptions options;
        options.seed = seed;
        options.threads = threads;
        auto umap = Umap::create(table.values, table.rows, table.columns, options);
        if (!umap || !umap->runTo(umap->epochs()))
            return;
        const UmapSummary& summary = umap->summary();
        const auto trust = [&](int k) {
            return trustworthiness(umap->features(), umap->coordinates(), 2, k, team, 3000)->value;
        };
        const std::vector<double> points(umap->coordinates().begin(), umap->coordinates().end());
        const auto score = silhouette({points, table.rows, 2}, table.labels, NoisePoints::AsCluster, team, 3000);
        std::printf("  seed %llu: %6.2f s (neighbours %.2f, graph %.2f, start %.2f, layout %.2f)   trust 15 %.4f  5 "
                    "%.4f   silhouette %.4f\n",
                    static_cast<unsigned long long>(seed),
                    summary.neighborSeconds + summary.graphSeconds + summary.startSeconds + summary.layoutSeconds,
                    summary.neighborSeconds, summary.graphSeconds, summary.startSeconds, summary.layoutSeconds,
                    trust(15), trust(5), score ? score->mean : 0.0);
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    std::printf("  peak resident so far %.0f MiB\n", static_cast<double>(usage.ru_maxrss) / 1024);
}

} // namespace

int main(int argc, char** argv)
{
    const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
    const std::uint64_t seeds = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 3;
    measure(sharedTable("iris"), threads, seeds);
    measure(sharedTable("digits"), threads, seeds);
    measure(mixture("gaussian mixture", 20'000, 20, PEAKSCOPE_SHARED_DIR "/cases/umap/gmm20k_umap_learn_metrics.json"),
            threads, 1);
    if (argc > 3 && std::strcmp(argv[3], "large") == 0)
        measure(mixture("large mixture", 100'000, 16, {}), threads, 1);
    return 0;
}
