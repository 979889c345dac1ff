// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// hessian_memory: inside its page at every size, with the file's numbers in figure and view; memory_heatmap of files of
// a point each as one sweep.
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_samples.h"
#include "tests/widgets/figures/figure_text_check.h"

#include "core/import/read_any.h"
#include "core/results/component_reading.h"
#include "widgets/curvature/hessian_memory_style.h"
#include "widgets/curvature/hessian_memory_view.h"
#include "widgets/text/bytes_text.h"
#include "widgets/timeline/module_bars_view.h"

#include <qcustomplot.h>

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace peakscope;
using peakscope::test::textsOfFigure;

namespace {

const std::string kFormats = PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/";

RunResults samples(const std::string& path)
{
    RunResults runs;
    auto results = readAny(kFormats + path);
    for (std::size_t i = 0; results && i < results->size(); ++i)
        runs.push_back(shared(std::move((*results)[i])));
    return runs;
}

} // namespace

class TestPastResultsFigures : public QObject
{
    Q_OBJECT

private slots:
    void saysTheNumbersOfTheFile();
    void textsHaveRoom_data();
    void textsHaveRoom();
    void partsThatAreNotKnown();
    void csvHoldsTheNumbers();
    void axisOfDoublings();
    void viewShowsTheSame();
    void pointsAreOneHeatMap();
    void hookIncreasesAreCalledSo();
};

void TestPastResultsFigures::saysTheNumbersOfTheFile()
{
    const RunResults runs = samples("prm/hessian_memory_analysis.json");
    QCOMPARE(availableFigures(runs), std::vector<std::string>{"hessian_memory"});
    const QStringList texts = textsOfFigure("hessian_memory", runs);
    // 2505426944 and 62739527054772224 bytes of the first model.
    for (const char* text : {"2.33 GiB, Diagonal", "55.7 PiB, Full matrix", "6.01 EiB, Full matrix",
                             "55.7 PiB, beyond this axis", "6.53 GiB", "facebook/opt-1.3b", "Hessian", "1.00 PiB"})
        QVERIFY2(texts.contains(QLatin1String(text)), text);
    QVERIFY(texts.join(u'\n').contains(QStringLiteral("imported")));
    QVERIFY(!checkFigure("hessian_memory", {shared(sampleRun())}));
}

void TestPastResultsFigures::textsHaveRoom_data()
{
    QTest::addColumn<QString>("preset");
    for (const FigurePreset& preset : figurePresets())
        QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
}

void TestPastResultsFigures::textsHaveRoom()
{
    QFETCH(QString, preset);
    const QString fault = faultOfTexts("hessian_memory", samples("prm/hessian_memory_analysis.json"),
                                       *figurePreset(preset.toStdString()));
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
}

void TestPastResultsFigures::partsThatAreNotKnown()
{
    RunResult run = *samples("prm/hessian_memory_analysis.json").front();
    for (nlohmann::json& model : run.other["hessian_memory"]["models"])
        model["memory_breakdown"].erase("intermediate_bytes");
    const QStringList texts = textsOfFigure("hessian_memory", {shared(std::move(run))});
    QVERIFY(texts.contains(QStringLiteral("2.33 GiB")));
    QVERIFY(
        !texts.contains(QStringLiteral("Intermediate results"))); // the legend is of stacks, of which there are none
}

void TestPastResultsFigures::csvHoldsTheNumbers()
{
    const QByteArray csv = figureCsv("hessian_memory", samples("prm/hessian_memory_analysis.json"));
    QCOMPARE(csv.count("\r\n"), qsizetype(1 + 3 * 4));
    QVERIFY(
        csv.contains("facebook/opt-125m,block_diagonal,7014041600,500957184,500957184,641024,1001914368,5009571840"));
}

// A doubling is one place; marks are powers of two, farther apart where more is seen.
void TestPastResultsFigures::axisOfDoublings()
{
    const HessianByteScale scale{20};
    QCOMPARE(scale.place(std::exp2(30)), 10.0);
    QCOMPARE(scale.place(1), 0.0);
    const auto wide = scale.marks(0, 40, 4);
    QCOMPARE(wide.size(), std::size_t(5));
    QCOMPARE(wide[2].place, 20.0);
    QCOMPARE(wide[2].label, QStringLiteral("1.00 TiB"));
    QCOMPARE(scale.marks(0, 3, 4).back().label, QStringLiteral("8.00 MiB"));
    QCOMPARE(largeBytesText(std::exp2(64)), QStringLiteral("16 EiB"));
    QCOMPARE(largeBytesText(std::exp2(70)), QStringLiteral("1 ZiB"));
    QCOMPARE(largeBytesText(1536), QStringLiteral("1.50 KiB"));
}

