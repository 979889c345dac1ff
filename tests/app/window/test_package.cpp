// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is installed beside the program: desktop entry, metainfo, icons, man page and completion say the same as the
// program itself, and pass the tools that check them where those are installed.
#include "app/shell/command_line.h"
#include "tests/test_room.h"
#include "widgets/figures/page/figure.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryFile>
#include <QTest>

using namespace peakscope;

class TestPackage : public QObject
{
    Q_OBJECT

private slots:
    void theDesktopEntryIsValid();
    void theMetainfoIsValid();
    void theVersionIsTheProgramsOwn();
    void iconsHaveTheirSizes_data();
    void iconsHaveTheirSizes();
    void everythingInstalledIsInAPackage();
    void everyOptionIsDocumented_data();
    void everyOptionIsDocumented();
    void everyFigureIsDocumented_data();
    void everyFigureIsDocumented();
    void completionAnswers_data();
    void completionAnswers();
    void everyOptionOfTheCommandLineIsKnown_data();
    void everyOptionOfTheCommandLineIsKnown();
    void helpIsPlain_data();
    void helpIsPlain();
    void manPagesAreClean_data();
    void manPagesAreClean();
};

namespace {

const QString kCommandLine = QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli");
const QString kPackaging = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/packaging/");

QString textOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

struct Answer {
    int status = -1;
    QString text; // of both outputs
};

Answer run(const QString& program, const QStringList& words)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, words);
    if (!process.waitForFinished(20000))
        return {};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput())};
}

QString metainfo()
{
    return QStringLiteral(PEAKSCOPE_BINARY_DIR "/../packaging/org.peakscope.Peakscope.metainfo.xml");
}

// Those of a command of peakscope-cli that the man page shows behind its name.
QStringList optionsInSynopsis(const QString& command)
{
    const QString page =
        textOf(kPackaging + QStringLiteral("man/peakscope-cli.1")).replace(QLatin1String("\\-"), QLatin1String("-"));
    const QString name = QStringLiteral(".B peakscope-cli %1\n").arg(command);
    const QString synopsis = page.section(name, 1, 1).section(QStringLiteral("\n.br\n"), 0, 0);
    QStringList options;
    for (const auto& match : QRegularExpression(QStringLiteral("--[a-z]+(?:-[a-z]+)*")).globalMatch(synopsis))
        options << match.captured();
    return options;
}

} // namespace

void TestPackage::theDesktopEntryIsValid()
{
    const QString entry = kPackaging + QStringLiteral("desktop/org.peakscope.Peakscope.desktop");
    const QString text = textOf(entry);
    for (const char* line : {"Exec=peakscope %F", "Icon=org.peakscope.Peakscope", "Type=Application", "Name[zh_CN]="})
        QVERIFY2(text.contains(QLatin1String(line)) || QByteArray(line).startsWith("Name["), line);
    const QString tool = QStandardPaths::findExecutable(QStringLiteral("desktop-file-validate"));
    if (tool.isEmpty())
        QSKIP("desktop-file-validate (desktop-file-utils) is not installed");
    const Answer answer = run(tool, {entry});
    QVERIFY2(answer.status == 0 && !answer.text.contains(QLatin1String("warning")), qPrintable(answer.text));
}

void TestPackage::theMetainfoIsValid()
{
    const QString text = textOf(metainfo());
    QVERIFY(!text.isEmpty());
    QVERIFY(!text.contains(u'@'));
    QVERIFY(
        text.contains(QStringLiteral("<launchable type=\"desktop-id\">org.peakscope.Peakscope.desktop</launchable>")));
    const QString tool = QStandardPaths::findExecutable(QStringLiteral("appstreamcli"));
    if (tool.isEmpty())
        QSKIP("appstreamcli (appstream) is not installed");
    const Answer answer = run(tool, {QStringLiteral("validate"), QStringLiteral("--no-net"), metainfo()});
    QVERIFY2(answer.status == 0, qPrintable(answer.text));
}

