// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What torch.save wrote before PyTorch 1.6, written here byte by byte, and checkpoints of training, whose weights are
// among other things. The bytes are those of torch/serialization.py, _legacy_save.
#include "core/files/weight_file.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <fstream>

using namespace peakscope;
namespace fs = std::filesystem;

namespace {

std::string little(std::uint64_t value, int bytes)
{
    std::string text;
    for (int i = 0; i < bytes; ++i)
        text += static_cast<char>(value >> 8 * i & 0xff);
    return text;
}

// ---- values of a pickle of protocol 2
std::string text(const std::string& value)
{
    return "X" + little(value.size(), 4) + value;
}
std::string python2Text(const std::string& value)
{
    return "U" + little(value.size(), 1) + value;
}
std::string number(std::uint32_t value)
{
    return "J" + little(value, 4);
}
std::string tuple(const std::string& items)
{
    return "(" + items + "t";
}
std::string global(const std::string& module, const std::string& name)
{
    return "c" + module + "\n" + name + "\n";
}
std::string dict(const std::string& items)
{
    return "}(" + items + "u";
}
std::string pickle(const std::string& value)
{
    return "\x80\x02" + value + ".";
}

const std::string kOrderedDict = global("collections", "OrderedDict");
constexpr const char* kNone = "N";

struct TensorText {
    std::string key = "7";
    std::uint32_t elements = 4;
    std::string type = "FloatStorage";
    std::string sizes = number(2) + number(2);
    std::string strides = number(2) + number(1);
    std::uint32_t offset = 0;
    std::string view = kNone;
    std::string (*string)(const std::string&) = text;
    std::string rebuild = "_rebuild_tensor_v2";

