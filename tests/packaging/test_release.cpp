// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a release is to run on decides which symbols its programs may need: those of glibc 2.34 and of GCC 11's libstdc++
// (RHEL 9, Ubuntu 22.04). cmake/older_symbols.c redirects the newer ones that are known; a new one is found here. And
// which engine a wheel takes for which PyTorch.
#include "tests/test_room.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QVersionNumber>
#include <QtTest>

using namespace Qt::StringLiterals;

namespace {

const QString kPrograms = QStringLiteral(PEAKSCOPE_BINARY_DIR "/");

struct ToolAnswer {
    int status = -1;
    QString text; // of both outputs
};

ToolAnswer runTool(const QString& program, const QStringList& words, const QProcessEnvironment& environment)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, words);
    if (!process.waitForFinished(60000))
        return {};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput())};
}

bool writeProgram(const QString& path, const QByteArray& text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() &&
           file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

// A tree as a wheel has it: peakscope-cli with engines of two releases, which are scripts that print what they are.
struct ManyEngines {
    QTemporaryDir folder;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();

    bool make()
    {
        QDir().mkpath(folder.filePath(u"bin"_s));
        QDir().mkpath(folder.filePath(u"lib/peakscope/2.15"_s));
        environment.remove(u"VIRTUAL_ENV"_s);
        environment.remove(u"PEAKSCOPE_PYTHON"_s);
        environment.remove(u"LD_LIBRARY_PATH"_s);
        const QByteArray engine = "#!/bin/sh\necho engine $(basename $0) libraries $LD_LIBRARY_PATH module "
                                  "$PEAKSCOPE_CUDA_MODULE\n";
        return QFile::copy(kPrograms + u"peakscope-cli"_s, program()) &&
               writeProgram(folder.filePath(u"bin/peakscope-engine-2.9"_s), engine) &&
               writeProgram(folder.filePath(u"bin/peakscope-engine-2.15"_s), engine) &&
               writeProgram(folder.filePath(u"lib/peakscope/2.15/libpeakscope_cuda.so"_s), "module");
    }
    QString program() const { return folder.filePath(u"bin/peakscope-cli"_s); }
    // A folder torch whose version.py is the wheel's.
    QString torch(const QByteArray& version, const QString& site = u"site"_s) const
    {
        const QString torch = folder.filePath(site + u"/torch"_s);
        QDir().mkpath(torch);
        writeProgram(torch + u"/version.py"_s,
                     "from typing import Optional\n__version__ = '" + version + "'\ncuda: Optional[str] = '13.0'\n");
        return torch;
    }
};

} // namespace

class TestRelease : public QObject
{
    Q_OBJECT
private slots:
    void programsNeedOldSymbolsOnly_data();
    void programsNeedOldSymbolsOnly();
    void theEngineOfTheFoundTorchIsTaken();
    void anotherTorchIsNamedWithTheEngines();
    void noTorchIsSaid();
    void theInstallIsChecked();
    void theReleaseNamesItsParts();
};

void TestRelease::programsNeedOldSymbolsOnly_data()
{
    QTest::addColumn<QString>("program");
    for (const char* program : {"peakscope-cli", "peakscope-engine", "peakscope", "libpeakscope_cuda.so"})
        QTest::newRow(program) << QString(program);
}

