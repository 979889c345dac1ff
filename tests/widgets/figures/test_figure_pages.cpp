// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Figures keep to a page: no page is taller than the paper, panels have letters and are chosen by them, what has
// nothing to show takes no room; and timelines denser than paper are envelopes with bands of steps and every phase
// named.
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_samples.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "widgets/figures/memory/timeline_panel.h"
#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_page.h"
#include "widgets/look/component_palette.h"
#include "widgets/timeline/timeline_bands.h"
#include "widgets/timeline/timeline_painter.h"

#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <limits>
#include <map>

using namespace peakscope;
using peakscope::test::writtenFigure;

namespace {

constexpr double kPaperPt = 648;
const QString kPhaseDiagram = QStringLiteral("prm_phase_diagram");

RunResults prmRun(int attacks = 5)
{
    testing::AnalysisSample sample;
    sample.attacks = attacks;
    return {shared(testing::analysisRun(sample))};
}

RunResults runsFor(const QString& figure)
{
    const RunResults prm = prmRun();
    return checkFigure(figure.toStdString(), prm) ? prm : sampleRuns(4);
}

QStringList wordsOf(const FigurePages& pages)
{
    QStringList words;
    for (std::size_t page = 0; page < pages.count(); ++page) {
        for (const auto& placed : pages.draw(nullptr, page, true))
            words << placed.text;
    }
    return words;
}

QStringList wordsOf(const std::string& figure, const RunResults& runs, const FigurePreset& preset)
{
    return wordsOf(FigurePages(figure, runs, preset, FigureTheme::Light));
}

bool hasMark(const QStringList& words, const QString& letter)
{
    return std::any_of(words.begin(), words.end(),
                       [&](const QString& word) { return word.startsWith(QStringLiteral("(%1) ").arg(letter)); });
}

RunResult manySteps(int steps)
{
    SampleOptions options;
    options.layers = 2;
    options.steps = steps;
    return sampleRun(options);
}

} // namespace

class TestFigurePages : public QObject
{
    Q_OBJECT

private slots:
    void papersKeepToThePage_data();
    void papersKeepToThePage();
    void aPdfGoesOnAndAPictureSaysWhatItLacks();
    void panelsAreChosenByLetter();
    void aWrongLetterIsAnsweredWithThoseThereAre_data();
    void aWrongLetterIsAnsweredWithThoseThereAre();
    void runsOfATimelineAreItsPanels();
    void aGreatestHeightIsKept_data();
    void aGreatestHeightIsKept();
    void tooLittleHeightIsRefused();
    void panelsWithNothingToShowTakeNoRoom();
    void zeroComponentsHaveNoRow();
    void importedRunsAreNamedByTheirFile();
    void stepsAreGathered_data();
    void stepsAreGathered();
    void thinPhasesAreShares();
    void everyPhaseIsNamed();
    void denseTimelinesAreEnvelopes_data();
    void denseTimelinesAreEnvelopes();
    void denseTimelinesKeepTheirPeak();
    void theWindowsStripIsNoBlackBlock();
    void theWindowsStackHasNoEdgesOnSpikes();
};

void TestFigurePages::papersKeepToThePage_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("preset");
    for (const std::string& figure : figureNames()) {
        const RunResults runs = runsFor(QString::fromStdString(figure));
        for (const char* preset : {"icml-column", "icml-page", "neurips-text", "ieee-column", "ieee-page"}) {
            if (checkFigure(figure, runs))
                QTest::addRow("%s %s", figure.c_str(), preset)
                    << QString::fromStdString(figure) << QString::fromLatin1(preset);
        }
    }
}

void TestFigurePages::papersKeepToThePage()
{
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    const RunResults runs = runsFor(figure);
    const FigurePreset paper = *figurePreset(preset.toStdString());
    const FigurePages pages(figure.toStdString(), runs, paper, FigureTheme::Light);
    for (std::size_t page = 0; page < pages.count(); ++page)
        QVERIFY2(pages.size(page).height() <= kPaperPt, qPrintable(QString::number(pages.size(page).height())));
    // Nothing is lost: every panel stands on one of the pages.
    const QStringList words = wordsOf(pages);
    for (const FigurePanel& panel : figurePanels(figure.toStdString(), runs))
        QVERIFY2(hasMark(words, panel.letter), qPrintable(panel.letter));
    const QString fault = faultOfTexts(figure.toStdString(), runs, paper);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
    const QByteArray pdf = writtenFigure(figure.toStdString(), runs, paper, FigureFormat::Pdf);
    static const QRegularExpression box(QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)\\]"));
    std::size_t sheets = 0;
    for (auto sides = box.globalMatch(QString::fromLatin1(pdf)); sides.hasNext(); ++sheets) {
        const auto match = sides.next();
        QVERIFY(std::abs(match.captured(1).toDouble() / kPointsPerMm - paper.widthMm) < 0.01);
        QVERIFY(match.captured(2).toDouble() <= kPaperPt);
    }
    QCOMPARE(sheets, pages.count());
}

