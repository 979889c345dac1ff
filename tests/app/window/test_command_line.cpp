// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a command: its arguments, figures without a display, exit statuses and one-line messages.
#include "app/jobs/device_probe.h"
#include "app/shell/command_line.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "tests/app/window/app_test_support.h"
#include "tests/core/planning/plan_samples.h"
#include "tests/test_room.h"

#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QTest>

using namespace peakscope;

class TestCommandLine : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void argumentsAreUnderstood();
    void mistakesAreOneLine_data();
    void mistakesAreOneLine();
    void figuresComeOut_data();
    void figuresComeOut();
    void allFiguresComeOut();
    void aFileInEachLanguage();
    void captionsStandBesideFigures();
    void everyBadFileIsNamed();
    void whatAFolderLeavesOutIsOneLine();
    void plansOfBothKindsComeOut();
    void aScreenshotComesOut();
    void namesAreShownAndNotObeyed_data();
    void namesAreShownAndNotObeyed();
    void helpAndVersionNeedNoDisplay();
    void devicesAreRead();

private:
    struct Answer {
        int code = -1;
        QString out;
        QString error;
    };
    Answer run(const QStringList& arguments, const QString& program = QStringLiteral("/peakscope"))
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove(QStringLiteral("QT_QPA_PLATFORM")); // the program must know by itself
        environment.remove(QStringLiteral("DISPLAY"));
        environment.remove(QStringLiteral("XDG_RUNTIME_DIR"));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(PEAKSCOPE_BINARY_DIR) + program, arguments);
        process.waitForFinished(60000);
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
    }

    QTemporaryDir m_home;
    QString m_result;
};

void TestCommandLine::initTestCase()
{
    testing::isolate(m_home);
    m_result = m_home.filePath(QStringLiteral("result.json"));
    QVERIFY(saveRunResult(testing::smallResult(), m_result.toStdString()).ok());
}

void TestCommandLine::argumentsAreUnderstood()
{
    using Mode = CommandLine::Mode;
    QCOMPARE(parseCommandLine({}).mode, Mode::Window);
    const CommandLine files = parseCommandLine({"a.json", "b.json"});
    QCOMPARE(files.mode, Mode::Window);
    QCOMPARE(files.files, (QStringList{"a.json", "b.json"}));
    QVERIFY(parseCommandLine({"--demo"}).demo);
    const CommandLine compare = parseCommandLine({"--compare", "a.json", "b.json"});
    QVERIFY(compare.compare);
    QCOMPARE(compare.files.size(), 2);
    QCOMPARE(parseCommandLine({"--", "--odd.json"}).files, QStringList{"--odd.json"});
    const CommandLine figure =
        parseCommandLine({"export", "a.json", "--figure=all", "--out", "dir", "--format", "SVG"});
    QCOMPARE(figure.mode, Mode::Export);
    QCOMPARE(figure.figure, QStringLiteral("all"));
    QCOMPARE(figure.format, QStringLiteral("svg"));
    const CommandLine shot =
        parseCommandLine({"--screenshot", "x.png", "--size", "1920x1080", "--theme", "dark", "a.json"});
    QCOMPARE(shot.mode, Mode::Screenshot);
    QCOMPARE(shot.size, QSize(1920, 1080));
    const CommandLine window = parseCommandLine({"--theme", "dark", "--language", "zh", "a.json"});
    QCOMPARE(window.mode, Mode::Window);
    QCOMPARE(window.theme, QStringLiteral("dark"));
    QCOMPARE(parseCommandLine({"--theme", "pink"}).mode, Mode::Unusable);
    QCOMPARE(parseCommandLine({"--language", "fr"}).mode, Mode::Unusable);
}

