// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA memory snapshot opened in the window: its sentence, its course, who holds what at an instant, the doctor.
#include "app/compare/compare_page.h"
#include "app/compare/compare_tables.h"
#include "app/form/run_panel.h"
#include "app/jobs/device_probe.h"
#include "app/panels/doctor.h"
#include "app/panels/memory_snapshot_panel.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/translations.h"
#include "app/run/run_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/figures/page/figure.h"
#include "widgets/snapshot/snapshot_course_view.h"
#include "widgets/snapshot/tiles_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/timeline_legend.h"

#include <qcustomplot.h>

#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QProcess>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <set>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

QString saved(const QTemporaryDir& folder, const QString& name, const nlohmann::json& snapshot)
{
    QFile file(folder.filePath(name));
    file.open(QIODevice::WriteOnly);
    file.write(pickled(snapshot));
    return file.fileName();
}

// Ends for lack of 20 MiB, where 24 are free in pieces of 12.
nlohmann::json endless()
{
    using namespace peakscope::test;
    nlohmann::json oom =
        entry("oom", 0, 20 * kMiB, 13, nlohmann::json::array({frame("/home/a/train.py", 7, "forward")}));
    oom.erase("addr");
    oom["device_free"] = 0;
    const nlohmann::json own = nlohmann::json::array({frame("/home/a/train.py", 5, "forward")});
    nlohmann::json events = nlohmann::json::array();
    for (int i = 0; i < 4; ++i) {
        const std::uint64_t address = kBase + static_cast<std::uint64_t>(i * 64 * kMiB);
        events.push_back(entry("segment_alloc", address, 12 * kMiB, 2 * i + 1, own));
        events.push_back(entry("alloc", address, 12 * kMiB, 2 * i + 2, own));
    }
    for (const int i : {0, 2}) {
        const std::uint64_t address = kBase + static_cast<std::uint64_t>(i * 64 * kMiB);
        events.push_back(entry("free_requested", address, 12 * kMiB, 9 + i, own));
        events.push_back(entry("free_completed", address, 12 * kMiB, 10 + i, own));
    }
    events.push_back(oom);
    return {{"segments", nlohmann::json::array()}, {"device_traces", nlohmann::json::array({events})}};
}

} // namespace

