// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments: defaults of the contract, every refusal with its message, assignments, and documents that read back.
#include "core/experiment/experiment.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <filesystem>
#include <fstream>

using nlohmann::json;
using namespace peakscope;
namespace fs = std::filesystem;

namespace {

json smallExperiment()
{
    return {{"kind", "memory"}, {"model", {{"family", "opt"}, {"hidden", 64}, {"layers", 2}}}};
}

QString messageOf(const json& document)
{
    const auto experiment = experimentFromJson(document);
    return experiment ? QString() : QString::fromStdString(experiment.error().text());
}

const char* kConfig = R"({"model_type": "opt", "hidden_size": 24, "ffn_dim": 40, "num_hidden_layers": 2,
    "num_attention_heads": 4, "vocab_size": 300, "max_position_embeddings": 17})";

fs::path writeCheckpoint(const fs::path& folder)
{
    fs::create_directories(folder);
    std::ofstream(folder / "config.json") << kConfig;
    return folder;
}

} // namespace

class TestExperiment : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void defaults();
    void curvatureAndPrmDefaults();
    void blocksOfOtherKindsAreKept();
    void contractExample();
    void refusals_data();
    void refusals();
    void zeroIsValid();
    void allProblemsAtOnce();
    void documentReadsBack_data();
    void documentReadsBack();
    void catalogueModel();
    void checkpointFolder();
    void checkpointOfTheCache();
    void slidingWindow();
    void byteVocabulary();
    void assignments_data();
    void assignments();
    void assignmentRefusals();
    void files();
    void names();
    void demo();
    void likeAnothers();
};

void TestExperiment::init()
{
    qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources");
}

void TestExperiment::cleanup()
{
    qunsetenv("PEAKSCOPE_RESOURCES");
    qunsetenv("HF_HUB_CACHE");
}

void TestExperiment::defaults()
{
    const auto read = experimentFromJson(smallExperiment());
    QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
    json document = read->document;
    QCOMPARE(document["model"]["ffn"].dump(), json(256).dump());
    QCOMPARE(document["model"]["tied"].dump(), json(true).dump());
    document.erase("model");
    const json expected = json::parse(R"({"kind": "memory", "weights": "random", "seed": 42, "device": "auto",
        "threads": 0, "dtype": "float32",
        "data": {"source": "builtin", "path": "", "tokenizer": "auto", "batch": 4, "seq": 128, "max_physical_batch": 4},
        "training": {"optimizer": "adam", "lr": 1e-4, "warmup_steps": 2, "steps": 3, "checkpointing": false,
            "amp": "none", "attention": "auto", "loss_head": "auto", "clipping": "none", "max_grad_norm": 1.0,
            "noise_multiplier": 0.0, "privacy": {"delta": 1e-5, "poisson": false, "expected_batch": 0},
            "lora": {"rank": 0, "alpha": 16.0, "targets": ["q_proj", "v_proj"]}, "sharding": "none"},
        "marks": [], "budget_bytes": 0, "fit": false, "launcher": [],
        "cuda_allocator": {"max_split_size_mb": 0, "expandable_segments": false}})");
    QCOMPARE(document.dump(1), expected.dump(1));
}

void TestExperiment::curvatureAndPrmDefaults()
{
    json document = smallExperiment();
    document["kind"] = "curvature";
    const json expected =
        json::parse(R"({"quantities": ["diagonal", "trace", "eigenvalues"], "method": "auto", "step": 0.0,
        "parameters": {"select": "sample", "count": 1000, "names": [], "entries": []}, "probes": 100,
        "interval_width": 0.0, "top_k": 5, "density_steps": 60, "unit": "tensor"})");
    QCOMPARE(experimentFromJson(document)->document["curvature"].dump(1), expected.dump(1));
    QVERIFY(!experimentFromJson(document)->document.contains("prm"));
    // The usual sample is all of a model that has fewer parameters; any other number is what was asked for.
    QCOMPARE(CurvatureOptions().sampleOf(999), std::int64_t{999});
    QCOMPARE(CurvatureOptions().sampleOf(1'000'000), std::int64_t{1000});
    CurvatureOptions asked;
    asked.count = 1001;
    QCOMPARE(asked.sampleOf(999), std::int64_t{1001});

    document["kind"] = "prm";
    const json prm = experimentFromJson(document)->document["prm"];
    QCOMPARE(prm["sigmas"].dump(), std::string("[0.0,0.003,0.01,0.03,0.1,0.3]"));
    QCOMPARE(prm["attacks"].dump(), std::string(R"(["loss","reference","zlib","min_k","min_k_pp"])"));
    QCOMPARE(prm["thresholds"]["sens_sparsity"].dump(), json(0.9).dump());
}