void TestFigurePages::aPdfGoesOnAndAPictureSaysWhatItLacks()
{
    const std::string figure = kPhaseDiagram.toStdString();
    const FigurePreset column = *figurePreset("icml-column");
    const RunResults runs = prmRun(); // the pages do not keep it
    QCOMPARE(figurePageCount(figure, runs, column), std::size_t(2));
    const FigurePages pages(figure, runs, column, FigureTheme::Light);
    QStringList bound, alone;
    for (const auto& placed : pages.draw(nullptr, 0, true))
        bound << placed.text;
    for (const auto& placed : pages.draw(nullptr, 0, false))
        alone << placed.text;
    QVERIFY(bound.join(u'|').contains(QStringLiteral("next page")));
    const auto said = QRegularExpression(QStringLiteral("--panels ([a-f,-]+)")).match(alone.join(u'|'));
    QVERIFY2(said.hasMatch(), qPrintable(alone.join(u'|')));
    const QString svg = QString::fromUtf8(writtenFigure(figure, prmRun(), column, FigureFormat::Svg));
    QVERIFY(svg.contains(said.captured(0)));
    // What it says is what works: both parts together are the figure.
    FigurePreset rest = column;
    rest.panels = *choosePanels(figure, prmRun(), said.captured(1));
    QCOMPARE(figurePageCount(figure, prmRun(), rest), std::size_t(1));
    QVERIFY(hasMark(wordsOf(figure, prmRun(), rest), QStringLiteral("f")));
}

void TestFigurePages::panelsAreChosenByLetter()
{
    const std::string figure = kPhaseDiagram.toStdString();
    const std::vector<FigurePanel> panels = figurePanels(figure, prmRun());
    QCOMPARE(panels.size(), std::size_t(6));
    QCOMPARE(panels.front().letter, QStringLiteral("a"));
    QVERIFY(panels[2].title.contains(QStringLiteral("AUC")));
    FigurePreset column = *figurePreset("icml-column");
    const double all = figureSizePt(figure, prmRun(), column).height();
    column.panels = *choosePanels(figure, prmRun(), QStringLiteral(" C, a"));
    QCOMPARE(column.panels, (std::vector<std::size_t>{0, 2}));
    const QStringList words = wordsOf(figure, prmRun(), column);
    QVERIFY(hasMark(words, QStringLiteral("a")) && hasMark(words, QStringLiteral("c")));
    QVERIFY(!hasMark(words, QStringLiteral("b")) && !hasMark(words, QStringLiteral("d")));
    QVERIFY(figureSizePt(figure, prmRun(), column).height() < all);
    column.panels = *choosePanels(figure, prmRun(), QStringLiteral("b-d,f"));
    QCOMPARE(column.panels, (std::vector<std::size_t>{1, 2, 3, 5}));
}

void TestFigurePages::aWrongLetterIsAnsweredWithThoseThereAre_data()
{
    QTest::addColumn<QString>("letters");
    for (const char* letters : {"q", "a,q", "", "a,,b", "c-a", "a-", "-", "1", "a b", "aa", "a-b-c", "ä"})
        QTest::addRow("letters %s", letters) << QString::fromUtf8(letters);
}

void TestFigurePages::aWrongLetterIsAnsweredWithThoseThereAre()
{
    QFETCH(QString, letters);
    const auto panels = choosePanels(kPhaseDiagram.toStdString(), prmRun(2), letters);
    QVERIFY(!panels);
    QCOMPARE(panels.error().code, ErrorCode::BadInput);
    const QString said = QString::fromStdString(panels.error().text());
    QVERIFY2(said.contains(QStringLiteral("a (Classes), b (")) && said.contains(QStringLiteral("c (")),
             qPrintable(said));
    QVERIFY(!said.contains(u'\n'));
}

