// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Units, whole files, and JSON that may be anything.
#include "core/base/bytes_apart.h"
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/json/json_text.h"
#include "core/base/latex_text.h"
#include "core/base/machine.h"
#include "core/base/shell_line.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/base/utf8.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>
#include <fstream>
#include <set>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace peakscope;

class TestBase : public QObject
{
    Q_OBJECT

private slots:
    void bytes_data();
    void bytes();
    void comparedBytesDiffer();
    void seconds_data();
    void seconds();
    void parsedSizes_data();
    void parsedSizes();
    void refusedSizes_data();
    void refusedSizes();
    void machineMemoryIsRead();
    void unreadableFiles();
    void longFileIsRefused();
    void shellLinesAreReadBack_data();
    void shellLinesAreReadBack();
    void linesForAShellAreRefused_data();
    void linesForAShellAreRefused();
    void writeReplacesWhole();
    void writeFailures();
    void failedWriterLeavesOldFile();
    void fileTooLargeForTheSystem();
    void writeFollowsLinks();
    void runIds();
    void badJson_data();
    void badJson();
    void nonFinite();
    void deepJson();
    void readerErrors_data();
    void readerErrors();
    void readerValues();
    void lenientValues();
    void secondsText_data();
    void secondsText();
    void utf8_data();
    void utf8();
    void latex_data();
    void latex();

private:
    std::filesystem::path inFolder(const char* name) const { return m_folder.filePath(name).toStdString(); }
    std::size_t filesInFolder() const
    {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(m_folder.path().toStdString()), {}));
    }

    QTemporaryDir m_folder;
};

void TestBase::bytes_data()
{
    QTest::addColumn<qint64>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << qint64(0) << "0 B";
    QTest::newRow("exact below 1 KiB") << qint64(1023) << "1023 B";
    QTest::newRow("1 KiB") << qint64(1024) << "1.00 KiB";
    QTest::newRow("two decimals") << qint64(1280) << "1.25 KiB";
    QTest::newRow("one decimal") << qint64(12'897'485) << "12.3 MiB";
    QTest::newRow("none") << qint64(123) * 1048576 << "123 MiB";
    QTest::newRow("four digits") << qint64(1023) * 1048576 << "1023 MiB";
    QTest::newRow("never 1024") << qint64(1023) * 1048576 + 1048000 << "1.00 GiB";
    QTest::newRow("9.996 is 10.0") << qint64(10235) << "10.0 KiB";
    QTest::newRow("80 GiB") << (qint64(80) << 30) << "80.0 GiB";
    QTest::newRow("tebibytes") << (qint64(3) << 40) << "3.00 TiB";
    QTest::newRow("pebibytes: a whole Hessian") << qint64(62739525050302464) << "55.7 PiB";
    QTest::newRow("negative") << qint64(-2048) << "-2.00 KiB";
    QTest::newRow("lowest integer") << qint64(INT64_MIN) << "-8.00 EiB";
}

void TestBase::bytes()
{
    QFETCH(qint64, value);
    QTEST(QString::fromStdString(formatBytes(value)), "text");
}

void TestBase::comparedBytesDiffer()
{
    QCOMPARE(formatBytesApart(200'164, 199'680), std::pair(std::string("200164 bytes"), std::string("199680 bytes")));
    QCOMPARE(formatBytesApart(1 << 20, 3 << 20), std::pair(std::string("1.00 MiB"), std::string("3.00 MiB")));
    QCOMPARE(formatBytesApart(1 << 20, 1 << 20), std::pair(std::string("1.00 MiB"), std::string("1.00 MiB")));
}

void TestBase::seconds_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << 0.0 << "0 s";
    QTest::newRow("nanoseconds") << 340e-9 << "340 ns";
    QTest::newRow("microseconds") << 12.34e-6 << "12.3 µs";
    QTest::newRow("milliseconds") << 0.34 << "340 ms";
    QTest::newRow("never 1000 ms") << 0.99996 << "1.00 s";
    QTest::newRow("seconds") << 1.237 << "1.24 s";
    QTest::newRow("never 60.0 s") << 59.96 << "1 min 00 s";
    QTest::newRow("minutes") << 125.2 << "2 min 05 s";
    QTest::newRow("never 60 min") << 3599.7 << "1 h 00 min";
    QTest::newRow("hours") << 11220.0 << "3 h 07 min";
    QTest::newRow("never 24 h") << 86399.0 << "1 d 00 h";
    QTest::newRow("days") << 187200.0 << "2 d 04 h";
    QTest::newRow("negative") << -0.5 << "-500 ms";
    QTest::newRow("not a number") << std::nan("") << "–";
    QTest::newRow("infinite") << double(INFINITY) << "–";
}

