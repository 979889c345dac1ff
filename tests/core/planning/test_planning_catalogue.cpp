// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogues: exact parameter counts, device sizes, broken files, and the search in Hugging Face's cache.
#include "core/experiment/experiment.h"
#include "core/model/model_names.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <set>

using namespace peakscope;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

} // namespace

class TestPlanningCatalogue : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void counts_data();
    void counts();
    void everyModel();
    void namesOfTheHub();
    void variants_data();
    void variants();
    void noVariants_data();
    void noVariants();
    void cachedNames();
    void unknownModel();
    void aliases();
    void devices();
    void deviceRates_data();
    void deviceRates();
    void unknownDevice();
    void brokenFiles_data();
    void brokenFiles();
    void cacheFolders();
    void cache();
    void madeUpNumbersNeedNoWeights();
};

void TestPlanningCatalogue::init()
{
    qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources");
}

void TestPlanningCatalogue::cleanup()
{
    for (const char* name : {"PEAKSCOPE_RESOURCES", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME"}) {
        qunsetenv(name);
    }
}

void TestPlanningCatalogue::counts_data()
{
    QTest::addColumn<std::int64_t>("parameters");
    const std::vector<std::pair<const char*, std::int64_t>> known{
        {"opt-125m", 125239296},          {"opt-350m", 331196416},          {"opt-1.3b", 1315758080},
        {"opt-2.7b", 2651596800},         {"opt-6.7b", 6658473984},         {"opt-13b", 12853473280},
        {"opt-30b", 29974540288},         {"opt-66b", 65719701504},         {"gpt2", 124439808},
        {"gpt2-medium", 354823168},       {"gpt2-large", 774030080},        {"gpt2-xl", 1557611200},
        {"llama-2-7b", 6738415616},       {"llama-2-13b", 13015864320},     {"llama-2-70b", 68976648192},
        {"llama-3.1-8b", 8030261248},     {"llama-3.1-70b", 70553706496},   {"llama-3.2-1b", 1235814400},
        {"pythia-70m", 70426624},         {"pythia-160m", 162322944},       {"pythia-410m", 405334016},
        {"pythia-1b", 1011781632},        {"pythia-1.4b", 1414647808},      {"pythia-2.8b", 2775208960},
        {"pythia-6.9b", 6857302016},      {"pythia-12b", 11846072320},      {"gpt-neox-20b", 20554567680},
        {"tinyllama-1.1b", 1100048384},   {"mistral-7b-v0.1", 7241732096},  {"mistral-7b-v0.3", 7248023552},
        {"qwen2.5-0.5b", 494032768},      {"qwen2.5-1.5b", 1543714304},     {"qwen2.5-3b", 3085938688},
        {"qwen2.5-7b", 7615616512},       {"qwen2.5-14b", 14770033664},     {"qwen2.5-32b", 32763876352},
        {"qwen2.5-72b", 72706203648},     {"plain-seed", 1171628032},       {"qwen3-0.6b", 596049920},
        {"qwen3-4b", 4022468096},         {"qwen3-32b", 32762123264},       {"gpt-neo-125m", 125198592},
        {"gpt-neo-2.7b", 2651307520},     {"gemma-3-1b", 999885952},        {"llama-3.3-70b", 70553706496},
        {"smollm2-135m", 134515008},      {"smollm2-360m", 361821120},      {"smollm2-1.7b", 1711376384},
        {"smollm3-3b", 3075098624},       {"olmo-2-0425-1b", 1484916736},   {"olmo-2-1124-7b", 7298617344},
        {"olmo-2-1124-13b", 13716198400}, {"olmo-2-0325-32b", 32234279936}, {"phi-3-mini-4k", 3821079552},
        {"phi-3-medium-4k", 13960238080}, {"phi-4", 14659507200},           {"gemma-2b", 2506172416},
        {"gemma-7b", 8537680896},         {"gemma-2-2b", 2614341888},       {"gemma-2-9b", 9241705984},
        {"gemma-2-27b", 27227128320},     {"gemma-3-270m", 268098176},      {"gemma-3-4b", 3880263168},
        {"gemma-3-12b", 11766034176},     {"gemma-3-27b", 27009346304}};
    for (const auto& [id, parameters] : known) {
        QTest::newRow(id) << parameters;
    }
    // Every expert counts, chosen or not.
    QTest::newRow("mixtral-8x7b-v0.1") << std::int64_t{46702792704};
    QTest::newRow("mixtral-8x22b-instruct-v0.1") << std::int64_t{140630071296};
    QTest::newRow("qwen3-30b-a3b") << std::int64_t{30532122624};
    QTest::newRow("qwen3-235b-a22b") << std::int64_t{235093634560};
    QTest::newRow("gpt-oss-20b") << std::int64_t{20914757184};
    QTest::newRow("gpt-oss-120b") << std::int64_t{116829156672};
}

void TestPlanningCatalogue::counts()
{
    QFETCH(std::int64_t, parameters);
    const auto model = findModel(QTest::currentDataTag());
    QVERIFY2(model.ok(), model ? "" : model.error().text().c_str());
    QCOMPARE(model->parameters, parameters);
    QCOMPARE(parameterCount(model->config), parameters);
}

void TestPlanningCatalogue::everyModel()
{
    const auto models = loadModelCatalogue();
    QVERIFY2(models.ok(), models ? "" : models.error().text().c_str());
    std::set<std::string> ids;
    for (const CatalogueModel& model : *models) {
        QVERIFY2(ids.insert(model.id).second, model.id.c_str());
        QVERIFY2(!model.title.empty() && !model.source.empty(), model.id.c_str());
        QCOMPARE(model.id, QString::fromStdString(model.id).toLower().toStdString());
        QVERIFY(checkShape(model.config, model.id).ok());
    }
    QVERIFY(ids.size() >= 30);
}

void TestPlanningCatalogue::namesOfTheHub()
{
    QCOMPARE(findModel("facebook/opt-125m")->id, std::string("opt-125m"));
    QCOMPARE(findModel("Llama-2-7b-hf")->id, std::string("llama-2-7b"));
    QCOMPARE(findModel("meta-llama/Meta-Llama-3.1-8B")->id, std::string("llama-3.1-8b"));
    QCOMPARE(findModel("GPT2")->id, std::string("gpt2"));
}

void TestPlanningCatalogue::variants_data()
{
    QTest::addColumn<QString>("entry");
    QTest::addColumn<QString>("hub");
    const auto row = [](const char* name, const char* entry, const char* hub = nullptr) {
        QTest::newRow(name) << QString::fromLatin1(entry) << QString::fromLatin1(hub ? hub : name);
    };
    row("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b");
    row("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b");
    row("llama-3.1-8b-instruct", "llama-3.1-8b", "meta-llama/llama-3.1-8b-instruct");
    row("meta-llama/Llama-2-7b-chat-hf", "llama-2-7b");
    row("meta-llama/Llama-2-13b-chat", "llama-2-13b");
    row("TinyLlama/TinyLlama-1.1B-Chat-v0.6", "tinyllama-1.1b");
    row("unsloth/Llama-3.2-1B", "llama-3.2-1b");
    row("mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3");
    row("Qwen/Qwen3-4B-Base", "qwen3-4b");
    row("google/gemma-2-9b-it", "gemma-2-9b");
    row("unsloth/gemma-3-27b-it", "gemma-3-27b");
    row("allenai/OLMo-2-1124-13B-Instruct", "olmo-2-1124-13b");
    row("HuggingFaceTB/SmolLM2-360M-Instruct", "smollm2-360m");
    row("HuggingFaceTB/SmolLM3-3B-Base", "smollm3-3b");
    row("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b-v0.1");
    row("Qwen/Qwen3-30B-A3B-Base", "qwen3-30b-a3b");
    row("EleutherAI/pythia-160m-deduped", "pythia-160m");
}

// Tuned weights have the architecture of what they were made of, and are not its weights.
void TestPlanningCatalogue::variants()
{
    QFETCH(QString, entry);
    QFETCH(QString, hub);
    const std::string name = QTest::currentDataTag();
    QVERIFY(!findModel(name).ok());
    const auto named = resolveModelName(name);
    QVERIFY2(named.ok() && named->model, named ? "" : named.error().text().c_str());
    QCOMPARE(QString::fromStdString(named->model->id), entry);
    QCOMPARE(QString::fromStdString(named->hub), hub);
    QCOMPARE(named->note, name + ": the architecture of " + entry.toStdString());
    QCOMPARE(architectureNote(name, ""), named->note);
    QCOMPARE(architectureNote(name, "/its/own/folder"), std::string());
    QCOMPARE(architectureNote(entry.toStdString(), ""), std::string());
}

void TestPlanningCatalogue::noVariants_data()
{
    QTest::addColumn<QString>("part");
    QTest::newRow("TheBloke/Llama-2-7B-Chat-AWQ") << "names quantised weights (awq)";
    QTest::newRow("Llama-3.1-8B-Instruct-Q4_K_M.gguf") << "names quantised weights (";
    // Other positions, other windows: no entry has these architectures.
    QTest::newRow("Qwen/Qwen3-4B-Instruct-2507") << "near: qwen3-";
    QTest::newRow("mistralai/Mistral-7B-Instruct-v0.2") << "mistral-7b-v0.1";
    QTest::newRow("microsoft/Phi-4-mini-instruct") << "near: phi-3-mini-4k";
    QTest::newRow("mistralai/Mixtral-8x22B-v0.1") << "mixtral-8x22b-instruct-v0.1";
    QTest::newRow("someone/opt-125m-finetuned") << "`hf download someone/opt-125m-finetuned` would download it";
    QTest::newRow("/a/folder/instruct") << "is not in the model catalogue";
    QTest::newRow("") << "is not in the model catalogue";
}

void TestPlanningCatalogue::noVariants()
{
    QFETCH(QString, part);
    QTemporaryDir none;
    qputenv("HF_HUB_CACHE", none.path().toUtf8());
    const auto named = resolveModelName(QTest::currentDataTag());
    QVERIFY(!named.ok());
    QCOMPARE(named.error().code, ErrorCode::BadInput);
    QVERIFY2(named.error().text().find(part.toStdString()) != std::string::npos, named.error().text().c_str());
}

// What this machine has under exactly that name counts before an entry that is only alike; an entry's name before both.
void TestPlanningCatalogue::cachedNames()
{
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    qputenv("HF_HUB_CACHE", folder.path().toUtf8());
    for (const char* name : {"models--Qwen--Qwen3-4B-Base", "models--facebook--opt-125m"})
        write(root / name / "snapshots" / "a" / "config.json", "{}");
    const auto variant = resolveModelName("Qwen/Qwen3-4B-Base");
    QVERIFY(variant.ok());
    QCOMPARE(variant->folder, root / "models--Qwen--Qwen3-4B-Base" / "snapshots" / "a");
    QVERIFY(!variant->model && variant->note.empty());
    const auto entry = resolveModelName("facebook/opt-125m");
    QVERIFY(entry.ok() && entry->model && entry->folder.empty());
}

void TestPlanningCatalogue::unknownModel()
{
    const auto near = findModel("opt-125");
    QVERIFY(!near.ok());
    QCOMPARE(near.error().code, ErrorCode::BadInput);
    QCOMPARE(near.error().text(),
             std::string("\"opt-125\" is not in the model catalogue (near: opt-125m, opt-350m, opt-1.3b, opt-2.7b or "
                         "opt-6.7b)"));
    const auto far = findModel("no-such-model");
    QVERIFY(far.error().text().find("known: opt-125m") != std::string::npos);
}

void TestPlanningCatalogue::aliases()
{
    QCOMPARE(findModel("plain")->id, std::string("plain-seed"));
    QCOMPARE(findModel("Mistral-7B")->id, std::string("mistral-7b-v0.1"));
    QCOMPARE(findModel("gpt2-small")->parameters, std::int64_t{124439808});
    QCOMPARE(findDevice("b200-180gb")->id, std::string("b200"));
    QCOMPARE(findDevice("A6000")->id, std::string("rtx-a6000"));
    const auto models = loadModelCatalogue();
    const auto devices = loadDeviceCatalogue();
    std::set<std::string> names; // an alias that is another entry's id would never be found
    for (const CatalogueModel& model : *models) {
        QVERIFY2(names.insert(model.id).second, model.id.c_str());
        for (const std::string& alias : model.aliases) {
            QVERIFY2(names.insert(alias).second, alias.c_str());
        }
    }
    for (const CatalogueDevice& device : *devices) {
        QVERIFY2(names.insert(device.id).second, device.id.c_str());
        for (const std::string& alias : device.aliases) {
            QVERIFY2(names.insert(alias).second, alias.c_str());
        }
    }
}

void TestPlanningCatalogue::devices()
{
    const auto devices = loadDeviceCatalogue();
    QVERIFY2(devices.ok(), devices ? "" : devices.error().text().c_str());
    for (const CatalogueDevice& device : *devices) {
        QVERIFY2(device.usableBytes > device.totalBytes / 10 * 9, device.id.c_str());
        QCOMPARE(device.usableBytes + device.reservedBytes, device.totalBytes);
        QVERIFY2(device.bandwidthBytesPerSecond > 1e11 && device.float32Flops > 1e12, device.id.c_str());
        QVERIFY2(device.float16Flops >= device.bfloat16Flops, device.id.c_str());
        QVERIFY2(!device.source.empty(), device.id.c_str());
        // A CUDA context is some hundred MiB (116 were measured on 24 multiprocessors); tensor cores never do float32
        // slower than the plain units. The smallest card does 12.7 TFLOPS in float32, and a 64th of that in float64.
        QVERIFY2(device.contextBytes >= 100 << 20 && device.contextBytes <= 1 << 30, device.id.c_str());
        QVERIFY2(device.float64Flops > 1.9e11 && device.float64Flops <= device.float32Flops, device.id.c_str());
        QVERIFY2(device.tf32Flops == 0 || device.tf32Flops >= device.float32Flops, device.id.c_str());
        QVERIFY2((device.tf32Flops == 0) == (device.bfloat16Flops == 0), device.id.c_str());
    }
    QCOMPARE(findDevice("A100-80GB")->totalBytes, std::int64_t{80} << 30);
}

void TestPlanningCatalogue::deviceRates_data()
{
    QTest::addColumn<double>("gibibytes");
    QTest::addColumn<double>("bandwidth");
    QTest::addColumn<double>("float64");
    QTest::addColumn<double>("float32");
    QTest::addColumn<double>("tf32");
    QTest::addColumn<double>("bfloat16");
    QTest::addColumn<double>("float16");
    // Bandwidth in GB/s, rates in TFLOP/s, of the makers' data sheets.
    QTest::newRow("a800-80gb") << 80.0 << 2039.0 << 9.7 << 19.5 << 156.0 << 312.0 << 312.0;
    QTest::newRow("a100-40gb") << 40.0 << 1555.0 << 9.7 << 19.5 << 156.0 << 312.0 << 312.0;
    QTest::newRow("a100-80gb") << 80.0 << 2039.0 << 9.7 << 19.5 << 156.0 << 312.0 << 312.0;
    QTest::newRow("h100-80gb") << 80.0 << 3350.0 << 33.5 << 67.0 << 494.7 << 989.4 << 989.4;
    QTest::newRow("h200-141gb") << 141.0 << 4800.0 << 33.5 << 67.0 << 494.7 << 989.4 << 989.4;
    QTest::newRow("b200") << 180.0 << 8000.0 << 37.0 << 75.0 << 1125.0 << 2250.0 << 2250.0;
    QTest::newRow("l40s") << 48.0 << 864.0 << 1.431 << 91.6 << 183.2 << 362.05 << 362.05;
    QTest::newRow("l4") << 24.0 << 300.0 << 0.473 << 30.3 << 60.5 << 121.0 << 121.0;
    QTest::newRow("t4") << 16.0 << 320.0 << 0.253 << 8.1 << 0.0 << 0.0 << 65.0;
    QTest::newRow("v100-16gb") << 16.0 << 900.0 << 7.8 << 15.7 << 0.0 << 0.0 << 125.0;
    QTest::newRow("v100-32gb") << 32.0 << 900.0 << 7.8 << 15.7 << 0.0 << 0.0 << 125.0;
    QTest::newRow("a10") << 24.0 << 600.0 << 0.976 << 31.2 << 62.5 << 125.0 << 125.0;
    QTest::newRow("rtx-3060") << 12.0 << 360.0 << 0.199 << 12.74 << 12.74 << 25.48 << 25.48;
    QTest::newRow("rtx-4060") << 8.0 << 272.0 << 0.236 << 15.11 << 15.11 << 30.22 << 30.22;
    QTest::newRow("rtx-3090") << 24.0 << 936.0 << 0.556 << 35.6 << 35.6 << 71.0 << 71.0;
    QTest::newRow("rtx-4090") << 24.0 << 1008.0 << 1.29 << 82.6 << 82.6 << 165.2 << 165.2;
    QTest::newRow("rtx-5090") << 32.0 << 1792.0 << 1.637 << 104.8 << 104.8 << 209.5 << 209.5;
    QTest::newRow("rtx-a6000") << 48.0 << 768.0 << 0.605 << 38.7 << 77.4 << 154.8 << 154.8;
    QTest::newRow("rtx-6000-ada") << 48.0 << 960.0 << 1.423 << 91.1 << 182.1 << 364.2 << 364.2;
}

void TestPlanningCatalogue::deviceRates()
{
    QFETCH(double, gibibytes);
    QFETCH(double, bandwidth);
    QFETCH(double, float64);
    QFETCH(double, float32);
    QFETCH(double, tf32);
    QFETCH(double, bfloat16);
    QFETCH(double, float16);
    const auto device = findDevice(QTest::currentDataTag());
    QVERIFY2(device.ok(), device ? "" : device.error().text().c_str());
    QCOMPARE(device->totalBytes, static_cast<std::int64_t>(gibibytes) << 30);
    QCOMPARE(device->bandwidthBytesPerSecond, bandwidth * 1e9);
    QCOMPARE(device->float64Flops, float64 * 1e12);
    QCOMPARE(device->float32Flops, float32 * 1e12);
    QCOMPARE(device->tf32Flops, tf32 * 1e12);
    QCOMPARE(device->bfloat16Flops, bfloat16 * 1e12);
    QCOMPARE(device->float16Flops, float16 * 1e12);
}

void TestPlanningCatalogue::unknownDevice()
{
    const auto device = findDevice("a100-60gb");
    QCOMPARE(device.error().text(),
             std::string("\"a100-60gb\" is not in the device catalogue (near: a100-40gb or a100-80gb)"));
}

void TestPlanningCatalogue::brokenFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("ending");
    const char* head = R"({"format": "peakscope-models", "version": 1, "models": )";
    QTest::newRow("not JSON") << QByteArray("{\"format\": }") << QString();
    QTest::newRow("other format") << QByteArray(R"({"format": "x", "version": 1})")
                                  << "models.json: not a catalogue of format peakscope-models and version 1";
    QTest::newRow("other version") << QByteArray(R"({"format": "peakscope-models", "version": 2, "models": []})")
                                   << "models.json: not a catalogue of format peakscope-models and version 1";
    QTest::newRow("no list") << QByteArray(R"({"format": "peakscope-models", "version": 1})")
                             << "models.json: models is missing (a list)";
    QTest::newRow("no id") << QByteArray(head) + R"([{"config": {}}]})"
                           << "models.json: models.0: id is missing (a name in lower case)";
    QTest::newRow("unknown key") << QByteArray(head) + R"([{"id": "x", "confg": {}}]})"
                                 << "models.json: models.0: confg is not a known key; did you mean config?";
    QTest::newRow("broken configuration")
        << QByteArray(head) + R"([{"id": "x", "config": {"model_type": "opt", "hidden_size": 8}}]})"
        << "models.json: models.0 (x).config: num_hidden_layers is missing (a positive integer)";
    QTest::newRow("twice")
        << QByteArray(head) + R"([{"id": "x", "config": {"family": "opt"}}, {"id": "x", "config": {"family": "opt"}}]})"
        << "models.json: models.1: id: x appears twice";
}

