// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Weight files: values against those PyTorch wrote, and files that are broken in every way.
#include "core/files/weight_file.h"
#include "core/model/model_config.h"
#include "core/model/weight_plan.h"
#include "core/text/random_bits.h"
#include "tests/core/files/stored_files.h"
#include "tests/test_room.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include <sys/stat.h>

using namespace peakscope;
using peakscope::test::kData;
using peakscope::test::readAll;
namespace fs = std::filesystem;

namespace {

void writeAll(const fs::path& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

std::string safetensors(const std::string& header, std::size_t dataBytes)
{
    std::string file;
    for (int i = 0; i < 8; ++i)
        file += static_cast<char>(header.size() >> 8 * i & 0xff);
    return file + header + std::string(dataBytes, '\1');
}

template <typename T>
T readAs(const std::byte* data)
{
    T value;
    std::memcpy(&value, data, sizeof value);
    return value;
}

double fromHalf(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const double mantissa = bits & 1023;
    const double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

double element(const WeightEntry& entry, std::int64_t index)
{
    const std::byte* data = entry.data + static_cast<std::size_t>(index) * bytesPerElement(entry.dtype);
    if (entry.dtype == "F64")
        return readAs<double>(data);
    if (entry.dtype == "F32")
        return readAs<float>(data);
    if (entry.dtype == "F16")
        return fromHalf(readAs<std::uint16_t>(data));
    if (entry.dtype == "BF16") {
        const std::uint32_t bits = static_cast<std::uint32_t>(readAs<std::uint16_t>(data)) << 16;
        return readAs<float>(reinterpret_cast<const std::byte*>(&bits));
    }
    if (entry.dtype == "I64")
        return static_cast<double>(readAs<std::int64_t>(data));
    return std::to_integer<int>(*data); // U8, BOOL
}

// The values of a tensor row by row, whatever its strides.
std::vector<double> valuesOf(const WeightEntry& entry)
{
    std::vector<double> values;
    std::int64_t count = 1;
    for (const std::int64_t size : entry.shape)
        count *= size;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t rest = i;
        std::int64_t offset = entry.strides.empty() ? i : 0;
        for (std::size_t d = entry.strides.size(); d-- > 0;) {
            offset += rest % entry.shape[d] * entry.strides[d];
            rest /= entry.shape[d];
        }
        values.push_back(element(entry, offset));
    }
    return values;
}

} // namespace

class TestFilesWeights : public QObject
{
    Q_OBJECT

private slots:
    void torchValues_data();
    void torchValues();
    void writtenByTheLibraries_data();
    void writtenByTheLibraries();
    void checkpointWithStateDict();
    void refusedTorch_data();
    void refusedTorch();
    void safetensorsValues();
    void entriesSurviveDroppedPages();
    void safetensorsOfFewBits_data();
    void safetensorsOfFewBits();
    void typesThatNoRunReads();
    void brokenSafetensors_data();
    void brokenSafetensors();
    void referenceModels();
    void foreignFiles_data();
    void foreignFiles();
    void folders_data();
    void folders();
    void aVastIndexIsRefused();
    void brokenCopiesNeverCrash();
    void pipesAndFolders();
};

void TestFilesWeights::torchValues_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("as torch.save wrote it") << "files_torch.bin";
    QTest::newRow("the other byte order") << "files_torch_big_endian.bin";
    QTest::newRow("zip64 directory") << "files_torch_zip64.bin";
}

