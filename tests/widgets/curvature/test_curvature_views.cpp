// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The curvature views, driven with the events of a recorded run: what they show against the numbers, by mouse and keys,
// in both themes; and pictures of them for people to look at.
#include "tests/test_room.h"
#include "tests/widgets/curvature/curvature_samples.h"
#include "tests/widgets/plot/plot_mouse.h"
#include "tests/widgets/timeline/training_data.h"

#include "core/analysis/response/finished_result.h"
#include "core/results/section_readers.h"
#include "widgets/curvature/curvature_convergence_view.h"
#include "widgets/curvature/curvature_histogram_view.h"
#include "widgets/curvature/curvature_layers_view.h"
#include "widgets/curvature/curvature_spectrum_view.h"
#include "widgets/curvature/curvature_tables.h"
#include "widgets/tables/usage_tables.h"

#include <qcustomplot.h>

#include <QClipboard>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace peakscope;
using peakscope::test::hover;
using peakscope::test::pixelAt;

namespace {

CurvatureData sample(bool withCourse = true)
{
    return *finishedResult(test::curvatureResult(withCourse))->curvature;
}

int pixelsNear(const QImage& image, const QColor& color)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            count += std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) +
                         std::abs(pixel.blue() - color.blue()) <
                     12;
        }
    }
    return count;
}

template <typename View>
void photograph(const char* name, const CurvatureData& data)
{
    for (const bool dark : {false, true}) {
        test::applyPalette(dark);
        View view;
        test::showAt(view, 640, 360);
        view.setData(data);
        QTest::qWait(60);
        test::saveScreenshot(view, QString::fromLatin1(name) + (dark ? "_dark" : "_light"));
    }
    test::applyPalette(false);
}

} // namespace

