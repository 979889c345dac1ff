// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of an experiment's keys: documents hold these keys and no others, every row has its words, the page of
// docs/ is made from them, and what is told of a key is what the reader does.
#include "core/experiment/key_help.h"
#include "core/experiment/schema.h"
#include "core/model/family.h"
#include "tests/test_room.h"

#include <QTest>

#include <fstream>
#include <set>
#include <sstream>

using nlohmann::json;
using namespace peakscope;

class TestExperimentSchema : public QObject
{
    Q_OBJECT

private slots:
    void documentsHoldTheseKeys();
    void shapesHoldTheseKeys();
    void someKeysAreWritten();
    void everyRowIsWhole();
    void defaultsAreRead();
    void rangesAreKept();
    void helpOfAKey();
    void thePageOfTheKeys();
};

namespace {

json wholeDocument()
{
    return {{"kind", "memory"},
            {"model", {{"family", "opt"}}},
            {"ranks", 2},
            {"traced", false},
            {"training",
             {{"clipping", "flash"},
              {"norm_precision", "tf32"},
              {"implementation", "loop"},
              {"lora", {{"dtype", "float32"}}}}},
            {"curvature", json::object()},
            {"prm", json::object()}};
}

// The dotted paths of what is no object.
void collect(const json& value, const std::string& path, std::set<std::string>& paths)
{
    if (!value.is_object()) {
        paths.insert(path);
        return;
    }
    for (const auto& [key, inner] : value.items())
        collect(inner, path.empty() ? key : path + "." + key, paths);
}

json::json_pointer place(std::string_view path)
{
    std::string text = "/" + std::string(path);
    std::replace(text.begin(), text.end(), '.', '/');
    return json::json_pointer(text);
}

json refusedAt(const ExperimentKey& key, const json& value)
{
    json document = wholeDocument();
    document[place(key.path)] = value;
    json keys = json::array();
    for (const auto& [path, sentence] : experimentProblems(document))
        keys.push_back(path);
    return keys;
}

bool isCounted(const ExperimentKey& key)
{
    const KeyType type = typeOf(key);
    return !key.isOfModel() && key.path != "seed" && (type == KeyType::Integer || type == KeyType::Number);
}

} // namespace

void TestExperimentSchema::documentsHoldTheseKeys()
{
    const auto experiment = experimentFromJson(wholeDocument());
    QVERIFY2(experiment.ok(), experiment ? "" : experiment.error().text().c_str());
    std::set<std::string> written, rows;
    collect(experiment->document, "", written);
    std::erase_if(written, [](const std::string& path) { return path.starts_with("model."); });
    for (const ExperimentKey& key : experimentKeys()) {
        if (!key.isOfModel())
            rows.emplace(key.path);
    }
    // Of 16-bit weights, which exclude norms in TF32, and one of the two.
    for (const auto& [path, value] :
         {std::pair{"training.rounding", json("kahan")}, {"training.masters", json(true)}}) {
        json narrow{{"kind", "memory"}, {"model", {{"family", "opt"}}}, {"dtype", "bfloat16"}};
        narrow[place(path)] = value;
        const auto read = experimentFromJson(narrow);
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        QCOMPARE(read->document[place(path)], value);
        written.insert(path);
    }
    for (const auto& [key, value] : {std::pair{"param_dtype", json("float32")},
                                     {"reduce_dtype", json("bfloat16")},
                                     {"reshard_after_forward", json(false)},
                                     {"prefetch", json(false)}}) {
        const json training{{"sharding", "fsdp"}, {"fsdp", {{key, value}}}};
        const auto read =
            experimentFromJson({{"kind", "memory"}, {"model", {{"family", "opt"}}}, {"training", training}});
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        QCOMPARE(read->document["training"]["fsdp"], training["fsdp"]);
        written.insert(std::string("training.fsdp.") + key);
    }
    const auto mixture =
        experimentFromJson({{"kind", "memory"}, {"model", {{"family", "mixtral"}}}, {"data", {{"routing", "skewed"}}}});
    QVERIFY2(mixture.ok(), mixture ? "" : mixture.error().text().c_str());
    QCOMPARE(mixture->document["data"]["routing"], json("skewed"));
    written.insert("data.routing");
    QVERIFY(written == rows);
    QVERIFY(experimentDocument(*experiment) == experiment->document);
}

