// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The pickle machine against what Python wrote, and against pickles that no Python would write.
#include "core/files/pickle.h"
#include "core/text/random_bits.h"
#include "tests/core/files/stored_files.h"
#include "tests/test_room.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <fstream>

using namespace peakscope;
using peakscope::test::kData;
using peakscope::test::readAll;
using Kind = PickleValue::Kind;

namespace {

// As Python's json.dump writes the same value (tuples are arrays).
nlohmann::json toJson(const PickleValue& value)
{
    switch (value.kind) {
    case Kind::None:
        return nullptr;
    case Kind::Bool:
        return value.integer != 0;
    case Kind::Int:
        return value.integer;
    case Kind::Float:
        return value.real;
    case Kind::String:
        return std::string(value.text);
    case Kind::List:
    case Kind::Tuple: {
        nlohmann::json array = nlohmann::json::array();
        for (const PickleValue* item : value.items)
            array.push_back(toJson(*item));
        return array;
    }
    case Kind::Dict: {
        nlohmann::json object = nlohmann::json::object();
        for (std::size_t i = 0; i + 1 < value.items.size(); i += 2)
            object[std::string(value.items[i]->text)] = toJson(*value.items[i + 1]);
        return object;
    }
    default:
        return "?";
    }
}

// Protocol 4's head and the opcodes in `text`.
QByteArray pickle(const char* text)
{
    return QByteArray("\x80\x04") + QByteArray(text);
}

} // namespace

class TestFilesPickle : public QObject
{
    Q_OBJECT

private slots:
    void protocols_data();
    void protocols();
    void sharedValuesStayShared();
    void specialValues_data();
    void specialValues();
    void refused_data();
    void refused();
    void limits();
    void selfReference();
    void callsAreWrittenDown();
    void brokenCopiesNeverCrash();
};

void TestFilesPickle::protocols_data()
{
    QTest::addColumn<QString>("file");
    for (int protocol = 2; protocol <= 5; ++protocol)
        QTest::addRow("protocol %d", protocol) << QString("files_pickle_%1.pkl").arg(protocol);
}

void TestFilesPickle::protocols()
{
    QFETCH(QString, file);
    const std::string bytes = readAll(kData + file.toStdString());
    const auto tree = readPickle(bytes, {}, "test");
    QVERIFY2(tree.ok(), tree ? "" : tree.error().text().c_str());
    const auto expected = nlohmann::json::parse(readAll(kData + "files_pickle.json"));
    QCOMPARE(toJson((*tree)->root()).dump(), expected.dump());
    QCOMPARE((*tree)->root().find("text")->text, std::string_view("h\xc3\xa9llo"));
    QCOMPARE((*tree)->root().find("no such key"), nullptr);
}

void TestFilesPickle::sharedValuesStayShared()
{
    const std::string bytes = readAll(kData + "files_pickle_4.pkl");
    const auto tree = readPickle(bytes, {}, "test");
    QVERIFY(tree.ok());
    const PickleValue* shared = (*tree)->root().find("shared");
    QCOMPARE(shared->items[0], shared->items[1]);
    QCOMPARE(shared->items[0], (*tree)->root().find("tuple"));
}

void TestFilesPickle::specialValues_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("content");
    QTest::newRow("long of no bytes is 0") << pickle("\x8a") + '\0' + "." << int(Kind::Int) << "0";
    QTest::newRow("negative long") << pickle("\x8a\x02\x18\xfc.") << int(Kind::Int) << "-1000";
    QTest::newRow("long beyond 64 bits") << pickle("\x8a\x09\x01\x02\x03\x04\x05\x06\x07\x08\x09.") << int(Kind::BigInt)
                                         << "";
    QTest::newRow("bytes") << pickle("C\x02zz.") << int(Kind::Bytes) << "zz";
    QTest::newRow("bytes of a Python 2 string") << pickle("U\x02zz.") << int(Kind::String) << "zz";
    QTest::newRow("empty set") << pickle("\x8f.") << int(Kind::Set) << "";
    QTest::newRow("what follows the end is not read") << pickle("N.junk") << int(Kind::None) << "";
    QTest::newRow("duplicate and drop") << pickle("K\x05\x32\x30.") << int(Kind::Int) << "5";
    QTest::newRow("marked values dropped") << pickle("K\x07(NN1.") << int(Kind::Int) << "7";
    QTest::newRow("OrderedDict is a dict")
        << pickle("ccollections\nOrderedDict\n)RX\x01") + QByteArray("\0\0\0", 3) + "aK\x01s." << int(Kind::Dict) << "";
}

void TestFilesPickle::specialValues()
{
    QFETCH(QByteArray, bytes);
    QFETCH(int, kind);
    QFETCH(QString, content);
    const auto tree = readPickle({bytes.data(), static_cast<std::size_t>(bytes.size())}, {}, "test");
    QVERIFY2(tree.ok(), tree ? "" : tree.error().text().c_str());
    const PickleValue& root = (*tree)->root();
    QCOMPARE(int(root.kind), kind);
    if (root.is(Kind::Int))
        QCOMPARE(QString::number(root.integer), content);
    else if (!content.isEmpty())
        QCOMPARE(root.text, std::string_view(content.toStdString()));
    if (root.is(Kind::Dict))
        QCOMPARE(root.find("a")->integer, 1);
}

