// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A program run dry through the window: what can start, a row a card, a stop, the largest that fits, and its results.
#include "app/compare/compare_page.h"
#include "app/form/program_dialog.h"
#include "app/form/program_table.h"
#include "app/form/rank_fields.h"
#include "app/form/run_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/parts/theme_controller.h"
#include "app/run/ranks_page.h"
#include "app/run/run_page.h"
#include "tests/app/run/program_dialog_support.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/ranks_view.h"

#include <QCheckBox>
#include <QClipboard>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QTest>

#include <algorithm>

using namespace peakscope;
using namespace peakscope::testing;

class TestProgramDialog : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void whatIsMissingIsSaid_data();
    void whatIsMissingIsSaid();
    void cardsAreFoundAndRemembered();
    void eachCardHasItsRow();
    void aLongFailureLeavesTheCardItsName();
    void aRowFollowsItsProgram();
    void theChosenRowIsDrawn();
    void aFailureHasTheProgramsLastLine();
    void aStopLeavesNothingRunning();
    void theWindowAsksBeforeItCloses();
    void aCommandIsTypedAtOnce();
    void theProgramsOwnBatchIsVaried();
    void ranksOfMany();
    void numbersOfGpusAreTried();
    void bothThemesAndLanguages();

private:
    ProgramDialog* open(MainWindow& window) const { return openProgramDialog(window, m_home.path()); }

    QTemporaryDir m_home;
};

void TestProgramDialog::initTestCase()
{
    testing::isolate(m_home);
}

void TestProgramDialog::init()
{
    testing::useFakeWorker("complete");
    settings::setDryCards({});
    settings::setLibraryFolder(m_home.filePath(QString::fromLatin1(QTest::currentTestFunction())));
    QVERIFY(QDir().mkpath(settings::libraryFolder()));
}

void TestProgramDialog::whatIsMissingIsSaid_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("vary"); // name and values; empty: not at all
    QTest::addColumn<QString>("said"); // empty: it can start
    QTest::newRow("nothing") << ""
                             << ""
                             << ""
                             << "Which program?";
    QTest::newRow("all") << "sh train.py"
                         << ""
                         << ""
                         << "";
    QTest::newRow("a quote") << "sh 'train.py"
                             << ""
                             << ""
                             << "has no end";
    QTest::newRow("a pipe") << "sh train.py | tee log"
                            << ""
                            << ""
                            << "is for a shell";
    QTest::newRow("no program") << "no-such-program train.py"
                                << ""
                                << ""
                                << "is no program";
    QTest::newRow("no folder") << "sh train.py"
                               << "/no/where"
                               << ""
                               << "no folder";
    QTest::newRow("no place") << "sh train.py"
                              << ""
                              << "batch=1..64"
                              << "Put {batch}";
    QTest::newRow("no values") << "sh train.py {batch}"
                               << ""
                               << "batch="
                               << "values";
    QTest::newRow("a search") << "sh train.py {batch}"
                              << ""
                              << "batch=1..64"
                              << "";
}

void TestProgramDialog::whatIsMissingIsSaid()
{
    QFETCH(QString, command);
    QFETCH(QString, folder);
    QFETCH(QString, vary);
    QFETCH(QString, said);
    MainWindow window;
    ProgramDialog* dialog = open(window);
    dialog->commandField()->setText(command);
    if (!folder.isEmpty())
        dialog->folderField()->setText(folder);
    dialog->varyBox()->setChecked(!vary.isEmpty());
    if (!vary.isEmpty()) {
        dialog->nameField()->setText(vary.section(u'=', 0, 0));
        dialog->valuesField()->setText(vary.section(u'=', 1));
    }
    QCOMPARE(dialog->startButton()->isEnabled(), said.isEmpty());
    QVERIFY2(dialog->verdict()->text().contains(said), qPrintable(dialog->verdict()->text()));
    tick(dialog, {});
    QVERIFY(!dialog->startButton()->isEnabled());
}

