// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The search for the largest value that fits, in the dialog of programs that run dry.
#include "app/form/run_panel.h"
#include "app/jobs/program_runs.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/run/run_page.h"
#include "tests/app/run/program_dialog_support.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

class TestProgramFit : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { isolate(m_home); }
    void init();
    void theLargestThatFits();
    void aRowSaysWhatIsOfItsCard();
    void theEndOfTheRangeIsNotTheCards();

private:
    ProgramDialog* searchOnTwoCards(MainWindow& window) const; // filled in, not started

    QTemporaryDir m_home;
};

void TestProgramFit::init()
{
    useFakeWorker("complete");
    settings::setDryCards({});
    settings::setLibraryFolder(m_home.filePath(QString::fromLatin1(QTest::currentTestFunction())));
    QVERIFY(QDir().mkpath(settings::libraryFolder()));
}

ProgramDialog* TestProgramFit::searchOnTwoCards(MainWindow& window) const
{
    ProgramDialog* dialog = openProgramDialog(window, m_home.path());
    dialog->commandField()->setText(QStringLiteral("sh train.py --batch {batch}"));
    dialog->varyBox()->setChecked(true);
    tick(dialog, {QStringLiteral("a800-80gb"), QStringLiteral("rtx-4090")});
    dialog->resize(1280, 720); // as on a screen larger than that of the tests
    return dialog;
}

void TestProgramFit::theLargestThatFits()
{
    MainWindow window;
    ProgramDialog* dialog = searchOnTwoCards(window);
    QVERIFY(!dialog->savesBox()->isEnabled());
    dialog->startButton()->click();
    QTRY_VERIFY(over(dialog));
    const int full = cell(dialog, 0, 0).contains(QStringLiteral("4090")) ? 0 : 1, fits = 1 - full;
    QCOMPARE(cell(dialog, fits, ProgramTable::State), QStringLiteral("largest that fits: batch 24"));
    QCOMPARE(cell(dialog, fits, ProgramTable::Reserved), QStringLiteral("4.00 GiB"));
    QCOMPARE(cell(dialog, full, ProgramTable::State), QStringLiteral("not even the first value fits"));
    dialog->table()->setCurrentCell(full, 0);
    QVERIFY(!dialog->copyButton()->isVisible());
    dialog->table()->setCurrentCell(fits, 0);
    QVERIFY(dialog->copyButton()->isVisible());
    QVERIFY2(dialog->largest()->text().endsWith(
                 QStringLiteral("sh train.py --batch 24\nbatch 24 with other rows reserves 4 GiB")),
             qPrintable(dialog->largest()->text()));
    dialog->copyButton()->click();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("sh train.py --batch 24"));
    // One search for both cards, whose result is a sweep.
    QCOMPARE(part<ProgramRuns>(window)->files().size(), 1);
    const auto result = loadRunResult(part<ProgramRuns>(window)->files().first().toStdString());
    QVERIFY(result);
    const QString options = QString::fromStdString(result->config["program"]["options"].get<std::string>());
    QVERIFY2(options.contains(QLatin1String("--vary batch=1..64")), qPrintable(options));
    QVERIFY2(!options.contains(QLatin1String("--allow-saves")), qPrintable(options));
    dialog->openButton()->click();
    QTRY_COMPARE(front(window), QStringLiteral("run"));
    const auto* summary = part<RunPage>(window)->panel()->findChild<QLabel*>(QStringLiteral("experimentSummary"));
    QTRY_VERIFY2(summary->text().startsWith(QStringLiteral("dry run of train.py …")), qPrintable(summary->text()));
}

// A search says of each card what became of a value there: no card's row shows another one's.
void TestProgramFit::aRowSaysWhatIsOfItsCard()
{
    testing::useFakeWorker("slow");
    MainWindow window;
    ProgramDialog* dialog = searchOnTwoCards(window);
    dialog->startButton()->click();
    QTRY_COMPARE(cell(dialog, 0, ProgramTable::State), QStringLiteral("running: batch 1: 4 GiB reserved"));
    QCOMPARE(cell(dialog, 1, ProgramTable::State), QStringLiteral("running"));
    test::saveScreenshot(*dialog, QStringLiteral("fit_each_row_of_its_card"));
    // Nothing of it is saved before it ends.
    QVERIFY(!window.close());
    QVERIFY2(window.messages()->text().contains(QStringLiteral("closing stops it, and its finished runs are lost (1)")),
             qPrintable(window.messages()->text()));
    QVERIFY2(!window.messages()->text().contains(QStringLiteral("finished results are kept")),
             qPrintable(window.messages()->text()));
    QVERIFY(testing::press(*window.messages(), QStringLiteral("Don't close")));
    part<ProgramRuns>(window)->stop();
    QTRY_VERIFY(over(dialog));
}

// "At least", and a click searches on from there.
void TestProgramFit::theEndOfTheRangeIsNotTheCards()
{
    testing::useFakeWorker("end_of_range");
    MainWindow window;
    ProgramDialog* dialog = searchOnTwoCards(window);
    dialog->startButton()->click();
    QTRY_VERIFY(over(dialog));
    const int fits = cell(dialog, 0, 0).contains(QStringLiteral("4090")) ? 1 : 0;
    QCOMPARE(cell(dialog, fits, ProgramTable::State), QStringLiteral("at least batch 24 (end of the range)"));
    dialog->table()->setCurrentCell(fits, 0);
    QVERIFY2(dialog->largest()->text().startsWith(
                 QStringLiteral("NVIDIA A800 SXM 80GB: at least batch 24, the end of the range\n")),
             qPrintable(dialog->largest()->text()));
    auto* further = dialog->findChild<QPushButton*>(QStringLiteral("searchOn"));
    QVERIFY(further->isVisible());
    test::saveScreenshot(*dialog, QStringLiteral("fit_at_the_end_of_its_range"));
    QTest::mouseClick(further, Qt::LeftButton);
    QTRY_VERIFY(over(dialog));
    QCOMPARE(part<ProgramRuns>(window)->rows().size(), std::size_t{1});
    const auto result = loadRunResult(part<ProgramRuns>(window)->files().first().toStdString());
    QVERIFY(result);
    const QString options = QString::fromStdString(result->config["program"]["options"].get<std::string>());
    QVERIFY2(options.contains(QLatin1String("--vary batch=24..192")), qPrintable(options));
}

PEAKSCOPE_TEST(TestProgramFit)
#include "test_program_fit.moc"
