// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What figures say and refuse: names, checks, ticks, hatches, run names, the numbers behind them.
#include "core/results/memory_timeline.h"
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_samples.h"
#include "widgets/figures/memory/timeline_panel.h"
#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_canvas.h"
#include "widgets/figures/page/figure_data.h"
#include "widgets/figures/page/figure_text.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <numeric>

using namespace peakscope;

class TestFiguresData : public QObject
{
    Q_OBJECT

private slots:
    void namesAreTheContracts();
    void presetsHaveTheirWidths_data();
    void presetsHaveTheirWidths();
    void unusableRequests_data();
    void unusableRequests();
    void availableFiguresFollowTheSections();
    void ticksAreRound_data();
    void ticksAreRound();
    void hatchCoversASquare();
    void hatchSparesAHole();
    void layersComeFromNames_data();
    void layersComeFromNames();
    void phasePeaksAreThoseOfTheTimeline();
    void kindsAndLayersSumUp();
    void operatorsSumUp();
    void runsAreNamedByWhatDiffers();
    void stepsFollowThePhases();
    void csvHoldsTheNumbers();
    void emptyPanelsSaySo();
};

void TestFiguresData::namesAreTheContracts()
{
    const std::vector<std::string> expected{"memory_timeline",
                                            "memory_breakdown_comparison",
                                            "performance_tradeoff",
                                            "memory_heatmap",
                                            "memory_trends",
                                            "memory_analysis_overview",
                                            "detailed_memory_analysis",
                                            "operation_level_breakdown",
                                            "hessian_spectrum",
                                            "hessian_histogram",
                                            "hessian_memory",
                                            "umap_visualization",
                                            "parameter_clustering",
                                            "prm_phase_diagram",
                                            "noise_response_curves",
                                            "statistical_summary",
                                            "strategy_table",
                                            "capacity_map",
                                            "memory_ranks",
                                            "memory_treemap",
                                            "memory_flame_graph",
                                            "segment_map",
                                            "memory_difference",
                                            "expert_loads",
                                            "collectives"};
    QCOMPARE(figureNames(), expected);
    for (const std::string& figure : expected) {
        QVERIFY(figureExists(figure));
        QVERIFY(!figureTitle(figure).isEmpty());
    }
    QVERIFY(!figureExists("memory"));
    for (const FigureFormat format : {FigureFormat::Pdf, FigureFormat::Svg, FigureFormat::Png})
        QVERIFY(figureFormatFromName(name(format)) == format);
    QVERIFY(!figureFormatFromName("jpeg").has_value());
}

void TestFiguresData::presetsHaveTheirWidths_data()
{
    QTest::addColumn<double>("inches");
    QTest::newRow("icml-column") << 3.25;
    QTest::newRow("icml-page") << 6.75;
    QTest::newRow("neurips-text") << 5.5;
    QTest::newRow("ieee-column") << 3.5;
    QTest::newRow("ieee-page") << 7.16;
    QTest::newRow("slide") << 40.0 / 3;
}

void TestFiguresData::presetsHaveTheirWidths()
{
    QFETCH(double, inches);
    const auto preset = figurePreset(QTest::currentDataTag());
    QVERIFY(preset.has_value());
    QVERIFY(std::abs(preset->widthMm - inches * 25.4) < 1e-9);
    QVERIFY(preset->smallFontPt >= 7);
    QVERIFY(preset->lineWidthPt >= 0.5);
    if (preset->name == "slide")
        QVERIFY(std::abs(preset->widthMm / preset->heightMm - 16.0 / 9) < 1e-9);
}