void TestPastResultsFigures::viewShowsTheSame()
{
    HessianMemoryView view;
    const auto analysis = hessianAnalysisOf(*samples("prm/hessian_memory_analysis.json").front());
    QVERIFY(analysis.ok());
    view.setAnalysis(*analysis);
    QCOMPARE(view.rows().size(), std::size_t(12));
    QCOMPARE(view.rows()[3].bars[0].valueText, QStringLiteral("55.7 PiB"));
    // On the logarithmic axis the full matrix is 24.6 doublings longer than the diagonal.
    const double doublings = std::log2(62739527054772224.0 / 2505426944.0);
    const double diagonal = view.rows()[0].bars[0].total(), full = view.rows()[3].bars[0].total();
    QVERIFY(std::abs((full - diagonal) / 1024 - doublings) < 1e-9);
    QCOMPARE(view.plot()->xAxis->label(), QStringLiteral("Memory (logarithmic)"));
    view.setMode(HessianMemoryView::Mode::Parts);
    QVERIFY(view.plot()->xAxis->label().contains(QStringLiteral("GiB")));
    QCOMPARE(view.rows()[0].bars[0].total(), 2505426944.0);
    QCOMPARE(view.rows()[0].bars[0].segments.back().bytes, 500957184.0);
    QVERIFY(view.rows()[3].bars[0].segments.empty());
    QVERIFY(view.visibleDataTsv().contains(QStringLiteral("block_diagonal\t7014041600\t500957184")));
    view.setAnalysis({});
    QVERIFY(!view.showsPlot() && view.rows().empty());
}

void TestPastResultsFigures::pointsAreOneHeatMap()
{
    const RunResults points = samples("dpsgd/points");
    QVERIFY(points.size() >= 2);
    const QStringList texts = textsOfFigure("memory_heatmap", points);
    // One map: its measure is said once, and all methods stand on its axis.
    QCOMPARE(texts.filter(QRegularExpression(QStringLiteral("^4 points"))).size(), 1);
    for (const char* method : {"ghost", "flash_fuse_bk", "no_dp_single"})
        QVERIFY2(!texts.filter(QLatin1String(method)).isEmpty(), method);
    // Other figures show them one by one.
    QVERIFY(checkFigure("performance_tradeoff", points));
    // More than a page holds of single runs, and still one sweep.
    RunResults many;
    for (int i = 0; i < 12; ++i) {
        RunResult run = *points.front();
        run.config["data"]["seq"] = 512 * (i + 1);
        many.push_back(shared(std::move(run)));
    }
    QVERIFY(checkFigure("memory_heatmap", many));
    QCOMPARE(figureCsv("memory_heatmap", many).count("\r\n"), qsizetype(13));
}

// What the figure calls increases between hooks is called so in the window.
void TestPastResultsFigures::hookIncreasesAreCalledSo()
{
    const RunResults runs = samples("detailed/detailed_memory_results.json");
    const auto detailed = std::find_if(runs.begin(), runs.end(),
                                       [](const auto& run) { return run->memory && !run->memory->modules.empty(); });
    QVERIFY(detailed != runs.end() && modulesAreHookIncreases(**detailed));
    ModuleBarsView view;
    view.setModules((*detailed)->memory->modules, {}, true);
    QCOMPARE(view.title(), QStringLiteral("Hook increases"));
    for (const BarRow& row : view.rows()) {
        QCOMPARE(row.bars[0].segments.size(), std::size_t(2)); // no parameters are known
        QCOMPARE(row.bars[0].segments[0].name, QStringLiteral("Forward: increase between hooks"));
        QVERIFY(!row.tooltip.contains(QStringLiteral("Activations")));
    }
    QVERIFY(view.summary().contains(QStringLiteral("between hooks")));
    view.setModules((*detailed)->memory->modules);
    QVERIFY(view.title().contains(QStringLiteral("own maxima")));
    QCOMPARE(view.rows()[0].bars[0].segments.size(), std::size_t(3));
}

PEAKSCOPE_TEST(TestPastResultsFigures)
#include "test_past_results_figures.moc"