class TestCurvatureViews : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(test::curvatureEvents().size() > 30); }
    void init() { test::applyPalette(false); }

    void theSectionIsReadWhole()
    {
        const CurvatureData data = sample(false);
        QVERIFY(data.trace && data.hutchPlusPlus && data.density && data.offBlockMass);
        QCOMPARE(data.trace->samples, 80);
        QVERIFY(qAbs(data.trace->mean - 31.42089) < 1e-4);
        QVERIFY(data.trace->low < data.trace->mean && data.trace->mean < data.trace->high);
        QCOMPARE(data.eigenvalues.size(), std::size_t{4});
        QVERIFY(qAbs(data.eigenvalues.front().value + 39.78416) < 1e-4);
        QCOMPARE(data.density->probes, 4);
        QCOMPARE(data.diagonals.size(), std::size_t{1});
        QCOMPARE(data.diagonals.front().value.size(), std::size_t{1200});
        QVERIFY(data.blocks.size() > 20);
        QVERIFY(data.density->near + data.density->below <= 1.0000001);
        QVERIFY(data.density->near > 0.3);
        QVERIFY(data.course.empty());
        QVERIFY(!sample(true).course.empty());
    }

    void wrongTypesAreLeftOut_data()
    {
        QTest::addColumn<QByteArray>("section");
        QTest::newRow("nothing") << QByteArray("{}");
        QTest::newRow("not an object") << QByteArray("[1, 2]");
        QTest::newRow("texts for numbers") << QByteArray(
            R"({"trace": {"mean": "x", "ci": ["a", "b"]}, "eigenvalues": ["a", 3, {"value": "b"}], "blocks": {"a": 1},)"
            R"("diagonal": {"entries": {"value": 1}, "count": "many"}, "density": {"grid": [1], "value": "x"}})");
        QTest::newRow("nulls") << QByteArray(
            R"({"trace": null, "eigenvalues": null, "blocks": [null], "diagonal": {"entries": [null]},)"
            R"("density": {"grid": [0, null], "value": [1, 2], "probes": 3}, "off_block_mass": null})");
        QTest::newRow("lengths that differ") << QByteArray(R"({"density": {"grid": [0, 1, 2], "value": [1, 2]}})");
        QTest::newRow("a grid that falls") << QByteArray(R"({"density": {"grid": [2, 1], "value": [1, 2]}})");
        QTest::newRow("one node") << QByteArray(R"({"density": {"grid": [1, 1], "value": [1, 2]}})");
    }

    void wrongTypesAreLeftOut()
    {
        QFETCH(QByteArray, section);
        const CurvatureData data = curvatureFromJson(nlohmann::json::parse(section.toStdString()));
        QVERIFY(!data.trace && !data.density && data.diagonals.empty());
        CurvatureConvergenceView convergence;
        CurvatureSpectrumView spectrum;
        CurvatureHistogramView histogram;
        CurvatureLayersView layers;
        convergence.setData(data);
        spectrum.setData(data);
        histogram.setData(data);
        layers.setData(data);
        for (PlotView* view : std::initializer_list<PlotView*>{&convergence, &spectrum, &histogram, &layers}) {
            test::showAt(*view, 500, 300);
            QVERIFY(!view->showsPlot());
            QVERIFY(!view->accessibleDescription().isEmpty());
        }
    }

    void theContractsLeastSectionIsShown()
    {
        // What the contract names and nothing more.
        const CurvatureData data = curvatureFromJson(nlohmann::json::parse(
            R"({"diagonal": {"entries": [{"parameter": "h.0.attn.c_attn.weight", "index": 3, "value": -0.5},)"
            R"({"parameter": "h.1.mlp.c_fc.weight", "index": 0, "value": 0}], "statistics": {"min": -0.5, "max": 0,)"
            R"("mean": -0.25, "std": 0.25}}, "trace": {"mean": 3, "standard_error": 0.5, "ci": [2, 4], "probes": 9},)"
            R"("eigenvalues": [{"value": 7, "residual": 0.001}], "density": {"grid": [-1, 0, 8], "value": [0, 1, 0.1]},)"
            R"("blocks": [{"parameter": "h.0.ln_1.weight", "trace": 1, "standard_error": 0.1, "top": 2,)"
            R"("frobenius": 3}]})"));
        QCOMPARE(data.diagonals.front().kinds.at(0), std::size_t(ModuleKind::Attention));
        QCOMPARE(data.diagonals.front().layers.at(1), 1);
        QCOMPARE(data.blocks.front().kind, std::size_t(ModuleKind::Norm));
        CurvatureSpectrumView spectrum;
        test::showAt(spectrum, 500, 300);
        spectrum.setData(data);
        QVERIFY(spectrum.showsPlot());
        CurvatureHistogramView histogram;
        test::showAt(histogram, 500, 300);
        histogram.setData(data);
        QVERIFY(histogram.showsPlot());
        QCOMPARE(histogram.histogram().kinds.size(), std::size_t{2});
        QCOMPARE(histogram.histogram().kinds.at(1).zeros, 1);
    }

    void namesTellTheKind_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("kind");
        const auto row = [](const char* name, ModuleKind kind) {
            QTest::newRow(name) << QByteArray(name) << static_cast<int>(kind);
        };
        row("model.decoder.layers.0.self_attn.q_proj.weight", ModuleKind::Attention);
        row("model.decoder.layers.0.self_attn_layer_norm.bias", ModuleKind::Norm);
        row("model.decoder.layers.3.fc2.weight", ModuleKind::Mlp);
        row("model.decoder.embed_positions.weight", ModuleKind::Embedding);
        row("transformer.h.1.attn.c_proj.weight", ModuleKind::Attention);
        row("transformer.h.1.mlp.c_proj.weight", ModuleKind::Mlp);
        row("transformer.ln_f.weight", ModuleKind::Norm);
        row("transformer.wte.weight", ModuleKind::Embedding);
        row("model.layers.2.mlp.gate_proj.weight", ModuleKind::Mlp);
        row("model.layers.2.post_attention_layernorm.weight", ModuleKind::Norm);
        row("model.norm.weight", ModuleKind::Norm);
        row("lm_head.weight", ModuleKind::Head);
        row("gpt_neox.layers.0.attention.query_key_value.weight", ModuleKind::Attention);
        row("gpt_neox.layers.0.mlp.dense_h_to_4h.weight", ModuleKind::Mlp);
        row("embed_out.weight", ModuleKind::Head);
        row("model.layers.0.self_attn.q_proj.lora_A.weight", ModuleKind::Lora);
    }

    void namesTellTheKind()
    {
        QFETCH(QByteArray, name);
        QFETCH(int, kind);
        QCOMPARE(static_cast<int>(curvatureKindOf(name.toStdString())), kind);
    }

    void intervalsNarrowAsEventsCome()
    {
        CurvatureFollower follower;
        CurvatureConvergenceView view;
        test::showAt(view, 640, 360);
        QVERIFY(!view.showsPlot());
        CurvatureData data;
        double seconds = 0, firstWidth = 0, lastWidth = 0;
        for (const Event& event : test::curvatureEvents()) {
            const CurvatureNews news = follower.add(event, seconds += 0.1);
            if (news.section)
                data = *news.section;
            data.course = follower.course();
            if (news.empty() || !std::holds_alternative<EstimateEvent>(event))
                continue;
            view.setData(data);
            QVERIFY(view.showsPlot());
            if (std::get<EstimateEvent>(event).name == "trace") {
                const CurvatureInterval interval = intervalOf(news.moments.front().second);
                lastWidth = interval.high - interval.low;
                if (firstWidth == 0)
                    firstWidth = lastWidth;
            }
        }
        QVERIFY(lastWidth > 0 && lastWidth < firstWidth / 3);
        // The engine's own interval and the one of the events are the same.
        const CurvatureData end = sample(true);
        const CurvatureInterval last = intervalOf(end.course.series().at("trace").back());
        QVERIFY(qAbs(last.low - end.trace->low) < 1e-4 * qAbs(end.trace->low));
        QVERIFY(qAbs(last.high - end.trace->high) < 1e-4 * qAbs(end.trace->high));
        QVERIFY(follower.course().productsPerSecond() > 0);
    }

    void convergenceShowsWhatIsChosen()
    {
        using Quantity = CurvatureConvergenceView::Quantity;
        CurvatureConvergenceView view;
        test::showAt(view, 640, 360);
        view.setData(sample(true));
        QCOMPARE(view.quantity(), Quantity::Trace);
        QVERIFY(view.summary().contains(QStringLiteral("95 %")));
        QVERIFY(view.summary().contains(QStringLiteral("31.421")));
        const QColor line(0x00, 0x72, 0xb2);
        QTest::qWait(60);
        QVERIFY(pixelsNear(view.grab().toImage(), line) > 40);
        view.setQuantity(Quantity::Eigenvalues);
        QVERIFY(view.summary().contains(QStringLiteral("−39.7842")));
        QVERIFY(view.visibleDataTsv().contains(QStringLiteral("Eigenvalue 4")));
        view.setQuantity(Quantity::DiagonalMean);
        QVERIFY(view.visibleDataTsv().startsWith(QStringLiteral("estimate\t")));
        // A choice that the next run has no numbers for falls back to one it has.
        CurvatureData other;
        other.eigenvalues = {{3, 0.1}};
        other.eigenProducts = 12;
        view.setData(other);
        QCOMPARE(view.quantity(), Quantity::Eigenvalues);
        view.clear();
        QVERIFY(!view.showsPlot());
    }

    void aFileWithoutTheCourseShowsItsEnd()
    {
        CurvatureConvergenceView view;
        test::showAt(view, 640, 360);
        view.setData(sample(false));
        QVERIFY(view.showsPlot());
        QVERIFY(view.readout().contains(QStringLiteral("After 80 probes")));
        CurvatureData exact;
        exact.trace = CurvatureInterval{5, 0, 5, 5, 0};
        view.setData(exact);
        QVERIFY(view.summary().contains(QStringLiteral("exact")));
        QTest::qWait(60);
        QVERIFY(pixelsNear(view.grab().toImage(), QColor(0x00, 0x72, 0xb2)) > 200);
    }

    void spectrumReadsOutDensityAndTop()
    {
        CurvatureSpectrumView view;
        test::showAt(view, 640, 360);
        view.setData(sample());
        QTest::qWait(60);
        hover(view, pixelAt(view, 35.9, view.plot()->yAxis->range().center()));
        QTRY_VERIFY(view.readout().contains(QStringLiteral("number 2")));
        const QImage image = view.grab().toImage();
        QVERIFY(pixelsNear(image, chartTheme(view.palette()).warning) > 60);
        QVERIFY(view.summary().contains(QStringLiteral("−39.7842")));
        // Zoom, back, all.
        view.setFocus();
        const double width = view.visibleUpper() - view.visibleLower();
        QTest::keyClick(view.plot(), Qt::Key_Plus);
        QVERIFY(view.visibleUpper() - view.visibleLower() < width);
        QTest::keyClick(view.plot(), Qt::Key_Home);
        QCOMPARE(view.visibleUpper() - view.visibleLower(), width);
        view.copyVisibleData();
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("density")));
    }

    void everyEigenvalueOfASmallModelIsASpectrum()
    {
        nlohmann::json section;
        std::vector<double> values;
        for (int i = 0; i < 50; ++i)
            values.push_back(i < 40 ? 0.0 : i - 44.5);
        section["full"] = {{"eigenvalues", values}, {"frobenius", 2}};
        const CurvatureData data = curvatureFromJson(section);
        QVERIFY(data.density && data.density->exact);
        double sum = 0;
        for (std::size_t i = 1; i < data.density->grid.size(); ++i)
            sum += data.density->value[i] * (data.density->grid[i] - data.density->grid[i - 1]);
        QVERIFY(qAbs(sum - 1) < 1e-3);
        QCOMPARE(data.density->near, 0.8);
        QCOMPARE(data.density->below, 0.1);
    }

    void histogramCountsEveryEntry()
    {
        const CurvatureData data = sample();
        for (const bool magnitude : {false, true}) {
            const CurvatureHistogram histogram = curvatureHistogram(data.diagonals.front(), magnitude, 50);
            std::int64_t count = 0;
            for (const CurvatureHistogram::Kind& kind : histogram.kinds) {
                double shares = 0;
                for (const double share : kind.share)
                    shares += share;
                const double zeros = static_cast<double>(kind.zeros) / static_cast<double>(kind.count);
                QVERIFY(qAbs(shares + zeros - 1) < 1e-12);
                count += kind.count;
            }
            QCOMPARE(count, 1200);
        }
    }

    void signedLogarithmGoesAndComesBack_data()
    {
        QTest::addColumn<double>("value");
        for (const double value : {0.0, 1e-9, -1e-9, 1e-4, -1e-4, 0.02, -3.0, 1e5})
            QTest::addRow("%g", value) << value;
    }

    void signedLogarithmGoesAndComesBack()
    {
        QFETCH(double, value);
        const ValueScale scale{1e-4};
        QVERIFY(qAbs(scale.value(scale.place(value)) - value) <= 1e-12 * qAbs(value));
        QCOMPARE(scale.place(-value), -scale.place(value));
        const auto marks = valueMarks(scale, -3, 3, 7);
        QCOMPARE(marks.size(), std::size_t{7});
        QCOMPARE(marks.front().label, QStringLiteral("−10⁻²"));
        QCOMPARE(marks[3].label, QStringLiteral("0"));
        QCOMPARE(marks[4].label, QStringLiteral("10⁻⁴"));
    }

    void bothEstimatorsHaveTheirIntervals()
    {
        CurvatureConvergenceView view;
        test::showAt(view, 640, 360);
        CurvatureData data = sample(true);
        view.setData(data);
        const QString summary = view.summary();
        QVERIFY2(summary.contains(QStringLiteral("Hutch++")) && summary.count(QStringLiteral("95 % interval")) == 2,
                 qPrintable(summary));
        QVERIFY(view.visibleDataTsv().contains(QStringLiteral("Hutch++\t")));
        const auto pictureWith = [&](double half) {
            data.hutchPlusPlus->low = data.hutchPlusPlus->mean - half;
            data.hutchPlusPlus->high = data.hutchPlusPlus->mean + half;
            view.setData(data);
            return view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 1).toImage();
        };
        // The whole interval is inside the plot, and a band of its own colour lies between its ends.
        const double half = 2 * (data.trace->high - data.trace->low);
        const QImage image = pictureWith(half);
        const auto [low, high] = std::pair(data.hutchPlusPlus->low, data.hutchPlusPlus->high);
        QVERIFY(view.plot()->yAxis->range().lower < low && view.plot()->yAxis->range().upper > high);
        const int x = view.plot()->axisRect()->rect().right() - 3;
        const auto at = [&](double value) {
            return image.pixelColor(x, static_cast<int>(view.plot()->yAxis->coordToPixel(value)));
        };
        const QColor inside = at(low + 0.1 * (high - low)), outside = at(high + 0.02 * (high - low));
        QVERIFY2(inside != outside && inside.saturation() > 8,
                 qPrintable(inside.name() + QLatin1Char(' ') + outside.name()));
        // Wider, it looks different: it is drawn, not only listed.
        QVERIFY(pictureWith(half / 8) != image);
    }

    void histogramByMouseKeysAndModes()
    {
        CurvatureHistogramView view;
        test::showAt(view, 640, 400);
        view.setData(sample());
        QVERIFY(view.showsPlot() && !view.showsMagnitude());
        QTest::qWait(60);
        hover(view, pixelAt(view, 0.5, 0.5));
        QTRY_VERIFY(view.readout().startsWith(curvatureKindTitle(view.histogram().kinds.front().kind)));
        QTest::keyClick(view.plot(), Qt::Key_Down, Qt::ControlModifier);
        QTRY_VERIFY(view.readout().startsWith(curvatureKindTitle(view.histogram().kinds.at(1).kind)));
        view.setMagnitude(true);
        QVERIFY(view.histogram().magnitude);
        QVERIFY(view.plot()->xAxis->label().contains(QStringLiteral("|h|")));
        QVERIFY(view.summary().contains(QStringLiteral("exactly zero")));
        // Bars have the kinds' own colours.
        const QImage image = view.grab().toImage();
        QVERIFY(pixelsNear(image, curvatureKindColor(view.histogram().kinds.front().kind)) > 100);
    }

    void diagonalsThatAreAllZeroOrManyAreShown()
    {
        CurvatureData data;
        CurvatureDiagonal diagonal;
        diagonal.name = "diagonal";
        diagonal.parameters = {"a.k_proj.bias"};
        diagonal.kinds = {0};
        diagonal.layers = {-1};
        diagonal.parameter.assign(30, 0);
        diagonal.index.assign(30, 0);
        diagonal.value.assign(30, 0.0);
        diagonal.count = 30;
        data.diagonals = {diagonal};
        CurvatureHistogramView view;
        test::showAt(view, 640, 400);
        view.setData(data);
        QVERIFY(view.showsPlot());
        QCOMPARE(view.histogram().kinds.front().zeros, 30);
        data.diagonals.front().value.clear();
        data.diagonals.front().parameter.clear();
        data.diagonals.front().count = 2'000'000;
        view.setData(data);
        QVERIFY(!view.showsPlot());
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("2,000,000")));
    }

    void layersShowMeansAndSigns()
    {
        const CurvatureData data = sample();
        CurvatureLayersView view;
        test::showAt(view, 640, 360);
        view.setData(data);
        QVERIFY(view.showsPlot());
        const CurvatureLayerMap& map = view.map();
        QCOMPARE(map.layers, (std::vector<std::int64_t>{0, 1, -1}));
        // Against sums over the entries themselves.
        for (std::size_t l = 0; l < map.layers.size(); ++l) {
            for (std::size_t k = 0; k < map.kinds.size(); ++k) {
                double sum = 0;
                std::int64_t count = 0;
                const CurvatureDiagonal& diagonal = data.diagonals.front();
                for (std::size_t i = 0; i < diagonal.value.size(); ++i) {
                    if (diagonal.layers[diagonal.parameter[i]] == map.layers[l] &&
                        diagonal.kinds[diagonal.parameter[i]] == map.kinds[k]) {
                        sum += std::abs(diagonal.value[i]);
                        ++count;
                    }
                }
                QCOMPARE(map.entries[map.cell(l, k)], count);
                if (count > 0)
                    QCOMPARE(map.value[map.cell(l, k)], sum / static_cast<double>(count));
            }
        }
        view.setMagnitude(false);
        QVERIFY(!view.map().magnitude);
        QVERIFY(view.map().shareOf(-view.map().most) == -1 && view.map().shareOf(0) == 0);
        QTest::qWait(60);
        hover(view, pixelAt(view, 0.5, 1.5));
        QTRY_VERIFY(view.readout().startsWith(QStringLiteral("Layer 1")));
    }

    void blocksAloneMakeAMap()
    {
        CurvatureData data = sample();
        data.diagonals.clear();
        CurvatureLayersView view;
        test::showAt(view, 640, 360);
        view.setData(data);
        QVERIFY(view.showsPlot());
        QVERIFY(view.summary().contains(QStringLiteral("traces of its blocks")));
    }

    void tablesHaveTheNumbers()
    {
        const CurvatureData data = sample();
        const Table eigenvalues = eigenvaluesTable(data);
        QCOMPARE(eigenvalues.rows.size(), std::size_t{4});
        QCOMPARE(std::get<double>(eigenvalues.rows[0][1]), data.eigenvalues[0].value);
        QCOMPARE(std::get<double>(eigenvalues.rows[0][2]), data.eigenvalues[0].residual);
        const Table blocks = curvatureBlocksTable(data);
        QCOMPARE(blocks.rows.size(), data.blocks.size());
        double inside = 0;
        const std::size_t share = 14;
        QCOMPARE(blocks.columns[share].name, std::string("share_of_squares"));
        for (const auto& row : blocks.rows)
            inside += std::get<double>(row[share]);
        QVERIFY(qAbs(inside - (1 - data.offBlockMass->mean)) < 1e-4);
        QCOMPARE(curvatureEntriesTable(data).rows.size(), std::size_t{1200});
        DataTableView view;
        test::showAt(view, 700, 300);
        view.setTable(blocks);
        QCOMPARE(view.view()->model()->rowCount(), static_cast<int>(data.blocks.size()));
    }

    void bothEndsOfABlocksSpectrumStandInTheTable()
    {
        const CurvatureData data = curvatureFromJson(nlohmann::json::parse(
            R"({"blocks": [{"parameter": "a", "trace": 1, "top": -5, "top_residual": 0.5, "frobenius": 6,)"
            R"("smallest": {"value": -5, "residual": 0.5}, "largest": {"value": 3, "residual": 0.25}},)"
            R"({"parameter": "b", "trace": 1, "top": 2, "exact": true, "eigenvalues": [2, -1, 0],)"
            R"("smallest": {"value": -1, "residual": 0}, "largest": {"value": 2, "residual": 0}},)"
            R"({"parameter": "c", "trace": 1, "top": 2, "smallest": 3, "eigenvalues": ["x", 2]}]})"));
        QCOMPARE(data.blocks.at(0).smallest.value, -5.0);
        QCOMPARE(data.blocks.at(0).largest.residual, 0.25);
        QCOMPARE(data.blocks.at(1).eigenvalues, (std::vector<double>{-1, 0, 2}));
        QVERIFY(!std::isfinite(data.blocks.at(2).smallest.value) && data.blocks.at(2).eigenvalues.empty());
        const Table table = curvatureBlocksTable(data);
        const auto cell = [&](std::size_t row, const char* name) {
            for (std::size_t i = 0; i < table.columns.size(); ++i) {
                if (table.columns[i].name == name)
                    return std::get<double>(table.rows[row][i]);
            }
            return -1e99;
        };
        QCOMPARE(cell(0, "smallest_eigenvalue"), -5.0);
        QCOMPARE(cell(0, "largest_eigenvalue"), 3.0);
        QCOMPARE(cell(0, "largest_residual"), 0.25);
        QCOMPARE(cell(1, "smallest_residual"), 0.0);
        QVERIFY(std::isnan(cell(2, "largest_eigenvalue")));
    }

    void coursesAreKeptAndThinned()
    {
        CurvatureCourse course;
        for (int i = 1; i <= 20000; ++i)
            course.add("trace", {i, 1.0 + 1.0 / i, 1.0 / std::sqrt(i), i * 0.01});
        const auto& series = course.series().at("trace");
        QVERIFY(series.size() <= CurvatureCourse::kMost && series.size() > 500);
        QCOMPARE(series.back().samples, 20000);
        QCOMPARE(series.front().samples, 1);
        QVERIFY(qAbs(course.productsPerSecond() - 100) < 1);
        // As results keep it.
        EstimateCourse kept;
        for (const CurvatureMoment& moment : series)
            kept.add("trace", {moment.samples, moment.mean, moment.standardError, moment.seconds});
        const CurvatureCourse read = curvatureCourseFromJson(kept.toJson());
        const auto& again = read.series().at("trace");
        QVERIFY(again.size() <= EstimateCourse::kMost + 1 && again.size() > 200);
        QCOMPARE(again.back().samples, 20000);
        QCOMPARE(again.back().mean, series.back().mean);
        QCOMPARE(again.back().standardError, series.back().standardError);
        QCOMPARE(again.back().seconds, series.back().seconds);
        QVERIFY(curvatureCourseFromJson(nlohmann::json::parse(R"({"trace": {"samples": "x"}, "a": 3})")).empty());
    }

    void syntheticAndImportedAreMarked()
    {
        RunResult result = test::curvatureResult();
        result.synthetic = true;
        CurvatureSpectrumView view;
        test::showAt(view, 640, 300);
        view.setData(*finishedResult(result)->curvature);
        const auto badge = [&view] {
            for (const QLabel* label : view.findChildren<QLabel*>()) {
                if (label->isVisible() && label->text() == QLatin1String("synthetic"))
                    return true;
            }
            return false;
        };
        QVERIFY(badge());
        result.synthetic = false;
        result.other["source"] = "x.json";
        view.setData(*finishedResult(result)->curvature);
        QVERIFY(!badge());
        QVERIFY(finishedResult(result)->curvature->imported);
    }

    void pictures()
    {
        const CurvatureData data = sample();
        photograph<CurvatureConvergenceView>("curvature_convergence", data);
        photograph<CurvatureSpectrumView>("curvature_spectrum", data);
        photograph<CurvatureHistogramView>("curvature_histogram", data);
        photograph<CurvatureLayersView>("curvature_layers", data);
        CurvatureConvergenceView view;
        test::showAt(view, 640, 360);
        view.setData(data);
        view.setQuantity(CurvatureConvergenceView::Quantity::Eigenvalues);
        QTest::qWait(60);
        test::saveScreenshot(view, QStringLiteral("curvature_convergence_eigenvalues"));
        CurvatureLayersView layers;
        test::showAt(layers, 640, 360);
        layers.setData(data);
        layers.setMagnitude(false);
        QTest::qWait(60);
        test::saveScreenshot(layers, QStringLiteral("curvature_layers_signed"));
    }
};

PEAKSCOPE_TEST(TestCurvatureViews)
#include "test_curvature_views.moc"
