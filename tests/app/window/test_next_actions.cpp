// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The buttons beside each page's answer: what they lead to, that the keys reach them in their order, and that nothing
// of them is cut in a small window.
#include "app/analyse/analyse_page.h"
#include "app/compare/compare_page.h"
#include "app/export/export_dialog.h"
#include "app/form/experiment_form.h"
#include "app/form/program_dialog.h"
#include "app/form/program_table.h"
#include "app/jobs/run_queue.h"
#include "app/panels/sweep_panel.h"
#include "app/parts/theme_controller.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_page.h"
#include "app/parts/message_bar.h"
#include "app/parts/parts_label.h"
#include "core/results/sweeps/sweep_document.h"
#include "tests/app/plan/fake_plan_search.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_table_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTableView>
#include <QTimer>

using namespace peakscope;
using namespace peakscope::test;
using namespace peakscope::testing;

namespace {

QList<QPushButton*> nextActions(const MainWindow& window)
{
    QList<QPushButton*> shown;
    for (const QWidget* row : window.findChildren<QWidget*>(QStringLiteral("nextActions"))) {
        for (QPushButton* button : row->findChildren<QPushButton*>(Qt::FindDirectChildrenOnly)) {
            if (button->isVisible())
                shown << button;
        }
    }
    return shown;
}

QStringList namesOf(const QList<QPushButton*>& buttons)
{
    QStringList names;
    for (const QPushButton* button : buttons)
        names << button->objectName();
    return names;
}

void click(const MainWindow& window, const QString& name)
{
    QPushButton* found = nullptr;
    const bool there = QTest::qWaitFor([&] {
        for (QPushButton* button : nextActions(window))
            found = button->objectName() == name && button->isEnabled() ? button : found;
        return found != nullptr;
    });
    QVERIFY2(there, qPrintable(name + " is not among " + namesOf(nextActions(window)).join(u' ')));
    QTest::mouseClick(found, Qt::LeftButton);
}

// A search on one card, which took everything that it was given.
RunResult fitToItsEnd()
{
    SweepDocument sweep;
    sweep.status = "complete";
    sweep.keys = {"batch"};
    sweep.base = {{"kind", "memory"},
                  {"device", "dry:a800-80gb"},
                  {"program", {{"command", {"python", "train.py", "--batch", "{batch}"}}, {"steps", 2}}}};
    nlohmann::json points = nlohmann::json::array();
    for (const std::int64_t batch : {1, 16, 64}) {
        SweepPoint point;
        point.values = {{"batch", batch}};
        point.status = "complete";
        point.measured = true;
        point.peakBytes = batch << 28;
        sweep.points.push_back(point);
        points.push_back({{"values", {{"batch", batch}}}, {"reserved_bytes", batch << 28}, {"verdict", "comfortable"}});
    }
    RunResult result = sweepResult(sweep);
    result.id = "fit";
    result.created = "2026-01-02T03:04:05Z";
    result.other["fit"] = {{"cards",
                            {{{"device", "dry:a800-80gb"},
                              {"largest", {{"batch", 64}}},
                              {"at_end_of_range", true},
                              {"further", "batch=64..512"},
                              {"command", "python train.py --batch 64"},
                              {"points", points}}}}};
    return result;
}

RunResult outOfMemory()
{
    RunResult result = smallResult();
    result.id = "out-of-memory";
    result.status = RunStatus::OverBudget;
    result.message = "over budget: 4 KiB more";
    result.config["model"] = {{"id", "opt-125m"}};
    result.config["data"] = {{"source", "builtin"}, {"batch", 8}, {"seq", 512}};
    result.config["device"] = "dry:rtx-4090";
    return result;
}

} // namespace

class TestNextActions : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void aPlannedStrategyRunsDryOrIsSetUp();
    void theButtonsMeanTheChosenStrategy();
    void aSearchGoesOnAndIsUsed();
    void whatEndedForMemoryIsPlanned();
    void aRunIsComparedAndExported();
    void anAnalysisIsComparedAndExported();
    void nothingIsCutAndTheKeysReachAll_data();
    void nothingIsCutAndTheKeysReachAll();

private:
    QString write(const QString& name, const RunResult& result) const;
    std::unique_ptr<MainWindow> windowWith(const QString& file) const;
    // Clicks, and chooses that file in the dialog which comes.
    void compareWith(const MainWindow& window, const QString& file);
    void exportsAndCompares(const MainWindow& window, const QString& other);

    QTemporaryDir m_home;
};

