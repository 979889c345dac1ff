// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Figures as files and pages: every figure, preset and format from hand-made runs.
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_samples.h"
#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_page.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>
#include <cmath>

using namespace peakscope;
using peakscope::test::writtenFigure;

namespace {

const std::vector<std::string> kMade{"memory_timeline",          "memory_breakdown_comparison",
                                     "performance_tradeoff",     "memory_analysis_overview",
                                     "detailed_memory_analysis", "operation_level_breakdown"};

RunResults flaggedRun()
{
    SampleOptions options;
    options.status = RunStatus::OverBudget;
    options.synthetic = true;
    options.budgetBytes = std::int64_t{3} << 30;
    RunResult run = sampleRun(options);
    run.prediction = Prediction{std::int64_t{2900} << 20, {}};
    run.memory->marks.push_back({"my <band> & more", 1 << 20, 1 << 19, {0.3, 0.6, 0.9}, {1 << 28, 1 << 29, 0}});
    return {shared(std::move(run))};
}

RunResults runsNamed(const QString& name)
{
    return name == QLatin1String("flagged") ? flaggedRun() : sampleRuns(name.toInt());
}

// Two for the figure that compares.
RunResults runsFor(const QString& figure, RunResults runs)
{
    if (runs.size() == 1 && figure == QLatin1String("performance_tradeoff"))
        runs.push_back(sampleRuns(2).back());
    return runs;
}

// Colours in the image that are far from its background.
int inkPixels(const QImage& image)
{
    const QImage grey = image.convertToFormat(QImage::Format_Grayscale8);
    const int paper = grey.constScanLine(0)[0];
    qsizetype ink = 0;
    for (int y = 0; y < grey.height(); ++y) {
        const uchar* line = grey.constScanLine(y);
        ink += std::count_if(line, line + grey.width(), [paper](uchar tone) { return std::abs(tone - paper) > 30; });
    }
    return static_cast<int>(ink);
}

void addPages(const std::vector<const char*>& runCounts)
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("preset");
    QTest::addColumn<QString>("runs");
    for (const std::string& figure : kMade) {
        for (const FigurePreset& preset : figurePresets()) {
            for (const char* runs : runCounts) {
                const QByteArray row = QByteArray::fromStdString(figure + " " + preset.name + " runs ") + runs;
                QTest::newRow(row.constData()) << QString::fromStdString(figure) << QString::fromStdString(preset.name)
                                               << QString::fromLatin1(runs);
            }
        }
    }
}

} // namespace

class TestFigures : public QObject
{
    Q_OBJECT

private slots:
    void textsStayInsideAndApart_data() { addPages({"1", "2", "3", "4", "8", "flagged"}); }
    void textsStayInsideAndApart();
    void png_data() { addPages({"1", "2"}); }
    void png();
    void svg_data() { addPages({"1", "flagged"}); }
    void svg();
    void pdf_data() { addPages({"1", "4", "flagged"}); }
    void pdf();
    void darkPreviewIsDark();
    void badgesAreWritten_data();
    void badgesAreWritten();
    void failingDevices();
    void oddRunsAreDrawn_data();
    void oddRunsAreDrawn();
};

void TestFigures::textsStayInsideAndApart()
{
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    QFETCH(QString, runs);
    const RunResults results = runsFor(figure, runsNamed(runs));
    const FigurePreset page = *figurePreset(preset.toStdString());
    const QSizeF size = figureSizePt(figure.toStdString(), results, page);
    const auto texts = drawFigurePage(nullptr, figure.toStdString(), results, page, FigureTheme::Light);
    QVERIFY(texts.size() > 10);
    const QRectF sheet(QPointF(0, 0), size);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        QVERIFY2(sheet.contains(texts[i].box), qPrintable(texts[i].text));
        for (std::size_t k = i + 1; k < texts.size(); ++k) {
            const QRectF common = texts[i].box.intersected(texts[k].box);
            const bool apart = common.width() < 0.5 || common.height() < page.smallFontPt * 0.2;
            QVERIFY2(apart, qPrintable(texts[i].text + QStringLiteral(" / ") + texts[k].text));
        }
    }
}

void TestFigures::png()
{
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    QFETCH(QString, runs);
    const RunResults results = runsFor(figure, runsNamed(runs));
    const FigurePreset page = *figurePreset(preset.toStdString());
    const QByteArray bytes = writtenFigure(figure.toStdString(), results, page, FigureFormat::Png);
    QCOMPARE(bytes, writtenFigure(figure.toStdString(), results, page, FigureFormat::Png));
    QImage image;
    QVERIFY(image.loadFromData(bytes, "png"));
    const QSizeF mm = figureSizeMm(figure.toStdString(), results, page);
    QVERIFY(std::abs(image.width() - mm.width() / 25.4 * page.dpi) <= 1);
    QVERIFY(std::abs(image.height() - mm.height() / 25.4 * page.dpi) <= 1);
    QVERIFY(std::abs(mm.width() - page.widthMm) < 0.01);
    QVERIFY(std::abs(image.dotsPerMeterX() * 0.0254 - page.dpi) < 0.5);
    QVERIFY(image.text(QStringLiteral("Description")).contains(QString::fromStdString(results.front()->id)));
    QVERIFY(image.text(QStringLiteral("Software")).startsWith(QStringLiteral("Peakscope ")));
    // A scatter of one run is mostly white.
    const int least = figure == QLatin1String("performance_tradeoff") ? 250 : 50;
    QVERIFY(inkPixels(image) > image.width() * image.height() / least);
}

