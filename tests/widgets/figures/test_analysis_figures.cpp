// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of embeddings, classes and perturbations: inside their pages at every size, as vectors, refused with a
// reason where a section is absent, and drawn from the older scripts' files as synthetic.
#include "core/analysis/neighbors/random_stream.h"
#include "core/analysis/response/finished_result.h"
#include "core/import/read_any.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "widgets/analysis/analysis_style.h"
#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_page.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <array>

using namespace peakscope;
using peakscope::test::writtenFigure;
using peakscope::testing::analysisRun;
using peakscope::testing::AnalysisSample;

namespace {

const std::vector<std::string> kFigures{"umap_visualization", "parameter_clustering", "prm_phase_diagram",
                                        "noise_response_curves", "statistical_summary"};

RunResult runWith(const QString& oddity)
{
    AnalysisSample sample;
    if (oddity == QLatin1String("no controls, one drawing")) {
        sample.controls = false;
        sample.repeats = 1;
        sample.attacks = 1;
    } else if (oddity == QLatin1String("thirty noises, five attacks")) {
        sample.attacks = 5;
        sample.sigmas.clear();
        for (int i = 0; i < 30; ++i)
            sample.sigmas.push_back(i == 0 ? 0 : 1e-6 * std::pow(1.6, i));
    } else if (oddity == QLatin1String("one noise")) {
        sample.sigmas = {0.1};
    } else if (oddity == QLatin1String("four thousand units")) {
        sample.units = 4000;
    }
    RunResult run = analysisRun(sample);
    if (oddity == QLatin1String("forty clusters")) {
        for (std::size_t i = 0; i < run.other["embedding"]["clusters"].size(); ++i)
            run.other["embedding"]["clusters"][i] = static_cast<int>(i % 41) - 1;
    } else if (oddity == QLatin1String("one place for all")) {
        for (auto& place : run.other["embedding"]["coordinates"])
            place = {3.5, -2.0};
    } else if (oddity == QLatin1String("numbers missing")) {
        run.other["embedding"]["coordinates"][3] = {nullptr, nullptr};
        run.other["features"]["units"][5]["values"][8] = nullptr;
        run.other["prm"]["results"][9]["delta_auc"] = nullptr;
    } else if (oddity == QLatin1String("quantile rule")) {
        run.other["partition"]["rule"] = "quantile";
    } else if (oddity == QLatin1String("no classes")) {
        run.other.erase("partition");
    } else if (oddity == QLatin1String("synthetic")) {
        run.synthetic = true;
    }
    return run;
}

RunResults runs(const QString& oddity)
{
    RunResults results{finishedResult(runWith(oddity))};
    if (oddity == QLatin1String("two runs")) {
        RunResult second = runWith({});
        second.config["prm"] = {{"repeats", 5}};
        results.push_back(finishedResult(std::move(second)));
    }
    return results;
}

QString words(const std::string& figure, const RunResults& results)
{
    QStringList texts;
    for (const auto& placed : drawFigurePage(nullptr, figure, results, *figurePreset("icml-page"), FigureTheme::Light))
        texts << placed.text;
    return texts.join(u'|');
}

RunResults imported(const char* file)
{
    const std::filesystem::path path =
        std::filesystem::path(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/prm") / file;
    auto read = readAny(path, {});
    if (!read || read->empty())
        return {};
    return {finishedResult(read->front())};
}

} // namespace

class TestAnalysisFigures : public QObject
{
    Q_OBJECT

private slots:
    void textsStayInsideAndApart_data();
    void textsStayInsideAndApart();
    void filesAreVectors_data();
    void filesAreVectors();
    void aCaptionApartLeavesTheHead();
    void absentSectionsAreRefused();
    void brokenSectionsAreNamed_data();
    void brokenSectionsAreNamed();
    void figuresSayWhatTheyShow();
    void unitsWithoutAPlaceAreCounted();
    void noClassCoversAnother();
    void dataHoldTheNumbers();
    void olderFilesAreDrawn_data();
    void olderFilesAreDrawn();
    void pictures();
};

void TestAnalysisFigures::textsStayInsideAndApart_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("preset");
    QTest::addColumn<QString>("oddity");
    for (const std::string& figure : kFigures) {
        for (const FigurePreset& preset : figurePresets()) {
            for (const char* oddity :
                 {"usual", "no controls, one drawing", "thirty noises, five attacks", "one noise", "forty clusters",
                  "one place for all", "numbers missing", "quantile rule", "no classes", "synthetic", "two runs"}) {
                const bool usual = qstrcmp(oddity, "usual") == 0;
                if (!usual && preset.name != "icml-column" && preset.name != "icml-page" && !preset.fixedHeight)
                    continue;
                QTest::addRow("%s %s: %s", figure.c_str(), preset.name.c_str(), oddity)
                    << QString::fromStdString(figure) << QString::fromStdString(preset.name)
                    << QString::fromLatin1(oddity);
            }
        }
    }
}