void TestExperiment::blocksOfOtherKindsAreKept()
{
    json document = smallExperiment();
    document["curvature"] = {{"quantities", {"trace"}}, {"probes", 7}};
    const json kept = experimentFromJson(document)->document;
    QCOMPARE(kept["curvature"]["probes"].dump(), json(7).dump());
    QVERIFY(!kept.contains("prm"));
}

// The contract's own listing, with one choice taken wherever it offers several.
void TestExperiment::contractExample()
{
    const json document = json::parse(R"({"kind": "memory",
        "model": {"family": "llama", "hidden": 256, "layers": 4, "heads": 4, "kv_heads": 4, "ffn": 1024, "vocab": 256,
                  "max_positions": 256, "tied": true},
        "weights": "random", "seed": 42, "device": "cuda:0", "threads": 0, "dtype": "bfloat16",
        "data": {"source": "builtin", "path": "", "tokenizer": "bytes", "batch": 4, "seq": 128, "max_physical_batch": 4},
        "training": {"optimizer": "adamw", "lr": 1e-4, "warmup_steps": 2, "steps": 3, "checkpointing": false,
            "amp": "bfloat16", "attention": "chunked", "loss_head": "chunked", "clipping": "flash_bk",
            "max_grad_norm": 1.0, "noise_multiplier": 0.0,
            "privacy": {"delta": 1e-5, "poisson": false, "expected_batch": 0},
            "lora": {"rank": 0, "alpha": 16, "targets": ["q_proj", "v_proj"]}, "sharding": "zero3"},
        "curvature": {"quantities": ["kfac"], "method": "jets", "step": 0,
            "parameters": {"select": "entries", "count": 1000, "names": [], "entries": [{"parameter": "w", "index": 3}]},
            "probes": 100, "interval_width": 0, "top_k": 5, "density_steps": 60, "unit": "block"},
        "prm": {"sigmas": [0, 0.3], "relative": true, "repeats": 3, "attacks": ["min_k_pp"], "finetune_epochs": 3,
            "unit": "row", "thresholds": {"func_alignment": 0.7, "func_sparsity": 0.5, "sens_alignment": 0.3,
            "sens_sparsity": 0.9}, "synthetic": false},
        "marks": [{"name": "my band", "module": "layers.*.fc1", "operator": ""}], "budget_bytes": 1073741824,
        "fit": false, "launcher": ["ssh", "host"], "cuda_allocator": {"max_split_size_mb": 0,
        "expandable_segments": false}})");
    const auto read = experimentFromJson(document);
    QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
    QCOMPARE(read->training.clipping, Clipping::FlashBk);
    QCOMPARE(read->training.sharding, Sharding::Zero3);
    QCOMPARE(read->training.optimizer, &optimizers()[1]);
    QCOMPARE(read->dtype, Dtype::BFloat16);
    QCOMPARE(read->budgetBytes, 1073741824);
    QCOMPARE(read->launcher.size(), 2u);
    QCOMPARE(read->marks.at(0).module, std::string("layers.*.fc1"));
    QCOMPARE(read->model.config.family, *familyFromName("llama"));
}