    std::string build() const
    {
        const std::string id =
            tuple(string("storage") + global("torch", type) + string(key) + string("cpu") + number(elements) + view) +
            "Q";
        const std::string end = rebuild == "_rebuild_tensor_v2" ? "\x89" + kOrderedDict + ")R" : "";
        return global("torch._utils", rebuild) + tuple(id + number(offset) + tuple(sizes) + tuple(strides) + end) + "R";
    }
};

std::string floats(const std::vector<float>& values)
{
    std::string bytes(values.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return little(values.size(), 8) + bytes;
}

const std::string kMagic("\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 12);
const std::string kMachine = dict(text("protocol_version") + number(1001) + text("little_endian") + "\x88");

std::string stream(const std::string& object, const std::string& keys, const std::string& storages)
{
    return pickle(kMagic) + pickle(number(1001)) + pickle(kMachine) + pickle(object) + pickle("](" + keys + "e") +
           storages;
}

std::string oneTensor(const TensorText& tensor)
{
    return stream(dict(text("w") + tensor.build()), text("7"), floats({1, 2, 3, 4}));
}

float valueAt(const WeightEntry& entry, std::size_t i)
{
    float value = 0;
    std::memcpy(&value, entry.data + i * sizeof value, sizeof value);
    return value;
}

QByteArray bytesOf(const std::string& bytes)
{
    return {bytes.data(), static_cast<qsizetype>(bytes.size())};
}

} // namespace

class TestTorchStream : public QObject
{
    Q_OBJECT

private slots:
    void values();
    void storedByPyTorch();
    void forms_data();
    void forms();
    void broken_data();
    void broken();
    void cutAnywhere();
    void checkpoints_data();
    void checkpoints();
    void refused_data();
    void refused();

private:
    Result<std::unique_ptr<WeightFile>> open(const std::string& bytes)
    {
        const fs::path path = m_folder.path().toStdString() + "/" + std::to_string(m_files++) + ".bin";
        std::ofstream(path, std::ios::binary) << bytes;
        return WeightFile::open(path);
    }

    QTemporaryDir m_folder;
    int m_files = 0;
};

void TestTorchStream::values()
{
    TensorText second;
    second.key = "3";
    second.elements = 2;
    second.type = "DoubleStorage";
    second.sizes = number(2);
    second.strides = number(1);
    const double doubles[] = {0.5, -3};
    std::string raw(sizeof doubles, '\0');
    std::memcpy(raw.data(), doubles, sizeof doubles);
    // The storages stand in the order of the list of keys, not in that of the tensors.
    const auto file = open(stream(dict(text("a") + TensorText().build() + text("b") + second.build()),
                                  text("3") + text("7"), little(2, 8) + raw + floats({1, 2, 3, 4})));
    QVERIFY2(file.ok(), file ? "" : file.error().text().c_str());
    QCOMPARE((*file)->format(), std::string("PyTorch before 1.6"));
    const WeightEntry* a = (*file)->find("a");
    const WeightEntry* b = (*file)->find("b");
    QVERIFY(a && b);
    QCOMPARE(a->dtype, std::string("F32"));
    QCOMPARE(a->shape, (std::vector<std::int64_t>{2, 2}));
    for (std::size_t i = 0; i < 4; ++i)
        QCOMPARE(valueAt(*a, i), static_cast<float>(i + 1));
    QCOMPARE(b->dtype, std::string("F64"));
    QCOMPARE(std::memcmp(b->data, doubles, sizeof doubles), 0);
    QVERIFY((*file)->notes().empty() && (*file)->beside().empty());
}

void TestTorchStream::storedByPyTorch()
{
    const auto file = WeightFile::open(PEAKSCOPE_SOURCE_DIR "/tests/core/data/files_torch_legacy.bin");
    QVERIFY2(file.ok(), file ? "" : file.error().text().c_str());
    QCOMPARE((*file)->entries().size(), std::size_t{1});
    const WeightEntry& weight = (*file)->entries().front();
    QCOMPARE(weight.name, std::string("weight"));
    QCOMPARE(weight.shape, (std::vector<std::int64_t>{2}));
    QCOMPARE(valueAt(weight, 0), 1.0F);
    QCOMPARE(valueAt(weight, 1), 1.0F);
}

// What stands at the tensor's place [0, 1].
void TestTorchStream::forms_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<float>("second");
    const auto row = [](const char* name, TensorText tensor, float second) {
        QTest::newRow(name) << bytesOf(oneTensor(tensor)) << second;
    };
    row("as of 2019", {}, 2);
    row("strings of Python 2", {.string = python2Text}, 2);
    row("as of 2017", {.rebuild = "_rebuild_tensor"}, 2);
    row("transposed", {.strides = number(1) + number(2)}, 2);
    row("from its second element on", {.sizes = number(1) + number(2), .offset = 1}, 3);
    row("a part of a storage",
        {.sizes = number(1) + number(2), .offset = 0, .view = tuple(text("9") + number(2) + number(2))}, 4);
    row("a size as Python 2 writes long ones", {.sizes = "I2\n" + std::string("L2L\n")}, 2);
    std::string frames = oneTensor({});
    frames[1] = '\x04';
    frames.insert(2, "\x95" + little(kMagic.size() + 1, 8));
    QTest::newRow("of protocol 4") << bytesOf(frames) << 2.0F;
}

void TestTorchStream::forms()
{
    QFETCH(QByteArray, bytes);
    QFETCH(float, second);
    const auto file = open(bytes.toStdString());
    QVERIFY2(file.ok(), file ? "" : file.error().text().c_str());
    QCOMPARE(valueAt((*file)->entries().front(), 1), second);
}

void TestTorchStream::broken_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const std::string& bytes, const char* part) {
        QTest::newRow(name) << bytesOf(bytes) << part;
    };
    const std::string object = dict(text("w") + TensorText().build());
    row("a storage cut short", stream(object, text("7"), floats({1, 2, 3, 4}).substr(0, 20)),
        "\"7\" has 4 elements of 4 bytes, 12 bytes are left");
    row("no size", stream(object, text("7"), "1234567"), "before the size of storage \"7\"");
    row("another size", stream(object, text("7"), floats({1, 2, 3})), "has 3 elements, 4 are needed");
    row("a size beyond any", stream(object, text("7"), std::string(8, '\xff')), "18446744073709551615 elements");
    row("a storage that nobody lists", stream(object, "", ""), "no storage \"7\"");
    row("a storage that nobody names", stream(object, text("7") + text("8"), floats({1, 2, 3, 4})), "storage \"8\"");
    row("a storage listed twice", stream(object, text("7") + text("7"), floats({1, 2, 3, 4}) + floats({1, 2, 3, 4})),
        "listed twice");
    row("a list that is none",
        pickle(kMagic) + pickle(number(1001)) + pickle(kMachine) + pickle(object) + pickle(kNone), "not a list");
    row("another version", pickle(kMagic) + pickle(number(1002)) + pickle(kMachine), "1001");
    row("nothing behind the head", pickle(kMagic) + pickle(number(1001)) + pickle(kMachine), "pickle");
    row("past the storage's end", oneTensor({.offset = 1}), "passes the end");
    row("strides past the end", oneTensor({.strides = number(3) + number(1)}), "passes the end");
    row("a part past the end", oneTensor({.view = tuple(text("9") + number(2) + number(3))}), "3 elements");
    row("a part that is no part", oneTensor({.view = text("9")}), "part of a storage");
    row("a type of storage that is not known", oneTensor({.type = "QInt8Storage"}), "type that is known");
    row("negative sizes", oneTensor({.sizes = "J\xff\xff\xff\xff" + number(2)}), "sizes or strides");
    row("a number in a line that is none", oneTensor({.sizes = "I2x\n" + number(2)}), "\"2x\"");
}

