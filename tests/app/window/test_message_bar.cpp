// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Messages lie over the page: nothing under the pointer moves when one comes or goes, several stand one above the
// other, each ends with the page that it belongs to, and their colours follow the theme.
#include "app/form/run_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/theme_controller.h"
#include "app/plan/plan_page.h"
#include "app/window/start_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

QString text()
{
    return QStringLiteral("notaresult.py can't be read");
}

// Where everything that can be seen of the window stands, but for the messages.
QHash<const QWidget*, QRect> places(const MainWindow& window)
{
    QHash<const QWidget*, QRect> found;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        bool message = false;
        for (const QWidget* at = widget; at; at = at->parentWidget())
            message = message || qobject_cast<const MessageBar*>(at);
        if (widget->isVisible() && !message)
            found.insert(widget, QRect(widget->mapTo(&window, QPoint()), widget->size()));
    }
    return found;
}

// WCAG's contrast of two colours.
double contrast(const QColor& a, const QColor& b)
{
    const auto light = [](const QColor& colour) {
        const auto part = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
        return 0.2126 * part(colour.redF()) + 0.7152 * part(colour.greenF()) + 0.0722 * part(colour.blueF());
    };
    const double high = std::max(light(a), light(b)), low = std::min(light(a), light(b));
    return (high + 0.05) / (low + 0.05);
}

} // namespace

class TestMessageBar : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void nothingMoves_data();
    void nothingMoves();
    void severalStandAboveOneAnother();
    void aMessageEndsWithItsPage();
    void aQuestionOutlastsThePage();
    void aNewFormIsWithoutIt();
    void whatCannotBeReadStaysSaid_data();
    void whatCannotBeReadStaysSaid();
    void allThatCannotBeReadIsSaid();
    void theFootOfThePlanStaysFree();
    void itsColoursFollowTheTheme();
    void fieldsHaveAnEdgeInBothThemes();
    void whatAsksNothingGoesByItself();

private:
    QTemporaryDir m_home;
};

void TestMessageBar::initTestCase()
{
    isolate(m_home);
    useFakeWorker("normal");
}

void TestMessageBar::init()
{
    for (const char* folder : {"config", "data"})
        QDir(m_home.filePath(QString::fromLatin1(folder))).removeRecursively();
}

void TestMessageBar::nothingMoves_data()
{
    QTest::addColumn<QString>("workspace");
    for (const char* workspace : {"start", "run", "plan", "analyse", "compare"})
        QTest::newRow(workspace) << QString::fromLatin1(workspace);
}

void TestMessageBar::nothingMoves()
{
    QFETCH(QString, workspace);
    const auto window = newWindow();
    waitForForm(*window);
    window->showWorkspace(workspace);
    QTRY_VERIFY_WITH_TIMEOUT(!window->busy(), kSearchPatience);
    if (const auto* start = part<StartPage>(window); start->isVisible())
        QTRY_VERIFY(start->timeline()); // it comes a moment after the page
    QCoreApplication::processEvents();
    const auto before = places(*window);
    std::vector<MessageBar*> bars{window->messages()};
    if (window->inFront() && window->messagesInFront() != window->messages())
        bars.push_back(window->messagesInFront());
    for (MessageBar* bar : bars) {
        bar->showMessage(MessageBar::Kind::Error, text(), {{[] { return QStringLiteral("Open another…"); }, [] {}}},
                         QStringLiteral("line 1\nline 2"));
        QCoreApplication::processEvents();
        QVERIFY(bar->isVisible());
        // All of it is on its page.
        QVERIFY(window->rect().contains(QRect(bar->mapTo(window.get(), QPoint()), bar->size())));
        QVERIFY(bar->findChild<QLabel*>(QStringLiteral("messageText"))->visibleRegion().boundingRect().height() > 8);
        QCOMPARE(places(*window), before);
    }
    for (MessageBar* bar : bars) {
        QTest::keyClick(bar, Qt::Key_Escape);
        QVERIFY(!bar->isVisible());
        QCOMPARE(places(*window), before);
    }
}

