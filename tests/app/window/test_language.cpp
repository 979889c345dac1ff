// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Another language while the window is open: every visible text follows at once, and nothing that was in front is lost.
#include "app/analyse/analyse_workspace.h"
#include "app/compare/compare_workspace.h"
#include "app/export/export_dialog.h"
#include "app/library/library_panel.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_workspace.h"
#include "app/run/run_header.h"
#include "app/run/run_panel.h"
#include "app/run/run_workspace.h"
#include "app/session/settings.h"
#include "app/session/unfinished_runs.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/theme_controller.h"
#include "app/window/translations.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTreeView>
#include <QXmlStreamReader>

using namespace peakscope;

class TestLanguage : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void everyVisibleTextFollows();
    void whatWasInFrontStays();
    void theSetUpAndThePlanStay();
    void aPlanNewerThanItsFileStays();
    void whatWasSearchedForStays();
    void whatWaitsIsNotLost();
    void theAnalysisStays();
    void anOfferStays();
    void aPlanUnderWayIsStillFound();
    void aRunUnderWayGoesOn();
    void anExportDialogFollows();
    void theChoiceIsKept();

private:
    std::unique_ptr<MainWindow> window()
    {
        auto made = std::make_unique<MainWindow>();
        made->show();
        if (!QTest::qWaitForWindowExposed(made.get()))
            qWarning("the window does not show");
        // The work after the first picture.
        const auto* models = static_cast<QComboBox*>(made->workspace()->panel()->form()->field("model.id"));
        if (!QTest::qWaitFor([models] { return models->count() > 1; }))
            qWarning("the form is not filled");
        return made;
    }
    QString write(const QString& name, const char* id) { return testing::writeSmallResult(m_home, name, id); }
    void choose(MainWindow& window, const QString& title);

    QTemporaryDir m_home;
};

namespace {

struct Source {
    QRegularExpression pattern; // the whole English text, with anything for its place holders
    QString text;
};

// What the translation file turns into something else. Words that are the same in both languages are no evidence, and
// neither are texts of place holders only.
const std::vector<Source>& sources()
{
    static const std::vector<Source> all = [] {
        std::vector<Source> found;
        QFile file(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/resources/translations/peakscope_zh.ts"));
        if (!file.open(QIODevice::ReadOnly))
            return found;
        QXmlStreamReader xml(&file);
        QString source;
        static const QRegularExpression holder(QStringLiteral("%(?:[1-9]|n)"));
        static const QRegularExpression word(QStringLiteral("[A-Za-z]{3}"));
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement)
                continue;
            if (xml.name() == QLatin1String("source"))
                source = xml.readElementText();
            else if (xml.name() == QLatin1String("translation") &&
                     xml.readElementText(QXmlStreamReader::IncludeChildElements) != source &&
                     QString(source).remove(holder).contains(word)) {
                QStringList parts;
                for (const QString& part : source.split(holder))
                    parts << QRegularExpression::escape(part);
                found.push_back({QRegularExpression(QRegularExpression::anchoredPattern(parts.join(".*"))), source});
            }
        }
        return found;
    }();
    return all;
}

// The English source that `text` is; empty where it is none.
QString englishIn(const QString& text)
{
    static const QRegularExpression latin(QStringLiteral("[A-Za-z]{3}"));
    static QHash<QString, QString> known;
    if (!text.contains(latin) || text == QLatin1String("auto")) // a device's id as well
        return {};
    const auto found = known.constFind(text);
    if (found != known.constEnd())
        return *found;
    QString answer;
    for (const Source& source : sources()) {
        // A pattern that would match nearly everything says nothing.
        if (source.pattern.match(text).hasMatch()) {
            answer = source.text;
            break;
        }
    }
    known.insert(text, answer);
    return answer;
}

bool holdsChinese(const QString& text)
{
    static const QRegularExpression han(QStringLiteral("\\p{Han}"));
    return text.contains(han);
}

