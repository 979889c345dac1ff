// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/embed_command.h"

#include "core/base/child_process.h"
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/output_lock.h"
#include "core/base/output_path.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <stop_token>
#include <thread>

namespace peakscope {
namespace {

using Json = nlohmann::json;

// While one of these lives, Ctrl+C and its like ask for a stop instead of ending the process.
class StopOnSignal
{
public:
    StopOnSignal()
    {
        ::sigemptyset(&m_signals);
        for (const int number : endingSignals())
            ::sigaddset(&m_signals, number);
        ::pthread_sigmask(SIG_BLOCK, &m_signals, &m_before);
        m_watcher = std::jthread([this](const std::stop_token& end) {
            const timespec pause{0, 20'000'000};
            while (!end.stop_requested()) {
                if (::sigtimedwait(&m_signals, nullptr, &pause) > 0)
                    m_source.request_stop();
            }
        });
    }
    ~StopOnSignal()
    {
        m_watcher.request_stop();
        m_watcher.join();
        ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    StopOnSignal(const StopOnSignal&) = delete;
    StopOnSignal& operator=(const StopOnSignal&) = delete;

    std::stop_token token() const { return m_source.get_token(); }

private:
    sigset_t m_signals{}, m_before{};
    std::stop_source m_source;
    std::jthread m_watcher;
};

// The words of the command line as options; the first that is not one is an error.
Result<EmbeddingOptions> optionsOf(const EmbedArguments& arguments)
{
    EmbeddingOptions options = arguments.options;
    const auto metric = metricFromName(arguments.metric);
    if (!metric)
        return badInput("--metric", "\"" + oneLine(arguments.metric) + "\" is not one of " + metricNames());
    options.umap.metric = *metric;
    const auto start = umapStartFromName(arguments.start);
    if (!start)
        return badInput("--init", "\"" + oneLine(arguments.start) + "\" is not one of spectral, random, pca");
    options.umap.start = *start;
    if (arguments.noise != "out" && arguments.noise != "in")
        return badInput("--silhouette-noise", "\"" + oneLine(arguments.noise) + "\" is not one of out, in");
    options.noise = arguments.noise == "in" ? NoisePoints::AsCluster : NoisePoints::LeftOut;
    if (arguments.a != 0 || arguments.b != 0)
        options.umap.curve = CurveFit{arguments.a, arguments.b};
    if (const Status status = checkUmapOptions(options.umap); !status)
        return status.error();
    return options;
}

Result<NumericTable> readFeatures(const EmbedArguments& arguments)
{
    NumericTableOptions options;
    options.labelsColumn = arguments.labels;
    options.ignored = arguments.ignored;
    if (arguments.missing != "refuse" && arguments.missing != "mean")
        return badInput("--missing", "\"" + oneLine(arguments.missing) + "\" is not one of refuse, mean");
    options.missing = arguments.missing == "mean" ? MissingValues::ColumnMean : MissingValues::Refuse;
    auto table = readNumericTable(arguments.features, options);
    if (table && arguments.standardize)
        standardize(*table);
    else if (table &&
             (arguments.metric == "euclidean" || arguments.metric == "manhattan" || arguments.metric == "chebyshev"))
        noteDominantColumn(*table);
    return table;
}

// "umap_1,umap_2,cluster" and a line per row, in the order of the table; ",,-1" of a row without a place.
std::string embeddingText(const EmbeddingReport& report)
{
    std::string out;
    for (int d = 1; d <= report.dimensions; ++d)
        out += "umap_" + std::to_string(d) + ",";
    out += "cluster\n";
    const auto width = static_cast<std::size_t>(report.dimensions);
    char digits[32];
    for (std::size_t row = 0; row < static_cast<std::size_t>(report.rows); ++row) {
        for (std::size_t d = 0; d < width; ++d) {
            const float value = report.coordinates[row * width + d];
            if (std::isfinite(value))
                out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
            out += ',';
        }
        out += std::to_string(report.clusters.labels[row]) + "\n";
    }
    return out;
}

// How well the embedding shows what the labels column says: its silhouette, and how near the clusters come to it. Rows
// without a place do not count.
Json labelScores(const NumericTable& table, const EmbeddingReport& report, const EmbeddingOptions& options)
{
    if (table.labels.empty())
        return nullptr;
    std::vector<double> coordinates;
    std::vector<int> labels, clusters;
    for (const std::int64_t placed : report.placed) {
        const auto first = report.coordinates.begin() + static_cast<std::ptrdiff_t>(placed * report.dimensions);
        coordinates.insert(coordinates.end(), first, first + report.dimensions);
        labels.push_back(table.labels[static_cast<std::size_t>(placed)]);
        clusters.push_back(report.clusters.labels[static_cast<std::size_t>(placed)]);
    }
    ThreadTeam team(options.umap.threads);
    const PointTable points{coordinates, static_cast<std::int64_t>(report.placed.size()), report.dimensions};
    const auto score = silhouette(points, labels, NoisePoints::AsCluster, team, options.mostScoredPoints);
    return {{"column_values", table.labelNames.size()},
            {"silhouette", score ? jsonNumber(score->mean) : Json(nullptr)},
            {"adjusted_rand_index", jsonNumber(adjustedRandIndex(labels, clusters))}};
}

Json describeReport(const NumericTable& table, const EmbeddingReport& report, const EmbeddingOptions& options,
                    double seconds)
{
    Json notes = table.notes;
    for (const std::string& note : report.notes)
        notes.push_back(note);
    Json out = {{"rows", report.rows},
                {"features", table.columns.size()},
                {"clusters", report.clusters.clusters},
                {"noise_points", report.clusters.noise},
                {"rows_without_place", report.umap.unplaced.count()},
                {"eps", jsonNumber(report.eps)},
                {"min_samples", options.minSamples},
                {"silhouette", report.silhouette ? jsonNumber(report.silhouette->mean) : Json(nullptr)},
                {"silhouette_noise", options.noise == NoisePoints::LeftOut ? "left out" : "as a cluster"},
                {"trustworthiness", report.trustworthiness ? jsonNumber(report.trustworthiness->value) : Json(nullptr)},
                {"seconds", seconds},
                {"neighbors", report.umap.neighbors},
                {"neighbors_exact", report.umap.exactNeighbors},
                {"epochs", report.umap.epochs},
                {"a", report.umap.curve.a},
                {"b", report.umap.curve.b},
                {"init", name(report.umap.start)},
                {"parts", report.umap.parts},
                {"seed", options.umap.seed},
                {"metric", name(options.umap.metric)},
                {"stage_seconds",
                 {{"neighbors", report.umap.neighborSeconds},
                  {"graph", report.umap.graphSeconds},
                  {"init", report.umap.startSeconds},
                  {"layout", report.umap.layoutSeconds},
                  {"clusters", report.clusterSeconds},
                  {"scores", report.scoreSeconds}}},
                {"notes", notes}};
    if (report.silhouette)
        out["silhouette_points"] = report.silhouette->points.size();
    if (report.trustworthiness) {
        out["trustworthiness_neighbors"] = report.trustworthiness->neighbors;
        out["trustworthiness_points"] = report.trustworthiness->points;
    }
    if (const Json labels = labelScores(table, report, options); !labels.is_null())
        out["labels"] = labels;
    return out;
}

void printReport(const Json& report, const std::string& out)
{
    for (const auto& note : report["notes"])
        printError("peakscope-cli: note: {}\n", note.get<std::string>());
    print("{} rows, {} features -> {} in {}\n", report["rows"].get<long long>(), report["features"].get<long long>(),
          out, formatSeconds(report["seconds"].get<double>()));
    const auto counted = [&](const char* key, const std::string& what) {
        const auto count = report[key].get<long long>();
        return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    const auto unplaced = report["rows_without_place"].get<long long>();
    print("{}, {}{} (eps {:.4g}, min_samples {})\n", counted("clusters", "cluster"),
          counted("noise_points", "noise point"),
          unplaced > 0 ? ", " + std::to_string(unplaced) + " of them without a place" : std::string(),
          report["eps"].get<double>(), report["min_samples"].get<int>());
    if (report["silhouette"].is_number())
        print("silhouette {:.4f} (noise {})\n", report["silhouette"].get<double>(),
              report["silhouette_noise"].get<std::string>());
    if (report["trustworthiness"].is_number())
        print("trustworthiness {:.4f} (k = {})\n", report["trustworthiness"].get<double>(),
              report["trustworthiness_neighbors"].get<int>());
}

} // namespace

CLI::App* addEmbedCommand(CLI::App& app, EmbedArguments& arguments)
{
    UmapOptions& umap = arguments.options.umap;
    CLI::App* embed = app.add_subcommand("embed", "Embed a table of numbers by UMAP, find clusters and score both");
    embed->add_option("FEATURES", arguments.features, "CSV with a header line, one row per point")->required();
    embed
        ->add_option("--out", arguments.out,
                     "Where the embedding goes (CSV: umap_1,umap_2,cluster), or - for standard output")
        ->required();
    embed->add_option("--labels", arguments.labels, "A column to leave out of the features and compare with");
    embed->add_option("--ignore", arguments.ignored, "Columns to leave out of the features");
    embed->add_option("--missing", arguments.missing, "Missing values: refuse (default) or mean");
    embed->add_flag("--standardize", arguments.standardize, "Every column to mean 0 and standard deviation 1 first");
    embed->add_option("--neighbors", umap.neighbors, "Neighbours of a point, itself included (15)");
    embed->add_option("--min-dist", umap.minDist, "Least distance of points in the embedding (0.1)");
    embed->add_option("--spread", umap.spread, "Scale of the embedding (1)");
    embed->add_option("--components", umap.dimensions, "Dimensions of the embedding (2)");
    embed->add_option("--metric", arguments.metric, "Distance of rows: " + metricNames());
    embed->add_option("--epochs", umap.epochs, "Rounds of the layout (500 up to 10,000 rows, else 200)");
    embed->add_option("--learning-rate", umap.learningRate, "At the first epoch (1)");
    embed->add_option("--negative-sample-rate", umap.negativeSampleRate, "Repulsive samples for each attraction (5)");
    embed->add_option("--repulsion-strength", umap.repulsionStrength, "Their weight (1)");
    embed->add_option("--local-connectivity", umap.localConnectivity, "Neighbours that every point is tied to (1)");
    embed->add_option("--set-op-mix-ratio", umap.setOpMixRatio, "1: union of neighbourhoods, 0: intersection (1)");
    embed->add_option("--init", arguments.start, "Start: spectral, random, pca");
    embed->add_option("--curve-a", arguments.a, "Together with --curve-b: the curve instead of --spread, --min-dist");
    embed->add_option("--curve-b", arguments.b, "See --curve-a");
    embed->add_option("--seed", umap.seed, "The same seed gives the same embedding (42)");
    embed->add_option("--threads", umap.threads, "Number of threads; the result does not depend on it (all)");
    embed->add_option("--eps", arguments.options.eps, "DBSCAN's radius (from the k-distances)");
    embed->add_option("--min-samples", arguments.options.minSamples, "DBSCAN's points of a core neighbourhood (5)");
    embed->add_option("--silhouette-noise", arguments.noise, "Noise points in the silhouette: out (default), in");
    embed->add_flag("--json", arguments.json, "The scores as JSON");
    return embed;
}

int embedCommand(const EmbedArguments& arguments)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto options = optionsOf(arguments);
    if (!options)
        return report(options.error());
    const std::string out = outputPath(arguments.out);
    if (isStandardOutput(out))
        sayOnStandardError();
    if (isSameFile(out, arguments.features))
        return report(badInput("--out", arguments.out + " is the table itself; give another name"));
    if (Status made = makeFolderOfFile(out); !made)
        return report(made.error());
    const auto lock = OutputLock::take(out);
    if (!lock)
        return report(lock.error());
    const auto table = readFeatures(arguments);
    if (!table)
        return report(table.error());
    const auto embedding = [&] {
        const StopOnSignal stop;
        return embedTable(table->values, table->rows, static_cast<std::int64_t>(table->columns.size()), *options,
                          stop.token());
    }();
    if (!embedding)
        return report(embedding.error());
    removeAbandoned(out);
    if (const Status status = writeFileAtomically(out, embeddingText(*embedding)); !status)
        return report(status.error());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    Json description = describeReport(*table, *embedding, *options, seconds);
    description["standardized"] = arguments.standardize;
    if (arguments.json)
        standardOutput().json(dumpJson(description));
    else
        printReport(description, outputName(out));
    return 0;
}

} // namespace peakscope
