// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a figure shows of a program that loads for long: its steps, as the window does, and in words what is left out;
// no bar alone, no promise of numbers that are not drawn, no times that were not measured.
#include "tests/core/planning/plan_samples.h"
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_samples.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "tests/widgets/timeline/rank_samples.h"
#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_page.h"

#include <QDir>
#include <QTest>

#include <limits>

using namespace peakscope;

namespace {

constexpr double kLoading = 60; // seconds before the first step

void loadLonger(MemorySection& memory, double after)
{
    for (double& time : memory.timeline.timeSeconds)
        time += kLoading;
    for (std::size_t i = 1; i < memory.phases.size(); ++i)
        memory.phases[i].timeSeconds += kLoading;
    if (after > 0) {
        memory.timeline.timeSeconds.push_back(memory.timeline.timeSeconds.back() + after);
        memory.timeline.deltaBytes.push_back(-1);
        memory.timeline.component.push_back(Component::Parameters);
    }
}

RunResult loadsLongRun(double after = 0)
{
    RunResult run = sampleRun();
    run.memory->marks.clear();
    loadLonger(*run.memory, after);
    return run;
}

QStringList textsOf(const std::string& figure, const RunResults& runs, const FigurePreset& preset)
{
    QStringList texts;
    for (const auto& placed : drawFigurePage(nullptr, figure, runs, preset, FigureTheme::Light))
        texts << placed.text;
    return texts;
}

FigurePreset column()
{
    return *figurePreset("icml-column");
}

FigurePreset ranged(double begin, double end)
{
    FigurePreset preset = column();
    preset.range = {begin, end};
    return preset;
}

void save(const std::string& figure, const RunResults& runs, const FigurePreset& preset, const QString& name)
{
    const QString folder = qEnvironmentVariable("PEAKSCOPE_SCREENSHOTS");
    if (!folder.isEmpty())
        renderFigureImage(figure, runs, preset).save(QDir(folder).filePath(name + QStringLiteral(".png")));
}

constexpr double kEnd = std::numeric_limits<double>::infinity();

} // namespace

class TestFigureRanges : public QObject
{
    Q_OBJECT

private slots:
    void aTimelineShowsTheSteps()
    {
        const RunResults runs{shared(loadsLongRun())};
        const QString words = textsOf("memory_timeline", runs, column()).join(u'|');
        QVERIFY2(words.contains(QStringLiteral("All 3 steps")), qPrintable(words));
        QVERIFY2(words.contains(QStringLiteral("the program's start is left out")), qPrintable(words));
        QVERIFY2(words.contains(QStringLiteral("|peak ")), qPrintable(words));
        QVERIFY2(!words.contains(QStringLiteral("|0|")) || !words.contains(QStringLiteral("|10|")), qPrintable(words));
        for (const char* step : {"0", "1", "2"})
            QVERIFY2(textsOf("memory_timeline", runs, column()).contains(QString::fromLatin1(step)), step);
        QVERIFY2(words.contains(QStringLiteral("60.5")) || words.contains(QStringLiteral("61")), qPrintable(words));
        const QString caption = figureCaption("memory_timeline", runs, column());
        QVERIFY2(caption.contains(QStringLiteral("All 3 steps; the program's start is left out.")),
                 qPrintable(caption));
        save("memory_timeline", runs, column(), QStringLiteral("range_steps"));
        for (const FigurePreset& preset : figurePresets()) {
            const QString fault = faultOfTexts("memory_timeline", runs, preset);
            QVERIFY2(fault.isEmpty(), qPrintable(QString::fromStdString(preset.name) + u' ' + fault));
        }
        // A run that is mostly steps is drawn whole, without a word.
        QVERIFY(!figureCaption("memory_timeline", sampleRuns(1), column()).contains(QStringLiteral("left out")));
    }

    void bothEndsAreLeftOut()
    {
        const RunResults runs{shared(loadsLongRun(40))};
        QVERIFY2(figureCaption("memory_timeline", runs, column())
                     .contains(QStringLiteral("the program's start and end are left out")),
                 qPrintable(figureCaption("memory_timeline", runs, column())));
    }

