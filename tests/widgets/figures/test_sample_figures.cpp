// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every figure of every sample that comes with the program, as two papers print it: what a reader sees first. The
// samples hold what made-up runs do not: long names, whole courses of steps, and plans with all their rows.
#include "core/import/read_any.h"
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_text_check.h"

#include <QTest>

#include <algorithm>
#include <map>

using namespace peakscope;

namespace {

constexpr double kLeastPt = 5;
constexpr double kPaperPt = 9 * 72; // that a page of those papers has

const RunResults& sampleRuns(const QString& file)
{
    static std::map<QString, RunResults> read;
    RunResults& runs = read[file];
    if (runs.empty()) {
        auto results = readAny(PEAKSCOPE_SOURCE_DIR "/resources/samples/" + file.toStdString());
        if (results)
            runs.push_back(std::make_shared<const RunResult>(std::move(results->front())));
    }
    return runs;
}

} // namespace

class TestSampleFigures : public QObject
{
    Q_OBJECT

private slots:
    void paperIsReadable_data();
    void paperIsReadable();
    void rowsOfAPlanAreTold_data();
    void rowsOfAPlanAreTold();
};

void TestSampleFigures::paperIsReadable_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("preset");
    for (const char* sample :
         {"demo_result.json", "memory_result.json", "plan_result.json", "fit_result.json", "out_of_memory.pickle.gz"}) {
        const RunResults& runs = sampleRuns(QString::fromLatin1(sample));
        QVERIFY2(!runs.empty(), sample);
        const std::vector<std::string> figures = availableFigures(runs);
        QVERIFY2(!figures.empty(), sample);
        for (const std::string& figure : figures) {
            for (const char* preset : {"icml-column", "neurips-text"})
                QTest::addRow("%s %s %s", sample, figure.c_str(), preset)
                    << QString::fromLatin1(sample) << QString::fromStdString(figure) << QString::fromLatin1(preset);
        }
    }
}

void TestSampleFigures::paperIsReadable()
{
    QFETCH(QString, sample);
    QFETCH(QString, figure);
    QFETCH(QString, preset);
    const std::string name = figure.toStdString();
    const RunResults& runs = sampleRuns(sample);
    FigurePreset paper = *figurePreset(preset.toStdString());
    FigurePreset smallest = paper;
    smallest.smallFontPt = kLeastPt;
    const FigureCanvas canvas(nullptr, smallest, FigureTheme::Light);
    const double least = canvas.textBox({}, QStringLiteral("0"), Qt::AlignLeft, {TextSize::Small}).height();
    QVERIFY(least > 0);
    const auto look = [&](const QString& what) {
        const FigurePages pages(name, runs, paper, FigureTheme::Light);
        for (std::size_t page = 0; page < pages.count(); ++page) {
            QVERIFY2(pages.size(page).height() <= kPaperPt, qPrintable(what));
            for (const auto& placed : pages.draw(nullptr, page)) {
                const bool upwards = placed.box.width() < placed.box.height() && placed.text.size() > 1;
                const double size = upwards ? placed.box.width() : placed.box.height();
                QVERIFY2(size >= least, qPrintable(placed.text));
                QVERIFY2(!placed.text.startsWith(QStringLiteral("no run ")), qPrintable(placed.text));
            }
        }
        const QString fault = faultOfTexts(name, runs, paper);
        QVERIFY2(fault.isEmpty(), qPrintable(what + QStringLiteral(": ") + fault));
    };
    look(QStringLiteral("all panels"));
    // Each by itself as well: a page of several would hide that one of them is empty.
    const std::vector<FigurePanel> panels = figurePanels(name, runs);
    for (std::size_t i = 0; i < panels.size() && !QTest::currentTestFailed(); ++i) {
        paper.panels = {i};
        look(panels[i].title);
    }
}

void TestSampleFigures::rowsOfAPlanAreTold_data()
{
    QTest::addColumn<QString>("preset");
    for (const char* preset : {"icml-column", "ieee-column"})
        QTest::newRow(preset) << QString::fromLatin1(preset);
}

// Rows differ at the ends of their titles, which are whole.
void TestSampleFigures::rowsOfAPlanAreTold()
{
    QFETCH(QString, preset);
    const RunResults& runs = sampleRuns(QStringLiteral("plan_result.json"));
    const auto texts =
        drawFigurePage(nullptr, "strategy_table", runs, *figurePreset(preset.toStdString()), FigureTheme::Light);
    for (const auto& placed : texts)
        QVERIFY2(!placed.text.contains(QChar(0x2026)), qPrintable(placed.text));
    QVERIFY(std::ranges::any_of(
        texts, [](const auto& placed) { return placed.text.contains(QStringLiteral("(parameter by parameter)")); }));
}

PEAKSCOPE_TEST(TestSampleFigures)
#include "test_sample_figures.moc"