void TestBase::seconds()
{
    QFETCH(double, value);
    QTEST(QString::fromStdString(formatSeconds(value)), "text");
}

void TestBase::parsedSizes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("value");
    QTest::newRow("plain") << "1024" << qint64(1024);
    QTest::newRow("zero") << "0" << qint64(0);
    QTest::newRow("exact above 2^53") << "9007199254740993" << qint64(9007199254740993);
    QTest::newRow("exponent") << "1.5e9" << qint64(1'500'000'000);
    QTest::newRow("binary") << "80GiB" << (qint64(80) << 30);
    QTest::newRow("binary with space") << " 512 MiB " << (qint64(512) << 20);
    QTest::newRow("decimal") << "1GB" << qint64(1'000'000'000);
    QTest::newRow("fraction") << "1.5KiB" << qint64(1536);
    QTest::newRow("any case") << "2gib" << (qint64(2) << 30);
    QTest::newRow("one letter is binary") << "8G" << (qint64(8) << 30);
    QTest::newRow("bytes") << "10 B" << qint64(10);
}

void TestBase::parsedSizes()
{
    QFETCH(QString, text);
    const auto parsed = parseBytes(text.toStdString());
    QVERIFY2(parsed.ok(), parsed.ok() ? "" : parsed.error().text().c_str());
    QTEST(qint64(*parsed), "value");
}

void TestBase::refusedSizes_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"", " ", "GiB", "12 apples", "-1", "nan", "inf", "1e30", "9e9TiB", "0x10", "1,5GiB", "1 2"}) {
        QTest::newRow(text[0] ? text : "empty") << text;
    }
}

void TestBase::refusedSizes()
{
    QFETCH(QString, text);
    const auto parsed = parseBytes(text.toStdString());
    QVERIFY(!parsed.ok());
    QCOMPARE(parsed.error().code, ErrorCode::BadInput);
    QVERIFY(parsed.error().text().find('\n') == std::string::npos);
}

void TestBase::machineMemoryIsRead()
{
    const auto memory = machineMemoryFromText("MemTotal:       16384 kB\nMemFree: 1 kB\nMemAvailable:    4096 kB\n");
    QVERIFY(memory);
    QCOMPARE(memory->totalBytes, std::int64_t(16384) * 1024);
    QCOMPARE(memory->availableBytes, std::int64_t(4096) * 1024);
    QVERIFY(!machineMemoryFromText("MemTotal: x kB"));
    QVERIFY(!machineMemoryFromText(""));
    QVERIFY(!machineMemoryFromText("\n\nMemTotal: 5 kB"));
    const auto here = machineMemory();
    QVERIFY(here && here->availableBytes > 0 && here->availableBytes <= here->totalBytes);
}

void TestBase::unreadableFiles()
{
    const auto missing = readTextFile(inFolder("missing"));
    QVERIFY(!missing.ok());
    QCOMPARE(exitStatus(missing.error().code), 2);
    QVERIFY(missing.error().text().find("No such file") != std::string::npos);
    const auto folder = readTextFile(m_folder.path().toStdString());
    QVERIFY(!folder.ok() && folder.error().text().find("is a folder") != std::string::npos);
}

void TestBase::longFileIsRefused()
{
    QVERIFY(writeFileAtomically(inFolder("ten"), "0123456789").ok());
    QCOMPARE(readTextFile(inFolder("ten"), 10).value(), std::string("0123456789"));
    QVERIFY(!readTextFile(inFolder("ten"), 9).ok());
    QVERIFY(!readTextFile("/dev/zero", 1 << 20).ok()); // no size to know beforehand
}