void TestFiguresData::unusableRequests_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("lacks");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown name") << "memory_pie"
                                  << ""
                                  << "no figure of this name";
    QTest::newRow("no embedding") << "umap_visualization"
                                  << ""
                                  << "no embedding.coordinates";
    QTest::newRow("no run") << "memory_timeline"
                            << "runs"
                            << "no run was given";
    QTest::newRow("nine runs") << "memory_timeline"
                               << "eight"
                               << "at most 8";
    QTest::newRow("no memory") << "memory_timeline"
                               << "memory"
                               << "no memory timeline";
    QTest::newRow("no timeline") << "memory_timeline"
                                 << "timeline"
                                 << "no memory timeline and no snapshots";
    QTest::newRow("no peak") << "memory_breakdown_comparison"
                             << "memory"
                             << "no peak";
    QTest::newRow("no peak in the overview") << "memory_analysis_overview"
                                             << "memory"
                                             << "no peak";
    QTest::newRow("no step time") << "performance_tradeoff"
                                  << "timing"
                                  << "no step time";
    QTest::newRow("no modules") << "detailed_memory_analysis"
                                << "modules"
                                << "no memory by module";
    QTest::newRow("no operators") << "operation_level_breakdown"
                                  << "operators"
                                  << "no memory by operator";
}

void TestFiguresData::unusableRequests()
{
    QFETCH(QString, figure);
    QFETCH(QString, lacks);
    QFETCH(QString, says);
    RunResult run = sampleRun();
    if (lacks == QLatin1String("memory"))
        run.memory.reset();
    else if (lacks == QLatin1String("timeline")) {
        run.memory->timeline = {};
        run.memory->snapshots.clear();
    } else if (lacks == QLatin1String("timing"))
        run.timing.reset();
    else if (lacks == QLatin1String("modules"))
        run.memory->modules.clear();
    else if (lacks == QLatin1String("operators"))
        run.memory->operators.clear();
    RunResults runs{shared(std::move(run))};
    if (lacks == QLatin1String("runs"))
        runs.clear();
    else if (lacks == QLatin1String("eight"))
        runs = sampleRuns(9);
    const Status status = checkFigure(figure.toStdString(), runs);
    QVERIFY(!status.ok());
    const QString text = QString::fromStdString(status.error().text());
    QVERIFY2(text.contains(says), qPrintable(text));
    QVERIFY(!text.contains(QLatin1Char('\n')));
    QCOMPARE(status.error().code, ErrorCode::BadInput);
    QVERIFY(renderFigureImage(figure.toStdString(), runs, *figurePreset("screen")).isNull());
    QVERIFY(figureCsv(figure.toStdString(), runs).isEmpty());
}

void TestFiguresData::availableFiguresFollowTheSections()
{
    const std::vector<std::string> all{"memory_timeline",          "memory_breakdown_comparison",
                                       "performance_tradeoff",     "memory_analysis_overview",
                                       "detailed_memory_analysis", "operation_level_breakdown"};
    QCOMPARE(availableFigures(sampleRuns(2)), all);
    std::vector<std::string> ofOne = all;
    std::erase(ofOne, "performance_tradeoff"); // one point shows nothing
    QCOMPARE(availableFigures(sampleRuns(1)), ofOne);
    RunResult bare = sampleRun();
    bare.memory->modules.clear();
    bare.memory->operators.clear();
    bare.timing.reset();
    const std::vector<std::string> three{"memory_timeline", "memory_breakdown_comparison", "memory_analysis_overview"};
    QCOMPARE(availableFigures({shared(std::move(bare))}), three);
}

void TestFiguresData::ticksAreRound_data()
{
    QTest::addColumn<double>("high");
    QTest::addColumn<int>("count");
    QTest::addColumn<QString>("labels");
    const double gib = 1024.0 * 1024 * 1024;
    QTest::newRow("GiB in halves") << 2.6 * gib << 6 << "0.0 0.5 1.0 1.5 2.0 2.5";
    QTest::newRow("GiB in ones") << 4.2 * gib << 5 << "0 1 2 3 4";
    QTest::newRow("MiB in hundreds") << 512.0 * 1024 * 1024 << 6 << "0 100 200 300 400 500";
    QTest::newRow("bytes") << 12.0 << 3 << "0 5 10";
}

void TestFiguresData::ticksAreRound()
{
    QFETCH(double, high);
    QFETCH(int, count);
    QFETCH(QString, labels);
    QCOMPARE(roundTicks(0, high, count, byteUnit(high)).labels.join(QLatin1Char(' ')), labels);
}