// Every text that a widget shows or says, with where it stands.
std::vector<std::pair<QString, QString>> textsOf(QWidget& root)
{
    std::vector<std::pair<QString, QString>> texts;
    const auto add = [&texts](const QObject* where, const char* what, const QString& text) {
        if (!text.trimmed().isEmpty())
            texts.emplace_back(QStringLiteral("%1 %2.%3")
                                   .arg(where->metaObject()->className(), where->objectName(), QLatin1String(what)),
                               text);
    };
    QList<QWidget*> widgets = root.findChildren<QWidget*>();
    widgets << &root;
    for (const QWidget* widget : std::as_const(widgets)) {
        if (!widget->isVisible())
            continue;
        add(widget, "toolTip", widget->toolTip());
        add(widget, "accessibleName", widget->accessibleName());
        add(widget, "accessibleDescription", widget->accessibleDescription());
        if (const auto* label = qobject_cast<const QLabel*>(widget))
            add(label, "text", label->text());
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
            add(button, "text", button->text());
        if (const auto* group = qobject_cast<const QGroupBox*>(widget))
            add(group, "title", group->title());
        if (const auto* dock = qobject_cast<const QDockWidget*>(widget))
            add(dock, "windowTitle", dock->windowTitle());
        if (const auto* line = qobject_cast<const QLineEdit*>(widget))
            add(line, "placeholderText", line->placeholderText());
        if (const auto* combo = qobject_cast<const QComboBox*>(widget)) {
            for (int i = 0; i < combo->count(); ++i)
                add(combo, "item", combo->itemText(i));
        }
        if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
            for (int i = 0; i < tabs->count(); ++i)
                add(tabs, "tab", tabs->tabText(i));
        }
        if (const auto* table = qobject_cast<const QTableView*>(widget)) {
            for (int i = 0; table->model() && i < table->model()->columnCount(); ++i)
                add(table, "header", table->model()->headerData(i, Qt::Horizontal).toString());
        }
        for (const QAction* action : widget->actions()) {
            add(action, "text", action->text());
            add(action, "toolTip", action->toolTip());
        }
    }
    return texts;
}

std::vector<QMenu*> menusOf(const MainWindow& window)
{
    std::vector<QMenu*> menus;
    for (QMenu* menu : window.menuBar()->findChildren<QMenu*>())
        menus.push_back(menu);
    return menus;
}

QStringList englishLeft(MainWindow& window)
{
    QStringList left;
    for (const auto& [where, text] : textsOf(window)) {
        if (const QString source = englishIn(text); !source.isEmpty())
            left << QStringLiteral("%1: %2 (%3)").arg(where, text, source);
    }
    for (const QMenu* menu : menusOf(window)) {
        for (const QAction* action : menu->actions()) {
            if (!englishIn(action->text()).isEmpty())
                left << QStringLiteral("menu %1: %2").arg(menu->title(), action->text());
        }
    }
    left.removeDuplicates();
    return left;
}

QStringList chineseLeft(MainWindow& window)
{
    QStringList left;
    for (const auto& [where, text] : textsOf(window)) {
        if (holdsChinese(text))
            left << QStringLiteral("%1: %2").arg(where, text);
    }
    for (const QMenu* menu : menusOf(window)) {
        for (const QAction* action : menu->actions()) {
            if (holdsChinese(action->text()) && action->text() != QStringLiteral("中文"))
                left << QStringLiteral("menu %1: %2").arg(menu->title(), action->text());
        }
    }
    return left;
}

} // namespace

void TestLanguage::initTestCase()
{
    testing::isolate(m_home);
    applyTheme(Theme::Light);
    QVERIFY(sources().size() > 500);
    QVERIFY(!englishIn(QStringLiteral("Optimizer states")).isEmpty()); // the walk can fail
}

void TestLanguage::init()
{
    QDir(m_home.filePath(QStringLiteral("config"))).removeRecursively();
    QDir(m_home.filePath(QStringLiteral("data"))).removeRecursively();
    testing::useFakeWorker("complete");
}

void TestLanguage::cleanup()
{
    installTranslation(QStringLiteral("en"));
}

// By the mouse, in the language menu as it stands.
void TestLanguage::choose(MainWindow& window, const QString& title)
{
    for (QMenu* menu : menusOf(window)) {
        for (QAction* action : menu->actions()) {
            if (action->text() != title)
                continue;
            menu->popup(window.mapToGlobal(QPoint(100, 100)));
            QTRY_VERIFY(menu->isVisible());
            const QPointer<QMenu> old = menu;
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            QTRY_VERIFY(!old); // built anew
            return;
        }
    }
    QFAIL("no such language in the menus");
}

