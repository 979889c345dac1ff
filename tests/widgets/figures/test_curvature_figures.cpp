// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of curvature runs: inside their pages at every size, as vectors, refused with a reason where a result
// holds no such numbers.
#include "core/analysis/response/finished_result.h"
#include "tests/test_room.h"
#include "tests/widgets/curvature/curvature_samples.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_page.h"

#include <QDir>
#include <QTest>

#include <cmath>

using namespace peakscope;
using peakscope::test::writtenFigure;

namespace {

const std::vector<std::string> kCurvatureFigures{"hessian_spectrum", "hessian_histogram"};

RunResult curvatureWith(const QString& oddity)
{
    RunResult result = test::curvatureResult();
    result.id = "curvature-sample";
    nlohmann::json& section = result.other["curvature"];
    if (oddity == QLatin1String("no top eigenvalues")) {
        section.erase("eigenvalues");
    } else if (oddity == QLatin1String("many eigenvalues, huge")) {
        section["eigenvalues"] = nlohmann::json::array();
        for (int i = 0; i < 60; ++i)
            section["eigenvalues"].push_back({{"value", (i % 2 ? -1 : 1) * 1.234567e8 / (i + 1)}, {"residual", 1e-12}});
    } else if (oddity == QLatin1String("tiny values")) {
        for (auto& entry : section["diagonal"]["entries"])
            entry["value"] = entry["value"].get<double>() * 1e-30;
        for (auto& pair : section["eigenvalues"])
            pair["value"] = pair["value"].get<double>() * 1e-30;
        for (auto& place : section["density"]["grid"])
            place = place.get<double>() * 1e-30;
        for (auto& value : section["density"]["value"])
            value = value.get<double>() * 1e30;
        section["density"]["sigma"] = section["density"]["sigma"].get<double>() * 1e-30;
    } else if (oddity == QLatin1String("all zero")) {
        for (auto& entry : section["diagonal"]["entries"])
            entry["value"] = 0;
    } else if (oddity == QLatin1String("one entry")) {
        section["diagonal"]["entries"] = {{{"parameter", "lm_head.weight"}, {"index", 0}, {"value", 3}}};
        section["diagonal"]["count"] = 1;
    } else if (oddity == QLatin1String("ninety layers")) {
        nlohmann::json entries = nlohmann::json::array();
        for (int layer = 0; layer < 90; ++layer) {
            for (const char* part : {"self_attn.q_proj.weight", "fc1.weight", "final_layer_norm.weight"})
                entries.push_back({{"parameter", "model.layers." + std::to_string(layer) + "." + part},
                                   {"index", layer},
                                   {"value", (layer % 3 ? 1 : -1) * std::pow(10.0, -layer % 6)}});
        }
        entries.push_back({{"parameter", "lm_head.weight"}, {"index", 1}, {"value", 1}});
        section["diagonal"]["entries"] = entries;
        section["blocks"] = nlohmann::json::array();
    } else if (oddity == QLatin1String("whole matrix")) {
        section["full"] = test::matrixSection();
    } else if (oddity == QLatin1String("whole matrix, entries")) {
        section["full"] = test::matrixSection(380);
        section.erase("eigenvalues");
    } else if (oddity == QLatin1String("whole matrix, of zeros")) {
        section["full"] = test::matrixSection(40);
        for (const char* key : {"values", "extremes", "norms"}) {
            for (auto& row : section["full"]["heat_map"][key]) {
                for (auto& value : row)
                    value = 0;
            }
        }
    } else if (oddity == QLatin1String("synthetic")) {
        result.synthetic = true;
    }
    return result;
}

RunResults curvatureRuns(const QString& oddity)
{
    RunResults results{finishedResult(curvatureWith(oddity))};
    if (oddity == QLatin1String("two runs")) {
        RunResult second = curvatureWith({});
        second.config["seed"] = 7;
        results.push_back(finishedResult(std::move(second)));
    }
    return results;
}

} // namespace

class TestCurvatureFigures : public QObject
{
    Q_OBJECT

private slots:
    void textsStayInsideAndApart_data()
    {
        QTest::addColumn<QString>("figure");
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("oddity");
        for (const std::string& figure : kCurvatureFigures) {
            for (const FigurePreset& preset : figurePresets()) {
                for (const char* oddity : {"usual", "no top eigenvalues", "many eigenvalues, huge", "tiny values",
                                           "all zero", "one entry", "ninety layers", "synthetic", "two runs",
                                           "whole matrix", "whole matrix, entries", "whole matrix, of zeros"})
                    QTest::addRow("%s %s: %s", figure.c_str(), preset.name.c_str(), oddity)
                        << QString::fromStdString(figure) << QString::fromStdString(preset.name)
                        << QString::fromLatin1(oddity);
            }
        }
    }

    void textsStayInsideAndApart()
    {
        QFETCH(QString, figure);
        QFETCH(QString, preset);
        QFETCH(QString, oddity);
        const QString fault =
            faultOfTexts(figure.toStdString(), curvatureRuns(oddity), *figurePreset(preset.toStdString()));
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }

    void filesAreVectors_data()
    {
        QTest::addColumn<QString>("figure");
        for (const std::string& figure : kCurvatureFigures)
            QTest::addRow("%s", figure.c_str()) << QString::fromStdString(figure);
    }

