// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Another language while the window is open: every visible text follows at once, and nothing that was in front is lost.
#include "app/analyse/analyse_page.h"
#include "app/compare/compare_page.h"
#include "app/export/export_dialog.h"
#include "app/form/run_panel.h"
#include "app/library/library_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/parts/table_tabs.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_page.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "app/session/unfinished_runs.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
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
using namespace peakscope::testing;

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
        waitForForm(*made);
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
    for (const QWidget* holder :
         {static_cast<const QWidget*>(&window), static_cast<const QWidget*>(window.menuBar())}) {
        for (QMenu* menu : holder->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly))
            menus.push_back(menu);
    }
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
    QVERIFY(!englishIn(QStringLiteral("Optimiser states")).isEmpty()); // the walk can fail
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
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            QTRY_VERIFY(!menu->isVisible());
            window.activateWindow(); // without a window manager the menu stays the active one
            QTRY_COMPARE(QApplication::activeWindow(), static_cast<QWidget*>(&window));
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
    QTRY_VERIFY(shownResult(*window));
    window->compareFiles({a, b});
    QTRY_VERIFY(part<ComparePage>(window)->answer());
    const QStringList pages{"compare", "run", "start", "plan", "analyse"};
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(part<ComparePage>(window)->runs().size(), std::size_t(2));
    for (const QString& page : pages) {
        window->showWorkspace(page);
        QTRY_VERIFY_WITH_TIMEOUT(!part<ComparePage>(window)->busy() && !part<PlanPage>(window)->busy(),
                                 kSearchPatience);
        QStringList left;
        QTRY_VERIFY2((left = englishLeft(*window)).isEmpty(),
                     qPrintable(QStringLiteral("page %1:\n").arg(page) + left.join(u'\n')));
    }
    choose(*window, QStringLiteral("English"));
    for (const QString& page : pages) {
        window->showWorkspace(page);
        QTRY_VERIFY_WITH_TIMEOUT(!part<ComparePage>(window)->busy() && !part<PlanPage>(window)->busy(),
                                 kSearchPatience);
        QStringList left;
        QTRY_VERIFY2((left = chineseLeft(*window)).isEmpty(),
                     qPrintable(QStringLiteral("page %1:\n").arg(page) + left.join(u'\n')));
    }
}

void TestLanguage::whatWasInFrontStays()
{
    const QString a = write(QStringLiteral("a.json"), "a");
    const QString b = write(QStringLiteral("b.json"), "b");
    const auto window = this->window();
    window->openFiles({b, a});
    QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == "a");
    const auto result = shownResult(*window);
    MemoryTimelineView* timeline = part<RunPage>(window)->resultTimeline();
    timeline->setVisibleRange(0.1, 0.3);
    timeline->setSelectedRange(0.15, 0.25);
    timeline->setComponentVisible(Component::Gradients, false);
    part<LibraryPanel>(window)->groupBox()->setCurrentIndex(2);
    DataTableView* modules = part<RunPage>(window)->table(QStringLiteral("modules"));
    auto* tabs = part<RunPage>(window)->findChild<TableTabs*>();
    tabs->setCurrentWidget(modules);
    const int tab = tabs->currentIndex();
    modules->view()->sortByColumn(0, Qt::DescendingOrder);
    modules->view()->setCurrentIndex(modules->view()->model()->index(1, 0));
    const QString module = modules->view()->currentIndex().data().toString();
    QVERIFY(!module.isEmpty());
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(shownResult(*window), result); // the very same, not read again
    QCOMPARE(front(*window), QStringLiteral("run"));
    QVERIFY(!reading(*window));
    timeline = part<RunPage>(window)->resultTimeline();
    QCOMPARE(timeline->visibleLower(), 0.1);
    QCOMPARE(timeline->visibleUpper(), 0.3);
    QCOMPARE(timeline->selectedRange()->first, 0.15);
    QVERIFY(!timeline->isComponentVisible(Component::Gradients));
    QTRY_COMPARE(part<RunPage>(window)->findChild<TableTabs*>()->currentIndex(), tab);
    modules = part<RunPage>(window)->table(QStringLiteral("modules"));
    QCOMPARE(modules->view()->currentIndex().data().toString(), module);
    QVERIFY(part<InspectorPanel>(window)->plainText().contains(module));
    QCOMPARE(part<LibraryPanel>(window)->currentFile(), a);
    QCOMPARE(part<LibraryPanel>(window)->groupBox()->currentIndex(), 2);
    for (const QAction* action : window->findChildren<QAction*>()) // nothing to take back
        QVERIFY(action->shortcut() != QKeySequence(QKeySequence::Undo) || !action->isEnabled());
    QTRY_COMPARE(part<RunPage>(window)->header()->badges(), QStringList{QStringLiteral("完成")});
    QVERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("MiB")));
    // And works on, by key as well.
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window.get(), Qt::Key_4, Qt::ControlModifier);
    QCOMPARE(front(*window), QStringLiteral("compare"));
    window->openFiles({b});
    QTRY_COMPARE(shownResult(*window)->id, std::string("b"));
}