void TestFigures::svg()
{
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    QFETCH(QString, runs);
    const RunResults results = runsFor(figure, runsNamed(runs));
    const FigurePreset page = *figurePreset(preset.toStdString());
    const QByteArray bytes = writtenFigure(figure.toStdString(), results, page, FigureFormat::Svg);
    QCOMPARE(bytes, writtenFigure(figure.toStdString(), results, page, FigureFormat::Svg));
    QXmlStreamReader xml(bytes);
    QString title;
    QString description;
    QString width;
    int paths = 0;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == QLatin1String("svg"))
            width = xml.attributes().value(QLatin1String("width")).toString();
        QVERIFY(xml.name() != QLatin1String("image"));
        QVERIFY(xml.name() != QLatin1String("text")); // outlines look the same without the font
        paths += xml.name() == QLatin1String("path");
        if (xml.name() == QLatin1String("title"))
            title += xml.readElementText();
        else if (xml.name() == QLatin1String("desc"))
            description += xml.readElementText();
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QVERIFY(paths > 12);
    QCOMPARE(title, figureTitle(figure.toStdString()));
    QVERIFY(description.contains(QString::fromStdString(results.front()->id)));
    QVERIFY(!description.contains(QLatin1String("Qt")));
    QVERIFY(width.endsWith(QLatin1String("mm")));
    QVERIFY(std::abs(width.chopped(2).toDouble() - page.widthMm) < 0.05);
    QSvgRenderer renderer(bytes);
    QVERIFY(renderer.isValid());
}

void TestFigures::pdf()
{
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    QFETCH(QString, runs);
    const RunResults results = runsFor(figure, runsNamed(runs));
    const FigurePreset page = *figurePreset(preset.toStdString());
    const QByteArray bytes = writtenFigure(figure.toStdString(), results, page, FigureFormat::Pdf);
    QVERIFY(bytes.startsWith("%PDF-"));
    QVERIFY(bytes.contains("%%EOF"));
    QVERIFY2(!bytes.contains("/Subtype /Image"), "a picture instead of vectors");
    QVERIFY2(bytes.contains("/FontFile2"), "no font is embedded");
    QVERIFY(bytes.contains(QByteArray::fromStdString(results.front()->id)));
    const qsizetype start = bytes.indexOf("/MediaBox [0 0 ") + 15;
    const QList<QByteArray> sides = bytes.mid(start, bytes.indexOf(']', start) - start).split(' ');
    QCOMPARE(sides.size(), 2);
    const QSizeF mm = figureSizeMm(figure.toStdString(), results, page);
    QVERIFY(std::abs(sides[0].toDouble() / 72 * 25.4 - mm.width()) < 0.01);
    QVERIFY(std::abs(sides[1].toDouble() / 72 * 25.4 - mm.height()) < 0.01);
}

void TestFigures::darkPreviewIsDark()
{
    const FigurePreset preset = *figurePreset("screen");
    const QImage light = renderFigureImage("memory_timeline", sampleRuns(1), preset, FigureTheme::Light, 72);
    const QImage dark = renderFigureImage("memory_timeline", sampleRuns(1), preset, FigureTheme::Dark, 72);
    QCOMPARE(light.size(), dark.size());
    QCOMPARE(light.pixelColor(0, 0), QColor(Qt::white));
    QVERIFY(qGray(dark.pixel(0, 0)) < 60);
    QVERIFY(inkPixels(dark) > 1000);
}

void TestFigures::badgesAreWritten_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("preset");
    for (const std::string& figure : kMade) {
        for (const char* preset : {"icml-column", "screen"}) {
            const QByteArray row = QByteArray::fromStdString(figure + " ") + preset;
            QTest::newRow(row.constData()) << QString::fromStdString(figure) << QString::fromLatin1(preset);
        }
    }
}

void TestFigures::badgesAreWritten()
{
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    const RunResults runs = runsFor(figure, flaggedRun());
    const auto texts =
        drawFigurePage(nullptr, figure.toStdString(), runs, *figurePreset(preset.toStdString()), FigureTheme::Light);
    QStringList words;
    for (const auto& placed : texts)
        words << placed.text;
    for (const QString& word : QStringList(words)) // of several runs they stand behind the run's numbers
        words << word.section(u'(', 1).section(u')', 0, 0).split(QStringLiteral(", "));
    QVERIFY2(words.contains(QStringLiteral("synthetic")), qPrintable(words.join(u'|')));
    QVERIFY(words.contains(QStringLiteral("over budget")));
    const QByteArray svg =
        writtenFigure(figure.toStdString(), runs, *figurePreset(preset.toStdString()), FigureFormat::Svg);
    QVERIFY(svg.contains("synthetic"));
}

