// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on several ranks in the window: the page of their timelines, finished or under way, its table, the inspector,
// another language, and the fields that start such runs. By real events, with pictures for people to look at.
#include "app/form/run_panel.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/table_tabs.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "app/run/ranks_page.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/rank_samples.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/bytes_text.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/ranks_view.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextLayout>
#include <QToolButton>

using namespace peakscope;
using namespace peakscope::testing;

class TestRanksWindow : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        testing::isolate(m_home);
        testing::useFakeWorker("replay");
        qputenv("PEAKSCOPE_FAKE_EVENTS", m_home.filePath(QStringLiteral("events.jsonl")).toLocal8Bit());
    }
    void cleanup() { installTranslation(QStringLiteral("en")); }

    void aFinishedRunShowsItsRanks();
    void runsOfOneProcessHaveNoSuchPage();
    void anotherLanguageKeepsThePage();
    void aRunUnderWayShowsItsRanks();
    void theFormStartsRanks();
    void pictures_data();
    void pictures();

private:
    std::unique_ptr<MainWindow> window()
    {
        auto made = std::make_unique<MainWindow>();
        made->setSessionKept(false);
        made->resize(1280, 800);
        made->show();
        if (!QTest::qWaitForWindowExposed(made.get()))
            qWarning("the window does not show");
        return made;
    }
    QString write(int ranks)
    {
        const QString path = m_home.filePath(QStringLiteral("ranks%1.json").arg(ranks));
        RunResult run = test::rankedRun(ranks);
        run.id = "ranks" + std::to_string(ranks);
        if (ranks < 2)
            run.ranks.clear();
        if (!saveRunResult(run, path.toStdString()))
            qWarning("can't write %s", qPrintable(path));
        return path;
    }
    static QToolButton* toggle(const MainWindow& window)
    {
        return part<RunPage>(window)->header()->findChild<QToolButton*>(QStringLiteral("ranksButton"));
    }

    QTemporaryDir m_home;
};

void TestRanksWindow::aFinishedRunShowsItsRanks()
{
    const auto window = this->window();
    window->openFiles({write(4)});
    QTRY_VERIFY(shownResult(*window));
    RunPage* space = part<RunPage>(window);
    QToolButton* button = toggle(*window);
    QTRY_VERIFY(button->isVisible());
    QCOMPARE(button->text(), QStringLiteral("4 ranks"));
    QVERIFY(!space->ranks()->isVisible() && space->resultTimeline()->isVisible());

    // A zoom of the one timeline is the zoom of all.
    space->resultTimeline()->zoomIn();
    QVERIFY(space->resultTimeline()->canGoBack());
    const double lower = space->resultTimeline()->visibleLower(), upper = space->resultTimeline()->visibleUpper();
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(space->ranks()->isVisible());
    QVERIFY(!space->resultTimeline()->isVisible());
    QVERIFY(button->isChecked());
    RanksView* view = space->ranks()->view();
    QCOMPARE(view->visibleLower(), lower);
    QCOMPARE(view->visibleUpper(), upper);
    QTRY_COMPARE(view->inSight(), 4);

    // A lane chosen is what the inspector tells about, and the table's row.
    emit view->rankActivated(1);
    const QString said = part<InspectorPanel>(window)->plainText();
    QVERIFY2(said.contains(QStringLiteral("Rank 1")) && said.contains(QStringLiteral("the fullest rank")) &&
                 said.contains(QStringLiteral("all_gather")),
             qPrintable(said));
    QCOMPARE(space->table(QStringLiteral("ranks"))->currentName(), QStringLiteral("1"));
    // No label is broken within a word.
    const QTextDocument* document = part<InspectorPanel>(window)->findChild<QTextBrowser*>()->document();
    int labels = 0;
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
        if (block.text() == QStringLiteral("Communication") || block.text() == QStringLiteral("Peak reserved")) {
            QVERIFY2(block.layout()->lineCount() == 1, qPrintable(block.text()));
            ++labels;
        }
    }
    QVERIFY(labels > 0);

    // The table twin stands with the other tables.
    emit view->showDataRequested();
    QTRY_VERIFY(space->resultTimeline()->isVisible());
    QVERIFY(!button->isChecked());
    QTRY_VERIFY(space->table(QStringLiteral("ranks"))->isVisible());
    const Table& table = space->table(QStringLiteral("ranks"))->model()->table();
    QCOMPARE(table.rows.size(), std::size_t(4));
    QCOMPARE(std::get<std::string>(table.rows[1][4]), std::string("fullest"));
    QCOMPARE(std::get<std::string>(table.rows[0][4]), std::string("slowest"));
}