void TestExperiment::refusals_data()
{
    QTest::addColumn<QByteArray>("patch");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* label, const char* patch, const char* message) {
        QTest::newRow(label) << QByteArray(patch) << QString(message);
    };
    row("no kind", R"({"kind": null})", "kind is missing (one of memory, curvature and prm)");
    row("unknown kind", R"({"kind": "memori"})", "kind: \"memori\" is not one of memory, curvature and prm");
    row("no model", R"({"model": null})", "model is missing (an object with an id, a dir or a family)");
    row("model as text", R"({"model": "opt-125m"})", "model: an object is needed, \"opt-125m\" was given");
    row("empty model", R"({"model": {"family": null, "hidden": null, "layers": null}})",
        "model: needs an id, a dir or a family (opt, gpt2, gpt_neo, gpt_neox, llama, qwen3, smollm3, olmo2, phi3, "
        "gemma, gemma2, gemma3, mixtral, qwen3_moe, gpt_oss and plain)");
    row("misspelt key", R"({"trainning": {}})", "trainning is not a known key; did you mean training?");
    row("misspelt key inside", R"({"data": {"bach": 3}})", "data.bach is not a known key; did you mean batch?");
    row("misspelt key of the shape", R"({"model": {"hiden": 3}})",
        "model.hiden is not a known key; did you mean hidden?");
    row("misspelt key deep inside", R"({"training": {"lora": {"rnak": 3}}})",
        "training.lora.rnak is not a known key; did you mean rank?");
    row("control characters in a key", "{\"line\\nfeed\": 1}",
        "\"line\\nfeed\" is not a known key (known: budget_bytes, cuda_allocator, curvature, data, device, dtype, fit, "
        "kind, launcher, marks, model, prm, ranks, seed, threads, traced, training and weights)");
    row("batch 0", R"({"data": {"batch": 0}})", "data.batch: 0 is below 1");
    row("batch as text", R"({"data": {"batch": "4"}})", "data.batch: \"4\" is not an integer");
    row("half a row", R"({"data": {"batch": 1.5}})", "data.batch: 1.5 is not an integer");
    row("no tokens", R"({"data": {"seq": 0}})", "data.seq: 0 is below 1");
    row("too long for learned positions", R"({"data": {"seq": 300}})",
        "data.seq: the model has 256 positions (model.max_positions), 300 are requested; at most 256");
    row("text without a path", R"({"data": {"source": "text"}})",
        "data.path is missing (the text file or folder to read)");
    row("tokens that do not exist", R"({"data": {"source": "tokens", "path": "/no/such/tokens.json"}})",
        "data.path: \"/no/such/tokens.json\" does not exist");
    row("tokenizer that does not exist", R"({"data": {"tokenizer": "/no/such/folder"}})",
        "data.tokenizer: \"/no/such/folder\" does not exist");
    row("no steps", R"({"training": {"steps": 0}})", "training.steps: 0 is below 1");
    row("negative warm-up", R"({"training": {"warmup_steps": -1}})", "training.warmup_steps: -1 is below 0");
    row("negative rate", R"({"training": {"lr": -1e-3}})", "training.lr: -0.001 is not a number of 0 or more");
    row("unknown optimiser", R"({"training": {"optimizer": "sgdm"}})",
        "training.optimizer: \"sgdm\" is not one of adam, adamw, sgd, lion, rmsprop, adagrad, muon, adafactor, "
        "adamw8bit and adamw8bit_embeddings32");
    row("unknown clipping", R"({"training": {"clipping": "gost"}})",
        "training.clipping: \"gost\" is not one of none, per_sample, microbatch, ghost, flash, ghost_bk, flash_bk and "
        "auto");
    row("norm bound 0", R"({"training": {"max_grad_norm": 0}})", "training.max_grad_norm: 0 is not above 0");
    row("rounded norms without clipping", R"({"training": {"norm_precision": "tf32"}})",
        "training.norm_precision: tf32 is for norms of clipped rows (training.clipping is none)");
    row("rounded norms of float64",
        R"({"dtype": "float64", "training": {"clipping": "flash", "norm_precision": "tf32"}})",
        "training.norm_precision: tf32 rounds float32 products, dtype is float64");
    row("a safety factor without clipping", R"({"training": {"norm_safety": 0.1}})",
        "training.norm_safety: 0.1 is for clipped rows (training.clipping is none)");
    row("delta 1", R"({"training": {"privacy": {"delta": 1}}})", "training.privacy.delta: 1 is not between 0 and 1");
    row("adapters without targets", R"({"training": {"lora": {"rank": 4, "targets": []}}})",
        "training.lora.targets: an empty list leaves nothing to train");
    row("negative noise multiplier", R"({"training": {"clipping": "flash", "noise_multiplier": -1}})",
        "training.noise_multiplier: -1 is not a number of 0 or more");
    row("noise without clipping", R"({"training": {"noise_multiplier": 1.5}})",
        "training.noise_multiplier: 1.5 needs clipped gradients (training.clipping is none; auto clips)");
    row("rows drawn without clipping", R"({"training": {"privacy": {"poisson": true}}})",
        "training.privacy.poisson: true draws rows for clipped steps (training.clipping is none; auto clips)");
    row("an expected batch without clipping", R"({"training": {"privacy": {"expected_batch": 2}}})",
        "training.privacy.expected_batch: 2 is what clipped gradients are divided by (training.clipping is none; auto "
        "clips)");
    row("clipped in parts above the batch",
        R"({"data": {"batch": 2, "max_physical_batch": 4}, "training": {"clipping": "flash"}})",
        "data.max_physical_batch: 4 is above data.batch 2");
    row("adapters on no projection", R"({"training": {"lora": {"rank": 4, "targets": ["q_proj", "c_attn"]}}})",
        "training.lora.targets: \"c_attn\" is not a projection of this model, which has k_proj, v_proj, q_proj, "
        "out_proj, fc1, fc2");
    row("targets on no projection, without adapters", R"({"training": {"lora": {"rank": 0, "targets": ["qq_proj"]}}})",
        "training.lora.targets: \"qq_proj\" is not a projection of this model, which has k_proj, v_proj, q_proj, "
        "out_proj, fc1, fc2");
    row("adapters wider than the layer", R"({"training": {"lora": {"rank": 65}}})",
        "training.lora.rank: 65 is above 64, the smaller side of model.decoder.layers.0.self_attn.v_proj (64 x 64)");
    row("adapters without weight", R"({"training": {"lora": {"rank": 4, "alpha": 0}}})",
        "training.lora.alpha: 0 leaves nothing to train, give a number above 0");
    row("unknown type", R"({"dtype": "int8"})", "dtype: \"int8\" is not one of float32, float64, bfloat16 and float16");
    row("unknown device", R"({"device": "gpu"})",
        "device: \"gpu\" is not one of auto, cpu, cuda:0 (or another number) and dry:CARD (a card of the catalogue)");
    row("unknown dry card", R"({"device": "dry:a100"})",
        "device: \"a100\" is not in the device catalogue (near: a10, a100-40gb or a100-80gb)");
    row("small dry card", R"({"device": "dry:h100-80gb:1MiB"})",
        "device: 1.00 MiB is below the 751 MiB that a context takes");
    row("negative seed", R"({"seed": -1})", "seed: -1 is not an integer of 0 or more");
    row("negative budget", R"({"budget_bytes": -5})", "budget_bytes: -5 is below 0");
    row("budget as text", R"({"budget_bytes": "8GiB"})", "budget_bytes: \"8GiB\" is not an integer");
    row("pretrained shape", R"({"weights": "pretrained"})", "weights: pretrained needs a model with an id or a dir");
    row("unknown weights", R"({"weights": "zeros"})", "weights: \"zeros\" is not one of pretrained and random");
    row("heads do not divide", R"({"model": {"hidden": 130}})",
        "model.heads: 4 does not divide hidden 130; 2 or 5 would");
    row("small vocabulary", R"({"model": {"vocab": 100}})",
        "model.vocab: 100 is below the 256 that byte tokens of builtin data need; 256 or more would do");
    row("mark without a name", R"({"marks": [{"module": "*"}]})", "marks.0.name is missing (the band's name)");
    row("mark of nothing", R"({"marks": [{"name": "x"}]})",
        "marks.0.module is missing (a pattern of module names, or give operator)");
    row("launcher as text", R"({"launcher": "ssh host"})",
        "launcher: a list of texts is needed, \"ssh host\" was given");
    row("unknown quantity", R"({"curvature": {"quantities": ["trase"]}})",
        "curvature.quantities: \"trase\" is not one of diagonal, block_diagonal, full, trace, eigenvalues, density, "
        "ggn_diagonal, fisher_diagonal, kfac, lbfgs and features");
    row("unknown quantity among known ones", R"({"curvature": {"quantities": ["trace", "Trace"]}})",
        "curvature.quantities: \"Trace\" is not one of diagonal, block_diagonal, full, trace, eigenvalues, density, "
        "ggn_diagonal, fisher_diagonal, kfac, lbfgs and features");
    row("no quantity", R"({"curvature": {"quantities": []}})",
        "curvature.quantities: an empty list leaves nothing to compute");
    row("entries without entries", R"({"curvature": {"parameters": {"select": "entries"}}})",
        "curvature.parameters.entries is missing (select is entries)");
    row("entry before the first", R"({"curvature": {"parameters": {"entries": [{"parameter": "w", "index": -1}]}}})",
        "curvature.parameters.entries.0.index: -1 is below 0");
    row("negative noise", R"({"prm": {"sigmas": [0, -0.1]}})", "prm.sigmas: -0.1 is not a number of 0 or more");
    row("threshold above 1", R"({"prm": {"thresholds": {"func_alignment": 7}}})",
        "prm.thresholds.func_alignment: 7 is not a number from 0 to 1");
    row("unknown id", R"({"model": {"family": null, "hidden": null, "layers": null, "id": "opt-125"}})",
        "model.id: \"opt-125\" is not in the model catalogue (near: opt-125m, opt-350m, opt-1.3b, opt-2.7b or "
        "opt-6.7b)");
    row("no such folder", R"({"model": {"family": null, "hidden": null, "layers": null, "dir": "/no/such/folder"}})",
        "model.dir: no such folder: /no/such/folder");
    row("id and folder", R"({"model": {"id": "opt-125m", "dir": "/x"}})",
        "model: both id and dir are given; give one of them");
}