void TestMessageBar::severalStandAboveOneAnother()
{
    const auto window = newWindow();
    waitForForm(*window);
    window->showWorkspace(QStringLiteral("run"));
    MessageBar* page = part<RunPage>(window)->panel()->messages();
    MessageBar* all = window->messages();
    const auto place = [&](const MessageBar* bar) { return QRect(bar->mapTo(window.get(), QPoint()), bar->size()); };
    page->showMessage(MessageBar::Kind::Info, QStringLiteral("first"));
    all->showMessage(MessageBar::Kind::Info, QStringLiteral("second"));
    QCoreApplication::processEvents();
    QVERIFY(!place(page).intersects(place(all)));
    QVERIFY(place(all).bottom() < place(page).top());
    // A longer one below lifts the one above it; once it is gone, that comes down.
    page->showMessage(MessageBar::Kind::Info, QStringLiteral("first"), {}, QStringLiteral("a\nb\nc\nd"));
    QCoreApplication::processEvents();
    QVERIFY(!place(page).intersects(place(all)));
    const int lifted = place(all).bottom();
    page->dismiss();
    QCoreApplication::processEvents();
    QVERIFY(place(all).bottom() > lifted);
    window->resize(700, 500);
    QCoreApplication::processEvents();
    QVERIFY(window->rect().contains(place(all)));
}

void TestMessageBar::aMessageEndsWithItsPage()
{
    const auto window = newWindow();
    waitForForm(*window);
    window->showWorkspace(QStringLiteral("plan"));
    QTRY_VERIFY_WITH_TIMEOUT(!window->busy(), kSearchPatience);
    part<PlanPage>(window)->messages()->showMessage(MessageBar::Kind::Info, text());
    window->messages()->showMessage(MessageBar::Kind::Error, text());
    window->showWorkspace(QStringLiteral("plan")); // where it is already
    QVERIFY(!window->messages()->text().isEmpty());
    window->showWorkspace(QStringLiteral("compare"));
    QVERIFY(window->messages()->text().isEmpty());
    window->showWorkspace(QStringLiteral("plan"));
    QVERIFY(part<PlanPage>(window)->messages()->text().isEmpty());
    // What is said of a page that is not in front is there when it comes.
    part<RunPage>(window)->panel()->messages()->showMessage(MessageBar::Kind::Info, text());
    window->showWorkspace(QStringLiteral("run"));
    QVERIFY(part<RunPage>(window)->panel()->messages()->isVisible());
}

void TestMessageBar::aQuestionOutlastsThePage()
{
    const auto window = newWindow();
    waitForForm(*window);
    window->messages()->showMessage(MessageBar::Kind::Warning, QStringLiteral("Stop and close?"));
    window->messages()->outlastPage();
    window->showWorkspace(QStringLiteral("compare"));
    QCOMPARE(window->messages()->text(), QStringLiteral("Stop and close?"));
    const QWidget* label = window->messages()->findChild<QLabel*>(QStringLiteral("messageText"));
    QCOMPARE(window->childAt(label->mapTo(window.get(), label->rect().center())), label); // over the new page
    window->messages()->showMessage(MessageBar::Kind::Info, text());
    window->showWorkspace(QStringLiteral("plan"));
    QVERIFY(window->messages()->text().isEmpty()); // the next message is one of its own
}

void TestMessageBar::aNewFormIsWithoutIt()
{
    const auto window = newWindow();
    waitForForm(*window);
    window->showWorkspace(QStringLiteral("run"));
    const QString junk = m_home.filePath(QStringLiteral("notaresult.py"));
    QFile file(junk);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("import torch\n");
    file.close();
    window->resize(1280, 720);
    window->openFiles({junk});
    QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("notaresult.py")));
    test::saveScreenshot(*window, QStringLiteral("message_over_the_form"));
    trigger(*window, QStringLiteral("newRun"));
    QVERIFY(window->messages()->text().isEmpty());
    test::saveScreenshot(*window, QStringLiteral("new_form_without_the_message"));
}