void TestRanksWindow::runsOfOneProcessHaveNoSuchPage()
{
    const auto window = this->window();
    window->openFiles({write(2)});
    QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == "ranks2");
    QTRY_VERIFY(toggle(*window)->isVisible());
    QTest::mouseClick(toggle(*window), Qt::LeftButton);
    QTRY_VERIFY(part<RunPage>(window)->ranks()->isVisible());
    window->openFiles({write(1)});
    QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == "ranks1");
    QVERIFY(!toggle(*window)->isVisible());
    QVERIFY(!part<RunPage>(window)->ranks()->isVisible());
    QTRY_VERIFY(part<RunPage>(window)->resultTimeline()->isVisible());
    auto* tabs = part<RunPage>(window)->findChild<TableTabs*>();
    QVERIFY(!tabs->isTabVisible(tabs->indexOf(part<RunPage>(window)->table(QStringLiteral("ranks")))));
    // What the user wanted of the run before holds for the next one of its kind.
    window->openFiles({write(4)});
    QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == "ranks4");
    QTRY_VERIFY(part<RunPage>(window)->ranks()->isVisible());
}

void TestRanksWindow::anotherLanguageKeepsThePage()
{
    const auto window = this->window();
    window->openFiles({write(4)});
    QTRY_VERIFY(shownResult(*window) && toggle(*window)->isVisible());
    QTest::mouseClick(toggle(*window), Qt::LeftButton);
    QTRY_VERIFY(part<RunPage>(window)->ranks()->isVisible());
    QVERIFY(installTranslation(QStringLiteral("zh")));
    QVERIFY(part<RunPage>(window)->ranks()->isVisible());
    RanksView* view = part<RunPage>(window)->ranks()->view();
    QTRY_VERIFY2(view->headline().contains(QStringLiteral("不均衡度")), qPrintable(view->headline()));
    QVERIFY2(view->factsOf(1).join(u'|').contains(QStringLiteral("占用最多")), qPrintable(view->factsOf(1).join(u'|')));
    QTRY_COMPARE(toggle(*window)->text(), QStringLiteral("4 个 rank"));
    QVERIFY(toggle(*window)->isChecked());
}

