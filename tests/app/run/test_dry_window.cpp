// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Our own experiments on cards that aren't here, by the real worker through the window: what is shown of memory, and
// that nothing is shown, or waited for, of numbers and times. With pictures for people to look at.
#include "app/analyse/analyse_page.h"
#include "app/compare/compare_page.h"
#include "app/form/run_panel.h"
#include "app/panels/curvature_page.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/parts/theme_controller.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "core/experiment/experiment.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/curvature/curvature_convergence_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QAbstractItemModel>
#include <QFileInfo>
#include <QLabel>
#include <QTableView>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

class TestDryWindow : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void aTrainingHoldsMemoryOnly();
    void curvatureSaysInASentence();
    void perturbationsSayInASentence();
    void besideARealRun();
    void pictures();

private:
    static nlohmann::json experiment(const char* kind)
    {
        nlohmann::json document = demoExperiment();
        document["kind"] = kind;
        document["device"] = "dry:a800-80gb";
        document["model"].update({{"hidden", 64}, {"layers", 2}, {"heads", 2}, {"ffn", 128}});
        document["data"].update({{"batch", 2}, {"seq", 32}});
        if (std::string(kind) != "memory")
            document.erase("training");
        return document;
    }
    // Runs to its end; the result in front.
    static std::shared_ptr<const RunResult> run(MainWindow& window, const nlohmann::json& experiment)
    {
        window.resize(1280, 800);
        window.show();
        const int id = part<RunStarter>(window)->start(experiment);
        const RunInfo* info = part<RunQueue>(window)->info(id);
        if (info && !part<RunPage>(window)->header()->badges().contains(QStringLiteral("dry run")))
            qWarning("what runs is not called dry");
        if (!QTest::qWaitFor([&] { return isFinished(part<RunQueue>(window)->info(id)->state); }, 120000))
            qWarning("the run does not end");
        return shownResult(window);
    }
    static QStringList columns(const DataTableView* table)
    {
        QStringList titles;
        const QAbstractItemModel* model = table->view()->model();
        for (int i = 0; i < model->columnCount(); ++i)
            titles << model->headerData(i, Qt::Horizontal).toString();
        return titles;
    }

    QTemporaryDir m_home;
};