void TestExperiment::refusals()
{
    QFETCH(QByteArray, patch);
    QFETCH(QString, message);
    json document = smallExperiment();
    document.merge_patch(json::parse(patch.toStdString()));
    const auto read = experimentFromJson(document);
    QVERIFY(!read.ok());
    QCOMPARE(read.error().code, ErrorCode::BadInput);
    QCOMPARE(QString::fromStdString(read.error().text()), message);
}

void TestExperiment::zeroIsValid()
{
    json document = smallExperiment();
    document["training"] = {{"lr", 0}, {"warmup_steps", 0}, {"noise_multiplier", 0}, {"steps", 1}};
    QCOMPARE(messageOf(document), QString());
    document["device"] = "cuda";
    QCOMPARE(experimentFromJson(document)->device, std::string("cuda")); // of several ranks each its own
    document["data"] = {{"batch", 2}, {"max_physical_batch", 9}};
    QCOMPARE(messageOf(document), QStringLiteral("data.max_physical_batch: 9 is above data.batch 2"));
    document["data"] = {{"batch", 7}};
    QCOMPARE(experimentFromJson(document)->data.maxPhysicalBatch, 7);
    document["seed"] = 18446744073709551615u;
    QCOMPARE(experimentFromJson(document)->seed, 18446744073709551615u);
}