void TestFigurePages::runsOfATimelineAreItsPanels()
{
    const RunResults runs = sampleRuns(4);
    QCOMPARE(figurePanels("memory_timeline", runs).size(), std::size_t(4));
    QVERIFY(figurePanels("memory_timeline", sampleRuns(1)).empty());
    FigurePreset column = *figurePreset("icml-column");
    column.panels = {1, 3};
    const QStringList words = wordsOf("memory_timeline", runs, column);
    QVERIFY(hasMark(words, QStringLiteral("b")) && hasMark(words, QStringLiteral("d")));
    QVERIFY(!hasMark(words, QStringLiteral("a")) && !hasMark(words, QStringLiteral("c")));
    // Panels of several runs have letters of their own each.
    QCOMPARE(figurePanels("operation_level_breakdown", runs).size(), std::size_t(8));
    QCOMPARE(figurePanels("operation_level_breakdown", runs)[7].letter, QStringLiteral("h"));
}

void TestFigurePages::aGreatestHeightIsKept_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<double>("height");
    for (const char* figure : {"prm_phase_diagram", "noise_response_curves", "statistical_summary",
                               "memory_analysis_overview", "detailed_memory_analysis", "memory_timeline"}) {
        for (const double height : {110.0, 140.0, 180.0})
            QTest::addRow("%s %.0f mm", figure, height) << QString::fromLatin1(figure) << height;
    }
}

void TestFigurePages::aGreatestHeightIsKept()
{
    QFETCH(QString, figure);
    QFETCH(double, height);
    const RunResults runs = figure.startsWith(QLatin1String("memory")) || figure.startsWith(QLatin1String("detailed"))
                                ? sampleRuns(1)
                                : prmRun();
    for (const char* name : {"icml-column", "icml-page", "slide", "screen"}) {
        const FigurePreset preset = withGreatestHeight(*figurePreset(name), height);
        if (!checkHeight(figure.toStdString(), runs, preset))
            continue; // refused with the height that would do
        const FigurePages pages(figure.toStdString(), runs, preset, FigureTheme::Light);
        for (std::size_t page = 0; page < pages.count(); ++page)
            QVERIFY(pages.size(page).height() <= height * kPointsPerMm + 1e-6);
    }
    const FigurePreset column = withGreatestHeight(*figurePreset("icml-column"), height);
    QVERIFY(checkHeight(figure.toStdString(), runs, column).ok());
    const QString fault = faultOfTexts(figure.toStdString(), runs, column);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
}

void TestFigurePages::tooLittleHeightIsRefused()
{
    const FigurePreset low = withGreatestHeight(*figurePreset("icml-column"), 20);
    for (const char* figure : {"prm_phase_diagram", "noise_response_curves", "umap_visualization"}) {
        const Status status = checkHeight(figure, prmRun(), low);
        QVERIFY2(!status, figure);
        static const QRegularExpression need(QStringLiteral("at least ([0-9]+) mm"));
        const auto match = need.match(QString::fromStdString(status.error().text()));
        QVERIFY2(match.hasMatch(), status.error().text().c_str());
        const FigurePreset enough = withGreatestHeight(*figurePreset("icml-column"), match.captured(1).toDouble());
        QVERIFY(checkHeight(figure, prmRun(), enough).ok());
    }
}

void TestFigurePages::panelsWithNothingToShowTakeNoRoom()
{
    RunResult run = sampleRun();
    run.timing.reset();
    run.memory->phases.clear();
    const RunResults runs{shared(run)};
    for (const char* figure : {"memory_analysis_overview", "detailed_memory_analysis"}) {
        const std::vector<FigurePanel> panels = figurePanels(figure, runs);
        const QStringList words = wordsOf(figure, runs, *figurePreset("icml-column"));
        for (const QString& word : words)
            QVERIFY2(!word.startsWith(QStringLiteral("no run ")) &&
                         !word.startsWith(QStringLiteral("the run recorded")),
                     qPrintable(word));
        // Letters follow on one another.
        for (const FigurePanel& panel : panels)
            QVERIFY(hasMark(words, panel.letter));
        QVERIFY(!hasMark(words, QString(QChar(static_cast<char16_t>(u'a' + panels.size())))));
    }
    // The kinds of modules alone, which needs no letter: the peak is a bar beside no other.
    QVERIFY(figurePanels("memory_analysis_overview", runs).empty());
    const QStringList words = wordsOf("memory_analysis_overview", runs, *figurePreset("icml-column"));
    QVERIFY2(words.contains(QStringLiteral("By kind of module")) &&
                 words.join(u'|').contains(QStringLiteral("Peak memory, opt-125m: ")),
             qPrintable(words.join(u'|')));
    QCOMPARE(figurePanels("detailed_memory_analysis", runs).size(), std::size_t(3));
}