void TestDryWindow::initTestCase()
{
    if (!QFileInfo::exists(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli")))
        QSKIP("peakscope-cli is not built (PEAKSCOPE_ENGINE is off)");
    testing::isolate(m_home);
    qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli");
    settings::setLibraryFolder(m_home.filePath(QStringLiteral("results")));
}

void TestDryWindow::aTrainingHoldsMemoryOnly()
{
    MainWindow window;
    window.setSessionKept(false);
    const auto result = run(window, experiment("memory"));
    RunPage* page = part<RunPage>(window);
    QVERIFY2(result && result->memory, qPrintable(page->messages()->text()));
    QVERIFY(page->resultTimeline()->timeline()->size() > 100);
    QVERIFY(page->header()->badges().contains(QStringLiteral("dry run")));
    QVERIFY2(resultTitle(*result).contains(QStringLiteral(" · dry:a800-80gb · ")), qPrintable(resultTitle(*result)));
    // Nothing was measured.
    const auto* facts = page->header()->findChild<QLabel*>(QStringLiteral("runFacts"));
    QVERIFY2(facts->text().contains(QStringLiteral(", dry run ")), qPrintable(facts->text()));
    QVERIFY2(!facts->text().contains(QStringLiteral("measured")), qPrintable(facts->text()));
    const QString inspected = part<InspectorPanel>(window)->plainText();
    QVERIFY2(inspected.contains(QStringLiteral("Dry-run peak")) &&
                 !inspected.contains(QStringLiteral("Measured peak")) &&
                 !inspected.contains(QStringLiteral("Prediction off")),
             qPrintable(inspected));
    settings::setFoldsSidePanels(true); // as it is at this size
    window.resize(1280, 720);
    settings::setFoldsSidePanels(false);
    QTest::qWait(100); // plots are drawn anew a moment later
    test::saveScreenshot(window, QStringLiteral("dry_run_is_not_measured"));
    const auto* summary = page->panel()->findChild<QLabel*>(QStringLiteral("experimentSummary"));
    QVERIFY2(summary->text().endsWith(QStringLiteral("dry run on NVIDIA A800 SXM 80GB")), qPrintable(summary->text()));
    // The host's own times are none of the card's.
    for (const char* name : {"modules", "operators"}) {
        DataTableView* table = page->table(QString::fromLatin1(name));
        QVERIFY(table->view()->model()->rowCount() > 0);
        const QStringList titles = columns(table);
        QVERIFY2(titles.filter(QStringLiteral("Forward")).isEmpty() &&
                     titles.filter(QStringLiteral("Time")).isEmpty() && titles.filter(QStringLiteral(" s")).isEmpty(),
                 qPrintable(titles.join(u',')));
        table->view()->selectRow(0);
        const QString said = part<InspectorPanel>(window)->plainText();
        QVERIFY2(!said.contains(QStringLiteral("Time")), qPrintable(said));
    }
    QCOMPARE(settings::recentDryCards(), QStringList{QStringLiteral("a800-80gb")});
}

void TestDryWindow::curvatureSaysInASentence()
{
    MainWindow window;
    window.setSessionKept(false);
    nlohmann::json document = experiment("curvature");
    document["curvature"] = {{"quantities", {"eigenvalues"}}};
    const auto result = run(window, document);
    RunPage* page = part<RunPage>(window);
    QVERIFY2(result && result->memory, qPrintable(page->messages()->text()));
    QVERIFY(page->messages()->isVisible());
    QCOMPARE(page->messages()->text(),
             QStringLiteral("A dry run measures memory only: no eigenvalue and no entry of the Hessian was computed."));
    QVERIFY(!part<CurvaturePage>(window)->isShown() && !part<CurvaturePage>(window)->convergence()->isVisible());
    QVERIFY(page->resultTimeline()->isVisible());
}

void TestDryWindow::perturbationsSayInASentence()
{
    MainWindow window;
    window.setSessionKept(false);
    const auto result = run(window, experiment("prm"));
    QVERIFY2(result && result->memory, qPrintable(part<RunPage>(window)->messages()->text()));
    trigger(window, QStringLiteral("workspace:analyse"));
    auto* analyse = part<AnalysePage>(window);
    QTRY_VERIFY(analyse->isVisible());
    QVERIFY(!analyse->hasDocument());
    QCOMPARE(analyse->messages()->text(),
             QStringLiteral("A dry run measures memory only: no response to noise and no feature was computed."));
}

void TestDryWindow::besideARealRun()
{
    MainWindow window;
    window.setSessionKept(false);
    nlohmann::json real = experiment("memory");
    QVERIFY(run(window, real));
    const QString dry = part<RunQueue>(window)->info(part<RunQueue>(window)->ids().front())->outcome.path;
    real["device"] = "cpu";
    const int id = part<RunStarter>(window)->start(real);
    QTRY_VERIFY_WITH_TIMEOUT(isFinished(part<RunQueue>(window)->info(id)->state), 120000);
    const QString other = part<RunQueue>(window)->info(id)->outcome.path;
    QVERIFY2(QFileInfo::exists(dry) && QFileInfo::exists(other), qPrintable(dry + u' ' + other));
    part<Documents>(window)->openTogether({dry, other});
    auto* compare = part<ComparePage>(window);
    QTRY_COMPARE(compare->runs().size(), std::size_t(2));
    QTRY_VERIFY(compare->table(QStringLiteral("times"))->view()->model()->rowCount() > 0);
    const QAbstractItemModel* times = compare->table(QStringLiteral("times"))->view()->model();
    for (int row = 0; row < times->rowCount(); ++row) {
        int numbers = 0; // the real run's own; neither a difference nor a ratio
        for (int column = 1; column < times->columnCount(); ++column) {
            const QString text = times->index(row, column).data().toString();
            numbers += std::any_of(text.begin(), text.end(), [](QChar c) { return c.isDigit(); }) ? 1 : 0;
        }
        QCOMPARE(numbers, 1);
    }
}

void TestDryWindow::pictures()
{
    MainWindow window;
    window.setSessionKept(false);
    QVERIFY(run(window, experiment("memory")));
    const QDir screens(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(screens.path()));
    for (const char* language : {"en", "zh"}) {
        chooseLanguage(window, QLatin1String(language));
        for (const Theme theme : {Theme::Light, Theme::Dark}) {
            applyTheme(theme);
            for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
                window.resize(size);
                QTest::qWait(100); // plots are drawn anew a moment later
                const QString name = QStringLiteral("dry_result_%1_%2_%3.png")
                                         .arg(QLatin1String(language), theme == Theme::Dark ? "dark" : "light")
                                         .arg(size.width());
                QVERIFY(window.grab().save(screens.filePath(name)));
            }
        }
        const auto* summary = part<RunPage>(window)->panel()->findChild<QLabel*>(QStringLiteral("experimentSummary"));
        const QString card = QLatin1String(language) == QLatin1String("zh")
                                 ? QStringLiteral("在 NVIDIA A800 SXM 80GB 上空跑")
                                 : QStringLiteral("dry run on NVIDIA A800 SXM 80GB");
        QTRY_VERIFY2(summary->text().contains(card), qPrintable(summary->text()));
        const QString note = QLatin1String(language) == QLatin1String("zh")
                                 ? QStringLiteral("空跑：在 NVIDIA A800 SXM 80GB 的替身上")
                                 : QStringLiteral("on a stand-in of NVIDIA A800 SXM 80GB");
        const QString said = part<InspectorPanel>(window)->plainText();
        QVERIFY2(said.contains(note), qPrintable(said));
    }
    chooseLanguage(window, QStringLiteral("en"));
    applyTheme(Theme::System);
}

PEAKSCOPE_TEST(TestDryWindow)
#include "test_dry_window.moc"