void TestCommandLine::mistakesAreOneLine_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("words");
    QTest::newRow("unknown option") << QStringList{"--frobnicate"} << "--frobnicate";
    QTest::newRow("compare nothing") << QStringList{"--compare"} << "--compare needs results";
    QTest::newRow("export nothing") << QStringList{"export"} << "result file";
    QTest::newRow("no figure") << QStringList{"export", "@", "--out", "x.pdf"} << "--figure";
    QTest::newRow("no out") << QStringList{"export", "@", "--figure", "all"} << "--out";
    QTest::newRow("a board's caption") << QStringList{"export", "@",     "--figure", "board:memory_timeline",
                                                      "--out",  "x.pdf", "--caption"}
                                       << "--caption";
    QTest::newRow("a caption to nowhere")
        << QStringList{"export", "@", "--figure", "memory_timeline", "--out", "-", "--caption"} << "--caption";
    QTest::newRow("unknown figure") << QStringList{"export", "@", "--figure", "pie", "--out", "x.pdf"} << "pie";
    QTest::newRow("figure without its section")
        << QStringList{"export", "@", "--figure", "umap_visualization", "--out", "x.pdf"} << "umap_visualization";
    QTest::newRow("unknown preset") << QStringList{"export", "@", "--figure", "all", "--out", "x", "--preset", "poster"}
                                    << "icml-column";
    QTest::newRow("unknown format") << QStringList{"export", "@", "--figure", "all", "--out", "x", "--format", "bmp"}
                                    << "bmp";
    for (const char* height : {"180", "mm", "-5mm", "1km", "nanmm", "1e9mm"})
        QTest::addRow("greatest height %s", height)
            << QStringList{"export", "@", "--figure", "memory_timeline", "--out", "x.pdf", "--max-height", height}
            << "such as 180mm";
    for (const char* range : {"5", "5:2", ":", "-1:2", "nan:2", "1:2:3", "some"})
        QTest::addRow("range %s", range) << QStringList{"export", "@",     "--figure", "memory_timeline",
                                                        "--out",  "x.pdf", "--range",  range}
                                         << "such as 1.5:2";
    QTest::newRow("a height for no panel")
        << QStringList{"export", "@", "--figure", "detailed_memory_analysis", "--out", "x.pdf", "--max-height", "11mm"}
        << "at least";
    QTest::newRow("a panel that is none")
        << QStringList{"export", "@", "--figure", "detailed_memory_analysis", "--out", "x.pdf", "--panels", "a,z"}
        << "no panel z; there are a (";
    QTest::newRow("panels of a figure of one")
        << QStringList{"export", "@", "--figure", "memory_timeline", "--out", "x.pdf", "--panels", "a"} << "one panel";
    QTest::newRow("panels of all") << QStringList{"export", "@", "--figure", "all", "--out", "x", "--panels", "a"}
                                   << "--panels is for one figure";
    QTest::newRow("an unknown language") << QStringList{"export", "@", "--figure",   "all",
                                                        "--out",  "x", "--language", "en,fr"}
                                         << "en,fr";
    QTest::newRow("a language twice") << QStringList{"export", "@", "--figure",   "all",
                                                     "--out",  "x", "--language", "en,en"}
                                      << "en,en";
    QTest::newRow("lost file") << QStringList{"export", "/nowhere/r.json", "--figure", "all", "--out", "x"}
                               << "/nowhere/r.json";
    QTest::newRow("screenshot of a lost file")
        << QStringList{"--screenshot", "x.png", "/nowhere/r.json"} << "/nowhere/r.json";
    QTest::newRow("odd size") << QStringList{"--screenshot", "x.png", "--size", "9x9"} << "9x9";
}

void TestCommandLine::mistakesAreOneLine()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, words);
    arguments.replaceInStrings(QStringLiteral("@"), m_result);
    const Answer answer = run(arguments);
    QCOMPARE(answer.code, 2);
    QVERIFY2(answer.error.contains(words), qPrintable(answer.error));
    QCOMPARE(answer.error.trimmed().count(u'\n'), 0);
    QVERIFY(answer.out.isEmpty());
}