void TestFigurePages::zeroComponentsHaveNoRow()
{
    // At the peak no workspace is alive, which has a maximum of its own elsewhere.
    RunResult run = sampleRun();
    run.memory->peakComponents[static_cast<std::size_t>(Component::Workspace)] = 0;
    RunResult other = run;
    other.config["training"]["clipping"] = "flash";
    const RunResults runs{shared(run), shared(other)};
    for (const char* figure : {"memory_breakdown_comparison", "detailed_memory_analysis", "memory_analysis_overview"}) {
        for (const QString& word : wordsOf(figure, runs, *figurePreset("icml-page")))
            QVERIFY2(word != QStringLiteral("0 B") && !word.endsWith(QStringLiteral(" 0 B")), qPrintable(word));
    }
}

void TestFigurePages::importedRunsAreNamedByTheirFile()
{
    RunResult run = sampleRun();
    run.id = "import-memory_timeline.raw-ba2551b8";
    run.config = nlohmann::json::object();
    run.other["source"] = {{"format", "timeline"}, {"file", "memory_timeline.raw.json"}};
    const QString words = wordsOf("memory_analysis_overview", {shared(run)}, *figurePreset("icml-column")).join(u'|');
    QVERIFY2(!words.contains(QStringLiteral("import-")), qPrintable(words));
    QVERIFY(words.contains(QStringLiteral("memory_timeline.raw.json")));
}

void TestFigurePages::stepsAreGathered_data()
{
    QTest::addColumn<int>("steps");
    QTest::addColumn<double>("width"); // of a step
    QTest::addColumn<QStringList>("bands");
    QTest::newRow("room for each") << 3 << 30.0 << QStringList{"1", "2", "3"};
    QTest::newRow("room for twenty") << 100 << 2.0 << QStringList{"1–20", "21–40", "41–60", "61–80", "81–100"};
    QTest::newRow("room for all") << 100 << 0.3 << QStringList{"1–100"};
    QTest::newRow("room for none") << 100 << 0.01 << QStringList{"1–100"};
}

void TestFigurePages::stepsAreGathered()
{
    QFETCH(int, steps);
    QFETCH(double, width);
    QFETCH(QStringList, bands);
    std::vector<StepBand> given;
    for (int i = 0; i < steps; ++i)
        given.push_back({i * width, (i + 1) * width, i + 1, i + 1});
    const auto room = [](const StepBand& band) { return 5.0 * static_cast<double>(stepBandText(band).size()); };
    QStringList texts;
    for (const StepBand& band : gatherSteps(given, room, 4))
        texts << stepBandText(band);
    QCOMPARE(texts, bands);
    // What lies apart is not one band.
    std::vector<StepBand> apart = given;
    for (StepBand step : given)
        apart.push_back({step.left + 1000, step.right + 1000, step.first + 1000, step.last + 1000});
    for (const StepBand& band : gatherSteps(apart, room, 4))
        QVERIFY2(band.last <= steps || band.first > 1000, qPrintable(stepBandText(band)));
    // Nor what is counted anew.
    std::vector<StepBand> anew = given;
    anew.push_back({steps * width, steps * width + 300, 0, 0});
    const auto counted = gatherSteps(anew, room, 4);
    QCOMPARE(stepBandText(counted.back()), QStringLiteral("0"));
    QCOMPARE(counted.size(), static_cast<std::size_t>(bands.size()) + 1);
}