    void filesAreVectors()
    {
        QFETCH(QString, figure);
        const FigurePreset page = *figurePreset("icml-column");
        const QByteArray pdf = writtenFigure(figure.toStdString(), curvatureRuns({}), page, FigureFormat::Pdf);
        QVERIFY(pdf.startsWith("%PDF"));
        QVERIFY(pdf.contains("/FontFile"));
        QVERIFY(!pdf.contains("/Subtype /Image"));
        const QByteArray svg = writtenFigure(figure.toStdString(), curvatureRuns({}), page, FigureFormat::Svg);
        QVERIFY(svg.contains("<svg") && svg.contains("<path") && !svg.contains("<image"));
        QVERIFY(svg.contains("curvature-sample")); // where it comes from
        QCOMPARE(svg, writtenFigure(figure.toStdString(), curvatureRuns({}), page, FigureFormat::Svg));
        QVERIFY(writtenFigure(figure.toStdString(), curvatureRuns({}), page, FigureFormat::Png).size() > 10000);
        const QByteArray whole =
            writtenFigure(figure.toStdString(), curvatureRuns(QStringLiteral("whole matrix")), page, FigureFormat::Svg);
        QVERIFY(whole.contains("<svg") && !whole.contains("<image"));
        QVERIFY2(whole.size() < 4'000'000, qPrintable(QString::number(whole.size())));
    }

    void whatHoldsNoCurvatureIsRefused()
    {
        RunResult memory;
        memory.id = "m";
        for (const std::string& figure : kCurvatureFigures) {
            const Status status = checkFigure(figure, {finishedResult(memory)});
            QVERIFY(!status);
            QVERIFY(status.error().message.find("compute") != std::string::npos);
        }
        RunResult many = curvatureWith({});
        many.other["curvature"]["diagonal"]["entries"] = nlohmann::json::array();
        many.other["curvature"]["diagonal"]["count"] = 5'000'000;
        const Status status = checkFigure("hessian_histogram", {finishedResult(many)});
        QVERIFY(!status);
        QVERIFY(status.error().message.find("too many") != std::string::npos);
    }

    void dataHoldTheNumbers()
    {
        const QByteArray spectrum = figureCsv("hessian_spectrum", curvatureRuns({}));
        QCOMPARE(spectrum.count("\r\n"), 1 + 4 + 1001);
        QVERIFY(spectrum.contains("-39.78416"));
        const QByteArray matrix = figureCsv("hessian_spectrum", curvatureRuns(QStringLiteral("whole matrix")));
        QCOMPARE(matrix.count("block_norm"), 36);
        QVERIFY(matrix.contains("layers.0.fc1.weight"));
        const QByteArray histogram = figureCsv("hessian_histogram", curvatureRuns({}));
        std::int64_t entries = 0;
        for (const QByteArray& line : histogram.split('\n')) {
            const QList<QByteArray> cells = line.trimmed().split(','); // the run's name may hold commas
            if (line.contains(",zeros,") || line.contains(",bin,"))
                entries += cells[cells.size() - 2].toLongLong();
        }
        QCOMPARE(entries, 1200);
        QCOMPARE(figureCsv("hessian_histogram", curvatureRuns(QStringLiteral("two runs"))).count("zeros"),
                 2 * histogram.count("zeros"));
    }

    void pictures()
    {
        const QString folder = QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots");
        QVERIFY(QDir().mkpath(folder));
        for (const std::string& figure : kCurvatureFigures) {
            for (const char* preset : {"screen", "icml-column", "icml-page", "slide"}) {
                for (const FigureTheme theme : {FigureTheme::Light, FigureTheme::Dark}) {
                    const QImage image =
                        renderFigureImage(figure, curvatureRuns({}), *figurePreset(preset), theme, 200);
                    QVERIFY(!image.isNull());
                    image.save(QStringLiteral("%1/figure_%2_%3_%4.png")
                                   .arg(folder, QString::fromStdString(figure), QLatin1String(preset),
                                        theme == FigureTheme::Dark ? QLatin1String("dark") : QLatin1String("light")));
                }
            }
        }
        for (const char* preset : {"screen", "icml-column", "icml-page", "slide"}) {
            for (const FigureTheme theme : {FigureTheme::Light, FigureTheme::Dark}) {
                const bool dark = theme == FigureTheme::Dark;
                renderFigureImage("hessian_spectrum", curvatureRuns(QStringLiteral("whole matrix")),
                                  *figurePreset(preset), theme, 200)
                    .save(
                        QStringLiteral("%1/figure_hessian_matrix_%2_%3.png")
                            .arg(folder, QLatin1String(preset), dark ? QLatin1String("dark") : QLatin1String("light")));
            }
        }
        renderFigureImage("hessian_histogram", curvatureRuns(QStringLiteral("ninety layers")),
                          *figurePreset("icml-column"), FigureTheme::Light, 200)
            .save(folder + QStringLiteral("/figure_hessian_histogram_ninety.png"));
    }
};

PEAKSCOPE_TEST(TestCurvatureFigures)
#include "test_curvature_figures.moc"