void TestLanguage::theSetUpAndThePlanStay()
{
    const auto window = this->window();
    QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
    static_cast<QLineEdit*>(part<RunPage>(window)->panel()->form()->field("data.batch"))->setText(QStringLiteral("5"));
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    PlanInputs* inputs = part<PlanPage>(window)->inputs();
    inputs->modelField()->setEditText(QStringLiteral("gpt2"));
    inputs->deviceField()->setEditText(QStringLiteral("a100-40gb"));
    part<PlanPage>(window)->plan();
    QTRY_VERIFY_WITH_TIMEOUT(part<PlanPage>(window)->result() && !part<PlanPage>(window)->busy(), kSearchPatience);
    const std::string id = part<PlanPage>(window)->result()->id;
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(front(*window), QStringLiteral("plan"));
    QCOMPARE(part<PlanPage>(window)->inputs()->modelField()->currentText(), QStringLiteral("gpt2"));
    QVERIFY(part<PlanPage>(window)->result());
    QCOMPARE(part<PlanPage>(window)->result()->id, id);
    QCOMPARE(part<RunPage>(window)->panel()->form()->document()["data"]["batch"].get<int>(), 5);
}

void TestLanguage::aPlanNewerThanItsFileStays()
{
    const QString path = m_home.filePath(QStringLiteral("plan.json"));
    const auto window = this->window();
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    PlanInputs* inputs = part<PlanPage>(window)->inputs();
    inputs->modelField()->setEditText(QStringLiteral("gpt2"));
    inputs->deviceField()->setEditText(QStringLiteral("a100-40gb"));
    part<PlanPage>(window)->plan();
    QTRY_VERIFY_WITH_TIMEOUT(part<PlanPage>(window)->result() && !part<PlanPage>(window)->busy(), kSearchPatience);
    const std::string saved = part<PlanPage>(window)->result()->id;
    QVERIFY(part<FigureExport>(window)->saveCopyTo(path));
    window->openFiles({path});
    QTRY_VERIFY_WITH_TIMEOUT(!reading(*window) && !part<PlanPage>(window)->busy(), kSearchPatience);
    inputs->batchField()->setText(QStringLiteral("2"));
    part<PlanPage>(window)->plan();
    QTRY_VERIFY_WITH_TIMEOUT(part<PlanPage>(window)->result()->id != saved && !part<PlanPage>(window)->busy(),
                             kSearchPatience);
    const std::string newer = part<PlanPage>(window)->result()->id;
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(part<PlanPage>(window)->result()->id, newer);
    QCOMPARE(part<PlanPage>(window)->inputs()->batchField()->text(), QStringLiteral("2"));
    // And one that is under way is still looked for.
    part<PlanPage>(window)->inputs()->batchField()->setText(QStringLiteral("3"));
    part<PlanPage>(window)->plan();
    QVERIFY(part<PlanPage>(window)->busy());
    choose(*window, QStringLiteral("English"));
    QCOMPARE(part<PlanPage>(window)->inputs()->batchField()->text(), QStringLiteral("3"));
    const auto batch = [&window] { return part<PlanPage>(window)->result()->other["plan"]["base"]["data"]["batch"]; };
    QTRY_VERIFY_WITH_TIMEOUT(batch() == 3, 30000);
}