void TestFigurePages::thinPhasesAreShares()
{
    std::vector<PhasePiece> pieces{{Phase::Load, 0, 20}};
    for (int step = 0; step < 400; ++step) {
        const double left = 20 + step * 0.1;
        pieces.push_back({Phase::Forward, left, left + 0.03});
        pieces.push_back({Phase::Backward, left + 0.03, left + 0.1});
    }
    const std::vector<PhaseBand> bands = gatherPhases(pieces, 1, 8);
    QCOMPARE(bands.size(), std::size_t(1 + 5));
    QVERIFY(bands.front().isOne());
    QCOMPARE(bands[2].shares.size(), std::size_t(2));
    QVERIFY(std::abs(bands[2].shares[0].second - 0.3) < 0.02);
    QCOMPARE(bands[2].main(), Phase::Backward);
    QCOMPARE(bands.back().right, 60.0);
}

// But for those too thin to be seen.
void TestFigurePages::everyPhaseIsNamed()
{
    for (const int steps : {1, 3, 100, 1000}) {
        const RunResults runs{shared(manySteps(steps))};
        std::map<Phase, double> seconds;
        double all = 0;
        for (const PhaseSpan& span : phaseSpans(*runs.front()->memory)) {
            seconds[span.phase] += span.endSeconds - span.startSeconds;
            all += span.endSeconds - span.startSeconds;
        }
        for (const char* name : {"icml-column", "screen"}) {
            FigurePreset preset = *figurePreset(name);
            preset.range = {0, std::numeric_limits<double>::infinity()}; // of one step, the loading too
            const QString words = wordsOf("memory_timeline", runs, preset).join(u'|');
            for (const Phase phase : {Phase::Load, Phase::OptimizerSetup, Phase::Data, Phase::Forward, Phase::Backward,
                                      Phase::OptimizerStep}) {
                const bool direct = words.contains(phaseTitle(phase)) ||
                                    (phase == Phase::Forward && words.contains(QStringLiteral("Fwd"))) ||
                                    (phase == Phase::Backward && words.contains(QStringLiteral("Bwd"))) ||
                                    (phase == Phase::OptimizerStep && words.contains(QStringLiteral("|Opt|"))) ||
                                    (phase == Phase::OptimizerSetup && words.contains(QStringLiteral("Set-up")));
                const double share = seconds[phase] / all;
                const QString what = QStringLiteral("%1, %2 steps: %3").arg(phaseTitle(phase)).arg(steps).arg(share);
                QVERIFY2(direct || share < 1.0 / 200, qPrintable(what));
                QVERIFY2(!direct || share > 1.0 / 1000, qPrintable(what));
            }
        }
    }
}

void TestFigurePages::denseTimelinesAreEnvelopes_data()
{
    QTest::addColumn<int>("steps");
    for (const int steps : {100, 1000, 5000})
        QTest::addRow("%d steps", steps) << steps;
}

void TestFigurePages::denseTimelinesAreEnvelopes()
{
    QFETCH(int, steps);
    const RunResults runs{shared(manySteps(steps))};
    const FigurePreset column = *figurePreset("icml-column");
    const QByteArray svg = writtenFigure("memory_timeline", runs, column, FigureFormat::Svg);
    QVERIFY2(svg.size() < 400 * 1024, qPrintable(QString::number(svg.size())));
    const QString words = wordsOf("memory_timeline", runs, column).join(u'|');
    QVERIFY2(words.contains(QChar(0x2013)), qPrintable(words)); // a band of steps
    // No ink where the stack goes up and down in every point: components are pale beside the strokes.
    const QImage image = renderFigureImage("memory_timeline", runs, column, FigureTheme::Light, 300);
    int dark = 0, all = 0;
    for (int y = image.height() * 3 / 100; y < image.height() * 65 / 100; ++y) {
        for (int x = image.width() / 4; x < image.width() * 95 / 100; ++x, ++all)
            dark += qGray(image.pixel(x, y)) < 60; // strokes and letters; the darkest component is lighter
    }
    QVERIFY2(dark < all / 25, qPrintable(QStringLiteral("%1 of %2").arg(dark).arg(all)));
}

