// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop program where a file that it is given, or finds, is a pipe or a device, and where the disk is full: it
// never waits, and says which file could not be read or written.
#include "app/library/library_index.h"
#include "app/library/library_model.h"
#include "app/library/library_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/save_file.h"
#include "app/parts/session.h"
#include "app/parts/settings.h"
#include "app/plan/plan_measurements.h"
#include "core/base/file.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace peakscope;
using namespace peakscope::testing;

class TestHostilePlaces : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        testing::isolate(m_home);
        m_result = testing::writeSmallResult(m_home, QStringLiteral("result.json"), "result");
        makeOdd(m_home.path(), QStringLiteral("pipe.json"), true);
        makeOdd(m_home.path(), QStringLiteral("zero.json"), false);
    }

    void init()
    {
        for (const char* folder : {"config", "data"})
            QDir(m_home.filePath(QString::fromLatin1(folder))).removeRecursively();
        QDir().mkpath(settings::libraryFolder());
    }

    // A minimal system has no fonts: the program brings its own.
    void itHasAFontOfItsOwn()
    {
        const QString config = m_home.filePath(QStringLiteral("fonts.conf"));
        QFile file(config);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("<?xml version=\"1.0\"?><fontconfig></fontconfig>");
        file.close();
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("FONTCONFIG_FILE"), config);
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope"), {QStringLiteral("--check")});
        QVERIFY(process.waitForFinished());
        const QString line = QString::fromUtf8(process.readAllStandardOutput());
        QVERIFY2(process.exitCode() == 0 && line.contains(QStringLiteral("words in Inter, without Chinese")),
                 qPrintable(line + QString::fromUtf8(process.readAllStandardError())));
    }

    void theProgramDoesNotWait_data()
    {
        QTest::addColumn<QStringList>("words");
        for (const char* name : {"pipe.json", "zero.json"}) {
            const QString file = m_home.filePath(QString::fromLatin1(name));
            const QString out = m_home.filePath(QStringLiteral("never.png"));
            QTest::addRow("screenshot of %s", name) << QStringList{"--screenshot", out, file};
            QTest::addRow("screenshot of a comparison with %s", name)
                << QStringList{"--screenshot", out, "--compare", file, file};
            QTest::addRow("export of %s", name) << QStringList{"export", file, "--figure", "all", "--out", out};
        }
    }

    void theProgramDoesNotWait()
    {
        QFETCH(QStringList, words);
        const Said said = say(words);
        QVERIFY2(said.status == 2, qPrintable(said.error));
        QVERIFY2(said.error.contains(QStringLiteral("not a regular file")) && said.error.count(u'\n') == 1,
                 qPrintable(said.error));
        QVERIFY(!QFile::exists(m_home.filePath(QStringLiteral("never.png"))));
    }

    void settingsThatAreNoneAreLeftAlone_data()
    {
        QTest::addColumn<bool>("pipe");
        QTest::newRow("a pipe") << true;
        QTest::newRow("an endless device") << false;
    }

    void settingsThatAreNoneAreLeftAlone()
    {
        QFETCH(bool, pipe);
        const QString folder = m_home.filePath(QStringLiteral("config/peakscope"));
        QVERIFY(QDir().mkpath(folder));
        makeOdd(folder, QStringLiteral("peakscope.ini"), pipe);
        const QString out = m_home.filePath(QStringLiteral("settled.png"));
        const Said said = say({"--screenshot", out, m_result});
        QVERIFY2(said.status == 0, qPrintable(said.error));
        settings::setLanguage(QStringLiteral("zh"));
        QCOMPARE(settings::language(), QStringLiteral("zh")); // while the program lasts
        settings::setLanguage(QStringLiteral("en"));
        struct stat info = {};
        QCOMPARE(::lstat((folder + QStringLiteral("/peakscope.ini")).toLocal8Bit(), &info), 0);
        QVERIFY(pipe ? S_ISFIFO(info.st_mode) : S_ISLNK(info.st_mode));
    }

    void theWindowReadsAroundThem()
    {
        const QString folder = settings::libraryFolder();
        QVERIFY(saveRunResult(testing::smallResult(), (folder + QStringLiteral("/good.json")).toStdString()).ok());
        for (const char* name : {"index.peakscope", "notes.peakscope", "odd.json", "odd.json.gz", "sweep.json"})
            makeOdd(folder, QString::fromLatin1(name), true);
        makeOdd(folder, QStringLiteral("endless.json"), false);
        MainWindow window;
        window.setSessionKept(false);
        window.show();
        LibraryModel* model = part<LibraryPanel>(window)->model();
        const QString good = folder + QStringLiteral("/good.json");
        QTRY_VERIFY(model->line(model->findPath(good)) &&
                    model->line(model->findPath(good))->model == QLatin1String("opt"));
        for (const char* name : {"pipe.json", "zero.json"}) {
            window.openFiles({m_home.filePath(QString::fromLatin1(name))});
            QTRY_VERIFY2(window.messages()->text().contains(QLatin1String(name)),
                         qPrintable(window.messages()->text()));
            window.messages()->dismiss();
            QTRY_VERIFY(!reading(window));
        }
        window.openFiles({m_result}); // it still does
        QTRY_VERIFY(shownResult(window));
        // What they stand for is not written over.
        QVERIFY(!LibraryIndex(folder).setNote(good, {{QStringLiteral("paper")}, QString()}));
        QVERIFY(!readLibraryEntry(folder + QStringLiteral("/odd.json")).readable);
        QVERIFY(!readMeasuredRun((folder + QStringLiteral("/odd.json")).toStdString()));
    }

    void deepDocumentsAreRefused()
    {
        constexpr int kLevels = 400'000;
        const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
        const QString experiment = m_home.filePath(QStringLiteral("deep.json"));
        QVERIFY(writeFileAtomically(experiment.toStdString(), R"({"kind":"memory","model":{"x":)" + deep + "}}").ok());
        const Said said = say({"--screenshot", m_home.filePath(QStringLiteral("never.png")), experiment});
        QVERIFY2(said.status == 2 && said.error.contains(QStringLiteral("nested deeper")), qPrintable(said.error));
        // One of the library is read at each start.
        const QString result = settings::libraryFolder() + QStringLiteral("/deep.json");
        const std::string head =
            "{\n \"format\": \"peakscope-result\",\n \"version\": 1,\n \"status\": \"complete\",\n";
        QVERIFY(writeFileAtomically(result.toStdString(), head + " \"config\": {\"model\": {\"x\": " + deep +
                                                              "}},\n \"memory\": {\"peak_bytes\": 5}\n}\n")
                    .ok());
        QVERIFY(!readLibraryEntry(result).readable);
        QVERIFY(!readMeasuredRun(result.toStdString()));
    }

    // As long as it says, and almost all of it a hole.
    void aVastFileOfTheLibraryIsNotReadToItsEnd()
    {
        const QString path = settings::libraryFolder() + QStringLiteral("/vast.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\n \"format\": \"peakscope-result\",\n") > 0);
        if (!file.resize(qint64{1} << 40))
            QSKIP("this file system has no files of that size");
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(readLibraryEntry(path).title, QStringLiteral("vast.json"));
        QVERIFY2(timer.elapsed() < 60'000, qPrintable(QString::number(timer.elapsed())));
    }

    void aSessionWithThemIsRestored()
    {
        Session session;
        session.files = {m_home.filePath(QStringLiteral("pipe.json")), m_home.filePath(QStringLiteral("zero.json")),
                         m_result};
        session.shown = m_result;
        settings::setSession(toBytes(session));
        settings::addRecentFile(m_home.filePath(QStringLiteral("pipe.json")));
        MainWindow window;
        window.restoreSession();
        window.show();
        QTRY_VERIFY(shownResult(window));
    }

    void picturesThatCannotBeWrittenAreTold_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("file");
        const auto path = [this](const char* name) { return m_home.filePath(QString::fromLatin1(name)); };
        QTest::newRow("screenshot") << QStringList{"--screenshot", path("old.png"), m_result} << path("old.png");
        for (const char* name : {"old.pdf", "old.svg", "old.png"}) {
            QTest::newRow(name) << QStringList{"export", m_result, "--figure", "memory_timeline", "--out", path(name)}
                                << path(name);
        }
        QTest::newRow("a board") << QStringList{"export", m_result,       "--figure", "board:memory_timeline",
                                                "--out",  path("old.pdf")}
                                 << path("old.pdf");
        QTest::newRow("all") << QStringList{"export", m_result,        "--figure", "all",
                                            "--out",  path("figures"), "--format", "png"}
                             << path("figures/memory_timeline.png");
    }

    void picturesThatCannotBeWrittenAreTold()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, file);
        constexpr rlim_t kMost = 512; // bytes, which stand for a full disk
        const std::string old = "what stood there before";
        QVERIFY(QDir().mkpath(QFileInfo(file).absolutePath()));
        QVERIFY(writeFileAtomically(file.toStdString(), old).ok());
        const auto names = [&] { return QFileInfo(file).dir().entryList(QDir::Files | QDir::Hidden | QDir::System); };
        const QStringList before = names();
        const Said said = say(words, kMost);
        QVERIFY2(said.status == 1, qPrintable(said.error));
        QVERIFY2(said.error.contains(QFileInfo(file).path()) && said.error.contains(QStringLiteral("File too large")) &&
                     said.error.count(u'\n') == 1,
                 qPrintable(said.error));
        QCOMPARE(readTextFile(file.toStdString()).value(), old);
        QCOMPARE(names(), before);
    }

    void aFullDeviceIsTold()
    {
        for (const QStringList& words : {QStringList{"--screenshot", "/dev/full", m_result},
                                         QStringList{"export", m_result, "--figure", "memory_timeline", "--format",
                                                     "pdf", "--out", "/dev/full"}}) {
            const Said said = say(words);
            QVERIFY2(said.status == 1, qPrintable(said.error));
            QVERIFY2(said.error.contains(QStringLiteral("/dev/full: cannot write: No space left on device")),
                     qPrintable(said.error));
            struct stat info = {};
            QVERIFY(::stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode)); // written to, not replaced
        }
    }

    void aPictureOfNoKindIsRefused()
    {
        const Said said = say({"--screenshot", m_home.filePath(QStringLiteral("picture.odd")), m_result});
        QCOMPARE(said.status, 2);
        QVERIFY2(said.error.contains(QStringLiteral(".png")), qPrintable(said.error));
    }

    void theWindowSaysWhyItCannotSave()
    {
        QCOMPARE(saveFile(m_home.filePath(QStringLiteral("saved.csv")), "a,b\n"), QString());
        QVERIFY(saveFile(m_home.filePath(QStringLiteral("no/saved.csv")), "a,b\n").contains(QStringLiteral("missing")));
        QCOMPARE(saveFile(m_home.filePath(QStringLiteral("pipe.json")), "a,b\n"), QStringLiteral("not a regular file"));
    }

private:
    struct Said {
        int status = -1;
        QString error;
    };

    Said say(const QStringList& words, rlim_t most = 0) const
    {
        QProcess process;
        process.setChildProcessModifier([most] {
            rlimit limit = {};
            if (most > 0 && ::getrlimit(RLIMIT_FSIZE, &limit) == 0) {
                limit.rlim_cur = most;
                ::setrlimit(RLIMIT_FSIZE, &limit);
            }
        });
        process.start(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope"), words);
        if (!process.waitForFinished(60000)) {
            process.kill();
            process.waitForFinished();
            return {-2, QStringLiteral("it waits")};
        }
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                QString::fromUtf8(process.readAllStandardError())};
    }

    // A pipe that nobody writes to, or a link to a device without an end.
    static void makeOdd(const QString& folder, const QString& name, bool pipe)
    {
        const QByteArray path = QDir(folder).absoluteFilePath(name).toLocal8Bit();
        QVERIFY((pipe ? ::mkfifo(path, 0600) : ::symlink("/dev/zero", path)) == 0);
    }

    QTemporaryDir m_home;
    QString m_result;
};

PEAKSCOPE_TEST(TestHostilePlaces)
#include "test_hostile_places.moc"