void TestLanguage::everyVisibleTextFollows()
{
    const QString a = write(QStringLiteral("a.json"), "a");
    const QString b = write(QStringLiteral("b.json"), "b");
    const auto window = this->window();
    window->openFiles({a});
    QTRY_VERIFY(window->shownResult());
    window->compareFiles({a, b});
    QTRY_VERIFY(window->comparison()->answer());
    using Page = MainWindow::Page;
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(window->comparison()->runs().size(), std::size_t(2));
    for (const Page page : {Page::Compare, Page::Run, Page::Start, Page::Plan, Page::Analyse}) {
        window->showPage(page);
        QTRY_VERIFY_WITH_TIMEOUT(!window->comparison()->busy() && !window->planner()->busy(),
                                 peakscope::testing::kSearchPatience);
        QStringList left;
        QTRY_VERIFY2((left = englishLeft(*window)).isEmpty(),
                     qPrintable(QStringLiteral("page %1:\n").arg(int(page)) + left.join(u'\n')));
    }
    choose(*window, QStringLiteral("English"));
    for (const Page page : {Page::Compare, Page::Run, Page::Start, Page::Plan, Page::Analyse}) {
        window->showPage(page);
        QTRY_VERIFY(!window->comparison()->busy() && !window->planner()->busy());
        QStringList left;
        QTRY_VERIFY2((left = chineseLeft(*window)).isEmpty(),
                     qPrintable(QStringLiteral("page %1:\n").arg(int(page)) + left.join(u'\n')));
    }
}

void TestLanguage::whatWasInFrontStays()
{
    const QString a = write(QStringLiteral("a.json"), "a");
    const QString b = write(QStringLiteral("b.json"), "b");
    const auto window = this->window();
    window->openFiles({b, a});
    QTRY_VERIFY(window->shownResult() && window->shownResult()->id == "a");
    const auto result = window->shownResult();
    MemoryTimelineView* timeline = window->workspace()->resultTimeline();
    timeline->setVisibleRange(0.1, 0.3);
    timeline->setSelectedRange(0.15, 0.25);
    timeline->setComponentVisible(Component::Gradients, false);
    window->runLibrary()->groupBox()->setCurrentIndex(2);
    DataTableView* modules = window->workspace()->table(QStringLiteral("modules"));
    auto* tabs = window->workspace()->findChild<QTabWidget*>();
    tabs->setCurrentWidget(modules);
    const int tab = tabs->currentIndex();
    modules->view()->sortByColumn(0, Qt::DescendingOrder);
    modules->view()->setCurrentIndex(modules->view()->model()->index(1, 0));
    const QString module = modules->view()->currentIndex().data().toString();
    QVERIFY(!module.isEmpty());
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(window->shownResult(), result); // the very same, not read again
    QCOMPARE(window->page(), MainWindow::Page::Run);
    QVERIFY(!window->isLoading());
    timeline = window->workspace()->resultTimeline();
    QCOMPARE(timeline->visibleLower(), 0.1);
    QCOMPARE(timeline->visibleUpper(), 0.3);
    QCOMPARE(timeline->selectedRange()->first, 0.15);
    QVERIFY(!timeline->isComponentVisible(Component::Gradients));
    QTRY_COMPARE(window->workspace()->findChild<QTabWidget*>()->currentIndex(), tab);
    modules = window->workspace()->table(QStringLiteral("modules"));
    QCOMPARE(modules->view()->currentIndex().data().toString(), module);
    QVERIFY(window->inspector()->plainText().contains(module));
    QCOMPARE(window->runLibrary()->currentFile(), a);
    QCOMPARE(window->runLibrary()->groupBox()->currentIndex(), 2);
    for (const QAction* action : window->findChildren<QAction*>()) // nothing to take back
        QVERIFY(action->shortcut() != QKeySequence(QKeySequence::Undo) || !action->isEnabled());
    QCOMPARE(window->workspace()->header()->badges(), QStringList{QStringLiteral("完成")});
    QVERIFY(window->inspector()->plainText().contains(QStringLiteral("MiB")));
    // And works on, by key as well.
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window.get(), Qt::Key_4, Qt::ControlModifier);
    QCOMPARE(window->page(), MainWindow::Page::Compare);
    window->openFiles({b});
    QTRY_COMPARE(window->shownResult()->id, std::string("b"));
}

