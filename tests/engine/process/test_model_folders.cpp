// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of models as people have them: what `inspect` says and what `run` does with them go together. The folders
// are made here; those of ../shared/public are tried, too, where they are.
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/results/run_result.h"
#include "tests/engine/process/said.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <limits>
#include <map>

using namespace peakscope;
using Json = nlohmann::json;
using peakscope::test::Said;
using peakscope::test::say;

namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

const Json kConfig = {{"model_type", "llama"},
                      {"hidden_size", 8},
                      {"intermediate_size", 16},
                      {"num_hidden_layers", 1},
                      {"num_attention_heads", 2},
                      {"num_key_value_heads", 2},
                      {"vocab_size", 32},
                      {"rms_norm_eps", 1e-5},
                      {"max_position_embeddings", 64},
                      {"tie_word_embeddings", false}};

Shapes llama()
{
    const std::string layer = "model.layers.0.";
    return {{"model.embed_tokens.weight", {32, 8}},
            {layer + "input_layernorm.weight", {8}},
            {layer + "self_attn.q_proj.weight", {8, 8}},
            {layer + "self_attn.k_proj.weight", {8, 8}},
            {layer + "self_attn.v_proj.weight", {8, 8}},
            {layer + "self_attn.o_proj.weight", {8, 8}},
            {layer + "post_attention_layernorm.weight", {8}},
            {layer + "mlp.gate_proj.weight", {16, 8}},
            {layer + "mlp.up_proj.weight", {16, 8}},
            {layer + "mlp.down_proj.weight", {8, 16}},
            {"model.norm.weight", {8}},
            {"lm_head.weight", {32, 8}}};
}

Shapes behind(const std::string& prefix, const Shapes& shapes)
{
    Shapes result;
    for (const auto& [name, shape] : shapes)
        result[prefix + name] = shape;
    return result;
}

} // namespace

class TestModelFolders : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        startWarmEngine();
        QVERIFY(write("tokens.json", "[[1,2,3,4,5,6,7,8,9],[9,8,7,6,5,4,3,2,1]]"));
        folder("plain", kConfig, llama());
    }
    void wrappers();
    void noHead();
    void refusals_data();
    void refusals();
    void weightsThatAreNotFinite();
    void aStaleIndexThatDoesNoHarm();
    void inputs_data();
    void inputs();
    void sharedFolders();

private:
    QString path(const QString& name) const { return m_folder.filePath(name); }
    bool write(const QString& name, const QByteArray& bytes)
    {
        QFile file(path(name));
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
    }

    // Values by place in the file, so that the same shapes in the same order are the same weights.
    bool writeWeights(const QString& name, const Shapes& shapes)
    {
        Json header = Json::object();
        std::vector<float> values;
        for (const auto& [tensor, shape] : shapes) {
            const std::size_t begin = values.size();
            std::size_t count = 1;
            for (const std::int64_t size : shape)
                count *= static_cast<std::size_t>(size);
            for (std::size_t i = 0; i < count; ++i)
                values.push_back(static_cast<float>((begin + i) * 37 % 101) / 101 - 0.5F);
            header[tensor] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {4 * begin, 4 * (begin + count)}}};
        }
        const std::string text = header.dump();
        const std::uint64_t length = text.size();
        QByteArray bytes(reinterpret_cast<const char*>(&length), sizeof length);
        bytes.append(text.data(), static_cast<qsizetype>(text.size()));
        bytes.append(reinterpret_cast<const char*>(values.data()), static_cast<qsizetype>(4 * values.size()));
        return write(name, bytes);
    }

    void folder(const QString& name, const Json& config, const Shapes& shapes)
    {
        QVERIFY(QDir().mkpath(path(name)));
        QVERIFY(write(name + "/config.json", QByteArray::fromStdString(config.dump())));
        if (!shapes.empty())
            QVERIFY(writeWeights(name + "/model.safetensors", shapes));
    }

    // The result of a run that changes nothing, null where it was refused.
    Json run(const QString& dir, const QStringList& more = {}, const QString& tokens = {}, int seq = 8)
    {
        const Json experiment = {{"kind", "memory"},
                                 {"device", "cpu"},
                                 {"model", {{"dir", dir.toStdString()}}},
                                 {"data",
                                  {{"source", "tokens"},
                                   {"path", (tokens.isEmpty() ? path("tokens.json") : tokens).toStdString()},
                                   {"batch", 2},
                                   {"seq", seq}}},
                                 {"training", {{"optimizer", "sgd"}, {"lr", 0}, {"steps", 1}, {"warmup_steps", 0}}}};
        write("experiment.json", QByteArray::fromStdString(experiment.dump()));
        m_said = say(QStringList{"run", path("experiment.json"), "--out", path("result.json")} + more);
        if (m_said.status != 0)
            return nullptr;
        const auto text = readTextFile(path("result.json").toStdString());
        return text ? Json::parse(*text, nullptr, false) : Json();
    }

    QTemporaryDir m_folder;
    Said m_said;
};