void TestExperiment::allProblemsAtOnce()
{
    json document = smallExperiment();
    document["dtype"] = "int8";
    document["data"] = {{"batch", 0}, {"sek", 3}};
    document["training"]["lr"] = "fast";
    const auto problems = experimentProblems(document);
    QStringList keys;
    for (const auto& [key, sentence] : problems) {
        keys << QString::fromStdString(key);
    }
    QCOMPARE(keys, QStringList({"dtype", "data.batch", "data.sek", "training.lr"}));
    QVERIFY(experimentProblems(smallExperiment()).empty());
    QCOMPARE(experimentProblems(json::array()).size(), 1u);
    for (int i = 0; i < 50'000; ++i) { // told by name as long as anybody reads them
        document["data"]["key" + std::to_string(i)] = i;
    }
    const auto many = experimentProblems(document);
    QVERIFY2(many.size() < 20, qPrintable(QString::number(many.size())));
    QVERIFY(std::any_of(many.begin(), many.end(), [](const auto& problem) {
        return problem.first == "data" && problem.second == "further unknown keys: 49993"; // "sek" is one more
    }));
}

void TestExperiment::documentReadsBack_data()
{
    QTest::addColumn<QByteArray>("patch");
    QTest::newRow("as it is") << QByteArray("{}");
    QTest::newRow("rotary, scaled") << QByteArray(R"({"model": {"family": "llama", "kv_heads": 2, "rope_scaling":
        {"type": "yarn", "factor": 2.0, "original_max_positions": 128}}})");
    QTest::newRow("catalogue shape, changed") << QByteArray(
        R"({"weights": "random", "model": {"family": null, "hidden": null, "id": "opt-350m", "layers": 2}})");
    QTest::newRow("curvature") << QByteArray(R"({"kind": "curvature", "curvature": {"probes": 3}})");
    QTest::newRow("prm") << QByteArray(R"({"kind": "prm", "prm": {"repeats": 1}})");
    QTest::newRow("marks") << QByteArray(R"({"marks": [{"name": "a", "module": "*"}]})");
}