// What a POSIX shell makes of each line, by `printf '%s\\n' LINE` in dash.
void TestBase::shellLinesAreReadBack_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* name, const char* line, const QStringList& words) {
        QTest::newRow(name) << QString::fromUtf8(line) << words;
    };
    row("nothing", "", {});
    row("blanks", "  a \t b ", {"a", "b"});
    row("single quotes", R"(a 'b "c" \d')", {"a", R"(b "c" \d)"});
    row("double quotes", R"("a 'b' \"c\" \d \$e")", {R"(a 'b' "c" \d $e)"});
    row("joined", R"(--name='two words'"x"y)", {"--name=two wordsxy"});
    row("empty words", "'' \"\" a", {"", "", "a"});
    row("backslashes", R"(two\ words \'a \\)", {"two words", "'a", "\\"});
    row("a quoted pipe", "'a|b' \"c;d*\"", {"a|b", "c;d*"});
    row("a place", "python train.py --batch {batch} a#1 b~c",
        {"python", "train.py", "--batch", "{batch}", "a#1", "b~c"});
}

void TestBase::shellLinesAreReadBack()
{
    QFETCH(QString, line);
    QFETCH(QStringList, words);
    const auto read = shellWords(line.toStdString());
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QStringList found;
    for (const std::string& word : *read)
        found << QString::fromStdString(word);
    QCOMPARE(found, words);
    // And what shellLine() writes.
    const auto again = shellWords(shellLine(*read));
    QVERIFY(again && *again == *read);
}

void TestBase::linesForAShellAreRefused_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("said");
    QTest::newRow("single quote") << "a 'b"
                                  << "has no end";
    QTest::newRow("double quote") << "a \"b"
                                  << "has no end";
    QTest::newRow("pipe") << "a | b"
                          << "\"|\" is for a shell";
    QTest::newRow("variable") << "a $HOME"
                              << "\"$\" is for a shell";
    QTest::newRow("quoted variable") << "a \"$HOME\""
                                     << "\"$\" is for a shell";
    QTest::newRow("second command") << "a; b"
                                    << "\";\" is for a shell";
    QTest::newRow("remark") << "a #b"
                            << "\"#\" is for a shell";
    QTest::newRow("home") << "~/bin/a b"
                          << "\"~\" is for a shell";
    QTest::newRow("files") << "a *.txt"
                           << "\"*\" is for a shell";
}

void TestBase::linesForAShellAreRefused()
{
    QFETCH(QString, line);
    QFETCH(QString, said);
    const auto read = shellWords(line.toStdString());
    QVERIFY(!read);
    QVERIFY2(QString::fromStdString(read.error().message).contains(said), read.error().message.c_str());
}

void TestBase::writeReplacesWhole()
{
    const auto path = inFolder("file");
    QVERIFY(writeFileAtomically(path, "a long first text").ok());
    QCOMPARE(::chmod(path.c_str(), 0640), 0);
    const std::size_t files = filesInFolder();
    QVERIFY(writeFileAtomically(path, "second").ok());
    QCOMPARE(readTextFile(path).value(), std::string("second"));
    QCOMPARE(filesInFolder(), files); // no temporary file stays
    struct stat info {
    };
    QCOMPARE(::stat(path.c_str(), &info), 0);
    QCOMPARE(int(info.st_mode & 0777), 0640);
}

void TestBase::writeFailures()
{
    const Status folder = writeFileAtomically(m_folder.path().toStdString(), "x");
    QVERIFY(!folder.ok() && folder.error().text().find("folder") != std::string::npos);
    const Status noFolder = writeFileAtomically(inFolder("no/such/file"), "x");
    QVERIFY(!noFolder.ok() && noFolder.error().text().find("is missing") != std::string::npos);
    QCOMPARE(exitStatus(noFolder.error().code), 1);
    const Status full = writeFileAtomically("/dev/full", "x");
    QVERIFY(!full.ok());
    QVERIFY2(full.error().text().find("No space left on device") != std::string::npos, full.error().text().c_str());
    QVERIFY(std::filesystem::is_character_file("/dev/full")); // written to, not replaced
}

void TestBase::failedWriterLeavesOldFile()
{
    const auto path = inFolder("kept");
    QVERIFY(writeFileAtomically(path, "old").ok());
    const std::size_t files = filesInFolder();
    const Status status = writeFileAtomically(path, [](FileSink& sink) -> Status {
        if (Status written = sink.write("half"); !written) {
            return written;
        }
        return failed("", "the writer gave up");
    });
    QVERIFY(!status.ok());
    QCOMPARE(status.error().text(), path.string() + ": the writer gave up");
    QCOMPARE(readTextFile(path).value(), std::string("old"));
    QCOMPARE(filesInFolder(), files);
}