// The keys of every family, and of every way to stretch rotary positions.
void TestExperimentSchema::shapesHoldTheseKeys()
{
    std::set<std::string> written{"model.id", "model.dir"}, rows;
    for (const std::string& family : familyNames()) {
        ModelConfig config = familyDefaults(family);
        config.quantization = Quantization::Nf4;
        if (config.experts > 0) {
            config.expertFfn = 8;
            config.routerLoss = 0.1;
            config.denseLayers = {true, false};
        }
        for (int kind = 0; kind <= int(RopeScaling::Kind::LongRope); ++kind) {
            config.ropeScaling.kind = static_cast<RopeScaling::Kind>(kind);
            collect(toJson(config), "model", written);
        }
    }
    for (const ExperimentKey& key : experimentKeys()) {
        if (key.isOfModel())
            rows.emplace(key.path);
    }
    QVERIFY(written == rows);
    QCOMPARE(wordsOf(*findExperimentKey("model.rope_scaling.type")).back(), std::string("longrope"));
    QCOMPARE(wordsOf(*findExperimentKey("model.activation")).size(), std::size_t(4));
}

void TestExperimentSchema::someKeysAreWritten()
{
    Experiment experiment;
    experiment.ranks = 2;
    experiment.data.seq = 9;
    json document{{"training", {{"lr", 1}}}};
    writeKeys(document, experiment, {"ranks", "data.seq", "training.lora.rank"});
    QCOMPARE(document.dump(), std::string(R"({"data":{"seq":9},"ranks":2,"training":{"lora":{"rank":0},"lr":1}})"));
    experiment.ranks = 0;
    writeKeys(document, experiment, {"ranks"});
    QVERIFY(!document.contains("ranks"));
    QVERIFY(experimentKind({{"kind", "prm"}}) == ExperimentKind::Prm);
    for (const json& other : {json(), json("prm"), json{{"kind", 1}}, json{{"kind", "lunch"}}})
        QVERIFY(!experimentKind(other));
}

void TestExperimentSchema::everyRowIsWhole()
{
    std::set<std::string_view> paths;
    for (const ExperimentKey& key : experimentKeys()) {
        const std::string path(key.path);
        QVERIFY2(paths.insert(key.path).second, path.c_str());
        const std::string_view words = key.words;
        QVERIFY2(*key.title != '\0' && words.ends_with('.'), path.c_str());
        QVERIFY2((key.kinds & ~unsigned(kEveryKind)) == 0 && key.kinds != 0, path.c_str());
        QVERIFY2(!typeText(key).empty(), path.c_str());
        QCOMPARE(findExperimentKey(key.path), &key);
    }
    QVERIFY(findExperimentKey("training") == nullptr);
}

// What a row calls its default is what an experiment without the key has.
void TestExperimentSchema::defaultsAreRead()
{
    json document{{"kind", "memory"}, {"model", {{"family", "opt"}}}};
    document["curvature"] = document["prm"] = json::object();
    const auto experiment = experimentFromJson(document);
    QVERIFY(experiment.ok());
    for (const ExperimentKey& key : experimentKeys()) {
        if (key.isOfModel() || *key.more.fallback != '\0')
            continue;
        QVERIFY2(keyValue(key, *experiment) == keyValue(key, defaultExperiment()), std::string(key.path).c_str());
    }
}

void TestExperimentSchema::rangesAreKept()
{
    for (const ExperimentKey& key : experimentKeys()) {
        if (!isCounted(key))
            continue;
        const std::string path(key.path);
        const auto [least, most] = key.more.range;
        const bool whole = typeOf(key) == KeyType::Integer;
        const auto number = [whole](double value) { return whole ? json(std::int64_t(value)) : json(value); };
        const json below = refusedAt(key, number(least - 1));
        QVERIFY2(std::find(below.begin(), below.end(), path) != below.end(), path.c_str());
        if (most == kMostNumber)
            continue;
        const json above = refusedAt(key, number(2 * most + 1));
        QVERIFY2(std::find(above.begin(), above.end(), path) != above.end(), path.c_str());
    }
}

void TestExperimentSchema::helpOfAKey()
{
    const auto batch = keyHelp("data.batch");
    QVERIFY(batch.ok());
    for (const char* part : {"data.batch: Batch\n", "Rows of one training step.", "an integer, 1 … 16777216, in rows",
                             "default  4\n", "read by  memory, curvature and prm\n"})
        QVERIFY2(batch->find(part) != std::string::npos, part);
    QVERIFY(keyHelp("training.loss_head")->find("one of auto, naive and chunked") != std::string::npos);
    QVERIFY(keyHelp("training.lora")->find("training.lora.targets") != std::string::npos);
    QCOMPARE(keyHelp("training.lrr").error().text(),
             std::string("training.lrr: no key of an experiment; did you mean training.lr?"));
}

// `peakscope-cli help --markdown > docs/experiment.md` makes it anew.
void TestExperimentSchema::thePageOfTheKeys()
{
    std::ifstream file(PEAKSCOPE_SOURCE_DIR "/docs/experiment.md");
    std::stringstream page;
    page << file.rdbuf();
    QCOMPARE(QString::fromStdString(page.str()), QString::fromStdString(keyPage()));
}

PEAKSCOPE_GUILESS_TEST(TestExperimentSchema)
#include "test_experiment_schema.moc"