void TestLanguage::whatWasSearchedForStays()
{
    const auto window = this->window();
    window->openFiles({write(QStringLiteral("a.json"), "a")});
    QTRY_VERIFY(shownResult(*window));
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()));
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QTest::keyClicks(field, QStringLiteral("fc1"));
    part<RunPage>(window)->table(QStringLiteral("operators"))->setFilter(QStringLiteral("mm"));
    part<FigureExport>(window)->saveCopyTo(m_home.filePath(QStringLiteral("copy.json")));
    QVERIFY(window->messages()->text().contains(QStringLiteral("copy.json")));
    choose(*window, QStringLiteral("中文"));
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()));
    QCOMPARE(qobject_cast<QLineEdit*>(QApplication::focusWidget())->text(), QStringLiteral("fc1"));
    QCOMPARE(part<RunPage>(window)->table(QStringLiteral("modules"))->view()->model()->rowCount(), 1);
    QCOMPARE(part<RunPage>(window)->table(QStringLiteral("operators"))->filterField()->text(), QStringLiteral("mm"));
    QVERIFY(window->messages()->text().contains(QStringLiteral("copy.json")));
    QTRY_VERIFY(holdsChinese(window->messages()->text()));
}

void TestLanguage::whatWaitsIsNotLost()
{
    const QString a = write(QStringLiteral("a.json"), "a");
    const QString b = write(QStringLiteral("b.json"), "b");
    const auto window = this->window();
    window->compareFiles({a, b});
    QTRY_VERIFY(part<ComparePage>(window)->answer() && !part<ComparePage>(window)->busy());
    part<ComparePage>(window)->timelines()->setVisibleRange(0.05, 0.2);
    for (const char* language : {"zh", "en"})
        chooseLanguage(*window, QString::fromLatin1(language));
    QCOMPARE(part<ComparePage>(window)->timelines()->visibleLower(), 0.05);
    QCOMPARE(part<ComparePage>(window)->timelines()->visibleUpper(), 0.2);
    // A file that is being read comes to the front when it is.
    window->openFiles({a});
    QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == "a");
    const QString c = write(QStringLiteral("c.json"), "c");
    window->openFiles({c});
    chooseLanguage(*window, QStringLiteral("zh"));
    QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == "c");
    QCOMPARE(front(*window), QStringLiteral("run"));
}

void TestLanguage::theAnalysisStays()
{
    const QString path = m_home.filePath(QStringLiteral("prm.json"));
    QVERIFY(saveRunResult(testing::analysisRun({.units = 60}), path.toStdString()).ok());
    const auto window = this->window();
    window->openFiles({path});
    QTRY_VERIFY(part<AnalysePage>(window)->hasDocument());
    AnalysePage* analyse = part<AnalysePage>(window);
    analyse->recompute();
    QTRY_VERIFY_WITH_TIMEOUT(
        !analyse->worker()->embedding() && analyse->statusText().contains(QStringLiteral("trustworthiness")), 30000);
    auto* colour = analyse->findChild<QComboBox*>(QStringLiteral("colourBy"));
    colour->setCurrentIndex(1);
    analyse->setPartition({0.8, 0.4, 0.2, 0.85}, PartitionRule::Quantile);
    analyse->responses()->choice()->setCurrentIndex(1);
    analyse->selectUnits({2, 5});
    const std::array<PlotView*, 3> views{analyse->scatter(), analyse->plane(), analyse->responses()};
    std::array<PlotArea, 3> areas;
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i]->zoomIn();
        areas[i] = views[i]->visibleArea();
    }
    const QVariant by = colour->currentData();
    const QString coloured = colour->currentText();
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(colour->currentData(), by);
    QTRY_VERIFY(colour->currentText() != coloured);
    QCOMPARE(analyse->responses()->choice()->currentIndex(), 1);
    QCOMPARE(analyse->selection(), QList<int>({2, 5}));
    QCOMPARE(analyse->lines().funcAlignment, 0.8);
    QCOMPARE(int(analyse->rule()), int(PartitionRule::Quantile));
    for (std::size_t i = 0; i < views.size(); ++i)
        QVERIFY(views[i]->visibleArea() == areas[i]);
    QVERIFY(areas[0].x1 - areas[0].x0 > 0);
    QVERIFY(!analyse->worker()->embedding()); // nothing is computed anew
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
    chooseLanguage(window, QStringLiteral("zh"));
    QTRY_VERIFY(holdsChinese(window.messages()->text()));
    QVERIFY(window.messages()->text().contains(QStringLiteral("the one before")));
    QCOMPARE(window.messages()->findChildren<QPushButton*>().size(), 2);
}