void TestExperiment::documentReadsBack()
{
    QFETCH(QByteArray, patch);
    json document = smallExperiment();
    document.merge_patch(json::parse(patch.toStdString()));
    const auto first = experimentFromJson(document);
    QVERIFY2(first.ok(), first ? "" : first.error().text().c_str());
    const auto second = experimentFromJson(json::parse(first->document.dump()));
    QVERIFY2(second.ok(), second ? "" : second.error().text().c_str());
    QCOMPARE(second->document.dump(), first->document.dump());
}

void TestExperiment::catalogueModel()
{
    const json document{{"kind", "memory"}, {"model", {{"id", "opt-350m"}, {"layers", 2}}}, {"weights", "random"}};
    const auto read = experimentFromJson(document);
    QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
    QCOMPARE(read->model.config.layers, 2);
    QCOMPARE(read->model.config.embedDim, 512);
    QVERIFY(!read->model.config.finalNorm);
    QCOMPARE(read->document["model"]["id"].dump(), json("opt-350m").dump());
    QVERIFY(!read->pretrained);

    json seed{{"kind", "memory"}, {"model", {{"id", "plain-seed"}}}};
    QCOMPARE(messageOf(seed), QString("weights: there are no pretrained weights of plain-seed; use random"));
}

void TestExperiment::checkpointFolder()
{
    QTemporaryDir folder;
    const fs::path root = writeCheckpoint(folder.path().toStdString());
    json document{{"kind", "memory"}, {"model", {{"dir", root.string()}}}, {"data", {{"seq", 16}}}};
    const auto read = experimentFromJson(document);
    QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
    QVERIFY(read->pretrained);
    QCOMPARE(read->model.config.hidden, 24);
    QCOMPARE(read->model.dir, root.string());
    QCOMPARE(experimentFromJson(read->document)->document.dump(), read->document.dump());

    document["model"]["layers"] = 3;
    QCOMPARE(messageOf(document),
             QString("model.layers: 3 differs from the checkpoint's 2; leave it out, or use random "
                     "weights"));
    document["weights"] = "random";
    QCOMPARE(experimentFromJson(document)->model.config.layers, 3);

    std::ofstream(root / "config.json") << R"({"model_type": "opt"})";
    QCOMPARE(messageOf(document), QString::fromStdString("model.dir: " + (root / "config.json").string() +
                                                         ": hidden_size is missing (a positive integer)"));
    fs::remove(root / "config.json");
    QVERIFY(messageOf(document).startsWith("model.dir: " + QString::fromStdString((root / "config.json").string())));
}

void TestExperiment::checkpointOfTheCache()
{
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    qputenv("HF_HUB_CACHE", folder.path().toUtf8());
    const json document{{"kind", "memory"}, {"model", {{"id", "opt-125m"}}}, {"data", {{"seq", 16}}}};
    const QString missing = messageOf(document);
    QCOMPARE(missing, QString::fromStdString("model.id: facebook/opt-125m is not in " +
                                             (root / "models--facebook--opt-125m").string() +
                                             "; `hf download facebook/opt-125m` would download it"));
    // A variant is known by its architecture; its weights are its own, under the name that was written.
    json variant = document;
    variant["model"]["id"] = "meta-llama/Llama-3.1-8B-Instruct";
    QVERIFY2(messageOf(variant).endsWith("; `hf download meta-llama/Llama-3.1-8B-Instruct` would download it"),
             qPrintable(messageOf(variant)));
    variant["weights"] = "random";
    const auto known = experimentFromJson(variant);
    QVERIFY2(known.ok(), known ? "" : known.error().text().c_str());
    QCOMPARE(known->model.config.layers, 32);
    QCOMPARE(known->document["model"]["id"].get<std::string>(), std::string("meta-llama/Llama-3.1-8B-Instruct"));
    const fs::path snapshot = writeCheckpoint(root / "models--facebook--opt-125m" / "snapshots" / "abc");
    const auto read = experimentFromJson(document);
    QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
    QCOMPARE(read->model.dir, snapshot.string());
    QCOMPARE(read->model.config.hidden, 24); // the folder's own shape counts
    QVERIFY(!read->document["model"].contains("dir"));
    QCOMPARE(experimentFromJson(read->document)->model.dir, snapshot.string());

    // The older name without an owner, and a model that the catalogue doesn't know.
    const fs::path old = writeCheckpoint(root / "models--gpt2" / "snapshots" / "abc");
    const json gpt2{{"kind", "memory"}, {"model", {{"id", "gpt2"}}}, {"data", {{"seq", 16}}}};
    QCOMPARE(experimentFromJson(gpt2)->model.dir, old.string());
    const fs::path own = writeCheckpoint(root / "models--me--own" / "snapshots" / "abc");
    const json mine{{"kind", "memory"}, {"model", {{"id", "me/own"}}}, {"data", {{"seq", 16}}}};
    QCOMPARE(experimentFromJson(mine)->model.dir, own.string());
}