void TestRelease::programsNeedOldSymbolsOnly()
{
    QFETCH(QString, program);
    const QString objdump = QStandardPaths::findExecutable(u"objdump"_s);
    if (objdump.isEmpty() || !QFile::exists(kPrograms + program))
        QSKIP("there is no objdump, or this build has no such program");
    const QString symbols =
        runTool(objdump, {u"-T"_s, kPrograms + program}, QProcessEnvironment::systemEnvironment()).text;
    const QString redirected = [] {
        QFile file(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/cmake/older_symbols.c"));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }();
    static const QRegularExpression needed(u"\\*UND\\*\\s+\\S+\\s+\\(?(GLIBC|GLIBCXX|CXXABI)_([\\d.]+)\\)?\\s+(\\S+)"_s);
    int seen = 0;
    for (const auto& match : needed.globalMatch(symbols)) {
        ++seen;
        const QString library = match.captured(1);
        const auto newest = library == u"GLIBC"_s     ? QVersionNumber(2, 34)
                            : library == u"GLIBCXX"_s ? QVersionNumber(3, 4, 29)
                                                      : QVersionNumber(1, 3, 13);
        const bool old = QVersionNumber::fromString(match.captured(2)) <= newest;
        QVERIFY2(old || redirected.contains(match.captured(3) + u'@'), qPrintable(match.captured().simplified()));
    }
    QVERIFY(seen > 10);
}

void TestRelease::theEngineOfTheFoundTorchIsTaken()
{
    ManyEngines engines;
    QVERIFY(engines.make());
    const QString torch = engines.torch("2.15.1+cu130");
    engines.environment.insert(u"PEAKSCOPE_TORCH"_s, torch);
    const ToolAnswer answer = runTool(engines.program(), {u"devices"_s}, engines.environment);
    QCOMPARE(answer.status, 0);
    QCOMPARE(answer.text.simplified(), u"engine peakscope-engine-2.15 libraries %1/lib module %2"_s.arg(
                                           torch, engines.folder.filePath(u"lib/peakscope/2.15/libpeakscope_cuda.so"_s)));
}

void TestRelease::anotherTorchIsNamedWithTheEngines()
{
    ManyEngines engines;
    QVERIFY(engines.make());
    engines.environment.insert(u"PEAKSCOPE_TORCH"_s, engines.torch("2.3.0"));
    engines.environment.insert(u"PATH"_s, u"/nowhere"_s); // no python3 with a torch of its own
    // Another interpreter has one that would do: not what was asked for.
    const QString python = engines.folder.filePath(u"python"_s);
    QVERIFY(writeProgram(python, "#!/bin/sh\necho " + engines.torch("2.15.0", u"other"_s).toLocal8Bit() + "\n"));
    engines.environment.insert(u"PEAKSCOPE_PYTHON"_s, python);
    const ToolAnswer answer = runTool(engines.program(), {u"devices"_s}, engines.environment);
    QCOMPARE(answer.status, 2);
    QCOMPARE(answer.text.trimmed(), u"peakscope-cli: devices needs the engine: PEAKSCOPE_TORCH has PyTorch 2.3.0, for which "
                                    "there is no engine; engines are here for PyTorch 2.9, 2.15"_s);
}

void TestRelease::noTorchIsSaid()
{
    ManyEngines engines;
    QVERIFY(engines.make());
    engines.environment.insert(u"PATH"_s, u"/nowhere"_s);
    const ToolAnswer answer = runTool(engines.program(), {u"devices"_s}, engines.environment);
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.text.contains(u"no PyTorch was found"_s) && answer.text.contains(u"PyTorch 2.9, 2.15"_s) &&
                 answer.text.count(u'\n') == 1,
             qPrintable(answer.text));
}

void TestRelease::theInstallIsChecked()
{
    const auto here = QProcessEnvironment::systemEnvironment();
    const ToolAnswer whole = runTool(kPrograms + u"peakscope-cli"_s, {u"check-install"_s}, here);
    QVERIFY2(whole.text.contains(QRegularExpression(u"^engine +ok +\\S*peakscope-engine$"_s,
                                                    QRegularExpression::MultilineOption)),
             qPrintable(whole.text));
    ManyEngines engines;
    QVERIFY(engines.make());
    engines.environment.insert(u"PEAKSCOPE_TORCH"_s, engines.torch("2.3.0"));
    engines.environment.insert(u"PATH"_s, u"/nowhere"_s);
    const ToolAnswer lacking = runTool(engines.program(), {u"check-install"_s}, engines.environment);
    QCOMPARE(lacking.status, 1);
    for (const QString& line : lacking.text.trimmed().split(u'\n'))
        QVERIFY2(line.contains(QRegularExpression(u"^\\w+ +(ok|missing|-) +\\S"_s)), qPrintable(line));
    QVERIFY(lacking.text.contains(QRegularExpression(u"engine +missing +PEAKSCOPE_TORCH has PyTorch 2.3.0"_s)));
    QVERIFY(lacking.text.contains(QRegularExpression(u"PyTorch +ok +2.3.0, CUDA 13.0"_s)));
}

void TestRelease::theReleaseNamesItsParts()
{
    const QString python = QStandardPaths::findExecutable(u"python3"_s);
    if (python.isEmpty() || QStandardPaths::findExecutable(u"dpkg-query"_s).isEmpty())
        QSKIP("there is no python3, or no package of Debian's");
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"PYTHONPATH"_s, QStringLiteral(PEAKSCOPE_SOURCE_DIR "/packaging/lib"));
    environment.insert(u"PYTHONDONTWRITEBYTECODE"_s, u"1"_s);
    environment.insert(u"SOURCE_DATE_EPOCH"_s, u"1700000000"_s);
    const ToolAnswer answer = runTool(
        python,
        {u"-c"_s, u"import json, make_release as m\n"
                  "print(json.dumps(m.bill_of_materials('0.1.0', dict(peakscope='', Qt='', dpkg=''), '6.9.1')))"_s},
        environment);
    const auto bill = nlohmann::json::parse(answer.text.toStdString(), nullptr, false);
    QVERIFY2(bill.is_object(), qPrintable(answer.text));
    QCOMPARE(bill["bomFormat"], nlohmann::json("CycloneDX"));
    QCOMPARE(bill["metadata"]["timestamp"], nlohmann::json("2023-11-14T22:13:20Z"));
    QCOMPARE(bill["metadata"]["component"]["version"], nlohmann::json("0.1.0"));
    const ToolAnswer version = runTool(QStandardPaths::findExecutable(u"dpkg-query"_s),
                                       {u"-W"_s, u"-f"_s, u"${Version}"_s, u"dpkg"_s}, environment);
    QCOMPARE(bill["components"].size(), std::size_t(2));
    QCOMPARE(bill["components"][0]["purl"],
             nlohmann::json("pkg:deb/debian/dpkg@" + version.text.trimmed().toStdString()));
    QCOMPARE(bill["components"][1]["purl"], nlohmann::json("pkg:pypi/pyqt6-qt6@6.9.1"));
}

PEAKSCOPE_GUILESS_TEST(TestRelease)
#include "test_release.moc"