void TestLanguage::aPlanUnderWayIsStillFound()
{
    const auto window = this->window();
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    part<PlanPage>(window)->inputs()->modelField()->setEditText(QStringLiteral("gpt2"));
    part<PlanPage>(window)->inputs()->deviceField()->setEditText(QStringLiteral("a100-40gb"));
    part<PlanPage>(window)->plan();
    QVERIFY(part<PlanPage>(window)->busy());
    chooseLanguage(*window, QStringLiteral("zh"));
    QTRY_VERIFY_WITH_TIMEOUT(part<PlanPage>(window)->result() && !part<PlanPage>(window)->busy(), kSearchPatience);
    QCOMPARE(part<PlanPage>(window)->result()->other["plan"]["model"].get<std::string>(), std::string("gpt2"));
}

void TestLanguage::aRunUnderWayGoesOn()
{
    testing::useFakeWorker("slow");
    const auto window = this->window();
    const int id = part<RunStarter>(window)->start(testing::smallExperiment());
    const auto size = [&window] {
        const MemoryTimeline* timeline = part<RunPage>(window)->liveTimeline()->timeline();
        return timeline ? timeline->size() : 0;
    };
    QTRY_VERIFY(size() > 500);
    const std::size_t before = size();
    const std::int64_t peak = part<RunPage>(window)->liveTimeline()->timeline()->peakBytes();
    chooseLanguage(*window, QStringLiteral("zh"));
    QTRY_VERIFY(holdsChinese(part<RunPage>(window)->header()->badges().value(0)) ||
                holdsChinese(window->findChild<QLabel*>(QStringLiteral("runFacts"))->text()));
    QVERIFY(size() >= before); // nothing of what came before is lost
    QCOMPARE(part<RunPage>(window)->liveTimeline()->timeline()->peakBytes(), peak);
    QTRY_VERIFY(part<RunPage>(window)->liveTimeline()->isVisible());
    const std::size_t after = size();
    QTRY_VERIFY(size() > after);
    QCOMPARE(int(part<RunQueue>(window)->info(id)->state), int(RunState::Running));
    QTest::keyClick(window.get(), Qt::Key_Period, Qt::ControlModifier);
    QTRY_VERIFY(shownResult(*window));
    QCOMPARE(int(shownResult(*window)->status), int(RunStatus::Interrupted));
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
}

void TestLanguage::anExportDialogFollows()
{
    const auto window = this->window();
    window->openFiles({write(QStringLiteral("a.json"), "a")});
    QTRY_VERIFY(shownResult(*window));
    part<FigureExport>(window)->showFigure(QStringLiteral("memory_breakdown_comparison"));
    QVERIFY(window->findChild<ExportDialog*>()->isVisible());
    const auto* dialog = window->findChild<ExportDialog*>();
    const QList<QComboBox*> choices = dialog->findChildren<QComboBox*>();
    QCOMPARE(choices.size(), 5);
    choices[1]->setCurrentText(QStringLiteral("icml-column"));
    choices[2]->setCurrentText(QStringLiteral("svg"));
    chooseLanguage(*window, QStringLiteral("zh"));
    QTRY_VERIFY(window->findChild<ExportDialog*>() && holdsChinese(window->findChild<ExportDialog*>()->windowTitle()));
    QVERIFY(window->findChild<ExportDialog*>()->isVisible());
    QCOMPARE(window->findChild<ExportDialog*>()->figureName(), QStringLiteral("memory_breakdown_comparison"));
    QCOMPARE(window->findChildren<ExportDialog*>().size(), 1);
    QCOMPARE(choices[1]->currentText(), QStringLiteral("icml-column"));
    QCOMPARE(choices[2]->currentText(), QStringLiteral("svg"));
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