void TestPlanningCatalogue::brokenFiles()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, ending);
    QTemporaryDir folder;
    qputenv("PEAKSCOPE_RESOURCES", folder.path().toUtf8());
    write(fs::path(folder.path().toStdString()) / "catalogues" / "models.json", text.toStdString());
    const auto models = loadModelCatalogue();
    QVERIFY(!models.ok());
    const QString message = QString::fromStdString(models.error().text());
    QVERIFY2(message.endsWith(ending) && !message.contains('\n'), qPrintable(message));
    QVERIFY2(message.startsWith(folder.path()), qPrintable(message));
    QVERIFY(!loadDeviceCatalogue().ok()); // the file is missing
}

void TestPlanningCatalogue::cacheFolders()
{
    qputenv("HF_HOME", "/elsewhere");
    QCOMPARE(huggingFaceCacheFolder(), fs::path("/elsewhere/hub"));
    qputenv("HF_HUB_CACHE", "/direct");
    QCOMPARE(huggingFaceCacheFolder(), fs::path("/direct"));
}

void TestPlanningCatalogue::cache()
{
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    qputenv("HF_HUB_CACHE", folder.path().toUtf8());
    const auto missing = findInHuggingFaceCache("owner/small");
    QVERIFY(!missing.ok());
    QCOMPARE(missing.error().text(), "owner/small is not in " + (root / "models--owner--small").string() +
                                         "; `hf download owner/small` would download it");
    QVERIFY(!findInHuggingFaceCache("../../etc/x").ok());

    const fs::path snapshots = root / "models--owner--small" / "snapshots";
    fs::create_directories(snapshots / "empty");
    QVERIFY(!findInHuggingFaceCache("owner/small").ok());
    write(snapshots / "aaa" / "config.json", "{}");
    write(snapshots / "bbb" / "config.json", "{}");
    const auto hour = std::chrono::hours(1);
    fs::last_write_time(snapshots / "bbb", fs::last_write_time(snapshots / "aaa") + hour);
    QCOMPARE(*findInHuggingFaceCache("owner/small"), snapshots / "bbb");
    write(root / "models--owner--small" / "refs" / "main", "aaa");
    QCOMPARE(*findInHuggingFaceCache("owner/small"), snapshots / "aaa");
}

void TestPlanningCatalogue::madeUpNumbersNeedNoWeights()
{
    QTemporaryDir none;
    qputenv("HF_HUB_CACHE", none.path().toUtf8());
    nlohmann::json document = {{"kind", "prm"}, {"model", {{"id", "opt-125m"}}}, {"prm", {{"synthetic", true}}}};
    const auto made = experimentFromJson(document);
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().text().c_str());
    QVERIFY(made->prm->synthetic && made->model.dir.empty());
    QCOMPARE(made->model.config.hidden, 768);
    QVERIFY(experimentFromJson(made->document).ok());
    document["prm"]["synthetic"] = false;
    QVERIFY(!experimentFromJson(document).ok());
    document["prm"]["synthetic"] = true;
    document["kind"] = "memory"; // the block of another kind
    QVERIFY(!experimentFromJson(document).ok());
}

PEAKSCOPE_APPLESS_TEST(TestPlanningCatalogue)
#include "test_planning_catalogue.moc"
