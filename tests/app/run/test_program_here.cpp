// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A program of the user's on this machine, through the window: what the dialog asks of it, its live picture, its
// result.
#include "app/form/program_dialog.h"
#include "app/form/program_table.h"
#include "app/form/rank_fields.h"
#include "app/form/run_panel.h"
#include "app/jobs/run_queue.h"
#include "app/panels/run_instant_panel.h"
#include "app/parts/settings.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "tests/app/run/program_dialog_support.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace peakscope;
using namespace peakscope::testing;

class TestProgramHere : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void init();
    void onThisMachine();
    void beforeItsFirstAllocation();

private:
    ProgramDialog* open(MainWindow& window) const;
    void touch(const char* file) const;

    QTemporaryDir m_home;
};

void TestProgramHere::init()
{
    testing::useFakeWorker("complete");
    settings::setDryCards({});
    settings::setLibraryFolder(m_home.filePath(QString::fromLatin1(QTest::currentTestFunction())));
    QVERIFY(QDir().mkpath(settings::libraryFolder()));
}

// With this machine alone ticked, as it is the first time.
ProgramDialog* TestProgramHere::open(MainWindow& window) const
{
    ProgramDialog* dialog = openProgramDialog(window, m_home.path());
    tick(dialog, {});
    dialog->hereBox()->setChecked(true);
    dialog->commandField()->setText(QStringLiteral("sh train.py"));
    return dialog;
}

void TestProgramHere::touch(const char* file) const
{
    QFile made(m_home.filePath(QString::fromLatin1(file)));
    QVERIFY(made.open(QIODevice::WriteOnly));
}

// Live in Run, as any run is, and then a result in the library.
void TestProgramHere::onThisMachine()
{
    MainWindow window;
    window.setSessionKept(false);
    window.show();
    trigger(window, QStringLiteral("program"));
    auto* dialog = window.findChild<ProgramDialog*>();
    QVERIFY(dialog->hereBox()->isChecked()); // where no card was chosen before
    dialog->folderField()->setText(m_home.path());
    dialog->commandField()->setText(QStringLiteral("sh train.py"));
    QFile wait(m_home.filePath(QStringLiteral("wait")));
    QVERIFY(wait.open(QIODevice::WriteOnly));
    dialog->startButton()->click();
    QVERIFY(!dialog->isVisible());
    QCOMPARE(front(window), QStringLiteral("run"));
    auto* page = part<RunPage>(window);
    const auto peak = [page] {
        const MemoryTimeline* live = page->liveTimeline()->timeline();
        return live ? live->peakBytes() : 0;
    };
    QTRY_COMPARE(peak(), std::int64_t(3) << 29);
    QCOMPARE(part<RunQueue>(window)->info(part<RunQueue>(window)->live()->id)->title, QStringLiteral("train.py · cpu"));
    QVERIFY(wait.remove());
    QTRY_COMPARE(page->table(QStringLiteral("live"))->model()->rowCount(), 2); // its result: what is alive at the peak
    part<RunInstantPanel>(window)->gatherBy(RunHolderKey::Module);
    QCOMPARE(page->table(QStringLiteral("live"))->model()->table().rows.front().front(),
             TableCell(std::string("layers.0")));
    const auto* summary = page->panel()->findChild<QLabel*>(QStringLiteral("experimentSummary"));
    QVERIFY2(summary->text().startsWith(QStringLiteral("recorded run of `train.py` on")), qPrintable(summary->text()));
    QCOMPARE(QDir(settings::libraryFolder()).entryList({QStringLiteral("*.json")}, QDir::Files).size(), 1);
    // Its header starts it once more; the set-up holds no experiment, and has no button to start one.
    auto* again = page->header()->findChild<QToolButton*>(QStringLiteral("againButton"));
    QVERIFY(again->isVisible() && again->isEnabled());
    QVERIFY2(again->toolTip().contains(QStringLiteral("same program")), qPrintable(again->toolTip()));
    QVERIFY(!page->panel()->runButton()->isVisible());
    again->click();
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(2));
    QVERIFY(!again->isEnabled());
    QTRY_VERIFY(!part<RunQueue>(window)->busy());
}

// Importing PyTorch takes seconds, in which nothing is wrong.
void TestProgramHere::beforeItsFirstAllocation()
{
    touch("import"); // the program stands there
    MainWindow window;
    open(window)->startButton()->click();
    auto* page = part<RunPage>(window);
    QTRY_VERIFY(part<RunQueue>(window)->live());
    const auto facts = [page] { return page->header()->findChild<QLabel*>(QStringLiteral("runFacts"))->text(); };
    QTRY_COMPARE(facts(), QStringLiteral("waiting for the first allocation"));
    const auto says = [](const QWidget* view, const char* words) {
        return std::ranges::any_of(view->findChildren<QLabel*>(), [&](const QLabel* label) {
            return label->isVisible() && label->text().contains(QLatin1String(words));
        });
    };
    QVERIFY(says(page->liveTimeline(), "The program is starting: waiting for its first allocation."));
    QVERIFY(says(page->componentBars(), "with the first memory events"));
    QVERIFY(!says(page->componentBars(), "not recorded"));
    QVERIFY(QFile::remove(m_home.filePath(QStringLiteral("import"))));
    QTRY_VERIFY(!part<RunQueue>(window)->busy());
    QTRY_VERIFY2(facts().startsWith(QStringLiteral("peak 1.50 GiB")), qPrintable(facts()));
}

PEAKSCOPE_TEST(TestProgramHere)
#include "test_program_here.moc"