void TestNextActions::initTestCase()
{
    isolate(m_home);
    useFakeWorker("complete");
}

void TestNextActions::cleanup()
{
    applyTheme(Theme::System);
}

QString TestNextActions::write(const QString& name, const RunResult& result) const
{
    const QString path = m_home.filePath(name + QStringLiteral(".json"));
    if (!saveRunResult(result, path.toStdString()))
        qWarning("can't write %s", qPrintable(path));
    return path;
}

std::unique_ptr<MainWindow> TestNextActions::windowWith(const QString& file) const
{
    settings::setFoldsSidePanels(true); // as it is at this size
    auto window = newWindow();
    window->setSessionKept(false);
    window->resize(1280, 720);
    settings::setFoldsSidePanels(false);
    if (file.isEmpty()) {
        window->showWorkspace(QStringLiteral("plan"));
        const auto* plan = part<PlanPage>(*window);
        if (!QTest::qWaitFor([plan] { return plan->strategies()->isVisible() && !plan->busy() && plan->result(); },
                             kSearchPatience))
            qWarning("no plan");
    } else {
        window->openFiles({file});
        if (!QTest::qWaitFor([&] { return shownResult(*window) != nullptr; }))
            qWarning("%s is not shown", qPrintable(file));
    }
    QCoreApplication::processEvents();
    return window;
}

void TestNextActions::compareWith(const MainWindow& window, const QString& file)
{
    QTimer look;
    connect(&look, &QTimer::timeout, this, [&] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (!dialog)
            return;
        // Typed, not chosen in a list that may not have been read; again until the dialog takes it.
        dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(file);
        static_cast<QDialog*>(dialog)->accept();
    });
    look.start(50);
    click(window, QStringLiteral("compareWith"));
}

void TestNextActions::exportsAndCompares(const MainWindow& window, const QString& other)
{
    click(window, QStringLiteral("exportFigure"));
    auto* dialog = part<ExportDialog>(window);
    QVERIFY(dialog && dialog->isVisible());
    dialog->close();
    compareWith(window, other);
    QTRY_COMPARE(front(window), QStringLiteral("compare"));
    QCOMPARE(part<ComparePage>(window)->runs().size(), std::size_t{2});
}

void TestNextActions::aPlannedStrategyRunsDryOrIsSetUp()
{
    const auto window = windowWith({});
    QCOMPARE(namesOf(nextActions(*window)), (QStringList{"runStrategy", "dryStrategy", "editStrategy"}));
    // On a page an action stands once.
    QCOMPARE(part<PlanPage>(window)->findChildren<QPushButton*>(QStringLiteral("runStrategy")).size(), 1);
    click(*window, QStringLiteral("editStrategy"));
    QTRY_COMPARE(front(*window), QStringLiteral("run"));
    QVERIFY(part<RunPage>(window)->panel()->isExpanded());
    // The card that it is planned for stays: this machine's own memory is another.
    const nlohmann::json setUp = part<RunPage>(window)->panel()->form()->document();
    QVERIFY2(setUp["device"].get<std::string>().starts_with("dry:a800-80gb"), setUp.dump().c_str());
    window->showWorkspace(QStringLiteral("plan"));
    click(*window, QStringLiteral("dryStrategy"));
    RunQueue* queue = part<RunQueue>(window);
    QTRY_COMPARE(queue->ids().size(), std::size_t{1});
    const nlohmann::json started = queue->info(queue->ids().front())->experiment;
    QVERIFY2(started["device"].get<std::string>().starts_with("dry:a800-80gb"), started.dump().c_str());
    window->showWorkspace(QStringLiteral("plan"));
    click(*window, QStringLiteral("runStrategy"));
    QVERIFY(part<PlanPage>(window)->messages()->isVisible()); // asks where
}

