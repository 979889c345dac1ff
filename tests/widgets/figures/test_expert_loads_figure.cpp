// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figure of a mixture's loads: inside its pages at every size, its data, and refused where there are none.
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "tests/widgets/timeline/expert_samples.h"
#include "widgets/figures/page/figure.h"

#include <QDir>
#include <QTest>

using namespace peakscope;

class TestExpertLoadsFigure : public QObject
{
    Q_OBJECT

private slots:
    void textsStayInsideAndApart();
    void textsSayTheLoads();
    void dataHoldTheNumbers();
    void othersAreRefused();
    void pictures();
};

void TestExpertLoadsFigure::textsStayInsideAndApart()
{
    const auto few = test::runOf(test::fewExperts()), many = test::runOf(test::manyExperts());
    for (const RunResults& runs : {RunResults{few}, RunResults{many}, RunResults{few, many}}) {
        for (const FigurePreset& preset : figurePresets()) {
            const QString fault = faultOfTexts("expert_loads", runs, preset);
            QVERIFY2(fault.isEmpty(), qPrintable(QString::fromStdString(preset.name) + u' ' + fault));
        }
    }
}

void TestExpertLoadsFigure::textsSayTheLoads()
{
    const QStringList texts = test::textsOfFigure("expert_loads", {test::runOf(test::fewExperts())}, "icml-page");
    QCOMPARE(texts.count(QStringLiteral("1.5")), 4);
    QVERIFY(texts.join(u' ').contains(QStringLiteral("the fullest expert has 6.0 × an even share")));
    QVERIFY(texts.contains(QStringLiteral("1 × (even)")));
}

void TestExpertLoadsFigure::dataHoldTheNumbers()
{
    const auto few = test::runOf(test::fewExperts());
    const QByteArray csv = figureCsv("expert_loads", {few, few});
    QCOMPARE(csv.count("\r\n"), 1 + 2 * 32);
    QVERIFY(csv.startsWith("run,layer,expert,tokens,times_even\r\n"));
    QVERIFY2(csv.contains(",2,0,1204,6.02\r\n"), csv.constData());
}

void TestExpertLoadsFigure::othersAreRefused()
{
    const RunResults run{std::make_shared<const RunResult>()};
    QVERIFY(checkFigure("expert_loads", run).error().text().find("it holds no tokens of experts") != std::string::npos);
    QCOMPARE(availableFigures({test::runOf(test::fewExperts())}), std::vector<std::string>{"expert_loads"});
}

void TestExpertLoadsFigure::pictures()
{
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    const RunResults few{test::runOf(test::fewExperts())}, many{test::runOf(test::manyExperts())};
    for (const char* preset : {"icml-column", "icml-page", "slide"}) {
        const QString name = QStringLiteral("figure_expert_loads_%1_%2.png");
        const FigurePreset page = *figurePreset(preset);
        QVERIFY(renderFigureImage("expert_loads", few, page, FigureTheme::Light, 150)
                    .save(folder.filePath(name.arg(QStringLiteral("few"), QString::fromLatin1(preset)))));
        QVERIFY(renderFigureImage("expert_loads", many, page, FigureTheme::Dark, 150)
                    .save(folder.filePath(name.arg(QStringLiteral("many"), QString::fromLatin1(preset)))));
    }
}

PEAKSCOPE_TEST(TestExpertLoadsFigure)
#include "test_expert_loads_figure.moc"