void TestCommandLine::figuresComeOut_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<QByteArray>("magic");
    for (const char* figure :
         {"memory_timeline", "memory_breakdown_comparison", "detailed_memory_analysis", "operation_level_breakdown"}) {
        QTest::addRow("%s pdf", figure) << QString::fromLatin1(figure) << "pdf" << QByteArray("%PDF-");
        QTest::addRow("%s svg", figure) << QString::fromLatin1(figure) << "svg" << QByteArray("<?xml");
        QTest::addRow("%s png", figure) << QString::fromLatin1(figure) << "png" << QByteArray("\x89PNG");
    }
}

void TestCommandLine::figuresComeOut()
{
    QFETCH(QString, figure);
    QFETCH(QString, suffix);
    QFETCH(QByteArray, magic);
    const QString out = m_home.filePath(figure + u'.' + suffix);
    const Answer answer = run({"export", m_result, "--figure", figure, "--out", out, "--preset", "icml-column"});
    QVERIFY2(answer.code == 0, qPrintable(answer.error));
    QFile file(out);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.read(16).startsWith(magic));
    QVERIFY(file.size() > 1000);
}

void TestCommandLine::allFiguresComeOut()
{
    const QString folder = m_home.filePath(QStringLiteral("figures/all"));
    const Answer answer =
        run({"export", m_result, "--figure", "all", "--out", folder, "--format", "svg", "--language", "zh"});
    QVERIFY2(answer.code == 0, qPrintable(answer.error));
    QCOMPARE(QDir(folder).entryList(QDir::Files).size(), 5);
    QCOMPARE(answer.out.trimmed().split(u'\n').size(), 5);
    const Answer refused = run({"export", m_result, "--figure", "all", "--out", "/proc/nowhere"});
    QCOMPARE(refused.code, 1);
    QCOMPARE(refused.error.trimmed().count(u'\n'), 0);
}

void TestCommandLine::aFileInEachLanguage()
{
    const QString folder = m_home.filePath(QStringLiteral("figures/languages"));
    QVERIFY(QDir().mkpath(folder));
    const Answer answer = run({"export", m_result, "--figure", "detailed_memory_analysis", "--out",
                               folder + QStringLiteral("/my.fig.svg"), "--panels", "a,b", "--max-height", "18cm",
                               "--language", "en,zh", "--preset", "icml-column"});
    QVERIFY2(answer.code == 0, qPrintable(answer.error));
    QCOMPARE(QDir(folder).entryList(QDir::Files), (QStringList{"my.fig-en.svg", "my.fig-zh.svg"}));
    QStringList texts;
    for (const char* language : {"en", "zh"}) {
        QFile file(folder + QStringLiteral("/my.fig-%1.svg").arg(QLatin1String(language)));
        QVERIFY(file.open(QIODevice::ReadOnly));
        texts << QString::fromUtf8(file.readAll());
        QVERIFY(texts.last().contains(QStringLiteral("(b) ")) && !texts.last().contains(QStringLiteral("(c) ")));
    }
    QVERIFY(texts[0].contains(QStringLiteral("By kind of module")));
    QVERIFY(!texts[1].contains(QStringLiteral("By kind of module")));
    const Answer all =
        run({"export", m_result, "--figure", "all", "--out", folder, "--format", "svg", "--language", "zh,en"});
    QCOMPARE(all.out.trimmed().split(u'\n').size(), 10);
    QVERIFY(QFileInfo::exists(folder + QStringLiteral("/memory_timeline-zh.svg")));
}