// A limit on file size stands for a full disk: a write fails in the middle.
void TestBase::fileTooLargeForTheSystem()
{
    const auto path = inFolder("limited");
    QVERIFY(writeFileAtomically(path, "old").ok());
    const std::size_t files = filesInFolder();
    struct rlimit old {
    };
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &old), 0);
    struct rlimit small = old;
    small.rlim_cur = 4096;
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Status status = writeFileAtomically(path, std::string(100'000, 'x'));
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &old), 0);
    ::signal(SIGXFSZ, handler);
    QVERIFY(!status.ok());
    QVERIFY2(status.error().text().find("File too large") != std::string::npos, status.error().text().c_str());
    QCOMPARE(readTextFile(path).value(), std::string("old"));
    QCOMPARE(filesInFolder(), files);
}

void TestBase::writeFollowsLinks()
{
    QVERIFY(writeFileAtomically(inFolder("target"), "old").ok());
    std::filesystem::create_symlink("target", inFolder("link"));
    QVERIFY(writeFileAtomically(inFolder("link"), "new").ok());
    QVERIFY(std::filesystem::is_symlink(inFolder("link")));
    QCOMPARE(readTextFile(inFolder("target")).value(), std::string("new"));
}

void TestBase::runIds()
{
    std::vector<std::string> ids;
    for (int i = 0; i < 100; ++i) {
        ids.push_back(newRunId());
    }
    QCOMPARE(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
    QVERIFY(std::is_sorted(ids.begin(), ids.end()));
    QCOMPARE(isoTimeUtc().size(), std::size_t(20));
    QCOMPARE(isoTimeUtc().back(), 'Z');
}

void TestBase::badJson_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("part");
    QTest::newRow("empty") << QByteArray() << "empty";
    QTest::newRow("blank") << QByteArray(" \n\t ") << "empty";
    QTest::newRow("truncated") << QByteArray("{\"a\": [1, 2") << "ends too early";
    QTest::newRow("truncated string") << QByteArray("{\"a\": \"x") << "ends too early";
    QTest::newRow("place of the error") << QByteArray("{\n \"a\": x}") << "line 2, column 7";
    QTest::newRow("binary") << QByteArray("\x00\xff\x01\x1b[31m\n\r\x7f junk", 16) << "not JSON";
    QTest::newRow("bad UTF-8") << QByteArray("{\"a\": \"\xff\xfe\"}") << "not JSON";
    QTest::newRow("number beyond doubles") << QByteArray("[1e999]") << "not JSON";
    QTest::newRow("two documents") << QByteArray("{} {}") << "not JSON";
    QTest::newRow("bare NaN") << QByteArray("{\"a\":\n NaN}") << "line 2, column 2: NaN and Infinity";
    QTest::newRow("long junk") << QByteArray("\"").append(QByteArray(100'000, 'x')) << "ends too early";
}

void TestBase::badJson()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, part);
    const auto parsed = parseJson(std::string_view(text.data(), static_cast<std::size_t>(text.size())), "file.json");
    QVERIFY(!parsed.ok());
    const std::string message = parsed.error().text();
    QVERIFY2(QString::fromStdString(message).contains(part), message.c_str());
    QVERIFY(message.rfind("file.json: ", 0) == 0);
    QVERIFY(message.size() < 400);
    QVERIFY(std::none_of(message.begin(), message.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }));
}

void TestBase::nonFinite()
{
    const auto parsed = parseJson("{\"a\": NaN, \"b\": [-Infinity, Infinity], \"NaN\": \"Infinity\\\" NaN\"}", "",
                                  {.nonFiniteAsNull = true});
    QVERIFY(parsed.ok());
    QCOMPARE(dumpJson(*parsed), std::string(R"({"NaN":"Infinity\" NaN","a":null,"b":[null,null]})"));
    QCOMPARE(dumpJson(jsonNumbers({1.5, std::nan(""), INFINITY})), std::string("[1.5,null,null]"));
}

