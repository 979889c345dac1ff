// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of plans: inside their pages at every size, as vectors, and refused with a reason where there is no plan.
#include "tests/core/planning/plan_samples.h"
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_page.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include <limits>

using namespace peakscope;
using peakscope::test::writtenFigure;

namespace {

const std::vector<std::string> kFigures{"strategy_table", "capacity_map"};

RunResult planWith(const QString& oddity)
{
    nlohmann::json plan = testing::samplePlanJson();
    nlohmann::json map = toJson(testing::sampleMap());
    if (oddity == QLatin1String("one strategy, one cell")) {
        plan["strategies"] = nlohmann::json::array({plan["strategies"][3]});
        map = {{"sequences", {512}}, {"batches", {24}}, {"peak_bytes", {1 << 20}}, {"verdicts", {"fits"}}};
    } else if (oddity == QLatin1String("forty strategies, wide map")) {
        for (int i = 0; i < 30; ++i)
            plan["strategies"].push_back(plan["strategies"][static_cast<std::size_t>(i % 10)]);
        map = nlohmann::json::object();
        for (int i = 0; i < 20; ++i)
            map["sequences"].push_back(std::int64_t{1} << i);
        map["batches"] = map["sequences"];
        map["peak_bytes"] = std::vector<std::int64_t>(400, std::int64_t{3} << 33);
        map["verdicts"] = std::vector<std::string>(400, "tight");
    } else if (oddity == QLatin1String("tiers")) {
        plan = testing::tieredPlanJson();
    } else if (oddity == QLatin1String("long names")) {
        plan["model"] = std::string(300, 'm');
        plan["device"]["name"] = std::string(300, 'd');
        for (nlohmann::json& strategy : plan["strategies"])
            strategy["title"] = std::string(200, 's');
        map["strategy"] = std::string(300, 't');
    } else if (oddity == QLatin1String("no capacity said")) {
        plan["device"] = "somewhere";
    } else if (oddity == QLatin1String("nothing fits")) {
        for (nlohmann::json& strategy : plan["strategies"])
            strategy["verdict"] = "does_not_fit";
        map["frontier"] = std::vector<int>(6, 0);
    } else if (oddity == QLatin1String("nothing is possible")) {
        map["peak_bytes"] = std::vector<int>(48, 0);
        map.erase("measured");
    } else if (oddity == QLatin1String("zero and huge bytes")) {
        plan["strategies"][0]["peak_bytes"] = 0;
        plan["strategies"][0]["components"] = nlohmann::json::object();
        plan["strategies"][1]["peak_bytes"] = std::numeric_limits<std::int64_t>::max() / 8;
        plan["strategies"][1]["peak_reserved_bytes"] = std::numeric_limits<std::int64_t>::max() / 8;
    } else if (oddity == QLatin1String("synthetic")) {
        plan["capacity_map"] = map;
        RunResult result = planResult(plan);
        result.id = "plan-sample";
        result.synthetic = true;
        return result;
    }
    plan["capacity_map"] = map;
    RunResult result = planResult(plan);
    result.id = "plan-sample";
    return result;
}

RunResults plans(const QString& oddity)
{
    RunResults results{std::make_shared<const RunResult>(planWith(oddity))};
    if (oddity == QLatin1String("two plans")) {
        RunResult second = planWith({});
        second.config["device"] = "h100-80gb";
        results.push_back(std::make_shared<const RunResult>(std::move(second)));
    }
    return results;
}

} // namespace

class TestPlanFigures : public QObject
{
    Q_OBJECT

private slots:
    void textsStayInsideAndApart_data();
    void textsStayInsideAndApart();
    void filesAreVectors_data();
    void filesAreVectors();
    void pagesGrowButSlidesDoNot();
    void partsHaveHeadings();
    void whatHoldsNoPlanIsRefused();
    void dataHoldTheNumbers();
    void pictures();
};

void TestPlanFigures::textsStayInsideAndApart_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("preset");
    QTest::addColumn<QString>("oddity");
    for (const std::string& figure : kFigures) {
        for (const FigurePreset& preset : figurePresets()) {
            for (const char* oddity : {"usual", "tiers", "one strategy, one cell", "forty strategies, wide map",
                                       "long names", "no capacity said", "nothing fits", "nothing is possible",
                                       "zero and huge bytes", "synthetic", "two plans"}) {
                QTest::addRow("%s %s: %s", figure.c_str(), preset.name.c_str(), oddity)
                    << QString::fromStdString(figure) << QString::fromStdString(preset.name)
                    << QString::fromLatin1(oddity);
            }
        }
    }
}

void TestPlanFigures::textsStayInsideAndApart()
{
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    QFETCH(QString, oddity);
    const QString fault = faultOfTexts(figure.toStdString(), plans(oddity), *figurePreset(preset.toStdString()));
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
}

void TestPlanFigures::filesAreVectors_data()
{
    QTest::addColumn<QString>("figure");
    for (const std::string& figure : kFigures)
        QTest::newRow(figure.c_str()) << QString::fromStdString(figure);
}