void TestTorchStream::broken()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, part);
    const auto file = open(bytes.toStdString());
    QVERIFY(!file.ok());
    const QString text = QString::fromStdString(file.error().text());
    QVERIFY2(text.contains(part) && !text.contains('\n'), qPrintable(text));
    QCOMPARE(file.error().code, ErrorCode::BadInput);
}

void TestTorchStream::cutAnywhere()
{
    const std::string whole = oneTensor({});
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto file = open(whole.substr(0, length));
        QVERIFY2(!file.ok(), std::to_string(length).c_str());
        QVERIFY(file.error().text().find('\n') == std::string::npos);
    }
}

void TestTorchStream::checkpoints_data()
{
    QTest::addColumn<QByteArray>("object");
    QTest::addColumn<QString>("place"); // empty: the object is the weights
    QTest::addColumn<QStringList>("beside");
    const auto row = [](const char* name, const std::string& object, const char* place, const QStringList& beside) {
        QTest::newRow(name) << bytesOf(object) << place << beside;
    };
    const std::string weights = dict(text("w") + TensorText().build());
    const std::string tensor = TensorText().build();
    const std::string optimizer = dict(text("state") + dict(number(0) + dict(text("exp_avg") + tensor)) +
                                       text("param_groups") + "](" + dict(text("lr") + number(1)) + "e");
    const std::string numpy = tuple(text("MT19937") + global("numpy.core.multiarray", "_reconstruct") +
                                    tuple(global("numpy", "ndarray") + tuple(number(0)) + text("b")) + "R" +
                                    tuple(number(1) + text("data")) + "b" + number(624));
    const std::string arguments = global("argparse", "Namespace") + ")\x81" + dict(text("lr") + number(3)) + "b";
    row("nanoGPT's",
        dict(text("model") + weights + text("optimizer") + optimizer + text("iter_num") + number(250) +
             text("model_args") + dict(text("n_layer") + number(2))),
        "model", {"optimizer: 2 entries, 1 tensors among them", "iter_num: 250", "model_args: 1 entries"});
    row("random states beside",
        dict(text("torch_rng_state") + tensor + text("np_rng_state") + numpy + text("model_state_dict") + weights),
        "model_state_dict", {"torch_rng_state: a tensor", "np_rng_state: 3 values"});
    row("arguments beside", dict(text("state_dict") + weights + text("args") + arguments), "state_dict",
        {"args: \"argparse.Namespace\", not read"});
    row("Lightning's",
        dict(text("epoch") + number(3) + text("global_step") + number(9) + text("pytorch-lightning_version") +
             text("2.1.0") + text("state_dict") + weights + text("hyper_parameters") +
             global("lightning.fabric.utilities.data", "AttributeDict") + ")R(" + text("lr") + number(1) + "u" +
             text("callbacks") + kOrderedDict + ")R"),
        "state_dict",
        {"epoch: 3", "global_step: 9", "pytorch-lightning_version: \"2.1.0\"",
         "hyper_parameters: \"lightning.fabric.utilities.data.AttributeDict\", not read", "callbacks: 0 entries"});
    row("NeoX's", dict(text("module") + weights + text("random_rng_state") + tuple(number(3) + kNone)), "module",
        {"random_rng_state: 2 values"});
    row("under a name of its own", dict(text("step") + number(5) + text("net") + weights), "net", {"step: 5"});
    row("twice wrapped", dict(text("model") + dict(text("module") + weights)), "model.module", {});
    row("settings called model beside the weights",
        dict(text("model") + dict(text("n_layer") + number(2)) + text("w") + tensor), "", {});
    row("a counter among the weights", dict(text("w") + tensor + text("steps") + number(5)), "", {});
    row("a module's own state among them",
        dict(text("w") + tensor + text("fc._extra_state") + global("_io", "BytesIO") + ")R"), "", {});
}