void TestBase::deepJson()
{
    const auto open = parseJson(std::string(200'000, '['), "deep.json");
    QVERIFY(!open.ok());
    QVERIFY2(open.error().text().find("nested deeper than 512") != std::string::npos, open.error().text().c_str());
    QVERIFY(!parseJson(std::string(1000, '[') + std::string(1000, ']')).ok());
    QVERIFY(parseJson(std::string(512, '[') + std::string(512, ']')).ok());
    QVERIFY(parseJson("\"" + std::string(2000, '[') + "\"").ok()); // brackets in a string are text
}

void TestBase::readerErrors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("string for an integer") << R"({"n": "7"})"
                                           << "root.n: \"7\" is not an integer";
    QTest::newRow("fraction for an integer") << R"({"n": 7.5})"
                                             << "root.n: 7.5 is not an integer";
    QTest::newRow("integer beyond 64 bits") << R"({"n": 18446744073709551615})"
                                            << "root.n: 18446744073709551615 is not an integer";
    QTest::newRow("missing") << R"({})"
                             << "root.n: missing";
    QTest::newRow("null") << R"({"n": null})"
                          << "root.n: null, a value is needed";
    QTest::newRow("array for an object") << R"({"n": 1, "o": [1, 2]})"
                                         << "root.o: an array of 2 is not an object";
    QTest::newRow("element") << R"({"n": 1, "v": [1, true]})"
                             << "root.v[1]: true is not a number";
    QTest::newRow("element of an object") << R"({"n": 1, "l": [{}, {"s": 5}]})"
                                          << "root.l[1].s: 5 is not a string";
    QTest::newRow("element is no object") << R"({"n": 1, "l": [{}, 5]})"
                                          << "root.l[1]: 5 is not an object";
    QTest::newRow("unknown key") << R"({"n": 1, "nn": 1})"
                                 << "root.nn: unknown key";
    QTest::newRow("not an object") << R"(3)"
                                   << "root: 3 is not an object";
}

void TestBase::readerErrors()
{
    QFETCH(QString, text);
    const auto document = parseJson(text.toStdString());
    QVERIFY(document.ok());
    JsonProblem problem;
    JsonReader reader(*document, "root", problem);
    std::int64_t n = 0;
    std::vector<double> v;
    reader.require("n", n);
    (void)reader.object("o");
    reader.read("v", v);
    reader.forEach("l", [](JsonReader& element) {
        std::string s;
        element.read("s", s);
    });
    reader.rejectOthers({"n", "o", "v", "l"});
    QVERIFY(!problem.status().ok());
    QTEST(QString::fromStdString(problem.status().error().text()), "message");
}

void TestBase::readerValues()
{
    const auto document = parseJson(R"({"i": 3.0, "d": null, "v": [1, null], "s": "x", "extra": 1})");
    JsonProblem problem;
    JsonReader reader(*document, "", problem);
    std::int64_t i = 0, absent = 5;
    std::optional<double> d, none;
    std::vector<double> v;
    reader.read("i", i);
    reader.read("absent", absent);
    reader.read("d", d);
    reader.read("none", none);
    reader.read("v", v);
    QVERIFY(problem.status().ok());
    QCOMPARE(i, 3);
    QCOMPARE(absent, 5);
    QVERIFY(d && std::isnan(*d));
    QVERIFY(!none);
    QVERIFY(v.size() == 2 && v[0] == 1 && std::isnan(v[1]));
    QCOMPARE(dumpJson(reader.others({"i", "d", "v", "s"})), std::string("{\"extra\":1}"));
}

void TestBase::lenientValues()
{
    const auto document =
        parseJson(R"({"i": 3, "whole": 3.0, "huge": 18446744073709551615, "d": 1.5, "b": true, "s": "x",
                                        "null": null, "v": [1, "y", null], "o": {"inner": {"s": "z"}}})");
    QVERIFY(document.ok());
    QCOMPARE(lenient::integer(*document, "i", 7), 3);
    QCOMPARE(jsonInteger(lenient::member(*document, "whole")), std::optional<std::int64_t>(3));
    for (const char* key : {"whole", "huge", "d", "b", "s", "null", "v", "o", "absent"})
        QCOMPARE(lenient::integer(*document, key, 7), 7);
    QCOMPARE(lenient::number(*document, "d"), 1.5);
    QVERIFY(std::isnan(lenient::number(*document, "s")));
    QVERIFY(lenient::flag(*document, "b") && !lenient::flag(*document, "i") &&
            lenient::flag(*document, "absent", true));
    QCOMPARE(lenient::text(*document, "s"), std::string("x"));
    QCOMPARE(lenient::text(*document, "i"), std::string());
    QCOMPARE(lenient::texts(lenient::array(*document, "v")), std::vector<std::string>{"y"});
    const std::vector<double> numbers = lenient::numbers(lenient::array(*document, "v"));
    QVERIFY(numbers.size() == 3 && numbers[0] == 1 && std::isnan(numbers[1]) && std::isnan(numbers[2]));
    QVERIFY(lenient::array(*document, "o").empty() && lenient::array(*document, "o").is_array());
    QVERIFY(lenient::object(*document, "v").empty() && lenient::object(*document, "v").is_object());
    QVERIFY(!lenient::find(*document, "null") && !lenient::find(lenient::array(*document, "v"), "s"));
    const nlohmann::json* inner = lenient::findPath(*document, "o.inner.s");
    QVERIFY(inner && *inner == "z");
    QVERIFY(lenient::findPath(*document, "null") && !lenient::findPath(*document, "s.s"));
    QVERIFY(!lenient::findPath(*document, "o.absent"));
}

void TestBase::secondsText_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << 0.0 << "0";
    QTest::newRow("whole") << 12.0 << "12";
    QTest::newRow("nanoseconds") << 1.000000001 << "1.000000001";
    QTest::newRow("no trailing zeros") << 0.25 << "0.25";
    QTest::newRow("rounded up to a whole") << 1.9999999999 << "2";
    QTest::newRow("negative") << -0.5 << "-0.5";
    QTest::newRow("not a number") << std::nan("") << "null";
    QTest::newRow("so long that its own digits stay") << -4398046.511101009 << "-4398046.511101009";
    QTest::newRow("very long") << 1e18 << "1e+18";
}