void TestFiguresData::hatchCoversASquare()
{
    const QPolygonF square(QRectF(0.5, 0.5, 10, 10));
    const auto flat = hatchLines(square, 0, 1);
    QCOMPARE(flat.size(), std::size_t{10}); // at y = 1 ... 10
    for (const QLineF& line : flat)
        QVERIFY(std::abs(line.length() - 10) < 1e-9);
    // Lines at 45 degrees: together they are as long as the area over their distance, about.
    double length = 0;
    for (const QLineF& line : hatchLines(square, 45, 0.1)) {
        length += line.length();
        QVERIFY(square.boundingRect().adjusted(-1e-9, -1e-9, 1e-9, 1e-9).contains(line.p1()));
        QVERIFY(line.dx() * line.dy() < 0); // rising on a page whose y points down
    }
    QVERIFY(std::abs(length * 0.1 - 100) < 1);
}

void TestFiguresData::hatchSparesAHole()
{
    // A U: the lines through its arms must not cross the gap.
    const QPolygonF u{{0, 0}, {3, 0}, {3, 6}, {6, 6}, {6, 0}, {9, 0}, {9, 9}, {0, 9}};
    for (const QLineF& line : hatchLines(u, 0, 1.3)) {
        const double longest = line.y1() < 6 ? 3 : 9;
        QVERIFY(std::abs(line.length() - longest) < 1e-9);
    }
}

void TestFiguresData::layersComeFromNames_data()
{
    QTest::addColumn<int>("layer");
    QTest::newRow("model.decoder.layers.3.self_attn.q_proj") << 3;
    QTest::newRow("transformer.h.11.mlp") << 11;
    QTest::newRow("layers.0") << 0;
    QTest::newRow("lm_head") << -1;
    QTest::newRow("model.layers.fc1.weight2") << -1;
    QTest::newRow("") << -1;
}

void TestFiguresData::layersComeFromNames()
{
    QFETCH(int, layer);
    const auto found = layerOf(QTest::currentDataTag());
    QCOMPARE(found.has_value(), layer >= 0);
    if (found)
        QCOMPARE(*found, std::int64_t{layer});
}

void TestFiguresData::phasePeaksAreThoseOfTheTimeline()
{
    const RunResult run = sampleRun();
    const MemorySection& memory = *run.memory;
    const std::vector<PhasePeak> peaks = phasePeaks(memory, MemoryTimeline(memory.timeline));
    std::int64_t highest = 0;
    for (const PhasePeak& peak : peaks) {
        QCOMPARE(std::accumulate(peak.components.begin(), peak.components.end(), std::int64_t{0}), peak.totalBytes);
        highest = std::max(highest, peak.totalBytes);
        if (peak.phase == Phase::Load)
            QCOMPARE(peak.totalBytes, (std::int64_t{150} + 27 * 12) << 20);
        if (peak.totalBytes == memory.peakBytes)
            QCOMPARE(peak.phase, Phase::Backward);
    }
    QCOMPARE(highest, memory.peakBytes);
    QCOMPARE(peaks.front().phase, Phase::Load);
}

void TestFiguresData::kindsAndLayersSumUp()
{
    const RunResult run = sampleRun();
    std::int64_t modules = 0;
    std::int64_t layered = 0;
    for (const ModuleUsage& module : run.memory->modules) {
        modules += module.parameterBytes + module.gradientBytes + module.activationBytes;
        if (layerOf(module.name))
            layered += module.activationBytes;
    }
    std::int64_t kinds = 0;
    for (const KindUsage& usage : kindUsages(*run.memory))
        kinds += usage.total();
    QCOMPARE(kinds, modules);
    // The class of a linear layer tells no kind; its place in the model does.
    MemorySection linear;
    for (const char* name : {"blocks.0.mlp.2", "blocks.0.query_key_value"})
        linear.modules.emplace_back().name = name;
    for (ModuleUsage& module : linear.modules)
        module.activationBytes = 8;
    const std::vector<KindUsage> told = kindUsages(linear);
    QCOMPARE(told.size(), std::size_t{2});
    QCOMPARE(told[0].kind, std::optional(ModuleKind::Attention));
    QCOMPARE(told[1].kind, std::optional(ModuleKind::Mlp));
    std::int64_t layers = 0;
    const std::vector<LayerUsage> usages = layerUsages(*run.memory);
    QCOMPARE(usages.size(), std::size_t{12});
    for (const LayerUsage& usage : usages)
        layers += usage.total();
    QCOMPARE(layers, layered);
}

