// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot that takes a while to read: its curve so far before the whole, whatever happens meanwhile. One that is
// larger than the memory: a part of it, by clicks.
#include "app/form/run_panel.h"
#include "app/panels/memory_snapshot_panel.h"
#include "app/panels/range_dialog.h"
#include "app/parts/message_bar.h"
#include "app/run/run_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/core/snapshots/long_snapshot.h"
#include "tests/test_room.h"
#include "widgets/snapshot/snapshot_reading_view.h"

#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <utility>

using namespace peakscope;
using namespace peakscope::testing;
using namespace std::chrono_literals;

namespace {

// Of more than 8 MiB, from where on memory is asked about.
const QByteArray& longTraining()
{
    static const QByteArray bytes = test::longTraining();
    return bytes;
}

QString saved(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes)
{
    QFile file(folder.filePath(name));
    file.open(QIODevice::WriteOnly);
    file.write(bytes);
    return file.fileName();
}

std::string_view viewOf(const QByteArray& bytes)
{
    return {bytes.data(), static_cast<std::size_t>(bytes.size())};
}

// Of memory: less than the file takes, and enough for a part of it.
std::uint64_t enoughForAPart(const QByteArray& bytes)
{
    return largeSnapshot(viewOf(bytes), 1)->neededBytes / 5 * 4;
}

RangeDialog* rangeDialog(const MainWindow& window)
{
    return window.findChild<RangeDialog*>(QStringLiteral("rangeDialog"));
}

// In place of what stands in it.
template <typename Field>
void type(const RangeDialog* dialog, const char* name, const QString& number)
{
    auto* field = dialog->findChild<Field*>(QString::fromLatin1(name));
    QVERIFY(field && field->isEnabled());
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, number);
}

void choose(const RangeDialog* dialog, const char* way)
{
    auto* button = dialog->findChild<QRadioButton*>(QString::fromLatin1(way));
    QTest::mouseClick(button, Qt::LeftButton, {}, {button->height() / 2, button->height() / 2});
    QVERIFY(button->isChecked());
}

// What the page showed when a part of the file was read.
struct Shown {
    std::shared_ptr<const HistorySoFar> soFar;
    bool reading = false, whole = false, form = false;
    QString words, path;
};

} // namespace