void TestModelFolders::wrappers()
{
    const Json plain = run(path("plain"));
    QVERIFY2(plain.is_object(), qPrintable(m_said.error));
    for (const char* prefix : {"_orig_mod.", "module.", "module._orig_mod.", "base_model.model.", "model."}) {
        folder(prefix, kConfig, behind(prefix, llama()));
        const Json wrapped = run(path(prefix));
        QVERIFY2(wrapped.is_object(), qPrintable(m_said.error));
        QCOMPARE(wrapped["loss"].dump(), plain["loss"].dump());
        QVERIFY2(wrapped["notes"].dump().find("wrapper") != std::string::npos, wrapped["notes"].dump().c_str());
        const Said inspected = say({"inspect", path(prefix)});
        QCOMPARE(inspected.status, 0);
        QVERIFY2(inspected.out.contains("wrapper"), qPrintable(inspected.out));
    }
}

void TestModelFolders::noHead()
{
    Shapes shapes = llama();
    shapes.erase("lm_head.weight");
    folder("no head", kConfig, shapes);
    QVERIFY(run(path("no head")).is_null());
    QCOMPARE(m_said.status, 2);
    QVERIFY2(m_said.error.contains("--set model.tied=true"), qPrintable(m_said.error));
    const Said inspected = say({"inspect", path("no head")});
    QCOMPARE(inspected.status, 2);
    QVERIFY2(inspected.error.contains("--set model.tied=true"), qPrintable(inspected.error));
    const Json tied = run(path("no head"), {"--set", "model.tied=true"});
    QVERIFY2(tied.is_object() && tied["loss"].is_number(), qPrintable(m_said.error));
    // What has a shape keeps it.
    QVERIFY(run(path("no head"), {"--set", "model.tied=true", "--set", "model.layers=2"}).is_null());
    QVERIFY2(m_said.error.contains("model.layers"), qPrintable(m_said.error));
}

void TestModelFolders::refusals_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const char* part) { QTest::newRow(name) << name << part; };
    Shapes first = llama(), second;
    second.insert(first.extract("model.norm.weight"));
    Json index = {{"weight_map", Json::object()}};
    for (const auto& [tensor, shape] : llama())
        index["weight_map"][tensor] = tensor == "model.norm.weight" ? "b.safetensors" : "a.safetensors";
    const QByteArray map = QByteArray::fromStdString(index.dump());
    folder("a missing shard", kConfig, {});
    QVERIFY(write("a missing shard/model.safetensors.index.json", map));
    QVERIFY(writeWeights("a missing shard/a.safetensors", first));
    row("a missing shard", "its shard \"b.safetensors\" is missing");
    folder("a shard without its tensor", kConfig, {});
    QVERIFY(write("a shard without its tensor/model.safetensors.index.json", map));
    QVERIFY(writeWeights("a shard without its tensor/a.safetensors", first));
    QVERIFY(writeWeights("a shard without its tensor/b.safetensors", {}));
    row("a shard without its tensor", "model.norm.weight [8] is missing: the index places it in shard b.safetensors");
    folder("no weights", kConfig, {});
    row("no weights", "no weights");
    Shapes more = llama();
    more["model.layers.0.self_attn.q_norm.weight"] = {4};
    folder("a tensor without a place", kConfig, more);
    row("a tensor without a place", "q_norm.weight does not belong to the model");
}

void TestModelFolders::refusals()
{
    QFETCH(QString, name);
    QFETCH(QString, part);
    QVERIFY(run(path(name)).is_null());
    QCOMPARE(m_said.status, 2);
    QVERIFY2(m_said.error.contains(part), qPrintable(m_said.error));
    const Said inspected = say({"inspect", path(name)});
    QCOMPARE(inspected.status, 2);
    QVERIFY2(inspected.error.contains(part), qPrintable(inspected.error));
    QVERIFY2(inspected.out.contains("1 layer of width 8"), qPrintable(inspected.out));
    const Said json = say({"inspect", path(name), "--json"});
    QCOMPARE(json.status, 2);
    const Json description = Json::parse(json.out.toStdString(), nullptr, false);
    QVERIFY2(QString::fromStdString(description["refused"]).contains(part), qPrintable(json.out));
}

