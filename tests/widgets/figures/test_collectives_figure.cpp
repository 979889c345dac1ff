// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figure of what ranks send: inside its pages at every size, its data, and refused where there is none.
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "tests/widgets/timeline/collective_samples.h"
#include "widgets/figures/page/figure.h"

#include <QDir>
#include <QTest>

#include <algorithm>

using namespace peakscope;

class TestCollectivesFigure : public QObject
{
    Q_OBJECT

private slots:
    void textsStayInsideAndApart();
    void dataHoldTheNumbers();
    void othersAreRefused();
    void pictures();

private:
    const std::shared_ptr<const RunResult> m_run = std::make_shared<const RunResult>(test::sendingRun());
    const std::shared_ptr<const RunResult> m_older = std::make_shared<const RunResult>(test::sendingRunWithoutPhases());
};

void TestCollectivesFigure::textsStayInsideAndApart()
{
    for (const RunResults& runs : {RunResults{m_run}, RunResults{m_older}, RunResults{m_run, m_older}}) {
        for (const FigurePreset& preset : figurePresets()) {
            const QString fault = faultOfTexts("collectives", runs, preset);
            QVERIFY2(fault.isEmpty(), qPrintable(QString::fromStdString(preset.name) + u' ' + fault));
        }
    }
}

void TestCollectivesFigure::dataHoldTheNumbers()
{
    const QByteArray csv = figureCsv("collectives", {m_run, m_older});
    QCOMPARE(csv.count("\r\n"), 1 + 6 + 3);
    QVERIFY2(csv.startsWith("run,rank,kind,phase,count,bytes\r\n"), csv.constData());
    QVERIFY2(csv.contains(",0,all_gather,forward,1000,31457280\r\n"), csv.constData());
    QVERIFY2(csv.contains(",0,all_gather,,1010,62914560\r\n"), csv.constData());
}

void TestCollectivesFigure::othersAreRefused()
{
    const RunResults run{std::make_shared<const RunResult>()};
    QVERIFY(checkFigure("collectives", run).error().text().find("it holds no collectives") != std::string::npos);
    const auto offered = availableFigures({m_run});
    QVERIFY(std::find(offered.begin(), offered.end(), "collectives") != offered.end());
}

void TestCollectivesFigure::pictures()
{
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    for (const char* preset : {"icml-column", "icml-page", "slide"}) {
        const QString file = folder.filePath(QStringLiteral("figure_collectives_") + QString::fromLatin1(preset));
        const FigurePreset page = *figurePreset(preset);
        QVERIFY(renderFigureImage("collectives", {m_run}, page, FigureTheme::Light, 150)
                    .save(file + QStringLiteral(".png")));
        QVERIFY(renderFigureImage("collectives", {m_run, m_older}, page, FigureTheme::Dark, 150)
                    .save(file + QStringLiteral("_two.png")));
    }
}

PEAKSCOPE_TEST(TestCollectivesFigure)
#include "test_collectives_figure.moc"