void TestMessageBar::whatCannotBeReadStaysSaid_data()
{
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<bool>("compared");
    const QString good = QStringLiteral("good.json"), missing = QStringLiteral("missing.json");
    for (const bool compared : {false, true}) {
        const QByteArray how = compared ? "side by side, " : "opened, ";
        QTest::newRow(how + "the bad one first") << QStringList{missing, good} << compared;
        QTest::newRow(how + "the bad one last") << QStringList{good, missing} << compared;
    }
    QTest::newRow("opened, the bad one between") << QStringList{QStringLiteral("other.json"), missing, good} << false;
    QTest::newRow("opened, two bad ones last")
        << QStringList{good, missing, QStringLiteral("missing too.json")} << false;
}

void TestMessageBar::whatCannotBeReadStaysSaid()
{
    QFETCH(QStringList, names);
    QFETCH(bool, compared);
    const QString good = writeSmallResult(m_home, QStringLiteral("good.json"), "good");
    writeSmallResult(m_home, QStringLiteral("other.json"), "other");
    QStringList paths;
    for (const QString& name : names)
        paths << m_home.filePath(name);
    const auto window = newWindow();
    waitForForm(*window);
    compared ? window->compareFiles(paths) : window->openFiles(paths);
    QTRY_VERIFY_WITH_TIMEOUT(!window->busy(), kSearchPatience);
    QTRY_COMPARE(part<ShownDocument>(window)->path(), good);
    QCOMPARE(front(*window), QStringLiteral("run"));
    QCoreApplication::processEvents();
    const MessageBar* bar = window->messages();
    QVERIFY(bar->isVisible() && bar->kind() == MessageBar::Kind::Error);
    QVERIFY2(bar->text().contains(QStringLiteral("missing.json")), qPrintable(bar->text()));
    // Until the user goes to another page; there nothing says it again, though another file is read.
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(front(*window), QStringLiteral("plan"));
    QVERIFY(bar->text().isEmpty());
    window->openFiles({writeSmallResult(m_home, QStringLiteral("later.json"), "later")});
    QTRY_COMPARE(front(*window), QStringLiteral("run"));
    QTRY_VERIFY(!reading(*window));
    QCoreApplication::processEvents();
    QVERIFY2(bar->text().isEmpty(), qPrintable(bar->text()));
}

void TestMessageBar::allThatCannotBeReadIsSaid()
{
    const auto window = newWindow();
    waitForForm(*window);
    QStringList paths;
    for (int i = 1; i <= 5; ++i)
        paths << m_home.filePath(QStringLiteral("missing %1.json").arg(i));
    paths.insert(2, writeSmallResult(m_home, QStringLiteral("good.json"), "good"));
    window->openFiles(paths);
    QTRY_VERIFY(!reading(*window));
    MessageBar* bar = window->messages();
    const QStringList lines = bar->text().split(u'\n');
    QVERIFY2(lines.size() == 4 && lines[0].contains(QStringLiteral("missing 1.json")) &&
                 lines[2].contains(QStringLiteral("missing 3.json")) && lines[3].contains(u'2'),
             qPrintable(bar->text()));
    QCOMPARE(part<ShownDocument>(window)->path(), paths[2]);
    QTest::keyClick(bar, Qt::Key_Escape);
    QVERIFY(!bar->isVisible());
}

// What is said of the numbers above it can be read beside a message.
void TestMessageBar::theFootOfThePlanStaysFree()
{
    const auto window = newWindow();
    waitForForm(*window);
    window->showWorkspace(QStringLiteral("plan"));
    QTRY_VERIFY_WITH_TIMEOUT(!window->busy(), kSearchPatience);
    MessageBar* bar = part<PlanPage>(window)->messages();
    const auto* foot = part<PlanPage>(window)->findChild<QLabel*>(QStringLiteral("loopNote"));
    bar->showMessage(MessageBar::Kind::Info, text());
    for (const QSize size : {QSize(1280, 800), QSize(800, 600), QSize(1400, 900)}) {
        window->resize(size);
        QCoreApplication::processEvents();
        QVERIFY(bar->isVisible() && foot->isVisible());
        QVERIFY(!QRect(bar->mapTo(window.get(), QPoint()), bar->size())
                     .intersects(QRect(foot->mapTo(window.get(), QPoint()), foot->size())));
    }
}

