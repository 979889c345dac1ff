// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// F1 opens the page of the handbook that explains the panel; the palette finds commands, panels, results, settings and
// pages by the words that people type.
#include "app/form/experiment_form.h"
#include "app/parts/command_palette.h"
#include "app/parts/fonts.h"
#include "app/parts/translations.h"
#include "app/window/help_drawer.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/look/pieces.h"
#include "widgets/plot/plot_view.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QApplication>
#include <QLineEdit>
#include <QTest>
#include <QTextBrowser>
#include <QTreeWidget>

using namespace peakscope;
using namespace peakscope::testing;

class TestHelp : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { isolate(m_home); }
    void f1OpensThePageOfThePanel();
    void everyPanelHasItsPage();
    void aDrawerThatComesBackBeginsAtTheContents();
    void linksStayInTheHandbook();
    void pagesAreInTheLanguage();
    void thePaletteFindsByUsualWords_data();
    void thePaletteFindsByUsualWords();
    void thePaletteShowsWhatItFound();

private:
    std::unique_ptr<MainWindow> withResult()
    {
        const QString path = m_home.filePath(QStringLiteral("one.json"));
        if (!saveRunResult(smallResult(), path.toStdString()))
            qWarning("can't write %s", qPrintable(path));
        auto window = newWindow();
        window->openFiles({path});
        if (!QTest::qWaitFor([&window] { return shownResult(*window) != nullptr; }))
            qWarning("the result is not shown");
        waitForForm(*window);
        return window;
    }
    static CommandPalette* openPalette(MainWindow& window)
    {
        trigger(window, QStringLiteral("commands"));
        return window.findChild<CommandPalette*>();
    }
    static QStringList listed(const CommandPalette* palette)
    {
        QStringList texts;
        for (int i = 0; i < palette->list()->topLevelItemCount(); ++i)
            texts << palette->list()->topLevelItem(i)->text(0);
        return texts;
    }

    QTemporaryDir m_home;
};

void TestHelp::f1OpensThePageOfThePanel()
{
    const auto window = withResult();
    auto* help = window->findChild<HelpDrawer*>();
    QVERIFY(help && !help->isVisible());
    window->activateWindow();
    part<RunPage>(window)->resultTimeline()->setFocus();
    QTest::keyClick(window.get(), Qt::Key_F1);
    QVERIFY(help->isVisible());
    QCOMPARE(help->text()->source().path(), QStringLiteral("/help/components.md"));
    QVERIFY(help->text()->toPlainText().contains(QStringLiteral("What a byte is for")));
    help->hide();
    // The panel that had the keys is out of sight.
    window->showWorkspace(QStringLiteral("plan"));
    QTest::keyClick(window.get(), Qt::Key_F1);
    QVERIFY(help->isVisible());
    QCOMPARE(help->text()->source().path(), QStringLiteral("/help/planning.md"));
}

void TestHelp::everyPanelHasItsPage()
{
    const auto window = withResult();
    QStringList pages;
    for (const HelpPage& page : HelpDrawer::pages()) {
        pages << page.name;
        QVERIFY2(!page.title.isEmpty(), qPrintable(page.name));
    }
    QVERIFY(pages.contains(QStringLiteral("tutorials/sweep")));
    for (const PlotView* view : window->findChildren<PlotView*>())
        QVERIFY2(pages.contains(helpTopic(view)) || helpTopic(view).isEmpty(), qPrintable(view->title()));
}

void TestHelp::linksStayInTheHandbook()
{
    const auto window = newWindow();
    auto* help = window->findChild<HelpDrawer*>();
    help->open(QStringLiteral("index"));
    const auto follow = [help](const QString& link) {
        help->text()->setSource(help->text()->source().resolved(QUrl(link)));
    };
    follow(QStringLiteral("planning.md"));
    QCOMPARE(help->text()->source().path(), QStringLiteral("/help/planning.md"));
    follow(QStringLiteral("schema/result.json"));
    QVERIFY(help->text()->toPlainText().contains(QStringLiteral("Plan before you run")));
    help->open(QStringLiteral("no such page"));
    QCOMPARE(help->text()->source().path(), QStringLiteral("/help/index.md"));
}