void TestProgramDialog::cardsAreFoundAndRemembered()
{
    MainWindow window;
    ProgramDialog* dialog = open(window);
    const auto shown = [dialog](bool checked) {
        QStringList ids;
        for (int i = 0; i < dialog->cardList()->count(); ++i) {
            const QListWidgetItem* item = dialog->cardList()->item(i);
            if (checked ? item->checkState() == Qt::Checked : !item->isHidden())
                ids << item->data(Qt::UserRole).toString();
        }
        return ids;
    };
    QCOMPARE(shown(true), QStringList{QStringLiteral("a800-80gb")});
    QStringList able;
    const auto catalogue = loadDeviceCatalogue();
    for (const CatalogueDevice& card : *catalogue) {
        if (card.cuda)
            able << QString::fromStdString(card.id);
    }
    QCOMPARE(shown(false), able);
    dialog->searchField()->setText(QStringLiteral("4090"));
    QCOMPARE(shown(false), QStringList{QStringLiteral("rtx-4090")});
    dialog->searchField()->clear();
    tick(dialog, {QStringLiteral("h100-80gb")});
    dialog->startButton()->click();
    QTRY_VERIFY(over(dialog));
    QCOMPARE(settings::dryCards(), QStringList{QStringLiteral("h100-80gb")});
}

void TestProgramDialog::eachCardHasItsRow()
{
    MainWindow window;
    ProgramDialog* dialog = open(window);
    const auto* heading = dialog->findChild<QLabel*>(QStringLiteral("dryHeading"));
    QVERIFY(!heading->isVisible());
    tick(dialog, {QStringLiteral("a800-80gb"), QStringLiteral("h100-80gb"), QStringLiteral("rtx-4090")});
    dialog->startButton()->click();
    QVERIFY(!dialog->startButton()->isEnabled());
    QVERIFY(heading->isVisible());
    QCOMPARE(heading->text(), QStringLiteral("Dry run: no numbers were computed"));
    QTRY_VERIFY(over(dialog));
    QCOMPARE(dialog->table()->rowCount(), 3);
    int done = 0;
    for (int row = 0; row < 3; ++row) {
        QCOMPARE(cell(dialog, row, ProgramTable::Allocated), QStringLiteral("3.00 GiB"));
        QCOMPARE(cell(dialog, row, ProgramTable::Reserved), QStringLiteral("4.00 GiB"));
        const bool little = cell(dialog, row, 0).contains(QStringLiteral("4090"));
        QCOMPARE(cell(dialog, row, ProgramTable::State),
                 little ? QStringLiteral("ran out of memory") : QStringLiteral("done"));
        QVERIFY2(cell(dialog, row, ProgramTable::OfTheCard)
                     .startsWith(little ? QLatin1String("Does not fit") : QLatin1String("Comfortable")),
                 qPrintable(cell(dialog, row, ProgramTable::OfTheCard)));
        done += little ? 0 : 1;
    }
    QCOMPARE(done, 2);
    // The command came whole, into the folder.
    const auto& rows = part<ProgramRuns>(window)->rows();
    const auto result = loadRunResult(rows.front().file.toStdString());
    QVERIFY(result);
    const nlohmann::json& program = result->config["program"];
    QCOMPARE(program["command"], nlohmann::json({"sh", "train.py", "--name", "two words"}));
    QCOMPARE(QFileInfo(QString::fromStdString(program["folder"].get<std::string>())).canonicalFilePath(),
             QFileInfo(m_home.path()).canonicalFilePath());
    QVERIFY(QString::fromStdString(program["options"].get<std::string>()).endsWith(QLatin1String("--steps 5")));
    QCOMPARE(QFileInfo(rows.front().file).absolutePath(), QFileInfo(settings::libraryFolder()).absoluteFilePath());
    QCOMPARE(runBadges(*result), QStringList{QStringLiteral("dry run")}); // on every figure of it
    // A row opens in Run, which says what it is; all of them in Compare.
    dialog->table()->setCurrentCell(0, 0);
    dialog->openButton()->click();
    QTRY_COMPARE(front(window), QStringLiteral("run"));
    const auto* summary = part<RunPage>(window)->panel()->findChild<QLabel*>(QStringLiteral("experimentSummary"));
    QTRY_COMPARE(summary->text(), QStringLiteral("dry run of train.py … on NVIDIA Card, optimiser steps: 5"));
    dialog->openAllButton()->click();
    QTRY_COMPARE(front(window), QStringLiteral("compare"));
    QTRY_COMPARE(part<ComparePage>(window)->runs().size(), std::size_t(3));
}