void TestExperiment::slidingWindow()
{
    json document{
        {"kind", "memory"}, {"model", {{"family", "llama"}, {"sliding_window", 64}}}, {"data", {{"seq", 64}}}};
    QCOMPARE(messageOf(document), QString());
    document["data"]["seq"] = 65;
    document["model"]["attention_layers"] = {"global", "near"};
    QCOMPARE(messageOf(document), QString("model.attention_layers: \"near\" is not one of global and local"));
    document["model"] = {{"family", "llama"}, {"attention_layers", {"local"}}};
    QCOMPARE(messageOf(document), QString("model.attention_layers: needs sliding_window above 0"));
}

void TestExperiment::byteVocabulary()
{
    QTemporaryDir folder;
    const fs::path root = writeCheckpoint(folder.path().toStdString());
    json config = json::parse(kConfig);
    config["vocab_size"] = 61;
    std::ofstream(root / "config.json") << config.dump();
    json document{{"kind", "memory"}, {"model", {{"dir", root.string()}}}, {"data", {{"seq", 8}}}};
    const QString fixed(
        "model.vocab: 61 of the checkpoint is below the 256 that byte tokens of builtin data need; give "
        "data.source tokens with data.path, or a data.tokenizer folder");
    QCOMPARE(messageOf(document), fixed);
    document["weights"] = "random"; // which takes another vocabulary
    QCOMPARE(messageOf(document),
             QString("model.vocab: 61 is below the 256 that byte tokens of builtin data need; 256 or more would do"));
    document.erase("weights");
    std::ofstream(root / "tokenizer.json") << "{}";
    QCOMPARE(messageOf(document), QString()); // the folder's own tokenizer will be used
    document["data"]["tokenizer"] = "bytes";
    QCOMPARE(messageOf(document), fixed);
    document["data"] = {{"source", "tokens"}, {"path", (root / "config.json").string()}, {"seq", 8}};
    QCOMPARE(messageOf(document), QString());
}

void TestExperiment::assignments_data()
{
    QTest::addColumn<QString>("assignment");
    QTest::addColumn<QByteArray>("place");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char* assignment, const char* place, const char* value) {
        QTest::newRow(assignment) << QString(assignment) << QByteArray(place) << QByteArray(value);
    };
    row("training.lr=0", "/training/lr", "0");
    row("data.seq=256", "/data/seq", "256");
    row("model.dir=a/b=c", "/model/dir", "\"a/b=c\"");
    row("device=cuda:0", "/device", "\"cuda:0\"");
    row("training.checkpointing=true", "/training/checkpointing", "true");
    row("training.lora.targets=[\"fc1\"]", "/training/lora/targets", "[\"fc1\"]");
    row("data.path=", "/data/path", "\"\"");
    row("marks.0.name=b", "/marks/0/name", "\"b\"");
}

void TestExperiment::assignments()
{
    QFETCH(QString, assignment);
    QFETCH(QByteArray, place);
    QFETCH(QByteArray, value);
    json document = smallExperiment();
    document["marks"] = json::parse(R"([{"name": "a"}])");
    const Status applied = applyAssignment(document, assignment.toStdString());
    QVERIFY2(applied.ok(), applied ? "" : applied.error().text().c_str());
    QCOMPARE(document.at(json::json_pointer(place.toStdString())).dump(), json::parse(value.toStdString()).dump());
}