void TestFiguresData::operatorsSumUp()
{
    const RunResult run = sampleRun();
    std::int64_t bytes = 0;
    double seconds = 0;
    for (const OperatorUsage& usage : run.memory->operators) {
        bytes += usage.allocatedBytes;
        seconds += usage.seconds;
    }
    for (const OperatorTotals& total : operatorTotals(*run.memory)) {
        QVERIFY(total.name.find("aten::") == std::string::npos);
        bytes -= total.totalBytes();
        seconds = std::accumulate(total.seconds.begin(), total.seconds.end(), seconds, std::minus<>());
    }
    QCOMPARE(bytes, std::int64_t{0});
    QVERIFY(std::abs(seconds) < 1e-9);
    // A phase of its own, not one of the others.
    RunResult clipped;
    clipped.memory.emplace().operators = {{.name = "aten::mm", .phase = Phase::Norms, .allocatedBytes = 7}};
    const std::vector<OperatorTotals> totals = operatorTotals(*clipped.memory);
    QCOMPARE(totals.front().bytes[static_cast<std::size_t>(StepPart::Norms)], std::int64_t{7});
}

void TestFiguresData::runsAreNamedByWhatDiffers()
{
    QCOMPARE(runLabels(sampleRuns(1)), std::vector<QString>{QStringLiteral("opt-125m")});
    RunResult point = sampleRun();
    point.other["source"] = {{"file", "sweep.json"}, {"setting", "seq 64"}};
    QCOMPARE(runLabels({shared(point)}), std::vector<QString>{QStringLiteral("opt-125m · seq 64")});
    point.config = {}; // of another program
    QCOMPARE(runLabels({shared(point)}), std::vector<QString>{QStringLiteral("seq 64")});
    const std::vector<QString> two = runLabels(sampleRuns(2));
    QCOMPARE(two[0], QStringLiteral("clipping none"));
    QCOMPARE(two[1], QStringLiteral("clipping ghost"));
    SampleOptions other;
    other.model = "gpt2";
    const std::vector<QString> models = runLabels({shared(sampleRun()), shared(sampleRun(other))});
    QCOMPARE(models[0], QStringLiteral("opt-125m"));
    QCOMPARE(models[1], QStringLiteral("gpt2"));
    const std::vector<QString> same = runLabels({shared(sampleRun()), shared(sampleRun())});
    QCOMPARE(same[1], QStringLiteral("opt-125m (run 2)"));
    // By their files, where nothing else tells them apart.
    RunResult first = sampleRun(), second = sampleRun();
    first.config = second.config = {{"device", "cpu"}};
    first.other["source"]["file"] = "first.json";
    second.other["source"]["file"] = "second.json";
    const std::vector<QString> traces = runLabels({shared(first), shared(second), shared(sampleRun())});
    QCOMPARE(traces[0], QStringLiteral("first.json"));
    QCOMPARE(traces[1], QStringLiteral("second.json"));
    // However many settings differ.
    RunResult many = sampleRun();
    for (const char* key : {"a", "b", "c", "d"})
        many.config[key] = 1;
    QCOMPARE(runLabels({shared(sampleRun()), shared(many)})[1], QStringLiteral("a 1 · b 1 · c 1 · d 1"));
    // What another program does not write down is no difference.
    RunResult imported = sampleRun();
    imported.config = {{"kind", "prm"}};
    imported.other["source"] = {{"format", "prm_results"}, {"file", "complete_results.json"}};
    const std::vector<QString> mixed = runLabels({shared(sampleRun()), shared(imported)});
    QVERIFY2(mixed[0].startsWith(QStringLiteral("opt-125m")) && !mixed[0].contains(QStringLiteral("batch")),
             qPrintable(mixed[0]));
    // A comparison of methods calls them what they were called.
    std::vector<QString> methods;
    for (const char* clipping : {"none", "ghost"}) {
        RunResult run = sampleRun();
        run.config["training"] = {{"clipping", clipping}, {"noise_multiplier", clipping[0] == 'n' ? 0 : 1}};
        run.other["comparison"] = {{"methods", {"vanilla", "ghost"}}};
        methods.push_back(runLabels({shared(run)}).front());
    }
    QCOMPARE(methods, (std::vector<QString>{QStringLiteral("vanilla"), QStringLiteral("ghost")}));
    // What a run's kind does not read is nothing of it.
    RunResult exact = sampleRun(), rough = sampleRun();
    exact.kind = rough.kind = ResultKind::Curvature;
    rough.config["training"]["lr"] = 0.5;
    rough.config["curvature"]["probes"] = 7;
    QCOMPARE(runLabels({shared(exact), shared(rough)})[1], QStringLiteral("probes 7"));
    RunResult bare;
    bare.id = "only-an-id";
    bare.config = nlohmann::json();
    QCOMPARE(runLabels({shared(bare)}).front(), QStringLiteral("only-an-id"));
    // A recorded program is called by its script.
    bare.config = {{"program", {{"command", {"/usr/bin/python", "/home/me/train.py", "--batch", "8"}}}}};
    QCOMPARE(runLabels({shared(bare)}).front(), QStringLiteral("train.py"));
}

