// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Another language while the window is open: every visible text follows at once, and nothing that was in front is lost.
#include "app/compare_workspace.h"
#include "app/export_dialog.h"
#include "app/library_panel.h"
#include "app/main_window.h"
#include "app/message_bar.h"
#include "app/plan_inputs.h"
#include "app/plan_workspace.h"
#include "app/run_header.h"
#include "app/run_panel.h"
#include "app/run_workspace.h"
#include "app/settings.h"
#include "app/theme_controller.h"
#include "app/translations.h"
#include "tests/app/app_test_support.h"
#include "widgets/compare_timeline_view.h"
#include "widgets/memory_timeline_view.h"
#include "widgets/usage_tables.h"

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
#include <QRegularExpression>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
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
        QTest::qWait(20);
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
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            QTest::qWait(50);
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
        QTest::qWait(30);
        QTRY_VERIFY(!window->comparison()->busy() && !window->planner()->busy());
        QTest::qWait(30);
        const QStringList left = englishLeft(*window);
        QVERIFY2(left.isEmpty(), qPrintable(QStringLiteral("page %1:\n").arg(int(page)) + left.join(u'\n')));
    }
    choose(*window, QStringLiteral("English"));
    for (const Page page : {Page::Compare, Page::Run, Page::Start, Page::Plan, Page::Analyse}) {
        window->showPage(page);
        QTest::qWait(30);
        QTRY_VERIFY(!window->comparison()->busy() && !window->planner()->busy());
        const QStringList left = chineseLeft(*window);
        QVERIFY2(left.isEmpty(), qPrintable(QStringLiteral("page %1:\n").arg(int(page)) + left.join(u'\n')));
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
    QTRY_VERIFY_WITH_TIMEOUT(window->planner()->result() && !window->planner()->busy(), 30000);
    const std::string id = window->planner()->result()->id;
    choose(*window, QStringLiteral("中文"));
    QCOMPARE(window->page(), MainWindow::Page::Plan);
    QCOMPARE(window->planner()->inputs()->modelField()->currentText(), QStringLiteral("gpt2"));
    QVERIFY(window->planner()->result());
    QCOMPARE(window->planner()->result()->id, id);
    QCOMPARE(window->workspace()->panel()->form()->document()["data"]["batch"].get<int>(), 5);
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
    QTRY_VERIFY_WITH_TIMEOUT(window->planner()->result() && !window->planner()->busy(), 30000);
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
    QTest::qWait(0);
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
    window->chooseLanguage(QStringLiteral("zh"));
    QTRY_VERIFY(window->findChild<ExportDialog*>() && holdsChinese(window->findChild<ExportDialog*>()->windowTitle()));
    QVERIFY(window->findChild<ExportDialog*>()->isVisible());
    QCOMPARE(window->findChild<ExportDialog*>()->figureName(), QStringLiteral("memory_breakdown_comparison"));
    QCOMPARE(window->findChildren<ExportDialog*>().size(), 1);
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

QTEST_MAIN(TestLanguage)
#include "test_language.moc"