void TestLanguage::theSetUpAndThePlanStay()
{
    const auto window = this->window();
    QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
    static_cast<QLineEdit*>(window->workspace()->panel()->form()->field("data.batch"))->setText(QStringLiteral("5"));
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    PlanInputs* inputs = window->planner()->inputs();
    inputs->modelField()->setEditText(QStringLiteral("gpt2"));
    inputs->deviceField()->setEditText(QStringLiteral("a100-40gb"));
    window->planner()->plan();
    QTRY_VERIFY_WITH_TIMEOUT(window->planner()->result() && !window->planner()->busy(),
                             peakscope::testing::kSearchPatience);
    const std::string id = window->planner()->result()->id;
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(window->page(), MainWindow::Page::Plan);
    QCOMPARE(window->planner()->inputs()->modelField()->currentText(), QStringLiteral("gpt2"));
    QVERIFY(window->planner()->result());
    QCOMPARE(window->planner()->result()->id, id);
    QCOMPARE(window->workspace()->panel()->form()->document()["data"]["batch"].get<int>(), 5);
}

void TestLanguage::aPlanNewerThanItsFileStays()
{
    const QString path = m_home.filePath(QStringLiteral("plan.json"));
    const auto window = this->window();
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    PlanInputs* inputs = window->planner()->inputs();
    inputs->modelField()->setEditText(QStringLiteral("gpt2"));
    inputs->deviceField()->setEditText(QStringLiteral("a100-40gb"));
    window->planner()->plan();
    QTRY_VERIFY_WITH_TIMEOUT(window->planner()->result() && !window->planner()->busy(),
                             peakscope::testing::kSearchPatience);
    const std::string saved = window->planner()->result()->id;
    QVERIFY(window->saveCopyTo(path));
    window->openFiles({path});
    QTRY_VERIFY(!window->isLoading() && !window->planner()->busy());
    inputs->batchField()->setText(QStringLiteral("2"));
    window->planner()->plan();
    QTRY_VERIFY_WITH_TIMEOUT(window->planner()->result()->id != saved && !window->planner()->busy(),
                             peakscope::testing::kSearchPatience);
    const std::string newer = window->planner()->result()->id;
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(window->planner()->result()->id, newer);
    QCOMPARE(window->planner()->inputs()->batchField()->text(), QStringLiteral("2"));
    // And one that is under way is still looked for.
    window->planner()->inputs()->batchField()->setText(QStringLiteral("3"));
    window->planner()->plan();
    QVERIFY(window->planner()->busy());
    choose(*window, QStringLiteral("English"));
    QCOMPARE(window->planner()->inputs()->batchField()->text(), QStringLiteral("3"));
    const auto batch = [&window] { return window->planner()->result()->other["plan"]["base"]["data"]["batch"]; };
    QTRY_VERIFY_WITH_TIMEOUT(batch() == 3, 30000);
}

void TestLanguage::whatWasSearchedForStays()
{
    const auto window = this->window();
    window->openFiles({write(QStringLiteral("a.json"), "a")});
    QTRY_VERIFY(window->shownResult());
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()));
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QTest::keyClicks(field, QStringLiteral("fc1"));
    window->workspace()->table(QStringLiteral("operators"))->setFilter(QStringLiteral("mm"));
    window->saveCopyTo(m_home.filePath(QStringLiteral("copy.json")));
    const QString said = window->messages()->text();
    QVERIFY(!said.isEmpty());
    choose(*window, QStringLiteral("中文"));
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()));
    QCOMPARE(qobject_cast<QLineEdit*>(QApplication::focusWidget())->text(), QStringLiteral("fc1"));
    QCOMPARE(window->workspace()->table(QStringLiteral("modules"))->view()->model()->rowCount(), 1);
    QCOMPARE(window->workspace()->table(QStringLiteral("operators"))->filterField()->text(), QStringLiteral("mm"));
    QCOMPARE(window->messages()->text(), said);
}