// Takes a few bytes and then no more, as a full disk does.
class FullDevice : public QIODevice
{
public:
    qint64 readData(char*, qint64) override { return -1; }
    qint64 writeData(const char*, qint64) override
    {
        setErrorString(QStringLiteral("No space left on device"));
        return -1;
    }
};

void TestFigures::failingDevices()
{
    const FigurePreset preset = *figurePreset("icml-column");
    FullDevice full;
    QVERIFY(full.open(QIODevice::WriteOnly));
    const Status status = writeFigure(full, "memory_timeline", sampleRuns(1), preset, FigureFormat::Svg);
    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::Failed);
    QVERIFY(status.error().text().find("No space left on device") != std::string::npos);
    QBuffer closed;
    const Status unopened = writeFigure(closed, "memory_timeline", sampleRuns(1), preset, FigureFormat::Png);
    QVERIFY(!unopened.ok());
    QVERIFY(unopened.error().text().find("not open") != std::string::npos);
}

void TestFigures::oddRunsAreDrawn_data()
{
    QTest::addColumn<QString>("oddity");
    for (const char* oddity : {"one event", "all at one time", "long names", "control characters", "a thousand steps",
                               "an hour", "one byte", "budget far above", "layer numbers with gaps"})
        QTest::newRow(oddity) << QString::fromLatin1(oddity);
}

// Results may come from anywhere: whatever passes the check must be drawn inside its page and give readable files.
void TestFigures::oddRunsAreDrawn()
{
    QFETCH(QString, oddity);
    RunResult run = sampleRun();
    MemorySection& memory = *run.memory;
    if (oddity == QLatin1String("one event")) {
        memory.timeline = {{0.0}, {1 << 20}, {Component::Parameters}, false};
        memory.phases = {{Phase::Load, -1, 0.0}};
    } else if (oddity == QLatin1String("all at one time")) {
        std::fill(memory.timeline.timeSeconds.begin(), memory.timeline.timeSeconds.end(), 0.5);
        for (PhaseMark& mark : memory.phases)
            mark.timeSeconds = 0.5;
    } else if (oddity == QLatin1String("long names")) {
        run.id = std::string(300, 'i');
        run.config["model"] = {{"dir", "some/where/" + std::string(300, 'w')}};
        for (OperatorUsage& usage : memory.operators)
            usage.name += std::string(200, 'o');
    } else if (oddity == QLatin1String("control characters")) {
        run.id = "a\x01<b>&\x1f\"c'";
        run.config["model"] = {{"id", "m\x02\n<i>"}};
    } else if (oddity == QLatin1String("a thousand steps")) {
        SampleOptions options;
        options.layers = 2;
        options.steps = 1000;
        run = sampleRun(options);
    } else if (oddity == QLatin1String("an hour")) {
        for (double& time : memory.timeline.timeSeconds)
            time *= 1500;
        for (PhaseMark& mark : memory.phases)
            mark.timeSeconds *= 1500;
    } else if (oddity == QLatin1String("one byte")) {
        memory.timeline = {{0.0, 1.0}, {1, -1}, {Component::Other, Component::Other}, false};
        memory.peakBytes = 1;
        memory.peakComponents = {};
        memory.peakComponents.back() = 1;
        memory.maxComponents = memory.peakComponents;
    } else if (oddity == QLatin1String("budget far above")) {
        run.config["budget_bytes"] = std::int64_t{1} << 40;
    } else {
        for (ModuleUsage& module : memory.modules)
            module.name = "layers." + std::to_string(module.name.size() * 1000) + ".x";
    }
    const RunResults one{shared(std::move(run))};
    QCOMPARE(availableFigures(one).size(), kMade.size() - 1); // without the one that compares
    for (const std::string& figure : kMade) {
        const RunResults runs = runsFor(QString::fromStdString(figure), one);
        for (const char* preset : {"icml-column", "screen", "slide"}) {
            const FigurePreset page = *figurePreset(preset);
            const QRectF sheet(QPointF(0, 0), figureSizePt(figure, runs, page));
            for (const auto& placed : drawFigurePage(nullptr, figure, runs, page, FigureTheme::Light))
                QVERIFY2(sheet.contains(placed.box), qPrintable(QString::fromStdString(figure) + placed.text));
        }
        QXmlStreamReader xml(writtenFigure(figure, runs, *figurePreset("icml-column"), FigureFormat::Svg));
        while (!xml.atEnd())
            xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(writtenFigure(figure, runs, *figurePreset("icml-column"), FigureFormat::Pdf).contains("/FontFile2"));
    }
}

PEAKSCOPE_TEST(TestFigures)
#include "test_figures.moc"