class TestSnapshotWindow : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }

    void opensWithItsSentence()
    {
        const auto window = newWindow();
        window->openFiles({saved(m_home, QStringLiteral("small.pickle"), test::SmallTraining(3).json())});
        QTRY_COMPARE(front(*window), QStringLiteral("run"));
        const RunPage* page = part<RunPage>(window);
        MemorySnapshotPanel* panel = page->snapshot();
        QTRY_VERIFY(panel->isVisible());
        // No set-up of an experiment that is not its own.
        QVERIFY(!page->panel()->isVisible());
        QCOMPARE(panel->sentence(),
                 QStringLiteral("Peak 11.0 MiB in step 2, Backward  ·  history whole  ·  nothing grows"));
        QCOMPARE(panel->alive()->model()->rowCount(), 5);
        QVERIFY(!panel->doctor()->isOpen());
        // Devices are for the form: nobody has looked at one.
        const auto* devices = window->findChild<DeviceProbe*>();
        QVERIFY(!devices->findChild<QProcess*>());

        const std::int64_t peak = panel->shownEvent();

        // A click asks about another instant: before the first step nothing but the parameter is there.
        SnapshotCourseView* course = panel->course();
        const QCPAxis* axis = course->plot()->xAxis;
        QTest::mouseClick(course->plot(), Qt::LeftButton, {},
                          {qRound(axis->coordToPixel(1.5)), axis->axisRect()->center().y()});
        QCOMPARE(panel->shownEvent(), 1);
        QCOMPARE(panel->alive()->model()->rowCount(), 1);
        QCOMPARE(panel->alive()->model()->index(0, 0).data().toString(), QStringLiteral("train.py:50 <module>"));
        QCOMPARE(panel->tiles(TilesShape::Treemap)->tiles().back().bytes, test::kMiB);

        // By another word, with the keyboard.
        panel->ask(peak);
        auto* by = panel->findChild<QComboBox*>(QStringLiteral("gatherBy"));
        by->setFocus();
        QTest::keyClicks(by, QStringLiteral("Comp"));
        emit by->activated(by->currentIndex()); // which only a popup's choice sends on this platform
        QCOMPARE(panel->alive()->model()->rowCount(), 5);
        QCOMPARE(panel->alive()->model()->index(0, 1).data().toString(), QStringLiteral("Activations"));

        // Tables and figures ask for themselves by name.
        QSignalSpy figures(page, &RunPage::figureRequested);
        QCOMPARE(page->table(QStringLiteral("alive")), panel->alive());
        emit panel->tiles(TilesShape::SegmentMap)->exportRequested();
        QCOMPARE(figures[0][0].toString(), QStringLiteral("segment_map"));

        // The doctor is asked, and finds nothing to mend.
        QTest::mouseClick(panel->doctor()->findChild<QToolButton*>(QStringLiteral("doctor")), Qt::LeftButton);
        QVERIFY(panel->doctor()->isOpen());
        QTRY_VERIFY(!panel->doctor()->isBusy());

        // A new run's form is one.
        QVERIFY(!devices->findChild<QProcess*>());
        window->findChild<QAction*>(QStringLiteral("newRun"))->trigger();
        QVERIFY(devices->findChild<QProcess*>());
    }

    // A row rings its blocks in every picture and outlines its bytes, and a tile finds its row; Escape takes it back.
    void selectsBothWays()
    {
        const auto window = newWindow();
        window->openFiles({saved(m_home, QStringLiteral("small.pickle"), test::SmallTraining(3).json())});
        MemorySnapshotPanel* panel = part<RunPage>(window)->snapshot();
        QTRY_VERIFY(panel->isVisible());
        const auto* inspector = window->findChild<InspectorPanel*>();
        const QString ofTheRun = inspector->plainText();
        const auto chosenIn = [panel](TilesShape shape) {
            std::int64_t bytes = 0;
            std::set<std::size_t> seen; // a block goes on in the next row
            for (const Tile& tile : panel->tiles(shape)->tiles()) {
                if (tile.kind != TileKind::Heading &&
                    (shape != TilesShape::SegmentMap || seen.insert(tile.block).second))
                    bytes += tile.chosenBytes;
            }
            return bytes;
        };
        auto* shapes = panel->findChild<QTabWidget*>();
        shapes->setCurrentIndex(static_cast<int>(TilesShape::SegmentMap));
        const TilesView* map = panel->tiles(TilesShape::SegmentMap);
        QCOMPARE(chosenIn(TilesShape::SegmentMap), 0);

        // A row of the list.
        QTableView* rows = panel->alive()->view();
        const QString line = panel->alive()->model()->index(0, 0).data().toString();
        QTest::mouseClick(rows->viewport(), Qt::LeftButton, {}, rows->visualRect(rows->model()->index(0, 0)).center());
        QCOMPARE(panel->alive()->currentName(), line);
        QCOMPARE(chosenIn(TilesShape::SegmentMap), 4 * test::kMiB);
        auto* legend = panel->course()->findChild<TimelineLegend*>();
        QCOMPARE(legend->chosenText(), QStringLiteral("4.00 MiB"));
        QVERIFY(inspector->plainText().contains(line));
        QVERIFY2(inspector->plainText().contains(QStringLiteral("4.00 MiB in 1 block")),
                 qPrintable(inspector->plainText()));
        shapes->setCurrentIndex(static_cast<int>(TilesShape::Treemap));
        QCOMPARE(chosenIn(TilesShape::Treemap), 4 * test::kMiB);

        // Another instant: the same line, of which nothing is there any more.
        const std::int64_t peak = panel->shownEvent();
        panel->ask(0);
        QCOMPARE(chosenIn(TilesShape::Treemap), 0);
        QVERIFY(!panel->chosen().empty());
        panel->ask(peak);
        QCOMPARE(chosenIn(TilesShape::Treemap), 4 * test::kMiB);

        // A block of the map finds the row of what it is gathered by.
        panel->gatherBy(HolderKey::Component);
        shapes->setCurrentIndex(static_cast<int>(TilesShape::SegmentMap));
        const auto inputs = std::ranges::find_if(
            map->tiles(), [](const Tile& tile) { return tile.component == Component::Inputs && tile.blocks > 0; });
        QVERIFY(inputs != map->tiles().end());
        QTest::mouseClick(map->plot(), Qt::LeftButton, {}, inputs->rect.center().toPoint());
        QCOMPARE(panel->alive()->currentName(), QStringLiteral("inputs"));
        QCOMPARE(chosenIn(TilesShape::SegmentMap), 2 * test::kMiB);

        // Each block by itself: the row of that block, of those of its line that one.
        auto* by = panel->findChild<QComboBox*>(QStringLiteral("gatherBy"));
        by->setCurrentIndex(by->count() - 1);
        emit by->activated(by->currentIndex());
        QVERIFY(panel->chosen().empty());
        QCOMPARE(inspector->plainText(), ofTheRun);
        const auto again = std::ranges::find_if(
            map->tiles(), [](const Tile& tile) { return tile.component == Component::Inputs && tile.blocks > 0; });
        QTest::mouseClick(map->plot(), Qt::LeftButton, {}, again->rect.center().toPoint());
        QCOMPARE(std::ranges::count(panel->chosen(), true), 1);
        QVERIFY(panel->alive()->currentName().startsWith(QStringLiteral("train.py:53")));
        QTest::keyClick(rows, Qt::Key_Down);
        QCOMPARE(std::ranges::count(panel->chosen(), true), 1);
        QVERIFY(!panel->alive()->currentName().startsWith(QStringLiteral("train.py:53")));

        QTest::keyClick(rows, Qt::Key_Escape);
        QVERIFY(panel->chosen().empty());
        QCOMPARE(legend->chosenText(), QString());
        QCOMPARE(inspector->plainText(), ofTheRun);
    }

    // To be looked at: a line selected in a sample, in each of the pictures.
    void pictures()
    {
        settings::setFoldsSidePanels(true); // as it is at this size
        const auto window = newWindow();
        window->resize(1280, 800);
        settings::setFoldsSidePanels(false);
        window->openFiles({QStringLiteral(PEAKSCOPE_SOURCE_DIR "/resources/samples/out_of_memory.pickle.gz")});
        MemorySnapshotPanel* panel = part<RunPage>(window)->snapshot();
        QTRY_VERIFY(panel->isVisible());
        QTableView* rows = panel->alive()->view();
        QTest::mouseClick(rows->viewport(), Qt::LeftButton, {}, rows->visualRect(rows->model()->index(1, 0)).center());
        QVERIFY(!panel->chosen().empty());
        QTRY_VERIFY_WITH_TIMEOUT(!panel->doctor()->isBusy(), 60'000);
        // What grows with every step is not mended by a setting that fits this request.
        const auto* remedies = panel->doctor()->remedies()->model();
        QCOMPARE(remedies->index(0, 0).data().toString(), QStringLiteral("grows with every step"));
        test::saveScreenshot(*window, QStringLiteral("snapshot_growth_before_settings"));
        // Each remedy is there whole, and its words can be copied.
        const auto copies = panel->doctor()->findChildren<QToolButton*>(QStringLiteral("copyRemedy"));
        QCOMPARE(copies.size(), static_cast<qsizetype>(panel->doctor()->remedies()->model()->rowCount()));
        QTest::mouseClick(copies.front(), Qt::LeftButton);
        QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("loss.item()")));
        auto* shapes = panel->findChild<QTabWidget*>();
        const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
        QVERIFY(QDir().mkpath(folder.path()));
        for (int i = 0; i < shapes->count(); ++i) {
            shapes->setCurrentIndex(i);
            for (PlotView* view : panel->findChildren<PlotView*>())
                view->plot()->replot();
            QVERIFY(window->grab().save(folder.filePath(QStringLiteral("snapshot_selected_%1.png").arg(i))));
        }
    }

    void opensAtItsEnd()
    {
        const auto window = newWindow();
        window->openFiles({saved(m_home, QStringLiteral("oom.pickle"), endless())});
        MemorySnapshotPanel* panel = part<RunPage>(window)->snapshot();
        QTRY_VERIFY(panel->isVisible());
        QVERIFY2(
            panel->sentence().startsWith(QStringLiteral("Out of memory at train.py:7 forward: 20.0 MiB requested; 24.0 "
                                                        "MiB free in pieces of at most 12.0 MiB: fragmented")),
            qPrintable(panel->sentence()));
        QCOMPARE(panel->shownEvent(), 12);
        // By itself.
        QVERIFY(panel->doctor()->isOpen());
        QTRY_VERIFY(!panel->doctor()->isBusy());
        QVERIFY(panel->doctor()->remedies()->model()->rowCount() > 0);
        QCOMPARE(panel->doctor()->remedies()->model()->index(0, 0).data().toString(), QStringLiteral("Fits"));
    }

    void theLegendIsOfTheChosenInstant()
    {
        const auto window = newWindow();
        window->openFiles({saved(m_home, QStringLiteral("chosen.pickle"), test::SmallTraining(3).json())});
        MemorySnapshotPanel* panel = part<RunPage>(window)->snapshot();
        QTRY_VERIFY(panel->isVisible());
        SnapshotCourseView* course = panel->course();
        const auto* legend = course->findChild<TimelineLegend*>();
        const auto said = [legend](const QString& beginning) {
            const QList<QLabel*> labels = legend->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text().startsWith(beginning); });
        };
        const auto clicked = [course](double place) {
            const QCPAxis* axis = course->plot()->xAxis;
            const QPoint at(qRound(axis->coordToPixel(place)), axis->axisRect()->center().y());
            QTest::mouseMove(course->plot(), at);
            QTest::mouseClick(course->plot(), Qt::LeftButton, {}, at);
            QEvent leaves(QEvent::Leave);
            QCoreApplication::sendEvent(course->plot(), &leaves);
        };
        const std::int64_t peak = panel->shownEvent();
        QVERIFY(said(QStringLiteral("At the peak, ")));
        clicked(1.5);
        QCOMPARE(panel->shownEvent(), 1);
        QVERIFY(said(QStringLiteral("Chosen: ")));
        QCOMPARE(legend->totalText(), QStringLiteral("1.00 MiB"));
        // Along another axis as well.
        course->setSnapshotAxis(SnapshotAxis::Steps);
        QVERIFY(said(QStringLiteral("Chosen: ")));
        course->setSnapshotAxis(SnapshotAxis::Events);
        // The peak is called so.
        panel->ask(peak);
        QVERIFY(said(QStringLiteral("At the peak, ")));
        QCOMPARE(legend->totalText(), QStringLiteral("11.0 MiB"));

        // A run out of memory opens at its end.
        window->openFiles({saved(m_home, QStringLiteral("end.pickle"), endless())});
        QTRY_COMPARE(panel->shownEvent(), 12);
        QVERIFY(said(QStringLiteral("Chosen: ")));
        QCOMPARE(legend->totalText(), QStringLiteral("24.0 MiB"));
    }

    void wordsOfHolders_data()
    {
        QTest::addColumn<QString>("column");
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("chinese");
        const auto row = [](const char* column, const char* english, const char* chinese) {
            QTest::newRow(english) << QString::fromUtf8(column) << QString::fromUtf8(english)
                                   << QString::fromUtf8(chinese);
        };
        row("what", "2 steps", "2 步");
        row("what", "1 step", "1 步");
        row("what", "of this step", "本步");
        row("what", "step 12", "第 12 步");
        row("what", "stream 0", "流 0");
        row("what", "pool (0, 1)", "内存池 (0, 1)");
        row("what", "under 10 events", "少于 10 个事件");
        row("what", "1000 events or more", "1000 个事件或更多");
        row("what", "backward of Addmm", "Addmm 的反向");
        row("line", "(no stack)", "（无调用栈）");
        row("change", "checkpointing", "梯度检查点");
        row("change", "expandable_segments:True", "expandable_segments:True");
        row("change", "batch 8 -> 4", "批量 8 → 4");
        row("change", "gradient accumulation: 4 micro-batches of 2", "梯度累积：4 个微批，每个 2 行");
        row("change", "8 rows a pass -> 2, the batch stays 8; checkpointing: layers are computed again in backward",
            "每遍 8 行 → 2 行，批量仍为 8；梯度检查点：各层在反向中再次计算");
        row("how",
            "%2.py:5 f left 3.0 MiB alive in 4 steps: check what holds it there. For a list of losses or outputs, use "
            ".item() or .detach()",
            "%2.py:5 f 在 4 步中留下了 3.0 MiB：请检查是什么持有它。损失或输出的列表请用 .item() 或 .detach()");
        // A program's own words stay.
        row("what", "train.py:2 steps", "train.py:2 steps");
        row("how", "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
    }

    void wordsOfHolders()
    {
        QFETCH(QString, column);
        QFETCH(QString, english);
        QFETCH(QString, chinese);
        TableModel model;
        model.setTable({"words", {{column.toStdString(), ""}}, {{english.toStdString()}}});
        QCOMPARE(model.index(0, 0).data().toString(), english);
        if (!installTranslation(QStringLiteral("zh")))
            QSKIP("no font for Chinese here");
        const QString shown = model.index(0, 0).data().toString();
        installTranslation(QStringLiteral("en"));
        QCOMPARE(shown, chinese);
    }

    // On one axis of steps, with what the second holds more of.
    void twoAreCompared()
    {
        const auto window = newWindow();
        nlohmann::json larger = test::SmallTraining(3).json();
        for (nlohmann::json& event : larger["device_traces"][0]) {
            if (event["size"] == 4 * test::kMiB)
                event["size"] = 4 * test::kMiB - 1024;
        }
        // It ends for lack of memory, after its peak: the peaks are compared all the same.
        nlohmann::json ranOut = test::entry("oom", 0, 64 * test::kMiB, 200, nlohmann::json::array());
        ranOut.erase("addr");
        larger["device_traces"][0].push_back(ranOut);
        part<Documents>(*window)->openTogether(
            {saved(m_home, QStringLiteral("a.pickle"), test::SmallTraining(3).json()),
             saved(m_home, QStringLiteral("b.pickle"), larger)});
        const ComparePage* compare = part<ComparePage>(*window);
        QTRY_VERIFY(compare->answer());
        QCOMPARE(compare->timelines()->plot()->xAxis->label(), QStringLiteral("Optimiser steps completed"));
        const double end = compare->answer()->timelines[0]->endSeconds();
        QVERIFY2(end > 2.9 && end < 3.9, qPrintable(QString::number(end)));
        const Table changes = compare->table(QStringLiteral("changes"))->model()->table();
        QCOMPARE(changes.rows.size(), std::size_t{5});
        QCOMPARE(std::get<std::string>(changes.rows[0][0]), std::string("net.py:7 forward"));
        QCOMPARE(std::get<std::int64_t>(changes.rows[0][3]), -1024);
        const auto* tabs = compare->findChild<CompareTables*>();
        QCOMPARE(tabs->tabText(tabs->indexOf(compare->table(QStringLiteral("changes")))),
                 QStringLiteral("A to B, at peaks"));
        RunResults both;
        for (const nlohmann::json& snapshot : {test::SmallTraining(3).json(), larger}) {
            auto run = std::make_shared<RunResult>();
            run->recording = test::recordingOf(snapshot);
            both.push_back(std::move(run));
        }
        QCOMPARE(figureCsv("memory_difference", both), QByteArray::fromStdString(toCsv(changes)));
        QVERIFY(compare->findChild<QLabel*>(QStringLiteral("compareGrowth"))
                    ->toolTip()
                    .contains(QStringLiteral("Fullest: a.pickle, 11.0 MiB allocated, 20.0 MiB reserved")));
    }

    void tabsFollowTheLanguage()
    {
        const auto window = newWindow();
        window->openFiles({saved(m_home, QStringLiteral("tabs.pickle"), test::SmallTraining().json())});
        MemorySnapshotPanel* panel = part<RunPage>(window)->snapshot();
        QTRY_VERIFY(panel->isVisible());
        if (!installTranslation(QStringLiteral("zh")))
            QSKIP("no font for Chinese here");
        QCoreApplication::processEvents();
        const TilesView* view = panel->tiles(TilesShape::Treemap);
        const QTabWidget* tabs = nullptr;
        for (const QWidget* at = view; at && !tabs; at = at->parentWidget())
            tabs = qobject_cast<const QTabWidget*>(at);
        const QString shown = tabs->tabText(0), title = view->title();
        installTranslation(QStringLiteral("en"));
        QCoreApplication::processEvents();
        QCOMPARE(shown, title);
        QVERIFY(tabs->tabText(0) != shown);
        QCOMPARE(tabs->tabText(0), view->title());
    }

    void giveWayToOthers()
    {
        const auto window = newWindow();
        window->openFiles({saved(m_home, QStringLiteral("again.pickle"), test::SmallTraining().json())});
        const RunPage* page = part<RunPage>(window);
        QTRY_VERIFY(page->snapshot()->isVisible());
        part<ShownDocument>(window)->clear();
        QTRY_VERIFY(!page->snapshot()->isVisible());
        QVERIFY(page->panel()->isVisible());
    }

private:
    QTemporaryDir m_home;
};

PEAKSCOPE_TEST(TestSnapshotWindow)
#include "test_snapshot_window.moc"
