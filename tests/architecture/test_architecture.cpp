// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The project keeps its source rules, and the check that says so notices every kind of breach.
#include "tests/architecture/source_rules.h"
#include "tests/test_room.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

using peakscope::checkSourceTree;
using peakscope::Violation;

namespace {

const QByteArray kHead = "// SPDX-FileCopyrightText: 2026 The Peakscope authors\n"
                         "// SPDX-License-Identifier: GPL-3.0-or-later\n";

QString describe(const Violation& v)
{
    return QStringLiteral("%1:%2: [%3] %4")
        .arg(QString::fromStdString(v.file))
        .arg(v.line)
        .arg(QString::fromStdString(v.rule), QString::fromStdString(v.text));
}

void write(const QTemporaryDir& dir, const QString& path, const QByteArray& text)
{
    QVERIFY(QDir(dir.path()).mkpath(QFileInfo(path).path()));
    QFile file(dir.filePath(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

// A tree with one header in every layer, to be included by the file under test.
void writeLayers(const QTemporaryDir& dir)
{
    for (const char* folder : {"core/base", "core/results", "core/experiment", "core/planning", "core/protocol",
                               "core/files", "core/import", "core/engine", "tests/engine/checks", "widgets", "app"}) {
        write(dir, QString(folder) + "/thing.h", kHead + "#pragma once\n");
    }
    write(dir, "core/results/section_readers.h", kHead + "#pragma once\n");
    write(dir, "core/base/named.h", kHead + "struct Thing {\n};\n");
    write(dir, "core/engine/named.h", kHead + "struct Worker {\n};\n");
    write(dir, "core/engine/tensor.h", kHead + "#include <ATen/core/Tensor.h>\n");
}

} // namespace

class TestArchitecture : public QObject
{
    Q_OBJECT
private slots:
    void projectKeepsItsRules();
    void breachIsReported_data();
    void breachIsReported();
    void goodFileIsNotReported_data();
    void goodFileIsNotReported();
    void noFolderIncludesOneAboveIt();
    void noFolderIsCrowded();
    void upwardIncludeIsReported();
    void processesAreStartedInOnePlace();
    void layersHaveNoCircle();
    void everyTestIsBuilt();
};

void TestArchitecture::projectKeepsItsRules()
{
    const std::filesystem::path root = PEAKSCOPE_SOURCE_DIR;
    QVERIFY2(peakscope::countSourceFiles(root) > 50, "the check does not find the project's sources");
    QStringList found;
    for (const Violation& v : checkSourceTree(root)) {
        found << describe(v);
    }
    QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
}

void TestArchitecture::breachIsReported_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("rule");
    const auto row = [](const char* name, const char* path, const QByteArray& text, const char* rule) {
        QTest::newRow(name) << QString(path) << text << QString(rule);
    };
    row("base includes results", "core/base/a.cpp", kHead + "#include \"core/results/thing.h\"\n", "layer");
    row("results includes planning", "core/results/a.h", kHead + "#include \"core/planning/thing.h\"\n", "layer");
    row("files includes planning", "core/files/a.cpp", kHead + "#include \"core/planning/thing.h\"\n", "layer");
    row("results includes experiment", "core/results/a.h", kHead + "#include \"core/experiment/thing.h\"\n", "layer");
    row("experiment includes files", "core/experiment/a.h", kHead + "#include \"core/files/thing.h\"\n", "layer");
    row("results includes import", "core/results/a.h", kHead + "#include \"core/import/thing.h\"\n", "layer");
    row("import includes planning", "core/import/a.h", kHead + "#include \"core/planning/thing.h\"\n", "layer");
    row("widgets includes import", "widgets/b.cpp", kHead + "#include \"core/import/thing.h\"\n", "layer");
    row("planning includes protocol", "core/planning/a.cpp", kHead + "#include \"core/protocol/thing.h\"\n", "layer");
    row("protocol includes engine", "core/protocol/a.h", kHead + "#include \"core/engine/thing.h\"\n", "layer");
    row("core includes widgets", "core/cli/a.cpp", kHead + "#include \"widgets/thing.h\"\n", "layer");
    row("a command without LibTorch includes the engine", "core/cli/a.cpp",
        kHead + "#include \"core/engine/thing.h\"\n", "layer");
    row("widgets includes engine", "widgets/figures/a.cpp", kHead + "#include \"core/engine/thing.h\"\n", "layer");
    row("widgets includes files", "widgets/a.cpp", kHead + "#include \"core/files/thing.h\"\n", "layer");
    row("widgets includes app", "widgets/a.cpp", kHead + "#include \"app/thing.h\"\n", "layer");
    row("app includes engine", "app/a.cpp", kHead + "  #  include \"core/engine/thing.h\"\n", "layer");
    row("core includes a Qt class", "core/results/a.cpp", kHead + "#include <QString>\n", "qt_in_core");
    row("core includes a Qt module", "core/cli/a.cpp", kHead + "#include <QtCore/qglobal.h>\n", "qt_in_core");
    row("engine check includes Qt", "tests/engine/checks/a.cpp", kHead + "#include <QTest>\n", "qt_in_core");
    row("engine includes its checks", "core/engine/a.cpp", kHead + "#include \"tests/engine/checks/thing.h\"\n",
        "layer");
    row("planning includes LibTorch", "core/planning/a.cpp", kHead + "#include <torch/torch.h>\n",
        "torch_outside_engine");
    row("a header of the toolkit", "core/engine/cuda/a.cpp", kHead + "#include <torch/csrc/cuda/nccl.h>\n",
        "cuda_toolkit");
    row("ranks include MPI", "core/ranks/a.cpp", kHead + "#include <mpi.h>\n", "mpi_outside_module");
    row("app includes LibTorch", "app/a.cpp", kHead + "#include <c10/core/Device.h>\n", "torch_outside_engine");
    row("test sees Qt and LibTorch", "tests/engine/a.cpp",
        kHead + "#include <QTest>\n#include \"core/engine/tensor.h\"\n", "qt_meets_torch");
    row("header includes the plot library", "widgets/a.h", kHead + "#include <qcustomplot.h>\n", "plot_in_header");
    row("app opens a file by itself", "app/a.cpp", kHead + "#include <QFile>\n", "file_door");
    row("app writes a file by itself", "app/a.cpp", kHead + "#include <QSaveFile>\n", "file_door");
    row("widgets read a file", "widgets/figures/a.cpp", kHead + "#include <fstream>\n", "file_door");
    row("planning reads a file by itself", "core/planning/a.cpp", kHead + "#include <fstream>\n", "file_door");
    row("a view reads a section", "widgets/a.cpp", kHead + "#include \"core/results/section_readers.h\"\n",
        "section_door");
    row("the window reads sections", "app/a.cpp", kHead + "#include \"core/results/section_readers.h\"\n",
        "section_door");
    row("include not from the root", "widgets/a.cpp", kHead + "#include \"thing.h\"\n", "include_path");
    row("two types of one name", "widgets/a.h", kHead + "struct Thing {\n};\n", "type_name");
    row("two classes of one name", "widgets/a.h", kHead + "class Thing : public Other\n{\n};\n", "type_name");
    row("a file of 601 lines", "core/base/a.cpp", kHead + QByteArray(599, '\n'), "length");
    row("a command prints", "core/cli/a.cpp", kHead + "void f() { std::printf(\"x\"); }\n", "print");
    row("a stream of standard error", "core/engine/a.cpp", kHead + "void f() { std::cerr << 1; }\n", "print");
    row("fmt prints", "core/ranks/a.cpp", kHead + "void f() { fmt::print(\"x\"); }\n", "print");
    row("Qt prints", "app/a.cpp", kHead + "void f() { QTextStream(stdout) << 1; }\n", "print");
    row("Qt prints through a name", "widgets/a.cpp", kHead + "void f() { QTextStream out(stderr); }\n", "print");
    row("a write to a descriptor", "core/protocol/a.cpp", kHead + "void f() { ::write(2, \"x\", 1); }\n", "print");
    row("no licence head", "core/base/a.cpp", "int x;\n", "head");
}

void TestArchitecture::breachIsReported()
{
    QFETCH(QString, path);
    QFETCH(QByteArray, text);
    QFETCH(QString, rule);
    const QTemporaryDir dir;
    QVERIFY(dir.isValid());
    writeLayers(dir);
    QCOMPARE(checkSourceTree(dir.path().toStdString()).size(), std::size_t(0));
    write(dir, path, text);
    const auto found = checkSourceTree(dir.path().toStdString());
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(QString::fromStdString(found[0].rule), rule);
    QCOMPARE(QString::fromStdString(found[0].file), path);
}

void TestArchitecture::goodFileIsNotReported_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const char* path, const QByteArray& text) {
        QTest::newRow(name) << QString(path) << text;
    };
    row("a layer below", "app/a.cpp", kHead + "#include \"widgets/thing.h\"\n#include \"core/planning/thing.h\"\n");
    row("LibTorch in the engine", "core/engine/a.cpp", kHead + "#include <torch/torch.h>\n");
    row("MPI in its module", "core/ranks/mpi/a.cpp", kHead + "#include <mpi.h>\n");
    row("the plot library in a source file", "widgets/a.cpp", kHead + "#include <qcustomplot.h>\n#include <QWidget>\n");
    row("the terminal's own file", "core/base/terminal.cpp",
        kHead + "void f() { std::fwrite(\"x\", 1, 1, stdout); }\n");
    row("text in memory", "core/cli/a.cpp", kHead + "void f() { std::snprintf(t, 2, \"x\"); } // not std::printf(\n");
    row("moc's own file", "widgets/a.cpp", kHead + "#include <QObject>\n#include \"a.moc\"\n");
    row("a file of 600 lines", "core/base/a.cpp", kHead + QByteArray(598, '\n'));
    row("a declared type", "widgets/a.h", kHead + "struct Thing;\nclass Other;\n");
    row("a name of the other program", "widgets/a.h", kHead + "struct Worker {\n};\n");
    row("standard headers that look like Qt's", "core/base/a.cpp", kHead + "#include <queue>\n#include <cmath>\n");
}