void TestPackage::theVersionIsTheProgramsOwn()
{
    const Answer answer = run(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope"), {QStringLiteral("--version")});
    QCOMPARE(answer.status, 0);
    const QString version = answer.text.trimmed().section(u' ', 1);
    QVERIFY(QRegularExpression(QStringLiteral("^\\d+\\.\\d+\\.\\d+$")).match(version).hasMatch());
    QVERIFY(textOf(metainfo()).contains(QStringLiteral("<release version=\"%1\"").arg(version)));
    // In one place: the project's.
    const QString project = textOf(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/CMakeLists.txt"));
    QVERIFY(project.contains(QStringLiteral("project(Peakscope VERSION %1 ").arg(version)));
    for (const char* file : {"CMakeLists.txt", "man/peakscope.1", "man/peakscope-cli.1",
                             "desktop/org.peakscope.Peakscope.metainfo.xml.in"})
        QVERIFY2(!textOf(kPackaging + QLatin1String(file)).contains(version), file);
}

void TestPackage::iconsHaveTheirSizes_data()
{
    QTest::addColumn<int>("size");
    for (const int size : {48, 64, 128, 256})
        QTest::newRow(QByteArray::number(size).constData()) << size;
}

void TestPackage::iconsHaveTheirSizes()
{
    QFETCH(int, size);
    const QImage icon(kPackaging + QStringLiteral("desktop/icons/%1.png").arg(size));
    QCOMPARE(icon.size(), QSize(size, size));
    QVERIFY(icon.hasAlphaChannel());
    QVERIFY(icon.pixelColor(0, 0).alpha() < 255 || icon.pixelColor(size / 2, size / 2) != icon.pixelColor(0, 0));
}

// What install() puts into no component is left out of both packages.
void TestPackage::everythingInstalledIsInAPackage()
{
    const QString build = QFileInfo(QStringLiteral(PEAKSCOPE_BINARY_DIR)).path();
    int rules = 0;
    for (const char* folder : {"app", "core", "packaging", "widgets"}) {
        QDirIterator files(build + u'/' + QLatin1String(folder), {QStringLiteral("cmake_install.cmake")}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            const QString text = textOf(path);
            rules += static_cast<int>(text.count(QLatin1String("file(INSTALL")));
            const QRegularExpression folders(QStringLiteral("TYPE DIRECTORY FILES \"([^\"]+)\""));
            for (const auto& folder : folders.globalMatch(text))
                QVERIFY2(QFileInfo::exists(folder.captured(1)), qPrintable(folder.captured(1)));
            QVERIFY2(!text.contains(QLatin1String("\"Unspecified\"")), qPrintable(path));
        }
    }
    QVERIFY2(rules > 10, qPrintable(QString::number(rules)));
}

void TestPackage::everyOptionIsDocumented_data()
{
    QTest::addColumn<QString>("option");
    const auto options = QRegularExpression(QStringLiteral("--[a-z]+(?:-[a-z]+)*"));
    QStringList seen;
    for (const auto& match : options.globalMatch(helpText()))
        seen << match.captured();
    seen.removeDuplicates();
    for (const QString& option : std::as_const(seen))
        QTest::newRow(qPrintable(option)) << option;
}

void TestPackage::everyOptionIsDocumented()
{
    QFETCH(QString, option);
    const QString man =
        textOf(kPackaging + QStringLiteral("man/peakscope.1")).replace(QLatin1String("\\-"), QLatin1String("-"));
    QVERIFY2(man.contains(option), "not in the man page");
    QVERIFY2(textOf(kPackaging + QStringLiteral("completions/peakscope")).contains(option), "not completed");
}

void TestPackage::everyFigureIsDocumented_data()
{
    QTest::addColumn<QString>("figure");
    for (const std::string& figure : figureNames())
        QTest::newRow(figure.c_str()) << QString::fromStdString(figure);
}

void TestPackage::everyFigureIsDocumented()
{
    QFETCH(QString, figure);
    QVERIFY2(exportHelpText().contains(figure), "not in export --help");
    QVERIFY2(textOf(kPackaging + QStringLiteral("man/peakscope.1")).contains(figure), "not in the man page");
    QVERIFY2(textOf(kPackaging + QStringLiteral("completions/peakscope")).contains(figure), "not completed");
}

void TestPackage::completionAnswers_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("line"); // the last word is being completed
    QTest::addColumn<QString>("answer");
    QTest::newRow("a command") << "peakscope"
                               << "peakscope exp"
                               << "export";
    QTest::newRow("a figure") << "peakscope"
                              << "peakscope export a.json --figure umap"
                              << "umap_visualization";
    QTest::newRow("a preset") << "peakscope"
                              << "peakscope export --preset neu"
                              << "neurips-text";
    QTest::newRow("an option of the window") << "peakscope"
                                             << "peakscope --no"
                                             << "--no-session";
    QTest::newRow("an option of the export") << "peakscope"
                                             << "peakscope export --col"
                                             << "--columns";
    QTest::newRow("the engine's command") << "peakscope-cli"
                                          << "peakscope-cli recom"
                                          << "recommend";
    QTest::newRow("the command's option") << "peakscope-cli"
                                          << "peakscope-cli run x.json --bud"
                                          << "--budget";
    QTest::newRow("an option of a search") << "peakscope-cli"
                                           << "peakscope-cli fit --va"
                                           << "--vary";
    QTest::newRow("a figure of a board") << "peakscope"
                                         << "peakscope export a.json --figure board : hessian_h"
                                         << "hessian_histogram";
    QTest::newRow("the next figure of a board") << "peakscope"
                                                << "peakscope export a.json --figure board : umap_visualization,cap"
                                                << "umap_visualization,capacity_map";
    QTest::newRow("a device with a colon") << "peakscope-cli"
                                           << "peakscope-cli estimate --device cuda :"
                                           << "0";
    QTest::newRow("a device after an equals sign") << "peakscope-cli"
                                                   << "peakscope-cli estimate --device = a100-4"
                                                   << "a100-40gb";
    QTest::newRow("a model") << "peakscope-cli"
                             << "peakscope-cli recommend --model opt-6.7"
                             << "opt-6.7b";
    QTest::newRow("a format of the replay") << "peakscope-cli"
                                            << "peakscope-cli replay --format te"
                                            << "text";
    QTest::newRow("a method") << "peakscope-cli"
                              << "peakscope-cli compare-methods x.json --methods van"
                              << "vanilla";
    QTest::newRow("a format") << "peakscope-cli"
                              << "peakscope-cli convert x --to chr"
                              << "chrome-trace";
    QTest::newRow("a key") << "peakscope-cli"
                           << "peakscope-cli run x.json --set training.cl"
                           << "training.clipping=";
}

void TestPackage::completionAnswers()
{
    QFETCH(QString, program);
    QFETCH(QString, line);
    QFETCH(QString, answer);
    const QString bash = QStandardPaths::findExecutable(QStringLiteral("bash"));
    if (bash.isEmpty())
        QSKIP("bash is not installed");
    const QString function =
        program == QLatin1String("peakscope") ? QStringLiteral("_peakscope") : QStringLiteral("_peakscope_cli");
    if (line.contains(QRegularExpression(QStringLiteral("--(model|device)"))) && !QFile::exists(kCommandLine))
        QSKIP("the ids of a catalogue come from peakscope-cli, which this build has not");
    const QString script =
        QStringLiteral("PATH='%5':$PATH; source '%1completions/%2'; COMP_WORDS=(%3); "
                       "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); %4; printf '%s\\n' \"${COMPREPLY[@]}\"")
            .arg(kPackaging, program, line, function, QStringLiteral(PEAKSCOPE_BINARY_DIR));
    const Answer given = run(bash, {QStringLiteral("--norc"), QStringLiteral("-c"), script});
    QCOMPARE(given.text.trimmed(), answer);
}

void TestPackage::everyOptionOfTheCommandLineIsKnown_data()
{
    QTest::addColumn<QString>("command");
    for (const char* command :
         {"run",    "sweep",   "compare-methods", "estimate", "recommend",     "replay", "devices",
          "models", "convert", "inspect",         "live",     "diff",          "whatif", "advise",
          "record", "fit",     "watch",           "embed",    "check-install", "help",   "selftest"})
        QTest::newRow(command) << command;
}

void TestPackage::everyOptionOfTheCommandLineIsKnown()
{
    QFETCH(QString, command);
    if (!QFile::exists(kCommandLine))
        QSKIP("this build has no peakscope-cli");
    const Answer help = run(kCommandLine, {command, QStringLiteral("--help")});
    QCOMPARE(help.status, 0);
    const QString script =
        QStringLiteral("source '%1completions/peakscope-cli'; _peakscope_cli_options %2").arg(kPackaging, command);
    const QStringList completed = run(QStringLiteral("bash"), {QStringLiteral("--norc"), QStringLiteral("-c"), script})
                                      .text.simplified()
                                      .split(u' ', Qt::SkipEmptyParts);
    const QRegularExpression options(QStringLiteral("^ +(?:-\\w,)?(--[a-z-]+)"), QRegularExpression::MultilineOption);
    QStringList offered;
    for (const auto& match : options.globalMatch(help.text))
        offered << match.captured(1);
    QVERIFY(offered.removeAll(QStringLiteral("--help")) == 1);
    for (const QString& option : std::as_const(offered))
        QVERIFY2(completed.contains(option), qPrintable(option));
    for (const QString& option : completed)
        QVERIFY2(offered.contains(option), qPrintable(option));
    const QStringList synopsis = optionsInSynopsis(command);
    for (const QString& option : std::as_const(offered))
        QVERIFY2(synopsis.contains(option), qPrintable(option + QStringLiteral(" is not in the man page")));
    for (const QString& option : synopsis)
        QVERIFY2(offered.contains(option), qPrintable(option + QStringLiteral(" of the man page is no option")));
    const QString all = textOf(kPackaging + QStringLiteral("completions/peakscope-cli"));
    QVERIFY(all.contains(QRegularExpression(QStringLiteral("-W '[^']*\\b%1\\b").arg(command))));
}

// What --help prints has no long sentences and no software that speaks: tests/architecture/prose.py.
void TestPackage::helpIsPlain_data()
{
    everyOptionOfTheCommandLineIsKnown_data();
    QTest::newRow("peakscope-cli") << "";
    QTest::newRow("peakscope") << "window";
    QTest::newRow("peakscope export") << "export";
}

void TestPackage::helpIsPlain()
{
    QFETCH(QString, command);
    const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"));
    if (python.isEmpty() || !QFile::exists(kCommandLine))
        QSKIP("there is no python3 or no peakscope-cli");
    QStringList words{QStringLiteral("--help")};
    if (!command.isEmpty())
        words.prepend(command);
    const QString text = command == QLatin1String("window")   ? helpText()
                         : command == QLatin1String("export") ? exportHelpText()
                                                              : run(kCommandLine, words).text;
    QVERIFY(text.size() > 50);
    QTemporaryFile page;
    QVERIFY(page.open());
    page.write(text.toUtf8());
    page.close();
    const Answer found = run(python, {QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/architecture/prose.py"),
                                      QStringLiteral("--help-of"), page.fileName()});
    QVERIFY2(found.status == 0, qPrintable(found.text));
}

void TestPackage::manPagesAreClean_data()
{
    QTest::addColumn<QString>("page");
    const QDir folder(kPackaging + QStringLiteral("man"));
    for (const QString& page : folder.entryList({QStringLiteral("*.1")}))
        QTest::newRow(qPrintable(page)) << folder.filePath(page);
}

void TestPackage::manPagesAreClean()
{
    QFETCH(QString, page);
    const QString text = textOf(page);
    QVERIFY(text.contains(QLatin1String(".SH NAME")) && text.contains(QLatin1String(".SH SYNOPSIS")));
    QString tool = QStandardPaths::findExecutable(QStringLiteral("groff"));
    if (tool.isEmpty())
        QSKIP("groff is not installed");
    const Answer answer = run(tool, {QStringLiteral("-man"), QStringLiteral("-ww"), QStringLiteral("-z"), page});
    QVERIFY2(answer.status == 0 && answer.text.trimmed().isEmpty(), qPrintable(answer.text));
}

PEAKSCOPE_GUILESS_TEST(TestPackage)
#include "test_package.moc"