// Before any update no learning rate is at fault.
void TestModelFolders::weightsThatAreNotFinite()
{
    folder("broken", kConfig, llama());
    QFile file(path("broken/model.safetensors"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    const float broken = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(file.seek(file.size() - 4)); // of the last tensor
    QCOMPARE(file.write(reinterpret_cast<const char*>(&broken), 4), 4);
    file.close();
    QVERIFY(run(path("broken")).is_null());
    QVERIFY2(m_said.error.contains("the loss is not a number at step 0, before any update: the weight "
                                   "model.norm.weight holds values that are not finite"),
             qPrintable(m_said.error));
}

void TestModelFolders::aStaleIndexThatDoesNoHarm()
{
    Json index = {{"weight_map", Json::object()}};
    for (const auto& [tensor, shape] : llama())
        index["weight_map"][tensor] = "a.safetensors";
    index["weight_map"]["model.layers.0.self_attn.rotary_emb.inv_freq"] = "a.safetensors";
    folder("stale", kConfig, {});
    QVERIFY(writeWeights("stale/a.safetensors", llama()));
    QVERIFY(write("stale/model.safetensors.index.json", QByteArray::fromStdString(index.dump())));
    QVERIFY2(run(path("stale")).is_object(), qPrintable(m_said.error));
    const Said inspected = say({"inspect", path("stale")});
    QCOMPARE(inspected.status, 0);
    QVERIFY2(inspected.out.contains("inv_freq (shard a.safetensors)"), qPrintable(inspected.out));
}

void TestModelFolders::inputs_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("format"); // empty: refused
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const char* bytes, const char* format, const char* part) {
        QTest::newRow(name) << name << QByteArray(bytes) << format << part;
    };
    row("rows.json", "[[1,2,3],[4,5,6]]", "token-rows", "2 rows of 3 token ids");
    row("ragged.json", "[[1,2,3],[4,5]]", "token-rows", "2 rows of 2 to 3 token ids");
    row("four.json", "[[17,5,30,9],[3,4000,2,1]]", "token-rows", "the highest id is 4000");
    row("timeline.raw.json", "[[-1,1,100,5],[10,2,50,2],[20,4,-50,2]]", "memory-timeline-raw", "timeline");
    row("timeline_from_0.json", "[[0,1,100,5],[10,2,50,2]]", "memory-timeline-raw", "timeline");
    row("flat.json", "[5,6,7]", "token-rows", "1 row of 3 token ids");
    row("vocab.json", R"({"a":0,"b":1,"ab":2})", "token-vocabulary", "3 tokens");
    row("anything.json",
        R"({"version":"1.0","added_tokens":[{"id":2,"content":"<s>"}],)"
        R"("model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[]}})",
        "huggingface-tokenizer", "BPE, 2 entries, 1 added tokens");
    row("merges.txt", "#version: 0.2\na b\n", "token-merges", "2 lines");
    row("model.safetensors.index.json", R"({"weight_map":{"a":"x.safetensors","b":"x.safetensors"}})", "weight-index",
        "its shard x.safetensors is missing");
    row("negative.json", "[[1,-2],[3,4]]", "", "negative.json: ");
    row("words.json", R"(["a","b"])", "", "not a result, a trace or a snapshot; it is JSON");
    row("tokens.npy", "\x93NUMPY", "", "NumPy");
}

void TestModelFolders::inputs()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    QFETCH(QString, format);
    QFETCH(QString, part);
    QVERIFY(QDir().mkpath(path("inputs")));
    QVERIFY(write("inputs/" + name, bytes));
    const Said inspected = say({"inspect", path("inputs/" + name), "--json"});
    QCOMPARE(inspected.status, format.isEmpty() ? 2 : 0);
    const QString said = inspected.out + inspected.error;
    QVERIFY2(said.contains(part), qPrintable(said));
    if (!format.isEmpty())
        QCOMPARE(QString::fromStdString(Json::parse(inspected.out.toStdString(), nullptr, false)["format"]), format);
}

void TestModelFolders::sharedFolders()
{
    const QString shared = QStringLiteral(PEAKSCOPE_SHARED_DIR "/public/");
    if (!QDir(shared + "folders").exists())
        QSKIP("../shared/public is not there");
    const auto loss = [&](const QString& name, const QStringList& more = {}) {
        const Json result = run(shared + "folders/" + name, more, shared + "tokens.json", 64);
        return result.is_object() ? QString::fromStdString(result["loss"].dump()) : "refused: " + m_said.error;
    };
    const QString plain = loss("plain");
    for (const char* name : {"orig_mod", "ddp_module", "compiled_ddp", "peft_merged"})
        QCOMPARE(loss(name), plain);
    QCOMPARE(loss("gpt2_2019"), loss("gpt2_zip"));
    QVERIFY(!loss("tied_head_f32_table_bf16").startsWith("refused"));
    QVERIFY(!loss("untied_no_head", {"--set", "model.tied=true"}).startsWith("refused"));
    for (const char* name : {"missing_shard", "stale_index"}) {
        const Said inspected = say({"inspect", shared + "folders/" + name});
        QCOMPARE(inspected.status, 2);
        QVERIFY2(inspected.error.contains("shard"), qPrintable(inspected.error));
        QVERIFY(loss(name).contains("shard"));
    }
    QVERIFY(say({"inspect", shared + "tokens.json"}).out.contains("token ids"));
}

PEAKSCOPE_GUILESS_TEST(TestModelFolders)
#include "test_model_folders.moc"