void TestPlanFigures::filesAreVectors()
{
    QFETCH(QString, figure);
    const RunResults results = plans({});
    const FigurePreset page = *figurePreset("icml-column");
    const QByteArray pdf = writtenFigure(figure.toStdString(), results, page, FigureFormat::Pdf);
    QVERIFY(pdf.startsWith("%PDF-"));
    QVERIFY2(!pdf.contains("/Subtype /Image"), "a picture instead of vectors");
    QVERIFY2(pdf.contains("/FontFile2"), "no font is embedded");
    const QByteArray svg = writtenFigure(figure.toStdString(), results, page, FigureFormat::Svg);
    QCOMPARE(svg, writtenFigure(figure.toStdString(), results, page, FigureFormat::Svg));
    QVERIFY(!svg.contains("<image"));
    QVERIFY(svg.contains("plan-sample"));
    QVERIFY(svg.contains("own training step")); // whose it is, of every predicted number
    QImage image;
    QVERIFY(image.loadFromData(writtenFigure(figure.toStdString(), results, page, FigureFormat::Png), "png"));
    QVERIFY(std::abs(image.width() - page.widthMm / 25.4 * page.dpi) <= 1);
}

void TestPlanFigures::pagesGrowButSlidesDoNot()
{
    const RunResults few = plans(QStringLiteral("one strategy, one cell"));
    const RunResults many = plans(QStringLiteral("forty strategies, wide map"));
    const FigurePreset column = *figurePreset("icml-column");
    for (const std::string& figure : kFigures)
        QVERIFY(figureSizeMm(figure, many, column).height() > figureSizeMm(figure, few, column).height());
    const FigurePreset slide = *figurePreset("slide");
    QCOMPARE(figureSizeMm("strategy_table", many, slide).height(), slide.heightMm);
    // What was left out is said.
    QStringList words;
    for (const auto& placed : drawFigurePage(nullptr, "strategy_table", many, column, FigureTheme::Light))
        words << placed.text;
    QVERIFY(words.filter(QStringLiteral("12 of 40")).size() == 1 ||
            words.filter(QStringLiteral("…")).size() > 0); // the caption may be shortened in its middle
    QVERIFY(!words.contains(QStringLiteral("13")));
}

// Each part of the list stands under its own words, once, and every strategy below them.
void TestPlanFigures::partsHaveHeadings()
{
    const RunResults runs = plans(QStringLiteral("tiers"));
    for (const char* preset : {"icml-page", "icml-column"}) {
        QStringList words;
        for (const auto& placed :
             drawFigurePage(nullptr, "strategy_table", runs, *figurePreset(preset), FigureTheme::Light))
            words << placed.text;
        for (const char* begins : {"Exact: ", "Precision: ", "Method: ", "Needs more devices"})
            QCOMPARE(words.filter(QRegularExpression(QStringLiteral("^") + QLatin1String(begins))).size(),
                     qsizetype(1));
        QVERIFY(words.indexOf(QRegularExpression("^Exact: .*")) < words.indexOf(QRegularExpression("^Method: .*")));
    }
}

void TestPlanFigures::whatHoldsNoPlanIsRefused()
{
    RunResult memory;
    memory.id = "run";
    const RunResults run{std::make_shared<const RunResult>(memory)};
    RunResult bare = planResult(testing::samplePlanJson());
    const RunResults withoutMap{std::make_shared<const RunResult>(bare)};
    bare.other["plan"]["strategies"] = nlohmann::json::array();
    const RunResults empty{std::make_shared<const RunResult>(bare)};
    for (const std::string& figure : kFigures)
        QVERIFY(checkFigure(figure, run).error().text().find("no plan") != std::string::npos);
    QVERIFY(checkFigure("strategy_table", withoutMap).ok());
    QVERIFY(checkFigure("capacity_map", withoutMap).error().text().find("no capacity map") != std::string::npos);
    QVERIFY(checkFigure("strategy_table", empty).error().text().find("no strategies") != std::string::npos);
    QVERIFY(!checkFigure("memory_timeline", withoutMap).ok());
    QCOMPARE(availableFigures(plans({})), kFigures);
}

void TestPlanFigures::dataHoldTheNumbers()
{
    const QByteArray table = figureCsv("strategy_table", plans({}));
    QCOMPARE(table.count("\r\n"), 11);
    QVERIFY(table.contains(QByteArray::number(qint64(testing::samplePlan().strategies[4].reservedBytes))));
    const QByteArray map = figureCsv("capacity_map", plans(QStringLiteral("two plans")));
    QCOMPARE(map.count("\r\n"), 1 + 2 * (48 + 3));
    QVERIFY(map.contains("measured"));
}

void TestPlanFigures::pictures()
{
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    for (const std::string& figure : kFigures) {
        for (const char* preset : {"icml-column", "icml-page", "screen", "slide"}) {
            const QImage image = renderFigureImage(figure, plans({}), *figurePreset(preset), FigureTheme::Light, 150);
            const QString name = QString::fromStdString("figure_" + figure + "_" + preset + ".png");
            QVERIFY(image.save(folder.filePath(name)));
        }
        const RunResults tiers = plans(QStringLiteral("tiers"));
        for (const char* preset : {"icml-column", "icml-page"}) {
            const QImage image = renderFigureImage(figure, tiers, *figurePreset(preset), FigureTheme::Light, 150);
            QVERIFY(image.save(folder.filePath(
                QString::fromStdString("figure_" + figure + "_tiers_" + std::string(preset) + ".png"))));
        }
        const QImage dark = renderFigureImage(figure, plans({}), *figurePreset("screen"), FigureTheme::Dark, 100);
        QVERIFY(dark.save(folder.filePath(QString::fromStdString("figure_" + figure + "_dark.png"))));
        QVERIFY(qGray(dark.pixel(0, 0)) < 60);
    }
}

PEAKSCOPE_TEST(TestPlanFigures)
#include "test_plan_figures.moc"