void TestCommandLine::captionsStandBesideFigures()
{
    const QString folder = m_home.filePath(QStringLiteral("figures/captions"));
    QVERIFY(QDir().mkpath(folder));
    const Answer answer = run({"export", m_result, "--figure", "detailed_memory_analysis", "--out",
                               folder + QStringLiteral("/my.fig.svg"), "--caption", "--language", "zh,en"});
    QVERIFY2(answer.code == 0, qPrintable(answer.error));
    QCOMPARE(QDir(folder).entryList(QDir::Files),
             (QStringList{"my.fig-en.svg", "my.fig-zh.svg", "my.fig.caption.txt"}));
    QFile file(folder + QStringLiteral("/my.fig.caption.txt"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QStringList paragraphs = QString::fromUtf8(file.readAll()).trimmed().split(QStringLiteral("\n\n"));
    QCOMPARE(paragraphs.size(), 2);
    QVERIFY2(paragraphs[0].contains(QStringLiteral("By kind of module")), qPrintable(paragraphs[0]));
    QVERIFY2(paragraphs[1].contains(QChar(0x6a21)), qPrintable(paragraphs[1])); // Chinese
    const Answer all = run({"export", m_result, "--figure", "all", "--out", folder, "--caption"});
    QVERIFY2(all.code == 0, qPrintable(all.error));
    QVERIFY(QFileInfo::exists(folder + QStringLiteral("/memory_timeline.caption.txt")));
}

void TestCommandLine::everyBadFileIsNamed()
{
    const QString broken = m_home.filePath(QStringLiteral("broken.json"));
    QVERIFY(writeFileAtomically(broken.toStdString(), "{").ok());
    const Answer answer = run({"export", "/nowhere/first.json", m_result, broken, "--figure", "all", "--out", "x"});
    QCOMPARE(answer.code, 2);
    QCOMPARE(answer.error.trimmed().split(u'\n').size(), 2);
    QVERIFY2(answer.error.contains(QStringLiteral("/nowhere/first.json")), qPrintable(answer.error));
    QVERIFY2(answer.error.contains(QStringLiteral("broken.json")), qPrintable(answer.error));
}

void TestCommandLine::whatAFolderLeavesOutIsOneLine()
{
    const QString folder = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/prm");
    const QString said =
        folder + QStringLiteral(": left out, the same results as tables: pilot_results.csv, ultra_safe_results.csv\n");
    const QString out = m_home.filePath(QStringLiteral("left"));
    const Answer figure = run({"export", folder, "--figure", "prm_phase_diagram", "--out", out + ".svg"});
    QVERIFY2(figure.error.startsWith(QStringLiteral("peakscope: ") + said), qPrintable(figure.error));
    for (const QStringList& command :
         {QStringList{"inspect", folder}, {"convert", folder, "--to", "peakscope", "--out", out + ".json"}}) {
        const Answer answer = run(command, QStringLiteral("/peakscope-cli"));
        QCOMPARE(answer.error, QStringLiteral("peakscope-cli: ") + said);
    }
    // A file by itself leaves nothing out.
    const Answer alone = run({"inspect", folder + "/pilot_results.csv"}, QStringLiteral("/peakscope-cli"));
    QCOMPARE(alone.error, QString());
}

// What `peakscope-cli recommend --json` writes and what the Plan workspace saves.
void TestCommandLine::plansOfBothKindsComeOut()
{
    const QString bare = m_home.filePath(QStringLiteral("bare_plan.json"));
    const QString saved = m_home.filePath(QStringLiteral("saved_plan.json"));
    QVERIFY(writeFileAtomically(bare.toStdString(), testing::samplePlanJson().dump()).ok());
    QVERIFY(saveRunResult(testing::samplePlanResult(), saved.toStdString()).ok());
    for (const QString& plan : {bare, saved}) {
        const QString out = plan + QStringLiteral(".pdf");
        const Answer table = run({"export", plan, "--figure", "strategy_table", "--out", out, "--language", "zh"});
        QVERIFY2(table.code == 0, qPrintable(table.error));
        QVERIFY(QFileInfo(out).size() > 1000);
    }
    const QString map = m_home.filePath(QStringLiteral("map.pdf"));
    QCOMPARE(run({"export", saved, "--figure", "capacity_map", "--out", map}).code, 0);
    const Answer without = run({"export", bare, "--figure", "capacity_map", "--out", map});
    QCOMPARE(without.code, 2);
    QVERIFY(without.error.contains(QStringLiteral("no capacity map")));
    QCOMPARE(without.error.trimmed().count(u'\n'), 0);
    QCOMPARE(run({"export", m_result, "--figure", "strategy_table", "--out", map}).code, 2);
}

void TestCommandLine::aScreenshotComesOut()
{
    const QString out = m_home.filePath(QStringLiteral("window.png"));
    const Answer answer = run({"--screenshot", out, "--size", "1000x700", m_result});
    QVERIFY2(answer.code == 0, qPrintable(answer.error));
    QCOMPARE(QImage(out).size(), QSize(1000, 700));
}

void TestCommandLine::namesAreShownAndNotObeyed_data()
{
    QTest::addColumn<QStringList>("words");
    const QString bad = QStringLiteral("\033[31m\u009b1m\u202e\u2028\u200b x");
    const QString result = m_home.filePath(QStringLiteral("named ") + bad + QStringLiteral(".json"));
    QVERIFY(QFile::exists(result) || QFile::copy(m_result, result));
    QTest::newRow("a figure") << QStringList{"export", m_result, "--figure", bad, "--out", "x.svg"};
    QTest::newRow("a file") << QStringList{"export", m_home.filePath(bad), "--figure", "all", "--out", "x"};
    QTest::newRow("an output") << QStringList{
        "export", result, "--figure", "memory_overview", "--out", m_home.filePath(bad + QStringLiteral(".svg"))};
    QTest::newRow("an output that cannot be")
        << QStringList{"export",          result,  "--figure",
                       "memory_overview", "--out", m_home.filePath("no/" + bad + QStringLiteral(".svg"))};
    QTest::newRow("a preset") << QStringList{"export", result, "--figure", "all", "--out", "x", "--preset", bad};
    QTest::newRow("an option") << QStringList{"--" + bad};
    QTest::newRow("a screenshot of what is not there")
        << QStringList{"--screenshot", m_home.filePath("a.png"), m_home.filePath(bad)};
    QTest::newRow("a screenshot that cannot be")
        << QStringList{"--screenshot", m_home.filePath("no/" + bad + QStringLiteral(".png")), result};
}

void TestCommandLine::namesAreShownAndNotObeyed()
{
    QFETCH(QStringList, words);
    const Answer answer = run(words);
    const std::string text = (answer.out + answer.error).toStdString();
    QVERIFY(!text.empty());
    QVERIFY2(severalLines(text) == text, QByteArray::fromStdString(text).toPercentEncoding(" \n").constData());
    QVERIFY2(answer.error.count(u'\n') <= 1, qPrintable(answer.error));
}

void TestCommandLine::helpAndVersionNeedNoDisplay()
{
    const Answer help = run({"--help"});
    QCOMPARE(help.code, 0);
    QVERIFY(help.out.contains(QStringLiteral("export")));
    for (const QStringList& words : {QStringList{"export", "--help"}, QStringList{"export", m_result, "-h"}}) {
        const Answer exported = run(words);
        QCOMPARE(exported.code, 0);
        for (const char* option : {"--panels", "--max-height", "--language", "--preset", "prm_phase_diagram"})
            QVERIFY2(exported.out.contains(QLatin1String(option)), option);
    }
    QVERIFY(run({"--version"}).out.startsWith(QStringLiteral("peakscope ")));
}

void TestCommandLine::devicesAreRead()
{
    const DeviceList devices = devicesFromAnswer(
        R"([{"id":"cpu","name":"Processor","total_bytes":8589934592},{"id":3},{"name":"x"},{"id":"cuda:0"}, 7])");
    QCOMPARE(devices.size(), std::size_t(2));
    QCOMPARE(devices[0].second, QStringLiteral("Processor 8.00 GiB"));
    QVERIFY(devicesFromAnswer("nonsense").empty());
    QVERIFY(devicesFromAnswer("{}").empty());
}

PEAKSCOPE_TEST(TestCommandLine)
#include "test_command_line.moc"