void TestExperiment::assignmentRefusals()
{
    const auto refusal = [](const char* assignment) {
        json document = smallExperiment();
        document["marks"] = json::array();
        const Status applied = applyAssignment(document, assignment);
        return applied ? std::string() : applied.error().text();
    };
    QCOMPARE(refusal("training.lr"), std::string("training.lr: not of the form KEY=VALUE (training.lr=0)"));
    QCOMPARE(refusal("=3"), std::string("=3: not of the form KEY=VALUE (training.lr=0)"));
    QCOMPARE(refusal("data..seq=3"), std::string("data..seq: a part of the key is empty"));
    QCOMPARE(refusal("data.=3"), std::string("data.: a part of the key is empty"));
    QCOMPARE(refusal("kind.x=3"), std::string("kind.x: kind has no keys below it"));
    QCOMPARE(refusal("marks.0.name=x"), std::string("marks.0.name: 0 is not a place in a list of 0"));
}

void TestExperiment::files()
{
    QTemporaryDir folder;
    const std::string file = folder.filePath("e.json").toStdString();
    QVERIFY(!loadExperiment(file).ok());
    std::ofstream(file) << smallExperiment().dump();
    QCOMPARE(loadExperiment(file, {"data.seq=32", "seed=7"})->data.seq, 32);
    QCOMPARE(loadExperiment(file, {"data.batch=0"}).error().text(), file + ": data.batch: 0 is below 1");
    QCOMPARE(loadExperiment(file, {"data.batch"}).error().code, ErrorCode::BadInput);
    QVERIFY(std::freopen(file.c_str(), "r", stdin));
    QCOMPARE(loadExperiment("-", {"data.seq=33"})->data.seq, 33);
    QVERIFY(std::freopen(file.c_str(), "r", stdin));
    QCOMPARE(loadExperiment("-", {"data.batch=0"}).error().text(),
             std::string("standard input: data.batch: 0 is below 1"));
    std::ofstream(file) << std::string(200000, '[');
    const auto deep = loadExperiment(file);
    QVERIFY(!deep.ok() && deep.error().text().starts_with(file) && deep.error().text().size() < 500);
    std::ofstream(file) << "[1, 2]";
    QCOMPARE(loadExperiment(file).error().text(), file + ": an experiment is a JSON object, a list was given");
}

void TestExperiment::names()
{
    QCOMPARE(QByteArray(std::string(name(Clipping::GhostBk)).c_str()), QByteArray("ghost_bk"));
    QCOMPARE(QByteArray(std::string(name(Sharding::Zero2)).c_str()), QByteArray("zero2"));
    QCOMPARE(bytesPerElement(Dtype::Float64), 8);
    QCOMPARE(bytesPerElement(Dtype::BFloat16), 2);
}

void TestExperiment::demo()
{
    const auto read = experimentFromJson(demoExperiment());
    QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
    QVERIFY(!read->pretrained);
    std::ifstream stream(PEAKSCOPE_SOURCE_DIR "/resources/samples/memory.json");
    QCOMPARE(json::parse(stream).dump(1), demoExperiment().dump(1));
    // What packaging/run and the window's demo run goes through every stage.
    std::ifstream whole(PEAKSCOPE_SOURCE_DIR "/resources/samples/demo.json");
    const auto pipeline = experimentFromJson(json::parse(whole));
    QVERIFY2(pipeline.ok(), pipeline ? "" : pipeline.error().text().c_str());
    QCOMPARE(pipeline->kind, ExperimentKind::Prm);
}

void TestExperiment::likeAnothers()
{
    // A script's configuration: what an experiment has is kept, what it lacks or cannot be is not.
    const json like = experimentLike({{"device", "cuda:0"},
                                      {"model", {{"id", "opt-125m"}}},
                                      {"data", {{"batch", 2}, {"seq", 8}, {"shuffle", true}}},
                                      {"training", {{"clipping", "ghost"}, {"lr", -1}, {"epochs", 3}}},
                                      {"dtype", "bfloat16"},
                                      {"wandb", "x"}})
                          .value_or(json());
    QVERIFY2(like == json({{"kind", "memory"},
                           {"model", {{"id", "opt-125m"}}},
                           {"weights", "random"},
                           {"data", {{"batch", 2}, {"seq", 8}}},
                           {"training", {{"clipping", "ghost"}}},
                           {"dtype", "bfloat16"}}),
             like.dump().c_str());
    QVERIFY(experimentFromJson(like));
    for (const json& none : {json(), json::object(), json({{"model", "opt"}}), json({{"model", {{"id", "no-such"}}}}),
                             json({{"data", {{"batch", 2}}}})})
        QVERIFY2(!experimentLike(none), none.dump().c_str());
}

PEAKSCOPE_APPLESS_TEST(TestExperiment)
#include "test_experiment.moc"