void TestProgramDialog::aRowFollowsItsProgram()
{
    testing::useFakeWorker("tells");
    MainWindow window;
    ProgramDialog* dialog = open(window);
    dialog->resize(1280, 720);
    dialog->startButton()->click();
    const auto stateIs = [dialog](int step) {
        return cell(dialog, 0, ProgramTable::State) == QStringLiteral("running: step %1 of 5").arg(step);
    };
    const QString go = m_home.filePath(QStringLiteral("go"));
    const auto goOn = [&go] { return QFile(go).open(QIODevice::WriteOnly); };
    QTRY_VERIFY2(stateIs(1), qPrintable(cell(dialog, 0, ProgramTable::State)));
    QCOMPARE(cell(dialog, 0, ProgramTable::Allocated), QStringLiteral("512 MiB"));
    QCOMPARE(cell(dialog, 0, ProgramTable::Reserved), QStringLiteral("1.00 GiB"));
    QVERIFY2(cell(dialog, 0, ProgramTable::OfTheCard).startsWith(QLatin1String("so far ")),
             qPrintable(cell(dialog, 0, ProgramTable::OfTheCard)));
    QVERIFY(dialog->table()->isColumnHidden(ProgramTable::Course)); // of one point
    QVERIFY(goOn());
    QTRY_VERIFY2(stateIs(2), qPrintable(cell(dialog, 0, ProgramTable::State)));
    QVERIFY(!dialog->table()->isColumnHidden(ProgramTable::Course));
    QVERIFY(goOn());
    QTRY_VERIFY2(stateIs(3), qPrintable(cell(dialog, 0, ProgramTable::State)));
    QCOMPARE(cell(dialog, 0, ProgramTable::Reserved), QStringLiteral("3.00 GiB"));
    // Drawn: reserved rises in steps from the left to the right.
    dialog->table()->setCurrentCell(-1, -1);
    const QRect course = dialog->table()->visualItemRect(dialog->table()->item(0, ProgramTable::Course));
    const QImage image = dialog->table()->viewport()->grab(course).toImage();
    const auto height = [&image](int x) {
        const QRgb ground = image.pixel(8, 3); // above the beginning
        int y = 3;
        while (y < image.height() && image.pixel(x, y) == ground)
            ++y;
        return image.height() - y;
    };
    const int first = height(8), second = height(image.width() - 8), third = height(image.width() - 4);
    QVERIFY2(first > 5 && second > first + 4 && third > second + 4,
             qPrintable(QStringLiteral("%1 %2 %3").arg(first).arg(second).arg(third)));
    // Its result takes the place of what was so far.
    QVERIFY(goOn());
    QTRY_VERIFY(over(dialog));
    QCOMPARE(cell(dialog, 0, ProgramTable::State), QStringLiteral("done"));
    QCOMPARE(cell(dialog, 0, ProgramTable::Reserved), QStringLiteral("4.00 GiB"));
    QVERIFY(cell(dialog, 0, ProgramTable::OfTheCard).startsWith(QLatin1String("Comfortable")));
    // A course of hours is thinned out, its highest kept.
    ProgramCourse hours;
    for (std::int64_t i = 0; i < 20'000; ++i)
        hours.add(i * 200, {1, 5, i == 777 ? 9 : 1, i == 777 ? 9 : 2, 9, 9});
    QVERIFY(hours.samples().size() <= 256 && hours.samples().size() > 100);
    QCOMPARE(hours.most(), 9);
    QVERIFY(hours.samples().back().milliseconds > 3'900'000);
}

// Under the rows is what the chosen one holds, in full, as it comes.
void TestProgramDialog::theChosenRowIsDrawn()
{
    testing::useFakeWorker("tells");
    MainWindow window;
    ProgramDialog* dialog = open(window);
    auto* picture = dialog->findChild<MemoryTimelineView*>(QStringLiteral("dryTimeline"));
    QVERIFY(!picture->isVisible()); // nothing runs
    dialog->startButton()->click();
    const auto peak = [picture] { return picture->timeline() ? picture->timeline()->peakBytes() : 0; };
    QTRY_COMPARE(peak(), std::int64_t{1} << 29);
    QVERIFY(picture->isVisible() && picture->isLive());
    QFile go(m_home.filePath(QStringLiteral("go")));
    QVERIFY(go.open(QIODevice::WriteOnly));
    QTRY_COMPARE(peak(), std::int64_t{1} << 30);
    QCOMPARE(picture->reserved().second, (std::vector<std::int64_t>{1 << 30, std::int64_t{2} << 30}));
    dialog->table()->setCurrentCell(-1, -1); // no row
    QVERIFY(!picture->isVisible());
    dialog->table()->setCurrentCell(0, 0);
    QVERIFY(picture->isVisible());
    QCOMPARE(peak(), std::int64_t{1} << 30);
    for (int i = 0; i < 2; ++i) {
        QTRY_VERIFY(!QFile::exists(go.fileName()));
        QVERIFY(QFile(go.fileName()).open(QIODevice::WriteOnly));
    }
    QTRY_VERIFY(over(dialog));
    QTRY_VERIFY(!picture->isLive());
    QCOMPARE(peak(), std::int64_t{3} << 29); // it stays until another is started
}

void TestProgramDialog::aFailureHasTheProgramsLastLine()
{
    testing::useFakeWorker("exit");
    MainWindow window;
    ProgramDialog* dialog = open(window);
    dialog->startButton()->click();
    QTRY_VERIFY(over(dialog));
    QCOMPARE(cell(dialog, 0, ProgramTable::State), QStringLiteral("failed: ValueError: batch of 0"));
    QVERIFY(cell(dialog, 0, ProgramTable::OfTheCard).isEmpty());
    QVERIFY(!dialog->openButton()->isEnabled());
}

void TestProgramDialog::aStopLeavesNothingRunning()
{
    testing::useFakeWorker("slow");
    MainWindow window;
    ProgramDialog* dialog = open(window);
    tick(dialog, {QStringLiteral("a800-80gb"), QStringLiteral("h100-80gb"), QStringLiteral("rtx-4090")});
    dialog->startButton()->click();
    const QDir results(settings::libraryFolder());
    const auto children = [&results] {
        QStringList ids;
        for (const QString& name : results.entryList({QStringLiteral("*.child")})) {
            QFile file(results.filePath(name));
            if (file.open(QIODevice::ReadOnly))
                ids << QString::fromLatin1(file.readAll());
        }
        ids.removeAll(QString());
        return ids;
    };
    QTRY_COMPARE(children().size(), 2); // two at a time
    const QStringList ids = children();
    QStringList states;
    for (int row = 0; row < 3; ++row)
        states << cell(dialog, row, ProgramTable::State);
    QCOMPARE(states, (QStringList{QStringLiteral("running"), QStringLiteral("running"), QStringLiteral("waiting")}));
    // Closed, it goes on.
    dialog->reject();
    QVERIFY(!dialog->isVisible() && !over(dialog));
    trigger(window, QStringLiteral("program"));
    QVERIFY(dialog->isVisible());
    dialog->stopButton()->click();
    QTRY_VERIFY(over(dialog));
    for (int row = 0; row < 3; ++row)
        QCOMPARE(cell(dialog, row, ProgramTable::State), QStringLiteral("stopped"));
    const auto lives = [](const QString& id) {
        QFile file(QStringLiteral("/proc/%1/stat").arg(id));
        return file.open(QIODevice::ReadOnly) && !file.readAll().contains(") Z ");
    };
    for (const QString& id : ids)
        QTRY_VERIFY2(!lives(id), qPrintable(id));
}

void TestProgramDialog::theWindowAsksBeforeItCloses()
{
    testing::useFakeWorker("slow");
    MainWindow window;
    ProgramDialog* dialog = open(window);
    dialog->startButton()->click();
    QTRY_COMPARE(cell(dialog, 0, ProgramTable::State), QStringLiteral("running"));
    QVERIFY(!window.close());
    QVERIFY2(window.messages()->text().contains(QStringLiteral("dry run of a program is under way")), qPrintable(window.messages()->text()));
    press(window.messages(), QStringLiteral("Stop and close"));
    QTRY_VERIFY(!window.isVisible());
    QVERIFY(!part<ProgramRuns>(window)->running());
}

// Shown again, keys go into the command: a space of one must not press the button that was pressed last.
void TestProgramDialog::aCommandIsTypedAtOnce()
{
    testing::useFakeWorker("slow");
    MainWindow window;
    ProgramDialog* dialog = open(window);
    dialog->startButton()->setFocus();
    dialog->reject();
    trigger(window, QStringLiteral("program"));
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    QVERIFY(dialog->commandField()->hasFocus());
    QTest::keyClicks(dialog->focusWidget(), QStringLiteral("python other.py"));
    QCOMPARE(dialog->commandField()->text(), QStringLiteral("python other.py"));
    QVERIFY(over(dialog));
}

void TestProgramDialog::theProgramsOwnBatchIsVaried()
{
    MainWindow window;
    ProgramDialog* dialog = open(window);
    const auto varied = [dialog](const char* command) {
        dialog->varyBox()->setChecked(false);
        dialog->commandField()->setText(QString::fromLatin1(command));
        dialog->varyBox()->click();
        return dialog->commandField()->text();
    };
    QCOMPARE(varied("sh train.py --batch 8"), QStringLiteral("sh train.py --batch {batch}"));
    QCOMPARE(varied("sh train.py --batch-size=8 --lr 1"), QStringLiteral("sh train.py --batch-size={batch} --lr 1"));
    QCOMPARE(varied("sh train.py --train_batch_size 8"), QStringLiteral("sh train.py --train_batch_size {batch}"));
    QCOMPARE(varied("sh train.py --seq {batch} --batch 8"), QStringLiteral("sh train.py --seq {batch} --batch 8"));
    QCOMPARE(varied("sh train.py --batches 8"), QStringLiteral("sh train.py --batches 8"));
    dialog->commandField()->setText(QStringLiteral("sh other.py --batch 4"));
    emit dialog->commandField()->editingFinished();
    QCOMPARE(dialog->commandField()->text(), QStringLiteral("sh other.py --batch {batch}"));
}

void TestProgramDialog::ranksOfMany()
{
    MainWindow window;
    ProgramDialog* dialog = open(window);
    const RankFields* world = dialog->world();
    QVERIFY(!world->ranksField()->isVisible() && !world->perNodeField()->isVisible()); // of one GPU
    QVERIFY(dialog->table()->isColumnHidden(ProgramTable::Gpus));
    world->worldField()->setValue(128);
    QVERIFY(world->ranksField()->isVisible() && world->perNodeField()->isVisible());
    QCOMPARE(world->ranksField()->text(), QStringLiteral("0,127")); // the first and the last
    world->ranksField()->clear();
    QTest::keyClicks(world->ranksField(), QStringLiteral("0, 128"));
    QVERIFY(!dialog->startButton()->isEnabled());
    QCOMPARE(dialog->verdict()->text(), QStringLiteral("Ranks are numbers from 0 to 127, such as: 0,127"));
    world->ranksField()->clear();
    QTest::keyClicks(world->ranksField(), QStringLiteral("127 0"));
    world->perNodeField()->setValue(4);
    dialog->startButton()->click();
    QTRY_VERIFY(over(dialog));
    QVERIFY(!dialog->table()->isColumnHidden(ProgramTable::Gpus));
    QCOMPARE(cell(dialog, 0, ProgramTable::Gpus), QStringLiteral("128"));
    QCOMPARE(cell(dialog, 0, ProgramTable::State), QStringLiteral("done, fullest: rank 127"));
    QCOMPARE(cell(dialog, 0, ProgramTable::Margin), QStringLiteral("668 MiB"));
    const QString file = part<ProgramRuns>(window)->rows().front().file;
    const auto result = loadRunResult(file.toStdString());
    const QString options = QString::fromStdString(result->config["program"]["options"].get<std::string>());
    QVERIFY2(options.contains(QLatin1String("--world 128 --rank 0,127 --per-node 4")), qPrintable(options));
    // Opened, its ranks stand beside each other, and NCCL's margin under them.
    dialog->openButton()->click();
    QTRY_COMPARE(front(window), QStringLiteral("run"));
    const auto* summary = part<RunPage>(window)->panel()->findChild<QLabel*>(QStringLiteral("experimentSummary"));
    QTRY_COMPARE(summary->text(),
                 QStringLiteral("dry run of train.py … on NVIDIA Card, rank 0, 127 of 128, optimiser steps: 5"));
    auto* page = part<RanksPage>(window);
    QCOMPARE(page->ranks(), 2);
    if (!page->isVisible())
        window.findChild<QToolButton*>(QStringLiteral("ranksButton"))->click();
    QVERIFY(page->isVisible());
    QVERIFY2(page->view()->headline().contains(QStringLiteral("fullest: rank 127")),
             qPrintable(page->view()->headline()));
    const auto* margin = page->findChild<QLabel*>(QStringLiteral("ranksMargin"));
    QVERIFY2(margin->isVisible() && margin->text().contains(QStringLiteral("668 MiB")) &&
                 margin->text().contains(QStringLiteral("a margin")),
             qPrintable(margin->text()));
    const QDir screens(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(screens.path()));
    window.resize(1280, 720);
    QVERIFY(window.grab().save(screens.filePath(QStringLiteral("dry_ranks.png")))); // to be looked at
    // A rank of the two that ran out of memory is told, whichever is the fullest; ranks may be alike.
    testing::useFakeWorker("rank_runs_out");
    dialog->startButton()->click();
    QTRY_VERIFY(over(dialog));
    QCOMPARE(cell(dialog, 0, ProgramTable::State), QStringLiteral("ran out of memory"));
    testing::useFakeWorker("ranks_alike");
    dialog->startButton()->click();
    QTRY_VERIFY(over(dialog));
    QCOMPARE(cell(dialog, 0, ProgramTable::State), QStringLiteral("done, ranks alike"));
}

void TestProgramDialog::numbersOfGpusAreTried()
{
    MainWindow window;
    ProgramDialog* dialog = open(window);
    const RankFields* world = dialog->world();
    QCOMPARE(world->sizesField()->text(), QStringLiteral("8, 16, 64, 256"));
    world->sizesField()->setText(QStringLiteral("8, sixteen"));
    QVERIFY(!world->sizesButton()->isEnabled());
    QVERIFY(dialog->verdict()->text().startsWith(QStringLiteral("Numbers of GPUs are")));
    world->sizesField()->setText(QStringLiteral("256, 8, 16, 64"));
    tick(dialog, {QStringLiteral("a800-80gb")});
    QTest::mouseClick(world->sizesButton(), Qt::LeftButton);
    QTRY_VERIFY(over(dialog));
    QCOMPARE(dialog->table()->rowCount(), 4);
    QStringList gpus, states, reserved;
    for (int row = 0; row < 4; ++row) {
        gpus << cell(dialog, row, ProgramTable::Gpus);
        states << cell(dialog, row, ProgramTable::State);
        reserved << cell(dialog, row, ProgramTable::Reserved);
    }
    QCOMPARE(gpus,
             (QStringList{QStringLiteral("8"), QStringLiteral("16"), QStringLiteral("64"), QStringLiteral("256")}));
    QCOMPARE(states.first(), QStringLiteral("ran out of memory"));
    QCOMPARE(states.last(), QStringLiteral("done"));
    QCOMPARE(reserved[1], QStringLiteral("64.0 GiB"));
    QVERIFY2(cell(dialog, 1, ProgramTable::OfTheCard).contains(QStringLiteral("64.4 GiB")), // with the context
             qPrintable(cell(dialog, 1, ProgramTable::OfTheCard)));
    QVERIFY(dialog->largest()->isVisible() && !dialog->copyButton()->isVisible());
    QCOMPARE(dialog->largest()->text(), QStringLiteral("The first that fits NVIDIA A800 SXM 80GB: 16 GPUs"));
    const auto result = loadRunResult(part<ProgramRuns>(window)->rows()[1].file.toStdString());
    const QString options = QString::fromStdString(result->config["program"]["options"].get<std::string>());
    QVERIFY2(options.contains(QLatin1String("--world 16 --rank 0 --per-node 8")), qPrintable(options));
    QCOMPARE(part<ProgramRuns>(window)->files().size(), 4);
    // None of them, and a card for which NCCL's margin counts.
    std::vector<ProgramRow> rows = part<ProgramRuns>(window)->rows();
    rows[1].communicatorBytes = std::int64_t(20) << 30;
    QCOMPARE(firstThatFits(rows, rows[1].card),
             QStringLiteral("The first that fits NVIDIA A800 SXM 80GB: 16 GPUs; with NCCL's margin 64"));
    rows.resize(1);
    QVERIFY(firstThatFits(rows, rows[0].card).isEmpty());
    rows.push_back(rows[0]);
    QCOMPARE(firstThatFits(rows, rows[0].card),
             QStringLiteral("None of these numbers of GPUs fits NVIDIA A800 SXM 80GB"));
}

// Saved to be looked at, too.
void TestProgramDialog::bothThemesAndLanguages()
{
    MainWindow window;
    ProgramDialog* dialog = open(window);
    dialog->commandField()->setText(QStringLiteral("sh train.py --batch {batch}"));
    dialog->varyBox()->setChecked(true);
    tick(dialog, {QStringLiteral("a800-80gb"), QStringLiteral("h100-80gb"), QStringLiteral("rtx-4090")});
    dialog->startButton()->click();
    QTRY_VERIFY(over(dialog));
    dialog->resize(1280, 720);
    const QDir screens(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(screens.path()));
    for (const char* language : {"en", "zh"}) {
        chooseLanguage(window, QLatin1String(language));
        const QString words = QLatin1String(language) == QLatin1String("zh")
                                  ? QStringLiteral("空跑：未计算任何数值")
                                  : QStringLiteral("Dry run: no numbers were computed");
        QTRY_COMPARE(dialog->findChild<QLabel*>(QStringLiteral("dryHeading"))->text(), words);
        for (const Theme theme : {Theme::Light, Theme::Dark}) {
            applyTheme(theme);
            QCoreApplication::processEvents();
            const QString name = QStringLiteral("program_dialog_%1_%2.png")
                                     .arg(QLatin1String(language), theme == Theme::Dark ? "dark" : "light");
            QVERIFY(dialog->grab().save(screens.filePath(name)));
            dialog->varyBox()->setChecked(false);
            dialog->world()->worldField()->setValue(64);
            dialog->world()->sizesButton()->click();
            QTRY_VERIFY(over(dialog));
            dialog->resize(1400, 800);
            QVERIFY(dialog->grab().save(screens.filePath(QStringLiteral("worlds_") + name)));
            dialog->resize(1280, 720);
            QVERIFY(dialog->grab().save(screens.filePath(QStringLiteral("worlds_small_") + name)));
            dialog->world()->worldField()->setValue(1);
            dialog->varyBox()->setChecked(true);
            dialog->startButton()->click();
            QTRY_VERIFY(over(dialog));
        }
    }
    chooseLanguage(window, QStringLiteral("en"));
    applyTheme(Theme::System);
}

void TestProgramDialog::aLongFailureLeavesTheCardItsName()
{
    ProgramTable table(nullptr);
    table.resize(900, 200);
    ProgramRow row;
    row.card.name = "NVIDIA A800 SXM 80GB";
    row.state = ProgramRow::State::Failed;
    row.said = QStringLiteral("RuntimeError: ") + QStringLiteral("a sentence that goes on ").repeated(8);
    table.showRows({row});
    table.show();
    QVERIFY(QTest::qWaitForWindowExposed(&table));
    const QString name = QString::fromStdString(row.card.name);
    QVERIFY2(table.columnWidth(ProgramTable::Card) > table.fontMetrics().horizontalAdvance(name),
             qPrintable(QString::number(table.columnWidth(ProgramTable::Card))));
    QVERIFY(table.item(0, ProgramTable::State)->toolTip().contains(QStringLiteral("goes on"))); // whole
}

PEAKSCOPE_TEST(TestProgramDialog)
#include "test_program_dialog.moc"
