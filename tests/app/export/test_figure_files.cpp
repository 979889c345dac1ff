// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every figure at every size as a file, in both languages: exact page widths, vectors only, fonts that are embedded.
#include "app/parts/translations.h"
#include "core/analysis/response/finished_result.h"
#include "core/import/read_any.h"
#include "core/results/sweeps/sweep_document.h"
#include "tests/core/planning/plan_samples.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "tests/widgets/curvature/curvature_samples.h"
#include "tests/widgets/figures/figure_samples.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "tests/widgets/timeline/expert_samples.h"
#include "tests/widgets/timeline/rank_samples.h"
#include "widgets/figures/page/figure.h"

#include <QBuffer>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace peakscope;

namespace {

constexpr double kMmPerPoint = 25.4 / 72;

RunResults planRun()
{
    nlohmann::json plan = testing::samplePlanJson();
    plan["capacity_map"] = toJson(testing::sampleMap());
    RunResult result = planResult(plan);
    result.id = "plan";
    return {finishedResult(std::move(result))};
}

RunResults sweepRun()
{
    SweepDocument sweep;
    sweep.keys = {"data.seq", "data.batch"};
    for (const int seq : {64, 128, 256}) {
        for (const int batch : {1, 2}) {
            SweepPoint point;
            point.values = {{"data.seq", seq}, {"data.batch", batch}};
            point.status = "complete";
            point.measured = true;
            point.peakBytes = std::int64_t{1} << 20 << batch;
            point.medianStepSeconds = 0.1 * batch;
            sweep.points.push_back(point);
        }
    }
    sweep.status = "complete";
    return {finishedResult(sweepResult(sweep))};
}

RunResults hessianAnalysis()
{
    auto read = readAny(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/prm/hessian_memory_analysis.json");
    return read ? RunResults{finishedResult(std::move(read->front()))} : RunResults();
}

// Two CUDA memory snapshots, of two steps and of three.
RunResults snapshots()
{
    RunResults runs;
    for (const int steps : {2, 3}) {
        nlohmann::json snapshot = test::SmallTraining(steps).json();
        // The second program's forward pass stands in another line.
        for (nlohmann::json& event : snapshot["device_traces"][0]) {
            for (nlohmann::json& frame : event["frames"])
                frame["line"] = frame["line"].get<int>() + (frame["name"] == "forward" ? steps : 0);
        }
        QTemporaryFile file(QDir::tempPath() + QStringLiteral("/XXXXXX.pickle"));
        if (file.open() && file.write(pickled(snapshot)) > 0 && file.flush()) {
            if (auto read = readAny(file.fileName().toStdString()))
                runs.push_back(finishedResult(std::move(read->front())));
        }
    }
    return runs;
}

// Runs that hold what the figure shows; empty where this checkout lacks the sample.
RunResults runsFor(const std::string& figure)
{
    static const std::vector<RunResults> samples = [] {
        std::vector<RunResults> all{sampleRuns(2), planRun(), sweepRun(), {finishedResult(testing::analysisRun())}};
        all.push_back({finishedResult(test::matrixResult())});
        all.push_back({finishedResult(test::rankedRun(4))});
        all.push_back(hessianAnalysis());
        all.push_back(snapshots());
        all.push_back({test::runOf(test::fewExperts())});
        return all;
    }();
    for (const RunResults& runs : samples) {
        if (checkFigure(figure, runs))
            return runs;
    }
    return {};
}

QByteArray fileOf(const std::string& figure, const RunResults& runs, const std::string& preset, FigureFormat format)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (const Status status = writeFigure(buffer, figure, runs, *figurePreset(preset), format); !status)
        qWarning("%s", status.error().text().c_str());
    return bytes;
}

QString outputOf(const QString& tool, const QStringList& words)
{
    QProcess process;
    process.start(tool, words);
    return process.waitForFinished(20000) ? QString::fromUtf8(process.readAllStandardOutput()) : QString();
}

} // namespace

class TestFigureFiles : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }
    void cleanup() { installTranslation(QStringLiteral("en")); }
    void pages_data();
    void pages();
    void inChinese_data();
    void inChinese();
    void chineseWordsStayInsideAndApart_data() { pages_data(); }
    void chineseWordsStayInsideAndApart();