void TestFilesWeights::torchValues()
{
    QFETCH(QString, file);
    const auto opened = WeightFile::open(kData + file.toStdString());
    QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
    const auto expected = nlohmann::json::parse(readAll(kData + "files_torch.json"));
    QCOMPARE((*opened)->entries().size(), expected.size());
    QCOMPARE((*opened)->format(), std::string("PyTorch"));
    for (const auto& [name, tensor] : expected.items()) {
        const WeightEntry* entry = (*opened)->find(name);
        QVERIFY2(entry, name.c_str());
        QCOMPARE(entry->shape, tensor["shape"].get<std::vector<std::int64_t>>());
        QVERIFY2(valuesOf(*entry) == tensor["values"].get<std::vector<double>>(), name.c_str());
    }
    QCOMPARE((*opened)->find("transposed")->strides, (std::vector<std::int64_t>{1, 6}));
    QCOMPARE((*opened)->find("every_third")->strides, (std::vector<std::int64_t>{3}));
    QVERIFY((*opened)->find("weight")->strides.empty());
    QCOMPARE((*opened)->find("no such"), nullptr);
}

void TestFilesWeights::writtenByTheLibraries_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("safetensors") << "written/weights.safetensors";
    QTest::newRow("torch.save") << "written/weights.pt";
}

// make_library_samples.py stored what the libraries read out of their own files.
void TestFilesWeights::writtenByTheLibraries()
{
    QFETCH(QString, file);
    const auto opened = WeightFile::open(kData + file.toStdString());
    QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
    const auto expected = nlohmann::json::parse(readAll(kData + "written/answers.json"))["tensors"];
    QCOMPARE((*opened)->entries().size(), expected.size());
    for (const auto& [name, tensor] : expected.items()) {
        const WeightEntry* entry = (*opened)->find(name);
        QVERIFY2(entry, name.c_str());
        QCOMPARE(entry->shape, tensor["shape"].get<std::vector<std::int64_t>>());
        QVERIFY2(valuesOf(*entry) == tensor["values"].get<std::vector<double>>(), name.c_str());
    }
}

void TestFilesWeights::checkpointWithStateDict()
{
    const auto opened = WeightFile::open(kData + "files_torch_checkpoint.bin");
    QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
    QCOMPARE((*opened)->entries().size(), std::size_t{1});
    QCOMPARE(valuesOf((*opened)->entries()[0]), (std::vector<double>{1, 1, 1, 1}));
}

void TestFilesWeights::refusedTorch_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("part");
    QTest::newRow("a call of os.system") << "files_torch_system.bin"
                                         << "\"posix.system\"";
    QTest::newRow("a whole module") << "files_torch_module.bin"
                                    << "\"torch.nn.modules.linear.Linear\"";
}

void TestFilesWeights::refusedTorch()
{
    QFETCH(QString, file);
    QFETCH(QString, part);
    const auto opened = WeightFile::open(kData + file.toStdString());
    QVERIFY(!opened.ok());
    const QString text = QString::fromStdString(opened.error().text());
    QVERIFY2(text.contains(part) && text.contains(file) && !text.contains('\n'), qPrintable(text));
    QCOMPARE(opened.error().code, ErrorCode::BadInput);
}

void TestFilesWeights::safetensorsValues()
{
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/model.safetensors";
    const std::string header =
        R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[],"data_offsets":[4,8]},)"
        R"("a":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]},"none":{"dtype":"F16","shape":[0,7],)"
        R"("data_offsets":[8,8]}}   )";
    std::string bytes = safetensors(header, 0) + std::string("\1\2\3\4", 4);
    const float value = -1.25F;
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    writeAll(path, bytes);
    const auto opened = WeightFile::open(path);
    QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
    const auto& entries = (*opened)->entries();
    QCOMPARE(entries.size(), std::size_t{3});
    QCOMPARE(entries[0].name, std::string("a")); // by place in the file
    QCOMPARE(valuesOf(entries[0]), (std::vector<double>{1, 2, 3, 4}));
    QCOMPARE(entries[1].name, std::string("b"));
    QCOMPARE(valuesOf(entries[1]), (std::vector<double>{-1.25}));
    QCOMPARE(entries[2].bytes, std::size_t{0});
}