void TestAnalysisFigures::textsStayInsideAndApart()
{
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    QFETCH(QString, oddity);
    const QString fault = faultOfTexts(figure.toStdString(), runs(oddity), *figurePreset(preset.toStdString()));
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
}

void TestAnalysisFigures::filesAreVectors_data()
{
    QTest::addColumn<QString>("figure");
    for (const std::string& figure : kFigures)
        QTest::newRow(figure.c_str()) << QString::fromStdString(figure);
}

void TestAnalysisFigures::filesAreVectors()
{
    QFETCH(QString, figure);
    const RunResults results = runs({});
    const FigurePreset page = *figurePreset("icml-column");
    const QByteArray pdf = writtenFigure(figure.toStdString(), results, page, FigureFormat::Pdf);
    QVERIFY(pdf.startsWith("%PDF-"));
    QVERIFY2(!pdf.contains("/Subtype /Image"), "a picture instead of vectors");
    QVERIFY2(pdf.contains("/FontFile2"), "no font is embedded");
    const QByteArray svg = writtenFigure(figure.toStdString(), results, page, FigureFormat::Svg);
    QCOMPARE(svg, writtenFigure(figure.toStdString(), results, page, FigureFormat::Svg));
    QVERIFY(!svg.contains("<image"));
    QVERIFY(svg.contains("prm-sample"));
    QImage image;
    QVERIFY(image.loadFromData(writtenFigure(figure.toStdString(), results, page, FigureFormat::Png), "png"));
    QVERIFY(std::abs(image.width() - page.widthMm / 25.4 * page.dpi) <= 1);
    // Thousands of points stay a file that can be sent by mail.
    const QByteArray many =
        writtenFigure(figure.toStdString(), runs(QStringLiteral("four thousand units")), page, FigureFormat::Pdf);
    QVERIFY2(many.size() < 2 * 1024 * 1024, qPrintable(QString::number(many.size())));
}

// What is said about the numbers stands in the figure, or in its caption, never in both.
void TestAnalysisFigures::aCaptionApartLeavesTheHead()
{
    const RunResults results = runs(QString());
    FigurePreset preset = *figurePreset("icml-column");
    const auto headOf = [&] {
        for (const auto& placed : drawFigurePage(nullptr, "umap_visualization", results, preset, FigureTheme::Light)) {
            if (placed.text.contains(QStringLiteral("n_neighbors")))
                return placed.text;
        }
        return QString();
    };
    QVERIFY(!headOf().isEmpty());
    const double height = figureSizeMm("umap_visualization", results, preset).height();
    preset.captionApart = true;
    QVERIFY2(headOf().isEmpty(), qPrintable(headOf()));
    QVERIFY(figureSizeMm("umap_visualization", results, preset).height() <= height);
    const QString caption = figureCaption("umap_visualization", results, preset);
    QVERIFY2(caption.contains(QStringLiteral("n_neighbors 15")) &&
                 caption.startsWith(figureTitle("umap_visualization") + u'.'),
             qPrintable(caption));
    for (const std::string& figure : kFigures) {
        if (checkFigure(figure, results))
            QVERIFY2(figureCaption(figure, results, preset).endsWith(u'.'), figure.c_str());
    }
    QVERIFY(figureCaption("no such figure", results, preset).isEmpty());
}