private:
    // What pdffonts says about the file; empty where the tool is not installed.
    QStringList fontsOf(const QByteArray& pdf)
    {
        const QString tool = QStandardPaths::findExecutable(QStringLiteral("pdffonts"));
        QFile file(m_folder.filePath(QStringLiteral("figure.pdf")));
        if (tool.isEmpty() || !file.open(QIODevice::WriteOnly))
            return {};
        file.write(pdf);
        file.close();
        return outputOf(tool, {file.fileName()}).split(u'\n', Qt::SkipEmptyParts).mid(2);
    }
    void checkFonts(const QByteArray& pdf)
    {
        static const QRegularExpression embedded(QStringLiteral("\\byes +(yes|no) +(yes|no) +\\d+ +\\d+ *$"));
        for (const QString& font : fontsOf(pdf))
            QVERIFY2(embedded.match(font).hasMatch(), qPrintable(font));
    }

    QTemporaryDir m_folder;
};

void TestFigureFiles::pages_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("preset");
    for (const std::string& figure : figureNames()) {
        for (const FigurePreset& preset : figurePresets())
            QTest::newRow((figure + " " + preset.name).c_str())
                << QString::fromStdString(figure) << QString::fromStdString(preset.name);
    }
}

void TestFigureFiles::pages()
{
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    const std::string name = figure.toStdString();
    const RunResults runs = runsFor(name);
    QVERIFY(!runs.empty());
    const FigurePreset page = *figurePreset(preset.toStdString());
    const QSizeF size = figureSizeMm(name, runs, page);
    QVERIFY(std::abs(size.width() - page.widthMm) < 0.01);

    const QByteArray pdf = fileOf(name, runs, page.name, FigureFormat::Pdf);
    static const QRegularExpression box(QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)\\]"));
    const auto sides = box.match(QString::fromLatin1(pdf));
    QVERIFY(sides.hasMatch());
    QVERIFY2(std::abs(sides.captured(1).toDouble() * kMmPerPoint - page.widthMm) < 0.1, qPrintable(sides.captured()));
    QVERIFY2(std::abs(sides.captured(2).toDouble() * kMmPerPoint - size.height()) < 0.1, qPrintable(sides.captured()));
    QVERIFY2(!pdf.contains("/Subtype /Image"), "a picture instead of vectors");
    checkFonts(pdf);

    const QString svg = QString::fromUtf8(fileOf(name, runs, page.name, FigureFormat::Svg));
    static const QRegularExpression extent(QStringLiteral("<svg width=\"([0-9.]+)mm\" height=\"([0-9.]+)mm\""));
    const auto drawn = extent.match(svg);
    QVERIFY(drawn.hasMatch());
    QVERIFY2(std::abs(drawn.captured(1).toDouble() - page.widthMm) < 0.1, qPrintable(drawn.captured()));
    QVERIFY(!svg.contains(QStringLiteral("<image")));

    if (page.name != "icml-column")
        return; // the others' widths come from the same number
    const QImage png = QImage::fromData(fileOf(name, runs, page.name, FigureFormat::Png), "png");
    QVERIFY(std::abs(png.width() / 1000.0 / png.dotsPerMeterX() * 1e6 - page.widthMm) < 0.1);
}

void TestFigureFiles::inChinese_data()
{
    QTest::addColumn<QString>("figure");
    for (const std::string& figure : figureNames())
        QTest::newRow(figure.c_str()) << QString::fromStdString(figure);
}

void TestFigureFiles::inChinese()
{
    QFETCH(QString, figure);
    const RunResults runs = runsFor(figure.toStdString());
    QVERIFY(installTranslation(QStringLiteral("zh")));
    const QByteArray pdf = fileOf(figure.toStdString(), runs, "icml-page", FigureFormat::Pdf);
    checkFonts(pdf);
    const QStringList fonts = fontsOf(pdf);
    if (fonts.isEmpty())
        QSKIP("pdffonts (poppler-utils) is not installed");
    const QString tool = QStandardPaths::findExecutable(QStringLiteral("pdftotext"));
    if (tool.isEmpty())
        QSKIP("pdftotext (poppler-utils) is not installed");
    const QString text = outputOf(tool, {m_folder.filePath(QStringLiteral("figure.pdf")), QStringLiteral("-")});
    if (!text.contains(QRegularExpression(QStringLiteral("\\p{Han}{2}"))))
        QSKIP("no font with Chinese characters is installed");
    QVERIFY(fonts.size() >= 2); // that of the letters and that of the characters
}

void TestFigureFiles::chineseWordsStayInsideAndApart()
{
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    QVERIFY(installTranslation(QStringLiteral("zh")));
    const QString fault =
        faultOfTexts(figure.toStdString(), runsFor(figure.toStdString()), *figurePreset(preset.toStdString()));
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
}

PEAKSCOPE_TEST(TestFigureFiles)
#include "test_figure_files.moc"