void TestFilesWeights::entriesSurviveDroppedPages()
{
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/model.safetensors";
    writeAll(path, safetensors(R"({"a":{"dtype":"U8","shape":[100000],"data_offsets":[0,100000]}})", 100000));
    const auto opened = WeightFile::open(path);
    QVERIFY(opened.ok());
    const WeightEntry& entry = (*opened)->entries()[0];
    const auto before = valuesOf(entry);
    (*opened)->dropPages(entry);
    QCOMPARE(valuesOf(entry), before);
    QCOMPARE(before, std::vector<double>(100000, 1));
}

void TestFilesWeights::safetensorsOfFewBits_data()
{
    QTest::addColumn<QString>("dtype");
    QTest::addColumn<int>("bitsOfEight");
    for (const auto& [dtype, bits] : {std::pair{"BOOL", 64}, {"F4", 32},          {"F6_E2M3", 48},
                                      {"F6_E3M2", 48},       {"U8", 64},          {"I8", 64},
                                      {"F8_E5M2", 64},       {"F8_E4M3", 64},     {"F8_E8M0", 64},
                                      {"F8_E4M3FNUZ", 64},   {"F8_E5M2FNUZ", 64}, {"I16", 128},
                                      {"U16", 128},          {"F16", 128},        {"BF16", 128},
                                      {"I32", 256},          {"U32", 256},        {"F32", 256},
                                      {"C64", 512},          {"F64", 512},        {"I64", 512},
                                      {"U64", 512}})
        QTest::newRow(dtype) << dtype << bits;
}

// Every dtype that the safetensors library knows (0.8), eight elements of each.
void TestFilesWeights::safetensorsOfFewBits()
{
    QFETCH(QString, dtype);
    QFETCH(int, bitsOfEight);
    const std::size_t bytes = static_cast<std::size_t>(bitsOfEight) / 8;
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/model.safetensors";
    const std::string end = std::to_string(bytes);
    writeAll(path, safetensors(R"({"a":{"dtype":")" + dtype.toStdString() + R"(","shape":[2,4],"data_offsets":[0,)" +
                                   end + R"(]},"b":{"dtype":"F32","shape":[1],"data_offsets":[)" + end + "," +
                                   std::to_string(bytes + 4) + "]}}",
                               bytes + 4));
    const auto opened = WeightFile::open(path);
    QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
    QCOMPARE((*opened)->find("a")->bytes, bytes);
    QCOMPARE((*opened)->find("a")->dtype, dtype.toStdString());
}

void TestFilesWeights::typesThatNoRunReads()
{
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    writeAll(path / "config.json",
             R"({"model_type":"gpt2","vocab_size":8,"n_embd":8,"n_layer":1,"n_head":1,"n_positions":8})");
    const auto config = loadModelConfig(path / "config.json");
    QVERIFY2(config, config ? "" : config.error().text().c_str());
    // The second one has a head beside the table that it is tied to; the third is packed, so that its shape is another.
    for (
        const char* header :
        {R"({"wte.weight":{"dtype":"F4","shape":[8,8],"data_offsets":[0,32]}})",
         R"({"wte.weight":{"dtype":"F4","shape":[8,8],"data_offsets":[0,32]},"lm_head.weight":{"dtype":"F4","shape":[8,8],"data_offsets":[32,64]}})",
         R"({"wte.weight":{"dtype":"F4","shape":[8,4],"data_offsets":[0,16]}})"}) {
        const std::size_t bytes = std::string_view(header).find("64]") != std::string_view::npos     ? 64
                                  : std::string_view(header).find("[8,8]") != std::string_view::npos ? 32
                                                                                                     : 16;
        writeAll(path / "model.safetensors", safetensors(header, bytes));
        const auto plan = planWeights(*config, path);
        QVERIFY(!plan);
        const std::string text = plan.error().text();
        QVERIFY2(text.find("wte.weight is stored as F4; F32, BF16, F16 and F64 can be read") != std::string::npos,
                 text.c_str());
    }
}