// In the window's language where a page has been translated; the page in front too, and what its links lead to.
// As a window's session brings it back, open.
void TestHelp::aDrawerThatComesBackBeginsAtTheContents()
{
    const auto window = newWindow();
    auto* help = window->findChild<HelpDrawer*>();
    help->show();
    help->raise();
    QTRY_COMPARE(help->text()->source().path(), QStringLiteral("/help/index.md"));
    help->open(QStringLiteral("start"));
    help->hide();
    help->show();
    QCOMPARE(help->text()->source().path(), QStringLiteral("/help/start.md"));
}

void TestHelp::pagesAreInTheLanguage()
{
    if (!canWriteChinese())
        QSKIP("no font with Chinese characters is installed");
    const auto window = newWindow();
    auto* help = window->findChild<HelpDrawer*>();
    help->open(QStringLiteral("start"));
    QCOMPARE(help->text()->source().path(), QStringLiteral("/help/start.md"));
    const auto titles = [] {
        QMap<QString, QString> titles;
        for (const HelpPage& page : HelpDrawer::pages())
            titles[page.name] = page.title;
        return titles;
    };
    const auto english = titles();
    QVERIFY(installTranslation(QStringLiteral("zh")));
    QTRY_COMPARE(help->text()->source().path(), QStringLiteral("/help/start.zh.md"));
    help->text()->setSource(help->text()->source().resolved(QUrl(QStringLiteral("tutorials/sweep.md"))));
    QCOMPARE(help->text()->source().path(), QStringLiteral("/help/tutorials/sweep.zh.md"));
    help->text()->setSource(help->text()->source().resolved(QUrl(QStringLiteral("../architecture.md"))));
    QCOMPARE(help->text()->source().path(), QStringLiteral("/help/architecture.zh.md"));
    QCOMPARE(titles().keys(), english.keys());
    QVERIFY(titles()[QStringLiteral("start")] != english[QStringLiteral("start")]);
    QVERIFY(installTranslation(QStringLiteral("en")));
}

void TestHelp::thePaletteFindsByUsualWords_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("found");
    QTest::newRow("oom") << "oom"
                         << "Help › CUDA memory snapshots";
    QTest::newRow("vram") << "vram"
                          << "View › Plan";
    QTest::newRow("font") << "font"
                          << "Help › Comparisons and figures";
    QTest::newRow("dark") << "dark"
                          << "View › Theme › Dark";
    QTest::newRow("language") << "language"
                              << "View › Language › English";
    QTest::newRow("Chinese words") << QStringLiteral("显存") << "Help › CUDA memory snapshots";
    QTest::newRow("shortcuts") << "shortcuts"
                               << "Help › Keys and mouse";
    QTest::newRow("a panel") << "module"
                             << "Panel › Modules";
    QTest::newRow("a result") << "one.json"
                              << "Result › opt";
    QTest::newRow("a setting") << "setting batch"
                               << "Setting of a run › Batch";
}

void TestHelp::thePaletteFindsByUsualWords()
{
    QFETCH(QString, typed);
    QFETCH(QString, found);
    const auto window = withResult();
    CommandPalette* palette = openPalette(*window);
    QVERIFY(palette);
    palette->field()->setText(typed);
    const QStringList first = listed(palette).mid(0, 12);
    QVERIFY2(std::any_of(first.begin(), first.end(), [&found](const QString& each) { return each.startsWith(found); }),
             qPrintable(first.join(QStringLiteral(" | "))));
    QVERIFY(!palette->findChild<QLabel*>()->isVisible());
    palette->field()->setText(QStringLiteral("qqq"));
    QVERIFY(listed(palette).isEmpty() && palette->findChild<QLabel*>()->isVisible());
}

void TestHelp::thePaletteShowsWhatItFound()
{
    const auto window = withResult();
    CommandPalette* palette = openPalette(*window);
    palette->field()->setText(QStringLiteral("help cuda snapshots"));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    auto* help = window->findChild<HelpDrawer*>();
    QTRY_VERIFY(help->isVisible());
    QCOMPARE(help->text()->source().path(), QStringLiteral("/help/snapshots.md"));
    QTRY_VERIFY(!window->findChild<CommandPalette*>());
    palette = openPalette(*window);
    QVERIFY(palette);
    palette->field()->setText(QStringLiteral("setting batch"));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    const QWidget* batch = part<RunPage>(window)->panel()->form()->field("data.batch");
    QTRY_VERIFY(batch->isVisible() && window->focusWidget() &&
                (batch == window->focusWidget() || batch->isAncestorOf(window->focusWidget())));
}

PEAKSCOPE_TEST(TestHelp)
#include "test_help.moc"