void TestArchitecture::goodFileIsNotReported()
{
    QFETCH(QString, path);
    QFETCH(QByteArray, text);
    const QTemporaryDir dir;
    QVERIFY(dir.isValid());
    writeLayers(dir);
    write(dir, path, text);
    QStringList found;
    for (const Violation& v : checkSourceTree(dir.path().toStdString())) {
        found << describe(v);
    }
    QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
}

void TestArchitecture::noFolderIncludesOneAboveIt()
{
    QStringList found;
    for (const Violation& v : peakscope::checkFolderOrder(PEAKSCOPE_SOURCE_DIR))
        found << describe(v);
    QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
}

void TestArchitecture::noFolderIsCrowded()
{
    for (const Violation& v : peakscope::checkFolderSizes(PEAKSCOPE_SOURCE_DIR))
        QFAIL(qPrintable(describe(v)));
    const QTemporaryDir dir;
    for (int i = 0; i < 51; ++i) {
        QCOMPARE(peakscope::checkFolderSizes(dir.path().toStdString()).size(), std::size_t{0});
        write(dir, "core/base/a" + QByteArray::number(i) + ".h", kHead);
    }
    QCOMPARE(peakscope::checkFolderSizes(dir.path().toStdString()).size(), std::size_t{1});
}