void TestFilesWeights::brokenSafetensors_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const std::string& bytes, const char* part) {
        QTest::newRow(name) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())) << part;
    };
    const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    row("empty file", "", "it has 0 bytes");
    row("shorter than the length", "abc", "it has 3 bytes");
    row("header length beyond any", std::string(20, '\xff'), "give a header of 18446744073709551615 bytes");
    row("header cut off", safetensors(good, 8).substr(0, 30), "ends after 22 of them");
    row("no object", safetensors("[1, 2]", 0), "no JSON object");
    row("broken JSON", safetensors(R"({"a": {"dtype")", 0), "JSON");
    row("data cut off", safetensors(good, 5), "lists 8 bytes of data, the file has 5 bytes");
    row("data left over", safetensors(good, 9), "take 8 bytes of data, the file has 9");
    row("shape does not fit", safetensors(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8),
        "takes 12 bytes");
    row("end before beginning", safetensors(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8), "8 to 0");
    row("unknown dtype", safetensors(R"({"a":{"dtype":"Q4","shape":[2],"data_offsets":[0,8]}})", 8), "dtype \"Q4\"");
    row("half a byte left", safetensors(R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", 2),
        "shape [3] of F4 takes 12 bits, which do not end at a byte");
    row("a part of a byte left", safetensors(R"({"a":{"dtype":"F6_E2M3","shape":[2],"data_offsets":[0,2]}})", 2),
        "takes 12 bits");
    row("too few bytes of F6", safetensors(R"({"a":{"dtype":"F6_E3M2","shape":[2,4],"data_offsets":[0,8]}})", 8),
        "takes 6 bytes");
    row("bits beyond 64 bits",
        safetensors(R"({"a":{"dtype":"F4","shape":[4611686018427387904,2],"data_offsets":[0,0]}})", 0), "too large");
    row("negative size", safetensors(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8), "\"shape\"");
    row("size with a fraction", safetensors(R"({"a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}})", 8),
        "\"shape\"");
    row("product beyond 64 bits",
        safetensors(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0), "too large");
    row("no dtype", safetensors(R"({"a":{"shape":[2],"data_offsets":[0,8]}})", 8), "\"dtype\"");
    row("one offset", safetensors(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", 8), "\"data_offsets\"");
    row("description is a number", safetensors(R"({"a":7})", 0), "not a JSON object");
    row("overlap",
        safetensors(
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
            6),
        "overlaps");
    row("gap",
        safetensors(
            R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})",
            6),
        "belong to no tensor");
}

void TestFilesWeights::brokenSafetensors()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, part);
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/model.safetensors";
    writeAll(path, bytes.toStdString());
    const auto opened = WeightFile::open(path);
    QVERIFY(!opened.ok());
    const QString text = QString::fromStdString(opened.error().text());
    QVERIFY2(text.contains(part), qPrintable(text));
    QVERIFY(text.startsWith(QString::fromStdString(path.string())));
    QVERIFY(!text.contains('\n'));
}

void TestFilesWeights::referenceModels()
{
    const std::string models = PEAKSCOPE_SOURCE_DIR "/tests/engine/data/models/";
    for (const char* name : {"opt", "gpt2", "llama"}) {
        const auto files = findWeightFiles(models + name);
        QVERIFY(files.ok());
        QCOMPARE(files->size(), std::size_t{1});
        const auto opened = WeightFile::open(files->front());
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        QVERIFY((*opened)->entries().size() > 10);
        for (const WeightEntry& entry : (*opened)->entries()) {
            for (const double value : valuesOf(entry))
                QVERIFY(std::isfinite(value));
        }
    }
}