void TestNextActions::theButtonsMeanTheChosenStrategy()
{
    FakePlanSearch search;
    search.hold = true;
    PlanPage page(search.functions());
    page.resize(1100, 760);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    const QPushButton* run = page.runButton();
    QTest::qWait(200); // the search shows that it goes on
    QVERIFY(page.busy() && !run->isEnabled());
    search.hold = false;
    QTRY_VERIFY(!page.busy());
    QVERIFY(run->isEnabled());
    std::vector<nlohmann::json> runs;
    connect(&page, &PlanPage::runRequested, this,
            [&runs](const nlohmann::json& experiment) { runs.push_back(experiment); });
    StrategyTableView* table = page.strategies();
    QTest::keyClick(table->view(), Qt::Key_Down);
    QTest::mouseClick(page.runButton(), Qt::LeftButton);
    // Sorted otherwise, the strategy is still meant, not the row.
    table->view()->sortByColumn(StrategyModel::Title, Qt::DescendingOrder);
    QCOMPARE(table->current(), 1);
    QTest::mouseClick(page.runButton(), Qt::LeftButton);
    QCOMPARE(runs.size(), std::size_t{2});
    for (const nlohmann::json& experiment : runs)
        QCOMPARE(experiment["data"]["batch"].get<int>(), 4);
    // One without an experiment can't run.
    auto saved = std::make_shared<RunResult>(*page.result());
    saved->other["plan"]["strategies"][0]["experiment"] = nullptr;
    page.showDocument({QStringLiteral("plan.json"), saved, nullptr});
    QVERIFY(!run->isEnabled());
    table->setCurrent(1);
    emit table->currentChanged(1);
    QVERIFY(run->isEnabled());
    // Nor one of the model before.
    page.inputs()->modelField()->setEditText(QStringLiteral("another"));
    QVERIFY(!run->isEnabled());
}

void TestNextActions::aSearchGoesOnAndIsUsed()
{
    const auto window = windowWith(write(QStringLiteral("fit"), fitToItsEnd()));
    QCOMPARE(namesOf(nextActions(*window)), (QStringList{"fitSearchOn", "useLargest", "copyFitCommand"}));
    click(*window, QStringLiteral("copyFitCommand"));
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("python train.py --batch 64"));
    click(*window, QStringLiteral("fitSearchOn"));
    auto* dialog = part<ProgramDialog>(window);
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(dialog->commandField()->text(), QStringLiteral("python train.py --batch {batch}"));
    QVERIFY(dialog->varyBox()->isChecked());
    QCOMPARE(dialog->nameField()->text(), QStringLiteral("batch"));
    QCOMPARE(dialog->valuesField()->text(), QStringLiteral("64..512"));
    QStringList ticked;
    for (int i = 0; i < dialog->cardList()->count(); ++i) {
        if (dialog->cardList()->item(i)->checkState() == Qt::Checked)
            ticked << dialog->cardList()->item(i)->data(Qt::UserRole).toString();
    }
    QCOMPARE(ticked, QStringList{QStringLiteral("a800-80gb")});
    QVERIFY(dialog->table()->rowCount() == 0); // a command out of a file starts only where it was read
    dialog->close();
    click(*window, QStringLiteral("useLargest"));
    QVERIFY(dialog->isVisible());
    QCOMPARE(dialog->commandField()->text(), QStringLiteral("python train.py --batch 64"));
    QVERIFY(!dialog->varyBox()->isChecked());
    dialog->close();
    // Where the card ended it, there is nothing to search on.
    window->openFiles({sampleFile(Sample::Fit)});
    QTRY_COMPARE(namesOf(nextActions(*window)), (QStringList{"useLargest", "copyFitCommand"}));
}

void TestNextActions::whatEndedForMemoryIsPlanned()
{
    const auto window = windowWith(write(QStringLiteral("out_of_memory"), outOfMemory()));
    QCOMPARE(namesOf(nextActions(*window)), (QStringList{"planFits", "compareWith", "exportFigure"}));
    click(*window, QStringLiteral("planFits"));
    QTRY_COMPARE(front(*window), QStringLiteral("plan"));
    const PlanInputs* inputs = part<PlanPage>(window)->inputs();
    QCOMPARE(inputs->modelField()->currentText(), QStringLiteral("opt-125m"));
    QCOMPARE(inputs->deviceField()->currentText(), QStringLiteral("rtx-4090"));
    QCOMPARE(inputs->sequenceField()->text(), QStringLiteral("512"));
    QVERIFY(inputs->batchField()->text().isEmpty());
    // A budget is the capacity; a shape of one's own has no name to plan for.
    RunResult budgeted = outOfMemory();
    budgeted.config["budget_bytes"] = std::int64_t{3} << 30;
    const auto second = windowWith(write(QStringLiteral("budgeted"), budgeted));
    click(*second, QStringLiteral("planFits"));
    QCOMPARE(part<PlanPage>(second)->inputs()->deviceField()->currentText(), QStringLiteral("3072 MiB"));
    budgeted.config["model"] = smallExperiment()["model"];
    second->openFiles({write(QStringLiteral("own_shape"), budgeted)});
    QTRY_COMPARE(namesOf(nextActions(*second)), (QStringList{"compareWith", "exportFigure"}));
}

