// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: its picture, and each door from what is typed there to what comes of it.
#include "app/form/program_dialog.h"
#include "app/jobs/run_queue.h"
#include "app/plan/plan_inputs.h"
#include "app/panels/sweep_panel.h"
#include "app/parts/theme_controller.h"
#include "app/plan/plan_page.h"
#include "app/window/start_page.h"
#include "core/base/json/json_access.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/snapshot/snapshot_course_view.h"
#include "widgets/sweep/fit_view.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

using namespace peakscope;
using namespace peakscope::testing;

class TestStartPage : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        testing::isolate(m_home);
        applyTheme(Theme::Light);
    }
    void init() { testing::useFakeWorker("complete"); }

    // The sample's own numbers stand above its picture, and all doors fit the first window.
    void showsATrainingStep()
    {
        const auto window = newWindow();
        window->resize(1280, 800);
        auto* page = part<StartPage>(*window);
        QTRY_VERIFY(page->timeline());
        const auto sample = loadRunResult(sampleFile(Sample::Training).toStdString());
        QVERIFY(sample);
        QCOMPARE(page->timeline()->timeline()->peakBytes(), sample->memory->peakBytes);
        QVERIFY(page->timeline()->height() >= 180);
        for (const char* name : {"openDoor", "planDoor", "programDoor", "profileDoor", "runDoor"}) {
            const auto* button = page->findChild<QPushButton*>(QString::fromLatin1(name));
            QVERIFY2(button && !button->visibleRegion().isEmpty(), name);
            QCOMPARE(button->visibleRegion().boundingRect(), button->rect());
        }
    }

    void plansWhatWasTyped()
    {
        const auto window = newWindow();
        auto* page = part<StartPage>(*window);
        page->modelField()->setEditText(QStringLiteral("gpt2"));
        page->cardField()->setEditText(QStringLiteral("rtx-3090"));
        QTest::keyClick(page->cardField()->lineEdit(), Qt::Key_Return);
        QCOMPARE(front(*window), QStringLiteral("plan"));
        auto* plan = part<PlanPage>(*window);
        QCOMPARE(plan->inputs()->modelAndDevice(), std::pair(std::string("gpt2"), std::string("rtx-3090")));
        QTRY_VERIFY_WITH_TIMEOUT(plan->result(), 30000);
        QCOMPARE(plan->device().id, std::string("rtx-3090"));
    }

    void takesAProgramsCommand()
    {
        const auto window = newWindow();
        auto* page = part<StartPage>(*window);
        page->commandField()->setText(QStringLiteral("python train.py --batch 8"));
        QTest::keyClick(page->commandField(), Qt::Key_Return);
        auto* dialog = window->findChild<ProgramDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(dialog->commandField()->text(), QStringLiteral("python train.py --batch 8"));
    }

    void runsASmallModel()
    {
        const auto window = newWindow();
        auto* page = part<StartPage>(*window);
        page->familyField()->setCurrentText(QStringLiteral("gpt2"));
        QTest::mouseClick(page->findChild<QPushButton*>(QStringLiteral("runDoor")), Qt::LeftButton);
        QCOMPARE(front(*window), QStringLiteral("run"));
        const std::vector<int> runs = part<RunQueue>(*window)->ids();
        QCOMPARE(runs.size(), std::size_t(1));
        const nlohmann::json experiment = part<RunQueue>(*window)->info(runs.front())->experiment;
        QCOMPARE(lenient::text(lenient::member(experiment, "model"), "family"), std::string("gpt2"));
        QTRY_VERIFY_WITH_TIMEOUT(isFinished(part<RunQueue>(*window)->info(runs.front())->state), 20000);
    }

    // It was recorded with its program: what its bytes are for is known, and nothing of it is hatched as inferred.
    void explainsTheSampleSnapshot()
    {
        const auto window = newWindow();
        auto* page = part<StartPage>(*window);
        QTest::mouseClick(page->findChild<QToolButton*>(QStringLiteral("out_of_memory")), Qt::LeftButton);
        QTRY_COMPARE(front(*window), QStringLiteral("run"));
        SnapshotCourseView* course = nullptr;
        QTRY_VERIFY((course = window->findChild<SnapshotCourseView*>()) && course->timeline());
        const auto* legend = course->findChild<QTreeWidget*>();
        QVERIFY(legend);
        QCOMPARE(legend->findItems(QStringLiteral("Hatched"), Qt::MatchContains | Qt::MatchRecursive).size(), 0);
        QVERIFY(!legend->findItems(QStringLiteral("Optimiser states"), Qt::MatchContains | Qt::MatchRecursive).empty());
    }

    // Its answer stands in words above the curves, and the command is there to be copied.
    void answersTheSampleSearch()
    {
        const auto window = newWindow();
        QTest::mouseClick(window->findChild<QToolButton*>(QStringLiteral("fit_result")), Qt::LeftButton);
        QTRY_COMPARE(front(*window), QStringLiteral("run"));
        auto* sweep = part<SweepPanel>(*window);
        QTRY_VERIFY(sweep->fit()->isVisible());
        const QStringList answer = sweep->answer().split(u'\n');
        QCOMPARE(answer.size(), 2);
        QVERIFY2(answer.front().startsWith(QStringLiteral("On NVIDIA GeForce RTX 4090 24GB, batch 18 fits: ")),
                 qPrintable(answer.front()));
        QVERIFY2(answer.back().contains(QStringLiteral("batch 31 fits: ")), qPrintable(answer.back()));
        QVERIFY(sweep->fit()->visibleDataTsv().contains(QStringLiteral("\t19\t")));
    }

private:
    QTemporaryDir m_home;
};

PEAKSCOPE_TEST(TestStartPage)
#include "test_start_page.moc"