void TestFilesWeights::foreignFiles_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("part");
    QTest::newRow("GGUF") << "model.safetensors" << QByteArray("GGUF\3\0\0\0\0\0\0\0", 12) << "GGUF";
    QTest::newRow("HDF5") << "tf_model.h5" << QByteArray("\x89HDF\r\n\x1a\n") << "HDF5";
    QTest::newRow("Git LFS pointer") << "model.safetensors"
                                     << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
                                     << "git lfs pull";
    QTest::newRow("no zip") << "pytorch_model.bin" << QByteArray("hello world") << "zip";
    QTest::newRow("zip without a directory")
        << "pytorch_model.bin" << QByteArray("PK\3\4 and nothing more") << "directory";
}

void TestFilesWeights::foreignFiles()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    QFETCH(QString, part);
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/" + name.toStdString();
    writeAll(path, bytes.toStdString());
    const auto opened = WeightFile::open(path);
    QVERIFY(!opened.ok());
    QVERIFY2(QString::fromStdString(opened.error().text()).contains(part), opened.error().text().c_str());
}

void TestFilesWeights::folders_data()
{
    QTest::addColumn<QStringList>("present");
    QTest::addColumn<QString>("index"); // of model.safetensors.index.json; empty: no such file
    QTest::addColumn<QString>("found"); // names with commas, or "!" and a part of the error
    const QString twoShards =
        R"({"weight_map": {"a": "s1.safetensors", "b": "s2.safetensors", "c": "s1.safetensors"}})";
    QTest::newRow("safetensors first") << QStringList{"pytorch_model.bin", "model.safetensors"} << ""
                                       << "model.safetensors";
    QTest::newRow("PyTorch's alone") << QStringList{"pytorch_model.bin"} << ""
                                     << "pytorch_model.bin";
    QTest::newRow("shards once each") << QStringList{"s1.safetensors", "s2.safetensors", "pytorch_model.bin"}
                                      << twoShards << "s1.safetensors,s2.safetensors";
    QTest::newRow("a shard is missing") << QStringList{"s1.safetensors"} << twoShards
                                        << "!\"s2.safetensors\" is missing";
    QTest::newRow("a shard elsewhere") << QStringList{} << R"({"weight_map": {"a": "../s1.safetensors"}})"
                                       << "!weight_map: \"../s1.safetensors\" is given";
    QTest::newRow("a shard that is a number") << QStringList{} << R"({"weight_map": {"a": 7}})"
                                              << "!weight_map: 7 is given for tensor \"a\"";
    QTest::newRow("no weight map") << QStringList{} << R"({"metadata": {}})"
                                   << "!weight_map";
    QTest::newRow("an index that is no JSON") << QStringList{} << "{"
                                              << "!JSON";
    QTest::newRow("nothing") << QStringList{} << ""
                             << "!no weights";
    QTest::newRow("a folder of its name") << QStringList{"model.safetensors/"} << ""
                                          << "!; \"model.safetensors\" is a folder";
    QTest::newRow("a folder of another name") << QStringList{"old.safetensors/", "b.onnx"} << ""
                                              << "!; it has \"b.onnx\"";
    QTest::newRow("a single file of another name") << QStringList{"ckpt.pt", "optimizer.pt", "rng_state_0.pth"} << ""
                                                   << "ckpt.pt";
    QTest::newRow("two of another name") << QStringList{"a.pt", "b.ckpt"} << ""
                                         << "!a.pt, b.ckpt";
    QTest::newRow("an optimiser's states alone") << QStringList{"optimizer.pt"} << ""
                                                 << "!no weights";
    QTest::newRow("another program's weights") << QStringList{"tf_model.h5"} << ""
                                               << "!tf_model.h5";
}