void TestFigurePages::denseTimelinesKeepTheirPeak()
{
    // One event that is higher than all others and shorter than anything that can be seen.
    RunResult run = manySteps(1000);
    TimelineData& data = run.memory->timeline;
    const std::size_t middle = data.timeSeconds.size() / 2;
    const double at = data.timeSeconds[middle];
    const std::int64_t spike = run.memory->peakBytes;
    for (const std::int64_t bytes : {-spike, spike}) {
        const auto place = static_cast<std::ptrdiff_t>(middle);
        data.timeSeconds.insert(data.timeSeconds.begin() + place, at);
        data.deltaBytes.insert(data.deltaBytes.begin() + place, bytes);
        data.component.insert(data.component.begin() + place, Component::Hessian);
    }
    const MemoryTimeline timeline(data);
    run.memory->peakBytes = timeline.peakBytes();
    run.memory->peakComponents = timeline.peakComponents();
    run.memory->maxComponents = timeline.maxComponents();
    const QImage image =
        renderFigureImage("memory_timeline", {shared(run)}, *figurePreset("icml-column"), FigureTheme::Light, 300);
    const QColor color = componentColor(Component::Hessian);
    int found = 0, highest = image.height(), lowest = 0;
    for (int y = 0; y < image.height() * 3 / 4; ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            if (std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) +
                    std::abs(pixel.blue() - color.blue()) <
                60) {
                ++found;
                highest = std::min(highest, y);
                lowest = std::max(lowest, y);
            }
        }
    }
    QVERIFY2(found > 20, qPrintable(QString::number(found)));
    QVERIFY(lowest - highest > image.height() / 8); // its whole height is there
}

// The strip of a thousand steps in a thousand pixels: marks apart, phases in every column.
void TestFigurePages::theWindowsStripIsNoBlackBlock()
{
    const RunResult run = manySteps(1000);
    const MemoryTimeline timeline(run.memory->timeline);
    TimelineScene scene;
    scene.timeline = &timeline;
    scene.phases = run.memory->phases;
    scene.theme = chartTheme(QPalette());
    for (const double scale : {1.0, 2.0}) {
        QImage image(QSize(1000, 40) * scale, QImage::Format_RGB32);
        image.fill(scene.theme.background);
        QPainter painter(&image);
        painter.scale(scale, scale);
        PlotGeometry geometry;
        geometry.rect = QRectF(0, 0, 1000, 40);
        geometry.x0 = 0;
        geometry.x1 = timeline.endSeconds();
        paintPhaseStrip(painter, geometry, scene);
        painter.end();
        int marked = 0, blank = 0;
        const int steps = qRound(2 * scale), phases = image.height() * 3 / 4;
        for (int x = qRound(20 * scale); x < image.width() - 2; ++x) {
            marked += image.pixelColor(x, steps) != scene.theme.background;
            blank += image.pixelColor(x, phases) == scene.theme.background;
        }
        QVERIFY2(marked > 3 && marked < image.width() / 20, qPrintable(QString::number(marked)));
        QVERIFY2(blank < image.width() / 20, qPrintable(QString::number(blank)));
    }
}

void TestFigurePages::theWindowsStackHasNoEdgesOnSpikes()
{
    // A workspace that is born and freed two thousand times in five hundred pixels.
    TimelineData data;
    for (int i = 0; i < 2000; ++i) {
        for (const int sign : {1, -1}) {
            data.timeSeconds.push_back(i + (sign < 0 ? 0.5 : 0.0));
            data.deltaBytes.push_back(sign * ((std::int64_t{1} << 20) + (i % 7) * 40000));
            data.component.push_back(Component::Workspace);
        }
    }
    const MemoryTimeline timeline(data);
    TimelineScene scene;
    scene.timeline = &timeline;
    scene.theme = chartTheme(QPalette());
    QImage image(500, 200, QImage::Format_RGB32);
    image.fill(scene.theme.background);
    QPainter painter(&image);
    PlotGeometry geometry;
    geometry.rect = QRectF(0, 0, 500, 200);
    geometry.x0 = 0;
    geometry.x1 = timeline.endSeconds();
    geometry.y0 = 0;
    geometry.y1 = double(2 << 20);
    paintStack(painter, geometry, scene);
    painter.end();
    int dark = 0, filled = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            dark += qGray(image.pixel(x, y)) < qGray(componentColor(Component::Workspace).rgb()) - 20;
            filled += image.pixelColor(x, y) == componentColor(Component::Workspace);
        }
    }
    QVERIFY(filled > image.width() * image.height() / 3);
    QVERIFY2(dark < image.width() / 10, qPrintable(QString::number(dark)));
}

PEAKSCOPE_TEST(TestFigurePages)
#include "test_figure_pages.moc"