void TestLanguage::whatWaitsIsNotLost()
{
    const QString a = write(QStringLiteral("a.json"), "a");
    const QString b = write(QStringLiteral("b.json"), "b");
    const auto window = this->window();
    window->compareFiles({a, b});
    QTRY_VERIFY(window->comparison()->answer() && !window->comparison()->busy());
    window->comparison()->timelines()->setVisibleRange(0.05, 0.2);
    // Two changes in a row: the second comes while the first still computes the comparison anew.
    for (const char* language : {"zh", "en"}) {
        const QPointer<CompareWorkspace> old = window->comparison();
        window->chooseLanguage(QString::fromLatin1(language));
        QTRY_VERIFY_WITH_TIMEOUT(!old, 5000);
    }
    QTRY_COMPARE(window->comparison()->timelines()->visibleLower(), 0.05);
    QCOMPARE(window->comparison()->timelines()->visibleUpper(), 0.2);
    // A file that is being read comes to the front when it is.
    window->openFiles({a});
    QTRY_VERIFY(window->shownResult() && window->shownResult()->id == "a");
    const QString c = write(QStringLiteral("c.json"), "c");
    window->openFiles({c});
    window->chooseLanguage(QStringLiteral("zh"));
    QTRY_VERIFY(window->shownResult() && window->shownResult()->id == "c");
    QCOMPARE(window->page(), MainWindow::Page::Run);
}

void TestLanguage::theAnalysisStays()
{
    const QString path = m_home.filePath(QStringLiteral("prm.json"));
    QVERIFY(saveRunResult(testing::analysisRun({.units = 60}), path.toStdString()).ok());
    const auto window = this->window();
    window->openFiles({path});
    QTRY_VERIFY(window->analysis()->hasDocument());
    AnalyseWorkspace* analyse = window->analysis();
    analyse->recompute();
    QTRY_VERIFY_WITH_TIMEOUT(!analyse->worker()->embedding() && analyse->picture().recomputed, 30000);
    auto* colour = analyse->findChild<QComboBox*>(QStringLiteral("colourBy"));
    colour->setCurrentIndex(colour->count() - 1);
    analyse->setPartition({0.8, 0.4, 0.2, 0.85}, PartitionRule::Quantile);
    analyse->responses()->choice()->setCurrentIndex(1);
    analyse->selectUnits({2, 5});
    for (PlotView* view : {static_cast<PlotView*>(analyse->scatter()), static_cast<PlotView*>(analyse->plane()),
                           static_cast<PlotView*>(analyse->responses())})
        view->zoomIn();
    const AnalysePicture before = analyse->picture();
    choose(*window, QStringLiteral("中文"));
    QVERIFY(window->analysis() != analyse);
    analyse = window->analysis();
    const AnalysePicture after = analyse->picture();
    QVERIFY(after.data == before.data && after.recomputed);
    QCOMPARE(after.places.size(), before.places.size());
    for (std::size_t i = 0; i < after.places.size(); ++i)
        QVERIFY(after.places[i].x == before.places[i].x && after.places[i].y == before.places[i].y);
    QCOMPARE(after.colour, before.colour);
    QCOMPARE(after.curve, 1);
    QCOMPARE(after.selection, before.selection);
    QCOMPARE(after.lines.funcAlignment, 0.8);
    QCOMPARE(int(after.rule), int(PartitionRule::Quantile));
    QCOMPARE(after.neighbors, before.neighbors);
    for (std::size_t i = 0; i < 3; ++i)
        QVERIFY(after.areas[i] == before.areas[i]);
    QVERIFY(analyse->picture().areas[0].x1 - analyse->picture().areas[0].x0 > 0);
    QTRY_COMPARE(analyse->picture().eps, before.eps);
    QVERIFY(analyse->picture().clusters == before.clusters);
}

void TestLanguage::anOfferStays()
{
    QStringList dead = newWindowKey().split(u'.');
    dead[1] = QStringLiteral("1"); // no process of now began then
    keepUnfinished(dead.join(u'.'), {{QStringLiteral("the one before"), testing::smallExperiment()}}, false);
    MainWindow window;
    window.restoreSession();
    window.show();
    QTRY_VERIFY(window.messages()->text().contains(QStringLiteral("the one before")));
    window.chooseLanguage(QStringLiteral("zh"));
    QTRY_VERIFY(holdsChinese(window.messages()->text()));
    QVERIFY(window.messages()->text().contains(QStringLiteral("the one before")));
    QCOMPARE(window.messages()->findChildren<QPushButton*>().size(), 2);
}