    void anAskedRangeIsDrawn()
    {
        const RunResults runs{shared(loadsLongRun())};
        const QStringList all = textsOf("memory_timeline", runs, ranged(0, kEnd));
        QVERIFY2(all.contains(QStringLiteral("Load")) && !all.join(u'|').contains(QStringLiteral("left out")),
                 qPrintable(all.join(u'|')));
        const QString early = textsOf("memory_timeline", runs, ranged(5, 10)).join(u'|');
        QVERIFY2(early.contains(QStringLiteral("5.00 s to 10.0 s of ")), qPrintable(early));
        QVERIFY2(!early.contains(QStringLiteral("|peak ")), qPrintable(early)); // which is elsewhere
        const QString one = textsOf("memory_timeline", runs, ranged(kLoading + 0.3, kLoading + 0.9)).join(u'|');
        QVERIFY2(one.contains(QStringLiteral("1 of 3 steps")), qPrintable(one));
        for (const FigurePreset& preset : {ranged(5, 10), ranged(kLoading + 0.3, kLoading + 0.9), ranged(70, 80)})
            QVERIFY2(faultOfTexts("memory_timeline", runs, preset).isEmpty(),
                     qPrintable(faultOfTexts("memory_timeline", runs, preset)));
        save("memory_timeline", runs, ranged(kLoading + 0.3, kLoading + 0.9), QStringLiteral("range_one_step"));
    }

    void ranksAndSeveralRunsShowTheSteps()
    {
        RunResult ranked = test::rankedRun(2);
        for (RankSection& rank : ranked.ranks)
            loadLonger(*rank.memory, 0);
        const RunResults one{shared(std::move(ranked))};
        const QString words = textsOf("memory_ranks", one, column()).join(u'|');
        QVERIFY2(words.contains(QStringLiteral("All 3 steps")), qPrintable(words));
        save("memory_ranks", one, column(), QStringLiteral("range_ranks"));
        const RunResults two{shared(loadsLongRun()), shared(loadsLongRun(40))};
        const QString caption = figureCaption("memory_timeline", two, column());
        QVERIFY2(caption.contains(QStringLiteral("All 3 steps; the program's start and end are left out")),
                 qPrintable(caption));
        QVERIFY(faultOfTexts("memory_timeline", two, column()).isEmpty());
    }

    void aBarAloneIsANumber()
    {
        const RunResults runs{shared(sampleRun())};
        QCOMPARE(figurePanels("memory_analysis_overview", runs).front().title, QStringLiteral("Peak of each phase"));
        const QString caption = figureCaption("memory_analysis_overview", runs, column());
        QVERIFY2(caption.contains(QStringLiteral("Peak memory, opt-125m: ")), qPrintable(caption));
        QVERIFY(
            textsOf("memory_analysis_overview", runs, column()).join(u'|').contains(QStringLiteral("Peak memory, ")));
        QCOMPARE(figurePanels("memory_analysis_overview", sampleRuns(2)).front().title, QStringLiteral("Peak memory"));
    }

    void timesThatAreNotThereAreSaid()
    {
        RunResult run = sampleRun();
        QVERIFY(
            !figureCaption("operation_level_breakdown", {shared(run)}, column()).contains(QStringLiteral("No times")));
        for (OperatorUsage& usage : run.memory->operators)
            usage.seconds = 0;
        QVERIFY(figureCaption("operation_level_breakdown", {shared(run)}, column())
                    .contains(QStringLiteral("No times of operators were recorded")));
        run.other["dry"] = nlohmann::json::object();
        QVERIFY(textsOf("operation_level_breakdown", {shared(run)}, column())
                    .contains(QStringLiteral("No times: a dry run computes nothing")));
    }

    void colourAloneIsSaid()
    {
        const RunResults usual{std::make_shared<const RunResult>(testing::samplePlanResult())};
        const QString numbers = figureCaption("capacity_map", usual, *figurePreset("icml-page"));
        QVERIFY2(numbers.contains(QStringLiteral("numbers: peak in")), qPrintable(numbers));
        nlohmann::json plan = testing::samplePlanJson();
        nlohmann::json map;
        for (int i = 0; i < 20; ++i)
            map["sequences"].push_back(std::int64_t{1} << i);
        map["batches"] = map["sequences"];
        map["peak_bytes"] = std::vector<std::int64_t>(400, std::int64_t{3} << 33);
        map["verdicts"] = std::vector<std::string>(400, "tight");
        plan["capacity_map"] = map;
        const RunResults wide{std::make_shared<const RunResult>(planResult(plan))};
        const QString words = figureCaption("capacity_map", wide, column());
        QVERIFY2(words.contains(QStringLiteral("colour alone; the numbers are in the table")), qPrintable(words));
        QVERIFY2(!words.contains(QStringLiteral("numbers: ")), qPrintable(words));
        QVERIFY(textsOf("capacity_map", wide, column()).join(u'|').contains(QStringLiteral("colour alone")));
        save("capacity_map", wide, column(), QStringLiteral("range_capacity"));
    }
};

PEAKSCOPE_TEST(TestFigureRanges)
#include "test_figure_ranges.moc"