class TestSnapshotReading : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }

    void showsTheCurveSoFar()
    {
        const auto window = newWindow();
        auto* documents = part<Documents>(window);
        documents->loader().setPatience(0ms, 0ms);
        const RunPage* page = part<RunPage>(window);
        std::vector<Shown> shown;
        connect(documents, &Documents::readSoFar, page, [&](const QString&, const auto& soFar) {
            const SnapshotReadingView* view = page->reading();
            shown.push_back({soFar, view && view->isVisible() && view->soFar() == soFar, page->snapshot()->isVisible(),
                             page->panel()->isVisible(), view ? view->words() : QString(),
                             part<ShownDocument>(window)->path()});
        });
        const QString file = saved(m_home, QStringLiteral("long.pickle"), longTraining());
        window->openFiles({file});
        QTRY_VERIFY_WITH_TIMEOUT(page->snapshot()->isVisible(), 60'000);
        QVERIFY(!shown.empty());
        double before = 0;
        for (const Shown& each : shown) {
            QVERIFY(each.reading && !each.whole && !each.form);
            QCOMPARE(each.path, QString());
            QVERIFY(each.soFar->read > before && each.soFar->read < 1);
            QCOMPARE(each.words, QStringLiteral("reading: %1 %").arg(static_cast<int>(each.soFar->read * 100)));
            before = each.soFar->read;
        }
        // It is the whole's, as far as it goes.
        const auto recording = part<ShownDocument>(window)->result()->recording;
        const auto curve = snapshotCurve(*recording->snapshot, recording->replay, SnapshotMeasure::Requested);
        const HistorySoFar& last = *shown.back().soFar;
        QVERIFY(last.events > 0 && last.events <= recording->replay.events);
        QCOMPARE(last.highest(), *std::max_element(curve.begin(), curve.begin() + 1 + last.events));
        // The view says so to whoever cannot see it, and has no more to offer.
        SnapshotReadingView* view = page->reading();
        QVERIFY(!view->isVisible());
        QVERIFY2(view->summary().startsWith(QStringLiteral("long.pickle, reading: ")), qPrintable(view->summary()));
        QVERIFY(!view->summary().contains(QStringLiteral("peak"), Qt::CaseInsensitive));
        QVERIFY(view->visibleDataTsv().count(u'\n') > 1);
        QVERIFY(!view->findChild<QAction*>(QStringLiteral("exportFigure"))->isEnabled());
        QCOMPARE(part<ShownDocument>(window)->path(), QFileInfo(file).absoluteFilePath());
        // Open already: nothing is read. It is shown a moment before its reading has ended.
        QTRY_VERIFY(!reading(*window));
        shown.clear();
        window->openFiles({file});
        QVERIFY(page->snapshot()->isVisible() && !reading(*window));
        QVERIFY(shown.empty());
    }

    void smallFilesAreShownAtOnce()
    {
        const auto window = newWindow();
        const QSignalSpy spy(part<Documents>(window), &Documents::readSoFar);
        window->openFiles({saved(m_home, QStringLiteral("small.pickle"), pickled(test::SmallTraining(3).json()))});
        const RunPage* page = part<RunPage>(window);
        QTRY_VERIFY(page->snapshot()->isVisible());
        QCOMPARE(spy.count(), 0);
        QVERIFY(!page->reading());
    }

    void endsTooEarly()
    {
        const auto window = newWindow();
        auto* documents = part<Documents>(window);
        documents->loader().setPatience(0ms, 0ms);
        const QSignalSpy spy(documents, &Documents::readSoFar);
        const QByteArray cut = longTraining().left(longTraining().size() * 3 / 4);
        window->openFiles({saved(m_home, QStringLiteral("cut.pickle"), cut)});
        QTRY_VERIFY_WITH_TIMEOUT(part<RunPage>(window)->snapshot()->isVisible(), 60'000);
        QVERIFY(spy.count() > 0);
        const auto& notes = part<ShownDocument>(window)->result()->notes;
        QVERIFY(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
            return note.find("the file ends too early, at byte") != std::string::npos;
        }));
    }

    // A file that turns out to be none takes its picture with it.
    void failsAtItsEnd()
    {
        const auto window = newWindow();
        auto* documents = part<Documents>(window);
        documents->loader().setPatience(0ms, 0ms);
        const QSignalSpy spy(documents, &Documents::readSoFar);
        QByteArray wrong = longTraining();
        wrong[wrong.size() - 1] = 'R'; // makes an object, in place of the end
        window->openFiles({saved(m_home, QStringLiteral("wrong.pickle"), wrong)});
        QTRY_VERIFY_WITH_TIMEOUT(!reading(*window), 60'000);
        QVERIFY(spy.count() > 0);
        const RunPage* page = part<RunPage>(window);
        QVERIFY(page->reading() && !page->reading()->isVisible());
        QVERIFY(page->panel()->isVisible());
        QVERIFY2(window->messages()->text().contains(QStringLiteral("wrong.pickle")),
                 qPrintable(window->messages()->text()));
    }

    void closesMeanwhile()
    {
        auto window = newWindow();
        auto* documents = part<Documents>(window);
        documents->loader().setPatience(0ms, 0ms);
        bool asked = false;
        connect(documents, &Documents::readSoFar, documents, [&] {
            // Hangs or ends the test where it does not cope.
            if (!std::exchange(asked, true))
                QTimer::singleShot(0, this, [&window] { window.reset(); });
        });
        window->openFiles({saved(m_home, QStringLiteral("closed.pickle"), longTraining())});
        QTRY_VERIFY(!window);
    }

    void anotherIsOpenedMeanwhile()
    {
        const auto window = newWindow();
        auto* documents = part<Documents>(window);
        documents->loader().setPatience(0ms, 0ms);
        const RunPage* page = part<RunPage>(window);
        const QString small = saved(m_home, QStringLiteral("other.pickle"), pickled(test::SmallTraining(3).json()));
        int shown = 0;
        connect(documents, &Documents::readSoFar, page, [&] {
            if (shown++ == 0)
                window->openFiles({small});
        });
        const QString file = saved(m_home, QStringLiteral("behind.pickle"), longTraining());
        window->openFiles({file});
        QTRY_COMPARE_WITH_TIMEOUT(part<ShownDocument>(window)->path(), QFileInfo(small).absoluteFilePath(), 60'000);
        QTRY_VERIFY(!reading(*window));
        QCOMPARE(part<ShownDocument>(window)->path(), QFileInfo(small).absoluteFilePath());
        QVERIFY(!page->reading()->isVisible());
        QVERIFY(page->snapshot()->isVisible());
        QVERIFY(documents->find(QFileInfo(file).absoluteFilePath())); // it is open, behind
    }

    void opensAPartByClicks()
    {
        const auto window = newWindow();
        auto* documents = part<Documents>(window);
        const std::uint64_t free = enoughForAPart(longTraining());
        documents->loader().setFreeMemory([free] { return std::optional(free); });
        const QString file = saved(m_home, QStringLiteral("large.pickle"), longTraining());
        window->openFiles({file});
        QTRY_VERIFY(rangeDialog(*window) && rangeDialog(*window)->isVisible());
        const RangeDialog* dialog = rangeDialog(*window);
        const LargeSnapshot large = *largeSnapshot(viewOf(longTraining()), free);
        QVERIFY2(dialog->what().startsWith(QStringLiteral("large.pickle holds about ")), qPrintable(dialog->what()));

        // What is proposed fits.
        QVERIFY(dialog->openButton()->isEnabled());
        const SnapshotRange proposed = dialog->range();
        QVERIFY(!proposed.timed && proposed.begin < 0);
        QVERIFY(static_cast<std::uint64_t>(-proposed.begin) <= large.fittingEvents);
        QVERIFY(static_cast<std::uint64_t>(-proposed.begin) > large.fittingEvents * 9 / 10);
        type<QSpinBox>(dialog, "lastEvents", QString::number(large.fittingEvents + 1));
        QVERIFY(!dialog->openButton()->isEnabled());
        QVERIFY2(dialog->verdict().startsWith(QStringLiteral("At most ")), qPrintable(dialog->verdict()));

        choose(dialog, "bySeconds");
        type<QDoubleSpinBox>(dialog, "fromSecond", QStringLiteral("0.001"));
        type<QDoubleSpinBox>(dialog, "untilSecond", QStringLiteral("0.001"));
        QCOMPARE(dialog->verdict(), QStringLiteral("This part is empty."));
        type<QDoubleSpinBox>(dialog, "untilSecond", QStringLiteral("0.002"));
        QVERIFY(dialog->range().timed);
        QCOMPARE(dialog->range().begin, std::int64_t{1000});
        QCOMPARE(dialog->range().end, std::int64_t{2000});
        QVERIFY(dialog->verdict().endsWith(QStringLiteral("--time 1000:2000")));

        choose(dialog, "byEvents");
        type<QSpinBox>(dialog, "firstEvent", QStringLiteral("100"));
        type<QSpinBox>(dialog, "endEvent", QStringLiteral("300"));
        QVERIFY2(dialog->verdict().endsWith(QStringLiteral("large.pickle --range 100:300")),
                 qPrintable(dialog->verdict()));
        QTest::mouseClick(dialog->openButton(), Qt::LeftButton);
        const MemorySnapshotPanel* panel = part<RunPage>(window)->snapshot();
        QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible(), 60'000);
        QVERIFY2(panel->sentence().contains(QStringLiteral("a part: events 100 to 299")),
                 qPrintable(panel->sentence()));
        const auto result = part<ShownDocument>(window)->result();
        QCOMPARE(result->recording->replay.events, std::int64_t{200});
        QVERIFY(std::any_of(result->notes.begin(), result->notes.end(), [](const std::string& note) {
            return note.starts_with("a range of the history: events 100 to 299");
        }));

        // Once more: another part of it, its last events.
        QTRY_VERIFY(!rangeDialog(*window));
        window->openFiles({file});
        QTRY_VERIFY(rangeDialog(*window) && rangeDialog(*window)->isVisible());
        type<QSpinBox>(rangeDialog(*window), "lastEvents", QStringLiteral("50"));
        QTest::mouseClick(rangeDialog(*window)->openButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(part<ShownDocument>(window)->result()->recording->replay.events, std::int64_t{50},
                                  60'000);
        const auto whole = readSnapshotPickle(viewOf(longTraining()), "whole");
        QCOMPARE(part<ShownDocument>(window)->result()->recording->replay.firstEvent + 50,
                 static_cast<std::int64_t>(whole->history(0)->events.size()));
    }

    void staysUnread()
    {
        const auto window = newWindow();
        auto* documents = part<Documents>(window);
        documents->loader().setFreeMemory([] { return std::optional<std::uint64_t>(1000); });
        const QString file = saved(m_home, QStringLiteral("unread.pickle"), longTraining());
        window->openFiles({file});
        QTRY_VERIFY(rangeDialog(*window) && rangeDialog(*window)->isVisible());
        QVERIFY(!rangeDialog(*window)->openButton()->isEnabled()); // not even a small part fits
        QVERIFY(!rangeDialog(*window)->verdict().isEmpty());
        auto* buttons = rangeDialog(*window)->findChild<QDialogButtonBox*>();
        QTest::mouseClick(buttons->button(QDialogButtonBox::Cancel), Qt::LeftButton);
        // The command's words stay for who wants them.
        QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("--range A:B or --time A:B")));
        QVERIFY(!documents->find(QFileInfo(file).absoluteFilePath()));
        QTRY_VERIFY(!rangeDialog(*window));

        // To compare, nobody is asked.
        documents->openTogether({file});
        QTRY_VERIFY(!reading(*window));
        QVERIFY(!rangeDialog(*window));
    }

private:
    QTemporaryDir m_home;
};

PEAKSCOPE_TEST(TestSnapshotReading)
#include "test_snapshot_reading.moc"
