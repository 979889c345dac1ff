// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// There and back, by pixels: after another language, another theme or another result each workspace and each kind of
// result looks as before.
#include "app/analyse/analyse_page.h"
#include "app/compare/compare_page.h"
#include "app/jobs/machine_memory.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "app/plan/plan_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "tests/widgets/curvature/curvature_samples.h"
#include "tests/widgets/timeline/rank_samples.h"

#include <QApplication>
#include <QPixmap>

using namespace peakscope;
using namespace peakscope::test;
using namespace peakscope::testing;

namespace {

const QString kFormats = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/");

// Files that are opened together, or a workspace's page as it comes.
struct Scene {
    QString name;
    QStringList files = {};
    bool compared = false;
    QString page = {};
    bool rearranges = false; // docks or cards come and go with it
};

// Two pictures a moment apart that are the same.
QImage settled(MainWindow& window)
{
    QImage before;
    const auto stands = [&] {
        if (part<ComparePage>(window)->busy() || part<PlanPage>(window)->busy() || reading(window))
            return false;
        QTest::qWait(60);
        const QImage now = window.grab().toImage();
        return std::exchange(before, now) == now;
    };
    if (!QTest::qWaitFor(stands, 15'000))
        qWarning("the picture does not settle");
    return before;
}

QRect difference(const QImage& a, const QImage& b)
{
    QRect changed;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            if (a.pixel(x, y) != b.pixel(x, y))
                changed |= QRect(x, y, 1, 1);
        }
    }
    return changed;
}

} // namespace

class TestWindowPictures : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void everySceneIsAsBefore();

private:
    std::unique_ptr<MainWindow> window();
    void show(MainWindow& window, const Scene& scene);
    QString write(const QString& name, const RunResult& result);
    void compare(const QString& name, const QImage& seen, const QImage& expected);

    QTemporaryDir m_home;
    Scene m_plain; // a single run
    std::vector<Scene> m_scenes;
};

QString TestWindowPictures::write(const QString& name, const RunResult& result)
{
    const QString path = m_home.filePath(name + QStringLiteral(".json"));
    if (!saveRunResult(result, path.toStdString()))
        qWarning("can't write %s", qPrintable(path));
    return path;
}

void TestWindowPictures::initTestCase()
{
    testing::isolate(m_home);
    testing::useFakeWorker("complete");
    QApplication::setCursorFlashTime(0); // a caret that blinks is in every other picture
    const auto single = [this](const char* name, const QString& file) { m_scenes.push_back({name, {file}}); };
    for (const char* page : {"start", "plan", "run"})
        m_scenes.push_back({QLatin1String("page ") + page, {}, false, page});
    single("memory", writeSmallResult(m_home, QStringLiteral("a.json"), "a"));
    m_plain = m_scenes.back();
    m_scenes.push_back({"two", {m_home.filePath("a.json"), writeSmallResult(m_home, "b.json", "b")}, true});
    single("curvature", write("curvature", curvatureResult(true)));
    single("matrix", write("matrix", matrixResult()));
    for (std::size_t i = m_scenes.size() - 3; i < m_scenes.size(); ++i)
        m_scenes[i].rearranges = true;
    single("ranks", write("ranks", rankedRun(4)));
    single("analysis", write("analysis", analysisRun()));
    for (const char* file : {"sweep/memory_profile_results.json", "detailed/detailed_memory_results.json",
                             "prm/hessian_memory_analysis.json"})
        single(file, kFormats + QLatin1String(file));
    QStringList methods;
    for (const char* method : {"ghost", "vanilla", "flash_clip"})
        methods << kFormats + QStringLiteral("dpsgd/run_20241110_123456/%1_result.json").arg(QLatin1String(method));
    m_scenes.push_back({"methods", methods, true});
}

void TestWindowPictures::cleanup()
{
    installTranslation(QStringLiteral("en"));
}

std::unique_ptr<MainWindow> TestWindowPictures::window()
{
    auto made = std::make_unique<MainWindow>();
    made->setSessionKept(false);
    delete part<MachineMemoryLabel>(made); // shows a number of the moment
    made->resize(1440, 900);
    made->show();
    if (!QTest::qWaitForWindowExposed(made.get()))
        qWarning("the window does not show");
    waitForForm(*made);
    return made;
}

void TestWindowPictures::show(MainWindow& window, const Scene& scene)
{
    if (!scene.page.isEmpty())
        window.showWorkspace(scene.page);
    else if (scene.compared)
        window.compareFiles(scene.files);
    else
        window.openFiles(scene.files);
    QCoreApplication::processEvents();
}

void TestWindowPictures::compare(const QString& name, const QImage& seen, const QImage& expected)
{
    if (seen == expected)
        return;
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    QString file = name;
    file.replace(u' ', u'_').replace(u'/', u'_');
    QVERIFY(seen.save(folder.filePath(file + ".png")) && expected.save(folder.filePath(file + "_expected.png")));
    const QRect changed = difference(seen, expected);
    QFAIL(qPrintable(QStringLiteral("%1 differs at %2, %3 (%4 x %5)")
                         .arg(name)
                         .arg(changed.x())
                         .arg(changed.y())
                         .arg(changed.width())
                         .arg(changed.height())));
}

void TestWindowPictures::everySceneIsAsBefore()
{
    const auto window = this->window();
    Theme theme = Theme::Light;
    const auto other = [&theme] { return theme == Theme::Light ? Theme::Dark : Theme::Light; };
    for (const Scene& scene : m_scenes) {
        applyTheme(theme);
        show(*window, scene);
        const QImage before = settled(*window);
        chooseLanguage(*window, QStringLiteral("zh"));
        QCoreApplication::processEvents();
        QVERIFY(window->grab().toImage() != before);
        chooseLanguage(*window, QStringLiteral("en"));
        compare(scene.name + " after another language", settled(*window), before);
        if (scene.rearranges) {
            applyTheme(other());
            settled(*window);
            applyTheme(theme);
            compare(scene.name + " after another theme", settled(*window), before);
            show(*window, m_plain);
            const QImage plain = settled(*window);
            show(*window, scene);
            compare(scene.name + " after another result", settled(*window), before);
            show(*window, m_plain);
            compare("memory after " + scene.name, settled(*window), plain);
        }
        theme = other();
    }
}

PEAKSCOPE_TEST(TestWindowPictures)
#include "test_window_pictures.moc"