void TestAnalysisFigures::absentSectionsAreRefused()
{
    RunResult memory;
    memory.id = "run";
    const RunResults nothing{finishedResult(memory)};
    for (const std::string& figure : kFigures) {
        const Status status = checkFigure(figure, nothing);
        QVERIFY2(!status && status.error().text().find("it holds n") != std::string::npos, figure.c_str());
    }
    AnalysisSample sample;
    sample.embedding = false;
    const RunResults flat{finishedResult(analysisRun(sample))};
    QVERIFY(!checkFigure("umap_visualization", flat));
    QVERIFY(checkFigure("umap_visualization", flat).error().text().find("no embedding.coordinates") !=
            std::string::npos);
    QVERIFY(checkFigure("prm_phase_diagram", flat).ok());
    QCOMPARE(availableFigures(runs({})), kFigures);
}

void TestAnalysisFigures::brokenSectionsAreNamed_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::newRow("a label of its own") << "/partition/labels/3"
                                        << "\"Wx\"";
    QTest::newRow("a cluster below noise") << "/embedding/clusters/0"
                                           << "-2";
    QTest::newRow("too few clusters") << "/embedding/clusters"
                                      << "[0, 1]";
    QTest::newRow("a place of text") << "/embedding/coordinates/7"
                                     << "\"here\"";
    QTest::newRow("a row of features too short") << "/features/units/0/values"
                                                 << "[1]";
    QTest::newRow("names that are none") << "/features/names"
                                         << "3";
    QTest::newRow("noise below zero") << "/prm/results/1/noise_level"
                                      << "-1";
    QTest::newRow("results as an object") << "/prm/results"
                                          << "{}";
    QTest::newRow("a section of text") << "/prm"
                                       << "\"prm\"";
}

void TestAnalysisFigures::brokenSectionsAreNamed()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    RunResult run = analysisRun();
    run.other[nlohmann::json::json_pointer(pointer.toStdString())] = nlohmann::json::parse(value.toStdString());
    const RunResults results{finishedResult(std::move(run))};
    for (const std::string& figure : kFigures) {
        const Status status = checkFigure(figure, results);
        QVERIFY(!status);
        const std::string section = pointer.section(u'/', 1, 1).toStdString();
        QVERIFY2(status.error().text().find(section) != std::string::npos, status.error().text().c_str());
        QVERIFY2(status.error().text().find("must be") != std::string::npos ||
                     status.error().text().find("would be right") != std::string::npos,
                 status.error().text().c_str());
    }
}

void TestAnalysisFigures::figuresSayWhatTheyShow()
{
    const RunResults usual = runs({});
    const QString umap = words("umap_visualization", usual);
    for (const char* word : {"Wfunc (30)", "Wsens (18)", "Wboth (72)", "120 units", "n_neighbors 15", "UMAP 1"})
        QVERIFY2(umap.contains(QLatin1String(word)), word);
    QVERIFY(words("parameter_clustering", usual).contains(QStringLiteral("silhouette 0.653")));
    QVERIFY(words("parameter_clustering", usual).contains(QStringLiteral("Noise")));
    const QString phase = words("prm_phase_diagram", usual);
    QVERIFY(phase.contains(QStringLiteral("alignment ≥ 0.7, sparsity < 0.5")));
    QVERIFY(words("prm_phase_diagram", runs(QStringLiteral("quantile rule"))).contains(QStringLiteral("by rank")));
    const QString curves = words("noise_response_curves", usual);
    for (const char* word : {"AUC of loss", "AUC of reference", "0.003", "Control of Wfunc"})
        QVERIFY2(curves.contains(QLatin1String(word)), word);
    QVERIFY(words("statistical_summary", usual).contains(QStringLiteral("Hedges")));
    // What has no spread has no standardised effect, whatever its change is.
    QVERIFY(!words("statistical_summary", usual).contains(QStringLiteral("g –")));
    RunResult even = runWith({});
    for (auto& row : even.other["prm"]["results"]) {
        if (row["noise_level"].get<double>() < 0.004) // the least above zero
            row["delta_auc"] = 0.0;
    }
    QVERIFY(words("statistical_summary", {finishedResult(std::move(even))}).contains(QStringLiteral("g –")));
    const RunResults bare = runs(QStringLiteral("no controls, one drawing"));
    QVERIFY(words("statistical_summary", bare).contains(QStringLiteral("no random control")));
    QVERIFY(words("noise_response_curves", bare).contains(QStringLiteral("no intervals")));
    // An interval that is wider than the panel does not end where that does.
    const QString beyond = QStringLiteral("go on beyond it");
    QVERIFY(curves.contains(beyond) && !words("noise_response_curves", bare).contains(beyond));
    for (const std::string& figure : kFigures)
        QVERIFY(words(figure, runs(QStringLiteral("synthetic"))).contains(QStringLiteral("synthetic")));
}