void TestFilesPickle::refused_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("part");
    QTest::newRow("empty") << QByteArray() << "not a pickle";
    QTest::newRow("text") << QByteArray("hello") << "not a pickle";
    QTest::newRow("protocol 9") << QByteArray("\x80\x09N.") << "protocol 9";
    QTest::newRow("no end") << pickle("N") << "truncated";
    QTest::newRow("text cut off") << pickle("X\xff") + QByteArray("\0\0\0", 3) + "abc"
                                  << "255 bytes needed, 3 left";
    QTest::newRow("text of 2^64 bytes") << pickle("\x8d\xff\xff\xff\xff\xff\xff\xff\xff.") << "truncated";
    QTest::newRow("name that runs code") << pickle("cos\nsystem\n(X\x02") + QByteArray("\0\0\0", 3) + "lstR."
                                         << "\"os.system\"";
    QTest::newRow("name from the stack") << pickle("\x8c\x08"
                                                   "builtins\x8c\x04"
                                                   "eval\x93.")
                                         << "\"builtins.eval\"";
    QTest::newRow("name that is a number") << pickle("K\x01K\x02\x93.") << "not a string";
    QTest::newRow("opcode of protocol 0") << pickle("S'a'\n.") << "opcode 0x53";
    QTest::newRow("extension registry") << pickle("\x82\x01.") << "opcode 0x82";
    QTest::newRow("persistent id") << pickle("K\x01Q.") << "persistent id";
    QTest::newRow("empty stack") << pickle(".") << "missing on the stack";
    QTest::newRow("no mark") << pickle("Nt.") << "mark is missing";
    QTest::newRow("below the mark") << pickle("N(0.") << "missing on the stack";
    QTest::newRow("never remembered") << pickle("h\x05.") << "value 5";
    QTest::newRow("append to a number") << pickle("K\x01Na.") << "other than a list";
    QTest::newRow("item of a list") << pickle("]NNs.") << "other than a dict";
    QTest::newRow("key without a value") << pickle("}(Nu.") << "no value";
    QTest::newRow("call of a number") << pickle("K\x01)R.") << "call";
    QTest::newRow("state of a number") << pickle("K\x01Nb.") << "state";
}

void TestFilesPickle::refused()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, part);
    const auto tree = readPickle({bytes.data(), static_cast<std::size_t>(bytes.size())}, {}, "file.pkl");
    QVERIFY(!tree.ok());
    const QString text = QString::fromStdString(tree.error().text());
    QVERIFY2(text.contains(part) && text.startsWith("file.pkl: ") && !text.contains('\n'), qPrintable(text));
}

void TestFilesPickle::limits()
{
    PickleOptions options;
    options.maxValues = 10;
    options.maxStack = 8;
    options.maxDepth = 5;
    const auto fails = [&](const std::string& code, const char* part) {
        const auto tree = readPickle("\x80\x04" + code, options, "x");
        return !tree.ok() && tree.error().text().find(part) != std::string::npos;
    };
    std::string many = "(";
    for (int i = 0; i < 7; ++i)
        many += std::string("K\1K\2", 4) + "00";
    QVERIFY(fails(many + "t.", "more than 10 values"));
    QVERIFY(fails("NNNNNNNNN.", "on the stack"));
    QVERIFY(fails("]\x85\x85\x85\x85\x85\x85.", "inside each other"));
    QVERIFY(readPickle("\x80\x04]\x85\x85\x85\x85.", options, "x").ok());
}

// l = []; l.append(l)
void TestFilesPickle::selfReference()
{
    const auto tree = readPickle("\x80\x04]\x94h" + std::string(1, '\0') + "a.", {}, "x");
    QVERIFY(tree.ok());
    QCOMPARE((*tree)->root().items.at(0), &(*tree)->root());
}

void TestFilesPickle::callsAreWrittenDown()
{
    PickleOptions options;
    options.allowGlobal = [](std::string_view name) { return name == "torch.Size"; };
    options.allowPersistentIds = true;
    const std::string code = "\x80\x02(ctorch\nSize\nK\2K\3\x86\x85RK\1\x85Qt.";
    const auto tree = readPickle(code, options, "x");
    QVERIFY2(tree.ok(), tree ? "" : tree.error().text().c_str());
    const PickleValue& call = *(*tree)->root().items.at(0);
    QVERIFY(call.is(Kind::Call) && call.items[0]->isGlobal("torch.Size"));
    QCOMPARE(call.items[1]->items[0]->items[1]->integer, 3);
    const PickleValue& id = *(*tree)->root().items.at(1);
    QVERIFY(id.is(Kind::PersistentId) && id.items[0]->is(Kind::Tuple));
}

void TestFilesPickle::brokenCopiesNeverCrash()
{
    RandomBits random(2);
    int errors = 0;
    PickleOptions options;
    options.allowGlobal = [](std::string_view) { return true; };
    options.allowPersistentIds = true;
    const std::string originals[] = {readAll(kData + "files_pickle_2.pkl").substr(0, 700),
                                     readAll(kData + "files_pickle_4.pkl").substr(0, 700)};
    for (int round = 0; round < 20000; ++round) {
        std::string bytes = originals[random.below(2)];
        for (std::uint64_t i = random.below(6); i > 0; --i)
            bytes[2 + random.below(bytes.size() - 2)] = static_cast<char>(random.next());
        bytes.resize(2 + random.below(bytes.size() - 1));
        bytes += '.';
        errors += !readPickle(bytes, options, "x").ok();
    }
    QVERIFY(errors > 100 && errors < 20000);
}

PEAKSCOPE_GUILESS_TEST(TestFilesPickle)
#include "test_files_pickle.moc"