void TestMessageBar::itsColoursFollowTheTheme()
{
    const auto window = newWindow();
    waitForForm(*window);
    window->resize(1280, 720);
    window->showWorkspace(QStringLiteral("run"));
    MessageBar* bar = window->messages();
    for (const MessageBar::Kind kind : {MessageBar::Kind::Info, MessageBar::Kind::Warning, MessageBar::Kind::Error}) {
        applyTheme(Theme::Light);
        bar->showMessage(kind, text());
        for (const Theme theme : {Theme::Dark, Theme::Light, Theme::Dark}) {
            applyTheme(theme);
            QCoreApplication::processEvents();
            const QImage picture = bar->grab().toImage();
            const QColor ground = picture.pixelColor(picture.width() / 2, picture.height() - 3);
            const QLabel* words = bar->findChild<QLabel*>(QStringLiteral("messageText"));
            const QColor ink = words->palette().color(words->foregroundRole());
            QVERIFY2(contrast(ground, ink) >= 4.5,
                     qPrintable(QStringLiteral("%1 on %2").arg(ink.name(), ground.name())));
        }
        const char* name = kind == MessageBar::Kind::Info      ? "message_in_the_dark_theme"
                           : kind == MessageBar::Kind::Warning ? "warning_in_the_dark_theme"
                                                               : "error_in_the_dark_theme";
        test::saveScreenshot(*window, QString::fromLatin1(name));
    }
    applyTheme(Theme::System);
}

void TestMessageBar::fieldsHaveAnEdgeInBothThemes()
{
    for (const Theme theme : {Theme::Light, Theme::Dark}) {
        applyTheme(theme);
        QWidget page;
        QLayout* rows = new QVBoxLayout(&page);
        QWidget* const fields[] = {new QLineEdit, new QSpinBox, new QDoubleSpinBox, new QComboBox, new QLineEdit};
        for (QWidget* field : fields)
            rows->addWidget(field); // the first has the keys
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        const QImage picture = page.grab().toImage();
        const QColor ground = picture.pixelColor(1, 1);
        for (const QWidget* field : fields) {
            const QColor edge = picture.pixelColor(field->x(), field->geometry().center().y());
            QVERIFY2(contrast(ground, edge) >= 3,
                     qPrintable(QStringLiteral("%1: %2 on %3")
                                    .arg(QLatin1String(field->metaObject()->className()), edge.name(), ground.name())));
        }
    }
    applyTheme(Theme::System);
}

// What only tells leaves the page free again, and what is over; what offers something or warns stays.
void TestMessageBar::whatAsksNothingGoesByItself()
{
    QWidget page;
    page.resize(400, 300);
    page.show();
    MessageBar told, offered, warned, over;
    for (MessageBar* bar : {&told, &offered, &warned, &over})
        bar->layOver(&page);
    told.showMessage(MessageBar::Kind::Info, text());
    offered.showMessage(MessageBar::Kind::Info, text(), {{QStringLiteral("Open"), [] {}}});
    warned.showMessage(MessageBar::Kind::Warning, text());
    over.showMessage(MessageBar::Kind::Info, text(), {{QStringLiteral("Show"), [] {}}});
    over.outlastPage();
    over.endInTime();
    QVERIFY(told.isVisible() && over.isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(told.isHidden() && over.isHidden(), 15000);
    QVERIFY(offered.isVisible() && warned.isVisible());
    for (MessageBar* bar : {&told, &offered, &warned, &over})
        bar->setParent(nullptr);
}

PEAKSCOPE_TEST(TestMessageBar)
#include "test_message_bar.moc"