void TestNextActions::aRunIsComparedAndExported()
{
    const QString other = writeSmallResult(m_home, QStringLiteral("other.json"), "other");
    const auto window = windowWith(writeSmallResult(m_home, QStringLiteral("one.json"), "one"));
    QCOMPARE(namesOf(nextActions(*window)), (QStringList{"compareWith", "exportFigure"}));
    exportsAndCompares(*window, other);
}

void TestNextActions::anAnalysisIsComparedAndExported()
{
    const QString other = write(QStringLiteral("noise_b"), analysisRun({.controls = false, .embedding = false}));
    const auto window = windowWith(write(QStringLiteral("noise_a"), analysisRun()));
    QTRY_COMPARE(front(*window), QStringLiteral("analyse"));
    QTRY_COMPARE(namesOf(nextActions(*window)), (QStringList{"compareWith", "exportFigure"}));
    exportsAndCompares(*window, other);
}

void TestNextActions::nothingIsCutAndTheKeysReachAll_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("plan") << QString();
    QTest::newRow("fit") << write(QStringLiteral("fit"), fitToItsEnd());
    QTest::newRow("out_of_memory") << write(QStringLiteral("out_of_memory"), outOfMemory());
    QTest::newRow("run") << sampleFile(Sample::Training);
    QTest::newRow("noise") << sampleFile(Sample::Noise);
    QTest::newRow("analyse") << write(QStringLiteral("noise_a"), analysisRun());
}

// Pictures of each are saved to be looked at, too.
void TestNextActions::nothingIsCutAndTheKeysReachAll()
{
    QFETCH(QString, file);
    const auto window = windowWith(file);
    for (const char* language : {"en", "zh"}) {
        chooseLanguage(*window, QLatin1String(language));
        for (const Theme theme : {Theme::Light, Theme::Dark}) {
            applyTheme(theme);
            QCoreApplication::processEvents();
            const QList<QPushButton*> buttons = nextActions(*window);
            QVERIFY(!buttons.isEmpty() && buttons.size() <= 3);
            for (QPushButton* button : buttons) {
                const QString what = button->objectName() + u' ' + QLatin1String(language);
                QTRY_VERIFY2(button->width() >= button->sizeHint().width(), qPrintable(what)); // laid out
                QVERIFY2(!button->accessibleName().isEmpty(), qPrintable(what));
                QVERIFY2(!button->toolTip().isEmpty(), qPrintable(what));
                const QRect place(button->mapTo(window.get(), QPoint()), button->size());
                QVERIFY2(window->rect().contains(place), qPrintable(what));
            }
            for (const QLabel* answer : window->findChildren<QLabel*>(QStringLiteral("planAnswer"))) {
                if (answer->isVisible())
                    QTRY_VERIFY(answer->height() >= answer->heightForWidth(answer->width()));
            }
            for (const auto* answer : window->findChildren<PartsLabel*>(QStringLiteral("runAnswer"))) {
                if (answer->isVisible())
                    QCOMPARE(answer->shownIn(answer->contentsRect().width()), answer->text());
            }
            saveScreenshot(*window, QStringLiteral("next_actions_%1_%2_%3")
                                        .arg(QString::fromLatin1(QTest::currentDataTag()), QLatin1String(language),
                                             theme == Theme::Dark ? QStringLiteral("dark") : QStringLiteral("light")));
        }
    }
    chooseLanguage(*window, QStringLiteral("en"));
    // Tab goes from each to the next.
    QList<QPushButton*> enabled;
    for (QPushButton* button : nextActions(*window)) {
        if (button->isEnabled())
            enabled << button;
    }
    enabled.front()->setFocus();
    for (QPushButton* button : enabled) {
        QCOMPARE(QApplication::focusWidget(), button);
        QTest::keyClick(button, Qt::Key_Tab);
    }
}

PEAKSCOPE_TEST(TestNextActions)
#include "test_next_actions.moc"