void TestFiguresData::stepsFollowThePhases()
{
    const RunResult run = sampleRun();
    const std::vector<PhaseSpan> steps = stepSpans(*run.memory);
    QCOMPARE(steps.size(), std::size_t{3});
    for (std::size_t i = 0; i < steps.size(); ++i) {
        QCOMPARE(steps[i].step, static_cast<std::int64_t>(i));
        QVERIFY(steps[i].endSeconds > steps[i].startSeconds);
    }
    QCOMPARE(steps.back().endSeconds, endSeconds(*run.memory));
}

void TestFiguresData::csvHoldsTheNumbers()
{
    const RunResults one = sampleRuns(1);
    const MemorySection& memory = *one.front()->memory;
    const QByteArray timeline = figureCsv("memory_timeline", one);
    QCOMPARE(timeline.count('\n'), static_cast<qsizetype>(memory.timeline.size()) + 1);
    QVERIFY(timeline.startsWith("time_seconds,"));
    QVERIFY(figureCsv("memory_timeline", sampleRuns(2)).startsWith("run,time_seconds,"));
    const QByteArray breakdown = figureCsv("memory_breakdown_comparison", one);
    QCOMPARE(breakdown.count('\n'), static_cast<qsizetype>(kComponentCount) + 1);
    const QByteArray states =
        QByteArray::number(static_cast<qlonglong>(componentBytes(memory.peakComponents, Component::OptimizerStates)));
    QVERIFY(breakdown.contains("opt-125m,optimizer_states," + states + ","));
    QVERIFY(figureCsv("detailed_memory_analysis", one).contains("layer_activations,11,attention,"));
    QVERIFY(figureCsv("operation_level_breakdown", one).contains(",mm,backward,"));
}

// A run that wrote no phases and whose modules have no layers is drawn with a word where a panel is empty.
void TestFiguresData::emptyPanelsSaySo()
{
    RunResult run = sampleRun();
    run.memory->phases.clear();
    run.memory->modules = {{"head", std::nullopt, 1 << 20, 0, 1 << 20, 1 << 21, 0, 0}};
    for (OperatorUsage& usage : run.memory->operators)
        usage.seconds = 0;
    const RunResults runs{shared(std::move(run))};
    QCOMPARE(availableFigures(runs).size(), std::size_t{5});
    for (const std::string& figure : availableFigures(runs)) {
        for (const FigurePreset& preset : figurePresets())
            QVERIFY(!renderFigureImage(figure, runs, preset, FigureTheme::Light, 72).isNull());
    }
}

PEAKSCOPE_TEST(TestFiguresData)
#include "test_figures_data.moc"