// Hollow marks along the upper border, as many as there is room for, and their number.
void TestAnalysisFigures::unitsWithoutAPlaceAreCounted()
{
    // Lines of more than two points; there are no others in these figures.
    const auto outlines = [](const std::string& figure, const RunResults& results) {
        const QString svg =
            QString::fromUtf8(writtenFigure(figure, results, *figurePreset("icml-column"), FigureFormat::Svg));
        static const QRegularExpression kOutline(QStringLiteral("<polyline[^>]*points=\"([^ \"]+ ){3,}"));
        return svg.count(kOutline);
    };
    for (const std::string figure : {"umap_visualization", "parameter_clustering"}) {
        const RunResults usual = runs({});
        QVERIFY(!words(figure, usual).contains(QStringLiteral("without a place")));
        for (const int count : {1, 6, 100}) {
            RunResult run = runWith({});
            for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
                run.other["embedding"]["coordinates"][i] = nlohmann::json(nullptr);
                run.other["embedding"]["clusters"][i] = -1;
            }
            const RunResults results{finishedResult(std::move(run))};
            QVERIFY(words(figure, results).contains(QStringLiteral("%1 without a place").arg(count)));
            const auto drawn = outlines(figure, results) - outlines(figure, usual);
            QVERIFY2(count == 100 ? drawn > 10 && drawn <= 24 : drawn == count, qPrintable(QString::number(drawn)));
            const QString fault = faultOfTexts(figure, results, *figurePreset("icml-column"));
            QVERIFY2(fault.isEmpty(), qPrintable(fault));
        }
    }
}

// Three classes in one place, block behind block in the file: each is about a third of what is seen.
void TestAnalysisFigures::noClassCoversAnother()
{
    AnalysisSample sample;
    sample.units = 1500;
    RunResult run = analysisRun(sample);
    const std::array<UnitGroup, 3> groups{UnitGroup::Both, UnitGroup::Func, UnitGroup::Sens};
    for (std::size_t i = 0; i < 1500; ++i) {
        RandomStream random(7, 0, i);
        const double x = random.normal(), y = random.normal();
        run.other["embedding"]["coordinates"][i] = {x, y};
        run.other["partition"]["labels"][i] = name(groups[i / 500]);
    }
    const RunResults results{finishedResult(std::move(run))};
    const QImage image = renderFigureImage("umap_visualization", results, *figurePreset("icml-column"));
    std::array<int, 3> pixels{};
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor at = image.pixelColor(x, y);
            if (at.hsvSaturation() < 60)
                continue;
            std::array<int, 3> off{};
            for (std::size_t g = 0; g < groups.size(); ++g) {
                const int turn = std::abs(at.hsvHue() - groupMarker(groups[g]).color.hsvHue());
                off[g] = std::min(turn, 360 - turn);
            }
            ++pixels[static_cast<std::size_t>(std::min_element(off.begin(), off.end()) - off.begin())];
        }
    }
    const int all = pixels[0] + pixels[1] + pixels[2];
    for (const int each : pixels)
        QVERIFY2(each > 0.22 * all, qPrintable(QString("%1, %2, %3").arg(pixels[0]).arg(pixels[1]).arg(pixels[2])));
    // That of the demo, to be looked at.
    auto demo = readAny(PEAKSCOPE_SOURCE_DIR "/resources/samples/demo_result.json");
    QVERIFY(demo && demo->size() == 1);
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    QVERIFY(renderFigureImage("umap_visualization", {finishedResult(std::move(demo->front()))},
                              *figurePreset("icml-column"), FigureTheme::Light, 200)
                .save(folder.filePath(QStringLiteral("figure_demo_classes_mixed.png"))));
    const QByteArray svg =
        writtenFigure("umap_visualization", results, *figurePreset("icml-column"), FigureFormat::Svg);
    QVERIFY(svg.contains("fill-opacity=\"0.6"));
    QVERIFY(!svg.contains("<image"));
}