void TestBase::secondsText()
{
    QFETCH(double, value);
    std::string text;
    appendSeconds(text, value);
    QTEST(QString::fromStdString(text), "text");
}

void TestBase::utf8_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("text stays") << QByteArray("a\nä大𝄞") << QStringLiteral("a\nä大𝄞");
    QTest::newRow("no first byte") << QByteArray("\x80z\xff") << QStringLiteral("\uFFFDz\uFFFD");
    QTest::newRow("cut off") << QByteArray("a\xe5\xa4") << QStringLiteral("a\uFFFD\uFFFD");
    QTest::newRow("too long for what it says")
        << QByteArray("\xc0\xaf\xe0\x80\xaf") << QStringLiteral("\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
    QTest::newRow("half of a pair") << QByteArray("\xed\xa0\x80") << QStringLiteral("\uFFFD\uFFFD\uFFFD");
    QTest::newRow("past the last character")
        << QByteArray("\xf4\x90\x80\x80") << QStringLiteral("\uFFFD\uFFFD\uFFFD\uFFFD");
}

void TestBase::utf8()
{
    QFETCH(QByteArray, bytes);
    QTEST(QString::fromStdString(asUtf8(bytes.toStdString())), "text");
}

void TestBase::latex_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("source");
    QTest::newRow("letters stay") << "Größe 大"
                                  << "Größe 大";
    QTest::newRow("its own characters") << "50 % of a_b & c # {$}"
                                        << "50 \\% of a\\_b \\& c \\# \\{\\$\\}";
    QTest::newRow("a backslash is not escaped twice") << "\\"
                                                      << "\\textbackslash{}";
    QTest::newRow("accents") << "~^"
                             << "\\textasciitilde{}\\textasciicircum{}";
    QTest::newRow("comparisons") << "a < b ≥ c"
                                 << "a \\textless{} b $\\geq$ c";
    QTest::newRow("signs") << "2 × T² − 1"
                           << "2 $\\times$ T$^2$ $-$ 1";
    QTest::newRow("one line") << "a\nb"
                              << "a b";
}

void TestBase::latex()
{
    QFETCH(QString, text);
    QFETCH(QString, source);
    QCOMPARE(QString::fromStdString(latexText(text.toStdString())), source);
}

PEAKSCOPE_APPLESS_TEST(TestBase)
#include "test_base.moc"