void TestRanksWindow::aRunUnderWayShowsItsRanks()
{
    // Two ranks whose events come in turn, as rank 0 hands them on.
    QFile file(m_home.filePath(QStringLiteral("events.jsonl")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const auto say = [&file](Event event, int rank) {
        event.rank = rank;
        file.write(QByteArray::fromStdString(toLine(event)) + '\n');
    };
    StartEvent start;
    start.id = "live-ranks";
    start.created = "2026-01-02T03:04:05Z";
    start.config = testing::smallExperiment();
    say(Event(start), 0);
    for (int rank = 0; rank < 2; ++rank)
        say(Event(PhaseEvent{Phase::Forward, 0, 0.1}), rank);
    constexpr int kBatches = 150;
    for (int i = 0; i < kBatches; ++i) {
        for (int rank = 0; rank < 2; ++rank) {
            MemoryEvent memory;
            memory.timeSeconds = {0.2 + 0.01 * i};
            memory.deltaBytes = {(rank + 1) * 1000};
            memory.component = {Component::Activations};
            memory.allocatedBytes = memory.reservedBytes = (rank + 1) * 1000 * (i + 1);
            say(Event(memory), rank);
        }
    }
    say(Event(EndEvent{}), 0);
    file.close();

    const auto window = this->window();
    const int id = part<RunStarter>(window)->start(testing::smallExperiment());
    QVERIFY(id != 0);
    QTRY_VERIFY_WITH_TIMEOUT(toggle(*window)->isVisible(), 10'000);
    QTest::mouseClick(toggle(*window), Qt::LeftButton);
    QTRY_VERIFY(part<RunPage>(window)->ranks()->isVisible());
    RanksView* view = part<RunPage>(window)->ranks()->view();
    QTRY_VERIFY_WITH_TIMEOUT(view->factsOf(1).size() >= 2 && !view->readout().isEmpty(), 10'000);
    const QString peak = bytesText(kBatches * 2000); // of rank 1, when all of it has come
    QTRY_VERIFY2_WITH_TIMEOUT(view->factsOf(1).join(u'\n').contains(peak), qPrintable(view->factsOf(1).join(u'\n')),
                              20'000);
    // The run as a whole is rank 0's; nothing of rank 1 is mixed in.
    QTRY_VERIFY_WITH_TIMEOUT(isFinished(part<RunQueue>(window)->info(id)->state), 20'000);
    QCOMPARE(part<RunPage>(window)->liveTimeline()->timeline()->peakBytes(), kBatches * 1000);
}

void TestRanksWindow::theFormStartsRanks()
{
    const auto window = this->window();
    trigger(*window, QStringLiteral("newRun"));
    ExperimentForm* form = part<RunPage>(window)->panel()->form();
    QTRY_VERIFY(static_cast<QComboBox*>(form->field("model.id"))->count() > 1);
    auto* ranks = static_cast<QLineEdit*>(form->field("ranks"));
    auto* button = form->findChild<QToolButton*>(QStringLiteral("ranksPresets"));
    QVERIFY(ranks && button);
    QCOMPARE(button->menu()->actions().size(), 3);
    button->menu()->actions()[2]->trigger();
    QCOMPARE(form->launcher().join(u' '), QStringLiteral("srun -n 2 --mpi=pmix"));
    QCOMPARE(form->document().at("ranks").get<int>(), 2);
    ranks->setFocus();
    ranks->selectAll();
    QTest::keyClicks(ranks, QStringLiteral("4"));
    button->menu()->actions()[1]->trigger();
    QCOMPARE(form->launcher().join(u' '), QStringLiteral("mpirun --hostfile hosts -n 4"));
    button->menu()->actions()[0]->trigger();
    QVERIFY(form->launcher().isEmpty());
    QCOMPARE(form->document().at("ranks").get<int>(), 4);
    QVERIFY(!form->document().contains("launcher"));
    auto* sharding = static_cast<QComboBox*>(form->field("training.sharding"));
    sharding->setCurrentIndex(sharding->findData(QStringLiteral("zero3")));
    QCOMPARE(form->document().at("training").at("sharding").get<std::string>(), std::string("zero3"));
}

void TestRanksWindow::pictures_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QString>("language");
    QTest::addColumn<int>("ranks");
    QTest::newRow("ranks_window_light") << false << QStringLiteral("en") << 4;
    QTest::newRow("ranks_window_dark_chinese") << true << QStringLiteral("zh") << 8;
}

void TestRanksWindow::pictures()
{
    QFETCH(bool, dark);
    QFETCH(QString, language);
    QFETCH(int, ranks);
    applyTheme(dark ? Theme::Dark : Theme::Light);
    QVERIFY(installTranslation(language));
    const auto window = this->window();
    window->openFiles({write(ranks)});
    QTRY_VERIFY(shownResult(*window) && toggle(*window)->isVisible());
    QTest::mouseClick(toggle(*window), Qt::LeftButton);
    QTRY_VERIFY(part<RunPage>(window)->ranks()->isVisible());
    QTRY_COMPARE(part<RunPage>(window)->ranks()->view()->inSight(), ranks);
    QTest::qWait(100);
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    QVERIFY(window->grab().save(folder.filePath(QString::fromLatin1(QTest::currentDataTag()) + ".png")));
    applyTheme(Theme::Light);
}

PEAKSCOPE_TEST(TestRanksWindow)
#include "test_ranks_window.moc"