void TestArchitecture::upwardIncludeIsReported()
{
    const QTemporaryDir dir;
    write(dir, "core/engine/ledger/a.h", kHead + "#include \"core/base/b.h\"\n");
    write(dir, "core/base/b.h", kHead);
    write(dir, "core/engine/training/a.cpp", kHead + "#include \"core/engine/ledger/a.h\"\n");
    const auto check = [&] {
        QStringList found;
        for (const Violation& v : peakscope::checkFolderOrder(dir.path().toStdString()))
            found << describe(v);
        return found;
    };
    QCOMPARE(check(), QStringList());
    write(dir, "core/engine/training/b.h", kHead);
    write(dir, "core/engine/ledger/a.cpp", kHead + "\n#include \"core/engine/training/b.h\"\n");
    QCOMPARE(check().size(), 1);
    QVERIFY2(check()[0].startsWith("core/engine/ledger/a.cpp:4: [order] core/engine/ledger may not include"),
             qPrintable(check()[0]));
    write(dir, "core/engine/nowhere/a.cpp", kHead + "#include \"core/engine/ledger/a.h\"\n");
    QVERIFY(check().value(1).contains("core/engine/nowhere has no place"));
}

// Programs of the core are started by ChildProcess; two files replace their own process by another program. The
// window's places are listed by test_command_consent.
void TestArchitecture::processesAreStartedInOnePlace()
{
    static const QRegularExpression starts(
        QStringLiteral(R"(\bposix_spawnp?\s*\(|\bv?fork\s*\(|\bexec[lv]p?e?\s*\(|\bpopen\s*\(|\bstd::system\s*\()"));
    QStringList found;
    for (QDirIterator at(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/core"), {"*.cpp", "*.h"}, QDir::Files,
                         QDirIterator::Subdirectories);
         at.hasNext();) {
        QFile file(at.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QString text = QString::fromUtf8(file.readAll());
        text.remove(QRegularExpression(QStringLiteral("#include[^\n]*|//[^\n]*")));
        if (starts.match(text).hasMatch())
            found << at.fileName();
    }
    found.sort();
    QCOMPARE(found, QStringList({"child_process.cpp", "dry_worker.cpp", "hand_over.cpp"}));
}

// Each layer in turn has those below it gone: what is left at the end is a circle.
void TestArchitecture::layersHaveNoCircle()
{
    auto left = peakscope::allowedLayers();
    for (bool shrunk = true; shrunk;) {
        shrunk = false;
        for (auto layer = left.begin(); layer != left.end();) {
            const bool stands = std::none_of(layer->second.begin(), layer->second.end(),
                                             [&](const std::string& below) { return left.count(below) != 0; });
            shrunk = shrunk || stands;
            layer = stands ? left.erase(layer) : std::next(layer);
        }
    }
    QVERIFY2(left.empty(), left.empty() ? "" : left.begin()->first.c_str());
}

// A test file that no room lists would never fail.
void TestArchitecture::everyTestIsBuilt()
{
    const QString root = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests");
    QByteArray lists;
    QStringList tests;
    for (QDirIterator at(root, {"CMakeLists.txt", "test_*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
         at.hasNext();) {
        QFile file(at.next());
        if (file.fileName().endsWith(QStringLiteral(".cpp"))) {
            tests << at.fileName();
            continue;
        }
        QVERIFY(file.open(QIODevice::ReadOnly));
        lists += file.readAll();
    }
    QVERIFY(tests.size() > 100);
    for (const QString& test : tests)
        QVERIFY2(lists.contains(test.toUtf8()), qPrintable(test));
}

PEAKSCOPE_GUILESS_TEST(TestArchitecture)
#include "test_architecture.moc"