void TestAnalysisFigures::dataHoldTheNumbers()
{
    const RunResults usual = runs({});
    QCOMPARE(figureCsv("umap_visualization", usual).count("\r\n"), 121);
    QVERIFY(figureCsv("umap_visualization", usual).contains("alignment"));
    // 6 noises × (3 classes + 3 controls) × 2 attacks.
    QCOMPARE(figureCsv("noise_response_curves", usual).count("\r\n"), 1 + 6 * 6 * 2);
    // 5 noises above zero × 3 classes × (log perplexity + 2 attacks).
    QCOMPARE(figureCsv("statistical_summary", usual).count("\r\n"), 1 + 5 * 3 * 3);
    QCOMPARE(figureCsv("umap_visualization", runs(QStringLiteral("two runs"))).count("\r\n"), 241);
    QVERIFY(figureCsv("prm_phase_diagram", usual).contains("sparsity"));
}

void TestAnalysisFigures::olderFilesAreDrawn_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("figures");
    const QStringList full{"parameter_clustering", "prm_phase_diagram", "noise_response_curves", "statistical_summary"};
    const QStringList rows{"prm_phase_diagram", "noise_response_curves", "statistical_summary"};
    QTest::newRow("ultra safe") << "ultra_safe_results.json" << full;
    QTest::newRow("on a GPU") << "a800_gpu_results.json" << full;
    QTest::newRow("optimized") << "optimized_hessian_results.json" << full;
    QTest::newRow("complete") << "complete_results.json" << full;
    QTest::newRow("as CSV") << "ultra_safe_results.csv" << rows;
    QTest::newRow("pilot, no attack") << "pilot_results.json"
                                      << QStringList{"noise_response_curves", "statistical_summary"};
}

void TestAnalysisFigures::olderFilesAreDrawn()
{
    QFETCH(QString, file);
    QFETCH(QStringList, figures);
    const RunResults results = imported(qPrintable(file));
    QVERIFY(!results.empty());
    QStringList found;
    for (const std::string& figure : availableFigures(results))
        found << QString::fromStdString(figure);
    QCOMPARE(found, figures);
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    for (const QString& figure : figures) {
        QCOMPARE(words(figure.toStdString(), results).contains(QStringLiteral("synthetic")),
                 results.front()->synthetic);
        const QImage image = renderFigureImage(figure.toStdString(), results, *figurePreset("icml-page"));
        QVERIFY(image.save(folder.filePath(QStringLiteral("older_%1_%2.png").arg(QFileInfo(file).baseName(), figure))));
    }
}

void TestAnalysisFigures::pictures()
{
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    for (const std::string& figure : kFigures) {
        for (const char* preset : {"icml-column", "icml-page", "screen", "slide"}) {
            const QImage image = renderFigureImage(figure, runs({}), *figurePreset(preset), FigureTheme::Light, 150);
            QVERIFY(image.save(folder.filePath(QString::fromStdString("figure_" + figure + "_" + preset + ".png"))));
        }
        const QImage dark = renderFigureImage(figure, runs(QStringLiteral("synthetic")), *figurePreset("screen"),
                                              FigureTheme::Dark, 100);
        QVERIFY(dark.save(folder.filePath(QString::fromStdString("figure_" + figure + "_dark.png"))));
        QVERIFY(qGray(dark.pixel(0, 0)) < 60);
    }
}

PEAKSCOPE_TEST(TestAnalysisFigures)
#include "test_analysis_figures.moc"