void TestLanguage::aPlanUnderWayIsStillFound()
{
    const auto window = this->window();
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    window->planner()->inputs()->modelField()->setEditText(QStringLiteral("gpt2"));
    window->planner()->inputs()->deviceField()->setEditText(QStringLiteral("a100-40gb"));
    window->planner()->plan();
    QVERIFY(window->planner()->busy());
    window->chooseLanguage(QStringLiteral("zh"));
    QTRY_VERIFY_WITH_TIMEOUT(window->planner()->result() && !window->planner()->busy(),
                             peakscope::testing::kSearchPatience);
    QCOMPARE(window->planner()->result()->other["plan"]["model"].get<std::string>(), std::string("gpt2"));
}

void TestLanguage::aRunUnderWayGoesOn()
{
    testing::useFakeWorker("slow");
    const auto window = this->window();
    const int id = window->startExperiment(testing::smallExperiment());
    const auto size = [&window] {
        const MemoryTimeline* timeline = window->workspace()->liveTimeline()->timeline();
        return timeline ? timeline->size() : 0;
    };
    QTRY_VERIFY(size() > 500);
    const std::size_t before = size();
    const std::int64_t peak = window->workspace()->liveTimeline()->timeline()->peakBytes();
    window->chooseLanguage(QStringLiteral("zh"));
    QTRY_VERIFY(holdsChinese(window->workspace()->header()->badges().value(0)) ||
                holdsChinese(window->findChild<QLabel*>(QStringLiteral("runFacts"))->text()));
    QVERIFY(size() >= before); // nothing of what came before is lost
    QCOMPARE(window->workspace()->liveTimeline()->timeline()->peakBytes(), peak);
    QTRY_VERIFY(window->workspace()->liveTimeline()->isVisible());
    const std::size_t after = size();
    QTRY_VERIFY(size() > after);
    QCOMPARE(int(window->queue()->info(id)->state), int(RunState::Running));
    QTest::keyClick(window.get(), Qt::Key_Period, Qt::ControlModifier);
    QTRY_VERIFY(window->shownResult());
    QCOMPARE(int(window->shownResult()->status), int(RunStatus::Interrupted));
    QCOMPARE(window->queue()->ids().size(), std::size_t(1));
}

void TestLanguage::anExportDialogFollows()
{
    const auto window = this->window();
    window->openFiles({write(QStringLiteral("a.json"), "a")});
    QTRY_VERIFY(window->shownResult());
    window->exportFigure(QStringLiteral("memory_breakdown_comparison"));
    QVERIFY(window->findChild<ExportDialog*>()->isVisible());
    ExportDialog::Choices chosen = window->findChild<ExportDialog*>()->choices();
    chosen.preset = QStringLiteral("icml-column");
    chosen.format = QStringLiteral("svg");
    window->findChild<ExportDialog*>()->setChoices(chosen);
    window->chooseLanguage(QStringLiteral("zh"));
    QTRY_VERIFY(window->findChild<ExportDialog*>() && holdsChinese(window->findChild<ExportDialog*>()->windowTitle()));
    QVERIFY(window->findChild<ExportDialog*>()->isVisible());
    QCOMPARE(window->findChild<ExportDialog*>()->figureName(), QStringLiteral("memory_breakdown_comparison"));
    QCOMPARE(window->findChildren<ExportDialog*>().size(), 1);
    QCOMPARE(window->findChild<ExportDialog*>()->choices().preset, chosen.preset);
    QCOMPARE(window->findChild<ExportDialog*>()->choices().format, chosen.format);
}

void TestLanguage::theChoiceIsKept()
{
    const auto window = this->window();
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(settings::language(), QStringLiteral("zh"));
    bool checked = false;
    for (QMenu* menu : menusOf(*window)) {
        for (const QAction* action : menu->actions())
            checked |= action->text() == QStringLiteral("中文") && action->isChecked();
    }
    QVERIFY(checked);
}

PEAKSCOPE_TEST(TestLanguage)
#include "test_language.moc"