void TestFilesWeights::folders()
{
    QFETCH(QStringList, present);
    QFETCH(QString, index);
    QFETCH(QString, found);
    QTemporaryDir folder;
    const fs::path base = folder.path().toStdString();
    for (const QString& name : present) {
        if (name.endsWith('/'))
            fs::create_directories(base / name.toStdString());
        else
            writeAll(base / name.toStdString(), "x");
    }
    if (!index.isEmpty())
        writeAll(base / "model.safetensors.index.json", index.toStdString());
    const auto files = findWeightFiles(base);
    if (found.startsWith('!')) {
        QVERIFY(!files.ok());
        QVERIFY2(QString::fromStdString(files.error().text()).contains(found.mid(1)), files.error().text().c_str());
        return;
    }
    QVERIFY2(files.ok(), files ? "" : files.error().text().c_str());
    QStringList names;
    for (const fs::path& path : *files)
        names.append(QString::fromStdString(path.filename().string()));
    QCOMPARE(names.join(','), found);
    QVERIFY(!findWeightFiles(base / "no such folder").ok());
}

// It may say to be as long as the disk, almost all of it a hole.
void TestFilesWeights::aVastIndexIsRefused()
{
    QTemporaryDir folder;
    const fs::path index = fs::path(folder.path().toStdString()) / "model.safetensors.index.json";
    writeAll(index, "{");
    std::error_code error;
    fs::resize_file(index, std::uintmax_t{1} << 40, error);
    if (error)
        QSKIP("this file system has no files of that size");
    const auto files = findWeightFiles(index.parent_path());
    QVERIFY(!files.ok());
    QVERIFY2(files.error().text().find("is longer than") != std::string::npos, files.error().text().c_str());
}

// Bits flipped and ends cut off at random: an error or entries inside the file, never a crash (the sanitizers look on).
void TestFilesWeights::brokenCopiesNeverCrash()
{
    QTemporaryDir folder;
    const std::string header =
        R"({"a":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[3],)"
        R"("data_offsets":[4,16]}})";
    const std::string originals[] = {
        safetensors(header, 16), readAll(kData + "files_torch.bin"), readAll(kData + "files_torch_zip64.bin"),
        readAll(kData + "files_torch_checkpoint.bin"), readAll(kData + "files_torch_legacy.bin")};
    RandomBits random(1);
    double sum = 0;
    int errors = 0;
    for (int round = 0; round < 3000; ++round) {
        const std::size_t which = random.below(5);
        std::string bytes = originals[which];
        if (random.below(4) == 0)
            bytes.resize(random.below(bytes.size()));
        for (std::uint64_t flips = random.below(4); flips > 0 && !bytes.empty(); --flips)
            bytes[random.below(bytes.size())] ^= static_cast<char>(1U << random.below(8));
        // A new name each time: some file systems wait for the disk when a file is overwritten.
        const fs::path path =
            folder.path().toStdString() + "/" + std::to_string(round) + (which == 0 ? ".safetensors" : ".bin");
        writeAll(path, bytes);
        const auto opened = WeightFile::open(path);
        fs::remove(path);
        if (!opened) {
            ++errors;
            QVERIFY(opened.error().text().find('\n') == std::string::npos);
            QVERIFY(opened.error().text().starts_with(path.string()));
            continue;
        }
        for (const WeightEntry& entry : (*opened)->entries()) {
            for (std::size_t i = 0; i < entry.bytes; ++i)
                sum += std::to_integer<int>(entry.data[i]);
        }
    }
    QVERIFY(errors > 500 && errors < 3000);
    QVERIFY(sum > 0);
}

void TestFilesWeights::pipesAndFolders()
{
    QTemporaryDir folder;
    const std::string pipe = folder.path().toStdString() + "/model.safetensors";
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    const auto fromPipe = WeightFile::open(pipe); // must not wait for a writer
    QVERIFY(!fromPipe.ok());
    const auto fromFolder = WeightFile::open(folder.path().toStdString());
    QVERIFY(!fromFolder.ok());
    QVERIFY(fromFolder.error().text().find("folder") != std::string::npos);
    QVERIFY(!WeightFile::open(folder.path().toStdString() + "/none").ok());
}

PEAKSCOPE_GUILESS_TEST(TestFilesWeights)
#include "test_files_weights.moc"