void TestTorchStream::checkpoints()
{
    QFETCH(QByteArray, object);
    QFETCH(QString, place);
    QFETCH(QStringList, beside);
    const auto file = open(stream(object.toStdString(), text("7"), floats({1, 2, 3, 4})));
    QVERIFY2(file.ok(), file ? "" : file.error().text().c_str());
    QCOMPARE((*file)->entries().size(), std::size_t{1});
    QCOMPARE((*file)->entries().front().name, std::string("w"));
    QCOMPARE(valueAt((*file)->entries().front(), 3), 4.0F);
    QStringList found;
    for (const std::string& line : (*file)->beside())
        found.append(QString::fromStdString(line));
    QCOMPARE(found, beside);
    QCOMPARE((*file)->notes().size(), std::size_t(place.isEmpty() ? 0 : 1));
    if (!place.isEmpty())
        QVERIFY2((*file)->notes()[0].find("\"" + place.toStdString() + "\"") != std::string::npos,
                 (*file)->notes()[0].c_str());
}

void TestTorchStream::refused_data()
{
    QTest::addColumn<QByteArray>("object");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const std::string& object, const char* part) {
        QTest::newRow(name) << bytesOf(object) << part;
    };
    const std::string weights = dict(text("w") + TensorText().build());
    const std::string call = global("posix", "system") + tuple(text("true")) + "R";
    row("a weight from a call", dict(text("w") + TensorText().build() + text("v") + call), "\"posix.system\"");
    row("all weights from a call", call, "\"posix.system\"");
    row("a whole module", dict(text("model") + global("my.nets", "Net") + ")\x81" + dict(text("x") + kNone) + "b"),
        "\"my.nets.Net\"");
    row("a whole module with its source",
        tuple(text("module") + global("my.nets", "Net") + text("nets.py") + text("class Net: pass")) + "Q)\x81" +
            dict(text("x") + kNone) + "b",
        "\"my.nets.Net\"");
    row("two models", dict(text("generator") + weights + text("discriminator") + weights),
        "\"generator\", \"discriminator\"");
    row("no tensor", dict(text("epoch") + number(3)), "no state dict");
    row("a number", number(3), "no state dict");
}

void TestTorchStream::refused()
{
    QFETCH(QByteArray, object);
    QFETCH(QString, part);
    const bool storage = object.contains("FloatStorage");
    const auto file =
        open(stream(object.toStdString(), storage ? text("7") : "", storage ? floats({1, 2, 3, 4}) : std::string()));
    QVERIFY(!file.ok());
    const QString text = QString::fromStdString(file.error().text());
    QVERIFY2(text.contains(part) && !text.contains('\n'), qPrintable(text));
}

PEAKSCOPE_GUILESS_TEST(TestTorchStream)
#include "test_torch_stream.moc"
