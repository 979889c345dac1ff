// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figure of a run's ranks: inside its page at every size, as vectors, refused with a reason where a run was not on
// several ranks.
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "tests/widgets/timeline/rank_samples.h"
#include "widgets/figures/page/figure.h"

#include <QDir>
#include <QTest>

using namespace peakscope;
using peakscope::test::textsOfFigure;
using peakscope::test::writtenFigure;

namespace {

constexpr const char* kFigure = "memory_ranks";

RunResult runWith(const QString& oddity)
{
    if (oddity == QLatin1String("two ranks"))
        return test::rankedRun(2);
    if (oddity == QLatin1String("eight ranks"))
        return test::rankedRun(8);
    if (oddity == QLatin1String("forty ranks")) {
        RunResult many = test::rankedRun(40);
        many.ranks[33].memory->peakBytes = many.ranks[1].memory->peakBytes + 1;
        return many;
    }
    RunResult run = test::rankedRun(4);
    if (oddity == QLatin1String("one ended early")) {
        run.ranks[2].status = RunStatus::Failed;
        run.ranks[2].memory.reset();
        run.ranks[2].timing.reset();
    } else if (oddity == QLatin1String("long host names")) {
        for (RankSection& rank : run.ranks)
            rank.host = "a-very-long-host-name-of-a-cluster-in-a-far-away-place.example.org";
    } else if (oddity == QLatin1String("no times")) {
        for (RankSection& rank : run.ranks) {
            rank.timing.reset();
            rank.communication.reset();
        }
    } else if (oddity == QLatin1String("synthetic")) {
        run.synthetic = true;
    } else if (oddity == QLatin1String("no phases")) {
        for (RankSection& rank : run.ranks)
            rank.memory->phases.clear();
    }
    return run;
}

RunResults runs(const QString& oddity)
{
    RunResults results{std::make_shared<const RunResult>(runWith(oddity))};
    if (oddity == QLatin1String("two runs")) {
        RunResult second = test::rankedRun(2);
        second.config["training"]["sharding"] = "zero1";
        results.push_back(std::make_shared<const RunResult>(std::move(second)));
    }
    return results;
}

} // namespace

class TestRanksFigure : public QObject
{
    Q_OBJECT

private slots:
    void textsStayInsideAndApart_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("oddity");
        for (const FigurePreset& preset : figurePresets()) {
            for (const char* oddity : {"usual", "two ranks", "eight ranks", "forty ranks", "one ended early",
                                       "long host names", "no times", "synthetic", "no phases", "two runs"})
                QTest::addRow("%s: %s", preset.name.c_str(), oddity)
                    << QString::fromStdString(preset.name) << QString::fromLatin1(oddity);
        }
    }

    void textsStayInsideAndApart()
    {
        QFETCH(QString, preset);
        QFETCH(QString, oddity);
        const QString fault = faultOfTexts(kFigure, runs(oddity), *figurePreset(preset.toStdString()));
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }

    void saysWhatSetsRanksApart()
    {
        const QStringList texts = textsOfFigure(kFigure, runs({}), "icml-column");
        QCOMPARE(texts.count(QStringLiteral("fullest")), 1);
        QCOMPARE(texts.count(QStringLiteral("slowest")), 1);
        for (const char* rank : {"Rank 0", "Rank 1", "Rank 2", "Rank 3"})
            QVERIFY2(texts.contains(QString::fromLatin1(rank)), rank);
        const QString all = texts.join(QLatin1Char('|'));
        QVERIFY2(all.contains(QStringLiteral("own step times 12 %")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("22 % of the steps")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("slowest without communication: rank 0")), qPrintable(all));
    }

    void largeRunsShowTheirExtremes()
    {
        const QStringList texts = textsOfFigure(kFigure, runs(QStringLiteral("forty ranks")), "icml-page");
        QVERIFY(texts.contains(QStringLiteral("Rank 33")) && texts.contains(QStringLiteral("Rank 0")));
        QVERIFY(!texts.contains(QStringLiteral("Rank 20")));
        QVERIFY(texts.contains(QStringLiteral("16 of 40 ranks are shown")));
        QCOMPARE(texts.count(QStringLiteral("fullest")), 1);
    }

    void filesAreVectors()
    {
        const FigurePreset page = *figurePreset("icml-column");
        const QByteArray pdf = writtenFigure(kFigure, runs({}), page, FigureFormat::Pdf);
        QVERIFY(pdf.startsWith("%PDF") && pdf.contains("/FontFile") && !pdf.contains("/Subtype /Image"));
        const QByteArray svg = writtenFigure(kFigure, runs({}), page, FigureFormat::Svg);
        QVERIFY(svg.contains("<svg") && svg.contains("<path") && !svg.contains("<image"));
        QVERIFY(svg.contains("20260131T090507000-0001-abcdef")); // where it comes from
        QCOMPARE(svg, writtenFigure(kFigure, runs({}), page, FigureFormat::Svg));
        QVERIFY(writtenFigure(kFigure, runs({}), page, FigureFormat::Png).size() > 10000);
    }

    void otherRunsAreRefused()
    {
        RunResult alone = test::rankedRun(2);
        alone.ranks.clear();
        const Status one = checkFigure(kFigure, {std::make_shared<const RunResult>(alone)});
        QVERIFY(!one);
        QVERIFY2(one.error().message.find("not on several ranks") != std::string::npos, one.error().message.c_str());
        RunResult bare = test::rankedRun(2);
        for (RankSection& rank : bare.ranks)
            rank.memory->timeline = {};
        const Status none = checkFigure(kFigure, {std::make_shared<const RunResult>(bare)});
        QVERIFY(!none);
        QVERIFY2(none.error().message.find("timeline") != std::string::npos, none.error().message.c_str());
    }

    void dataHoldEveryRank()
    {
        const RunResults two = runs(QStringLiteral("two ranks"));
        const QByteArray csv = figureCsv(kFigure, two);
        QVERIFY(csv.startsWith("rank,time_seconds,component,delta_bytes,total_bytes"));
        const auto events = static_cast<qsizetype>(two.front()->ranks[0].memory->timeline.size());
        QCOMPARE(csv.count("\n0,"), events);
        QCOMPARE(csv.count("\n1,"), events);
        QVERIFY(figureCsv(kFigure, runs(QStringLiteral("two runs"))).startsWith("run,rank,"));
    }

    void pictures()
    {
        const QString folder = QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots");
        QDir().mkpath(folder);
        for (const char* preset : {"icml-column", "icml-page", "slide", "screen"}) {
            const QImage image = renderFigureImage(kFigure, runs({}), *figurePreset(preset), FigureTheme::Light, 200);
            QVERIFY(!image.isNull());
            QVERIFY(image.save(QStringLiteral("%1/figure-memory_ranks-%2.png").arg(folder, QLatin1String(preset))));
        }
        const QImage many = renderFigureImage(kFigure, runs(QStringLiteral("forty ranks")), *figurePreset("icml-page"),
                                              FigureTheme::Light, 150);
        QVERIFY(many.save(folder + QStringLiteral("/figure-memory_ranks-forty.png")));
    }
};

PEAKSCOPE_TEST(TestRanksFigure)
#include "test_ranks_figure.moc"
