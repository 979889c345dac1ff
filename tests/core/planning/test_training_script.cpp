// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Python program of each kind of strategy, or the reason why there is none; and that a catalogue model's shape is
// written as Hugging Face's library reads it.
#include "core/base/file.h"
#include "core/model/catalogue.h"
#include "core/planning/scripts/training_script.h"
#include "core/planning/scripts/transformers_config.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <string>

using namespace peakscope;

namespace {

// Of llama-3.2-1b, or of the model that `changes` names.
Result<TrainingScript> scriptFor(const nlohmann::json& changes, std::int64_t rows = 0, bool pages = false,
                                 ScriptLoop loop = ScriptLoop::Trainer)
{
    nlohmann::json document{{"kind", "memory"},
                            {"model", {{"id", "llama-3.2-1b"}}},
                            {"weights", "random"},
                            {"dtype", "float32"},
                            {"data", {{"batch", 6}, {"seq", 64}, {"max_physical_batch", 4}}},
                            {"training", {{"optimizer", "adam"}}}};
    document.merge_patch(changes);
    const auto experiment = experimentFromJson(document);
    if (!experiment)
        return experiment.error();
    return trainingScript(*experiment, {"what it trains", "a card", "/out", "/model", rows, pages, loop});
}

} // namespace

class TestTrainingScript : public QObject
{
    Q_OBJECT

private slots:
    void eachStrategyHasItsProgram_data()
    {
        QTest::addColumn<QByteArray>("changes");
        QTest::addColumn<QByteArrayList>("lines");
        const QByteArray lora = R"("lora": {"rank": 16, "targets": ["q_proj", "down_proj"]})";
        QTest::newRow("float32") << QByteArray("{}")
                                 << QByteArrayList{"torch_dtype=torch.float32",
                                                   "per_device_train_batch_size=3,",
                                                   "gradient_accumulation_steps=2,",
                                                   "optim=\"adamw_torch\"",
                                                   "bf16=False",
                                                   "use_cache = False",
                                                   "gradient_checkpointing=False",
                                                   "use_liger_kernel=False",
                                                   "AutoConfig.for_model(\n    \"llama\""};
        QTest::newRow("autocast, checkpointing")
            << QByteArray(R"({"training": {"amp": "bfloat16", "checkpointing": true}})")
            << QByteArrayList{"bf16=True", "torch_dtype=torch.float32", "{\"use_reentrant\": False}"};
        QTest::newRow("without foreach") << QByteArray(R"({"training": {"implementation": "loop"}})")
                                         << QByteArrayList{"torch.optim.Adam(trained, lr=0.0001, foreach=False)",
                                                           "optimizers=(optimizer, None)"};
        QTest::newRow("adapters of 16 bits")
            << QByteArray(R"({"dtype": "bfloat16", "training": {)" + lora + "}}")
            << QByteArrayList{"r=16,", "target_modules=[\"q_proj\", \"down_proj\"]", "autocast_adapter_dtype=False"};
        QTest::newRow("adapters of 32 bits")
            << QByteArray(R"({"dtype": "bfloat16", "training": {"lora": {"rank": 16, "dtype": "float32"}}})")
            << QByteArrayList{"torch_dtype=torch.bfloat16", "autocast_adapter_dtype=True"};
        QTest::newRow("over NF4 on two devices")
            << QByteArray(R"({"ranks": 2, "model": {"quantization": "nf4"}, "dtype": "bfloat16", "training": {)" +
                          lora + "}}")
            << QByteArrayList{"DistributedDataParallel(", "quantization_config=quantization",
                              "device_map={\"\": torch.cuda.current_device()}"};
        QTest::newRow("over NF4")
            << QByteArray(R"({"model": {"quantization": "nf4"}, "dtype": "bfloat16", "training": {)" + lora + "}}")
            << QByteArrayList{"bnb_4bit_quant_type=\"nf4\"", "bnb_4bit_use_double_quant=False",
                              "bnb_4bit_compute_dtype=torch.bfloat16", "from_pretrained(\n    \"/model\""};
        QTest::newRow("8-bit states") << QByteArray(R"({"training": {"optimizer": "adamw8bit"}})")
                                      << QByteArrayList{"import bitsandbytes", "bitsandbytes.optim.AdamW8bit(trained"};
        QTest::newRow("8-bit states but of embeddings")
            << QByteArray(R"({"training": {"optimizer": "adamw8bit_embeddings32"}})")
            << QByteArrayList{"optim=\"adamw_bnb_8bit\""};
        QTest::newRow("chunked loss") << QByteArray(R"({"training": {"loss_head": "chunked"}})")
                                      << QByteArrayList{"use_liger_kernel=True"};
        QTest::newRow("scores in memory")
            << QByteArray(R"({"training": {"attention": "math"}})") << QByteArrayList{"attn_implementation=\"eager\""};
        QTest::newRow("zero3") << QByteArray(
                                      R"({"ranks": 3, "training": {"sharding": "zero3", "checkpointing": true}})")
                               << QByteArrayList{"policy = MixedPrecisionPolicy()",
                                                 "reshard_after_forward=True",
                                                 "init_empty_weights(include_buffers=False)",
                                                 "gradient_checkpointing_enable(",
                                                 "use_cache = False",
                                                 "torch.optim.Adam(trained, lr=0.0001, foreach=True)",
                                                 "batch_size=2,",
                                                 "        ids = batch.cuda()"};
        QTest::newRow("zero2") << QByteArray(R"({"ranks": 2, "data": {"max_physical_batch": 1},
                                                 "training": {"sharding": "zero2", "amp": "bfloat16"}})")
                               << QByteArrayList{"param_dtype=torch.bfloat16, reduce_dtype=torch.float32",
                                                 "reshard_after_forward=False", "batch.cuda().split(1)",
                                                 "loss = model(input_ids=ids, labels=ids).loss / 3"};
        QTest::newRow("zero1") << QByteArray(R"({"ranks": 2, "data": {"max_physical_batch": 1},
                                                 "training": {"sharding": "zero1", "amp": "bfloat16"}})")
                               << QByteArrayList{"DistributedDataParallel(model, gradient_as_bucket_view=True)",
                                                 "ZeroRedundancyOptimizer(trained, optimizer_class=torch.optim.Adam, ",
                                                 "model.no_sync() if number < 2 else nullcontext()",
                                                 "torch.autocast(\"cuda\", torch.bfloat16)"};
        QTest::newRow("nothing divided") << QByteArray(R"({"ranks": 2, "training": {"loss_head": "chunked"}})")
                                         << QByteArrayList{"apply_liger_kernel_to_llama()", "DistributedDataParallel(",
                                                           "optimizer = torch.optim.Adam("};
        QTest::newRow("private, row's gradients")
            << QByteArray(R"({"training": {"clipping": "per_sample", "noise_multiplier": 1.5, "max_grad_norm": 0.5,
                                           "privacy": {"poisson": true}}})")
            << QByteArrayList{"model, optimizer, data = engine.make_private(",
                              "noise_multiplier=1.5,",
                              "max_grad_norm=0.5,",
                              "poisson_sampling=True,",
                              "grad_sample_mode=\"hooks\",",
                              "batch_size=6)",
                              "max_physical_batch_size=3,",
                              "loss = model(input_ids=ids, labels=ids).loss",
                              "use_cache = False"};
        QTest::newRow("private, ghost norms of adapters")
            << QByteArray(R"({"dtype": "bfloat16", "training": {"clipping": "ghost", "checkpointing": true, )" + lora +
                          "}}")
            << QByteArrayList{"model, optimizer, criterion, data = engine.make_private(", "grad_sample_mode=\"ghost\",",
                              "{\"use_reentrant\": True}", "enable_input_require_grads()", "shape=words.shape"};
        QTest::newRow("a fused projection")
            << QByteArray(R"({"model": {"id": "gpt2"}, "training": {"lora": {"rank": 8, "targets": ["attn.c_proj"]}}})")
            << QByteArrayList{"target_modules=[\"attn.c_proj\"]", "n_embd=768"};
    }
    void eachStrategyHasItsProgram()
    {
        QFETCH(QByteArray, changes);
        QFETCH(QByteArrayList, lines);
        const auto script = scriptFor(nlohmann::json::parse(changes.toStdString()));
        QVERIFY2(script, script ? "" : script.error().text().c_str());
        for (const QByteArray& line : lines)
            QVERIFY2(script->text.find(line.toStdString()) != std::string::npos,
                     (line.toStdString() + " is not in\n" + script->text).c_str());
        const bool loops = script->text.find("Trainer") == std::string::npos; // itself
        QVERIFY(std::count(script->text.begin(), script->text.end(), '\n') <= (loops ? 80 : 60));
    }

    void trlHasItsProgram_data()
    {
        QTest::addColumn<QByteArray>("changes");
        QTest::addColumn<QByteArrayList>("lines");
        QTest::newRow("float32") << QByteArray("{}")
                                 << QByteArrayList{"from trl import SFTConfig, SFTTrainer",
                                                   "from datasets import Dataset",
                                                   "AutoTokenizer.from_pretrained(\"meta-llama/Llama-3.2-1B\")",
                                                   "tokenizer = PreTrainedTokenizerFast(",
                                                   "arguments = SFTConfig(",
                                                   "per_device_train_batch_size=3,",
                                                   "gradient_accumulation_steps=2,",
                                                   "bf16=False, fp16=False,",
                                                   "learning_rate=0.0001,",
                                                   "gradient_checkpointing=False,",
                                                   "loss_type=\"nll\",",
                                                   "use_liger_kernel=False,",
                                                   "max_length=64,",
                                                   "{\"skip_prepare_dataset\": True}",
                                                   "trainer = SFTTrainer(",
                                                   "processing_class=tokenizer"};
        QTest::newRow("autocast, checkpointing")
            << QByteArray(R"({"training": {"amp": "bfloat16", "checkpointing": true}})")
            << QByteArrayList{"bf16=True", "{\"use_reentrant\": False}"};
        QTest::newRow("8-bit states of adapters over NF4")
            << QByteArray(R"({"model": {"quantization": "nf4"}, "dtype": "bfloat16",
                              "training": {"optimizer": "adamw8bit", "lora": {"rank": 16}}})")
            << QByteArrayList{"quantization_config=quantization", "autocast_adapter_dtype=False",
                              "bitsandbytes.optim.AdamW8bit(trained", "optimizers=(optimizer, None)"};
        QTest::newRow("a model that Liger has not")
            << QByteArray(R"({"model": {"id": "gpt2"}})") << QByteArrayList{"SFTTrainer(", "n_embd=768"};
    }
    void trlHasItsProgram()
    {
        QFETCH(QByteArray, changes);
        QFETCH(QByteArrayList, lines);
        nlohmann::json document = {{"training", {{"loss_head", "chunked"}}}};
        document.merge_patch(nlohmann::json::parse(changes.toStdString()));
        const auto script = scriptFor(document, 0, false, ScriptLoop::Sft);
        QVERIFY2(script, script ? "" : script.error().text().c_str());
        for (const QByteArray& line : lines)
            QVERIFY2(script->text.find(line.toStdString()) != std::string::npos,
                     (line.toStdString() + " is not in\n" + script->text).c_str());
        for (const char* package : {"trl", "datasets"})
            QVERIFY(std::ranges::find(script->packages, package) != script->packages.end());
        QVERIFY(std::ranges::find(script->packages, "liger-kernel") == script->packages.end());
        QVERIFY(std::count(script->text.begin(), script->text.end(), '\n') <= 72);
    }

    // A folder's own words where it has some.
    void trlTakesTheFoldersTokenizer()
    {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        const auto config =
            experimentFromJson({{"kind", "memory"}, {"model", {{"id", "gpt2"}}}, {"weights", "random"}});
        QVERIFY(config);
        const auto shape = transformersConfig(config->model.config);
        QVERIFY(shape && writeFileAtomically(path + "/config.json", shape->dump()));
        const nlohmann::json changes{{"model", {{"id", nullptr}, {"dir", path}}},
                                     {"training", {{"loss_head", "chunked"}}}};
        const auto has = [&](const char* words) {
            const auto script = scriptFor(changes, 0, false, ScriptLoop::Sft);
            return script && script->text.find(words) != std::string::npos;
        };
        QVERIFY(has("tokenizer = PreTrainedTokenizerFast("));
        QVERIFY(writeFileAtomically(path + "/tokenizer.json", "{}"));
        QVERIFY(has(fmt::format("tokenizer = AutoTokenizer.from_pretrained(\"{}\")", path).c_str()));
        QVERIFY(!has("WordLevel"));
        // One that lies where the program was started is not of a model without a folder.
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(folder.path()));
        const auto fresh = scriptFor({{"training", {{"loss_head", "chunked"}}}}, 0, false, ScriptLoop::Sft);
        QVERIFY(QDir::setCurrent(before));
        QVERIFY(fresh && fresh->text.find("WordLevel") != std::string::npos);
    }

    void whatTrlHasNotHasNoProgram_data()
    {
        QTest::addColumn<QByteArray>("changes");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, const char* changes, const char* reason) {
            QTest::newRow(name) << QByteArray(changes) << QByteArray(reason);
        };
        row("a whole loss", R"({"training": {"loss_head": "naive"}})",
            "TRL computes the loss in chunks; set training.loss_head=chunked");
        row("float32 adapters over 4 bits", R"({"model": {"quantization": "nf4"}, "dtype": "bfloat16",
                                                "training": {"lora": {"rank": 4, "dtype": "float32"}}})",
            "TRL turns adapters over weights in 4 bits into bfloat16; set training.lora.dtype=weights");
        row("float16 adapters over 4 bits", R"({"model": {"quantization": "nf4"}, "dtype": "float16",
                                                "training": {"lora": {"rank": 4}}})",
            "TRL turns adapters over weights in 4 bits into bfloat16; set dtype=bfloat16");
        row("float32 over float16 in 4 bits", R"({"model": {"quantization": "nf4"}, "dtype": "float16",
                                                  "training": {"lora": {"rank": 4, "dtype": "float32"}}})",
            "TRL turns adapters over weights in 4 bits into bfloat16; set dtype=bfloat16 training.lora.dtype=weights");
        row("several devices", R"({"ranks": 2, "training": {"sharding": "zero3"}})",
            "TRL's scripts are for one device; --program transformers has those of several");
        row("private", R"({"training": {"clipping": "per_sample", "loss_head": "naive"}})",
            "TRL has no DP-SGD; --program transformers has scripts with Opacus");
        row("kahan", R"({"dtype": "bfloat16", "training": {"rounding": "kahan"}})", "Trainer has no Kahan rounding");
    }
    void whatTrlHasNotHasNoProgram()
    {
        QFETCH(QByteArray, changes);
        QFETCH(QByteArray, reason);
        nlohmann::json document = {{"training", {{"loss_head", "chunked"}}}};
        document.merge_patch(nlohmann::json::parse(changes.toStdString()));
        const auto script = scriptFor(document, 0, false, ScriptLoop::Sft);
        QVERIFY(!script);
        QCOMPARE(script.error().message, reason.toStdString());
    }

    void statesArePaged()
    {
        const auto has = [](const char* optimizer, const char* words) {
            const auto script = scriptFor({{"training", {{"optimizer", optimizer}}}}, 0, true);
            return script && script->text.find(words) != std::string::npos;
        };
        QVERIFY(has("adamw8bit", "bitsandbytes.optim.PagedAdamW8bit(trained"));
        QVERIFY(has("adamw8bit_embeddings32", "optim=\"paged_adamw_8bit\""));
        QVERIFY(has("adamw", "optim=\"adamw_torch\"")); // its states have 32 bits
        const auto experiment = experimentFromJson({{"kind", "memory"},
                                                    {"model", {{"id", "gpt2"}}},
                                                    {"weights", "random"},
                                                    {"training", {{"optimizer", "adamw8bit"}}}});
        QVERIFY(experiment);
        QCOMPARE(scriptName(*experiment, true), std::string("float32-paged-adamw8bit-4x128"));
    }

    void whatTrainerHasNotHasNoProgram_data()
    {
        QTest::addColumn<QByteArray>("changes");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, const char* changes, const char* reason) {
            QTest::newRow(name) << QByteArray(changes) << QByteArray(reason);
        };
        row("kahan", R"({"dtype": "bfloat16", "training": {"rounding": "kahan"}})", "Trainer has no Kahan rounding");
        row("stochastic", R"({"dtype": "bfloat16", "training": {"rounding": "stochastic"}})",
            "Trainer has no stochastic rounding");
        row("masters", R"({"dtype": "bfloat16", "training": {"masters": true}})",
            "Trainer keeps no float32 masters beside 16-bit weights");
        row("in backward", R"({"data": {"max_physical_batch": 6}, "training": {"implementation": "in_backward"}})",
            "Trainer does not update in backward");
        row("row by row", R"({"training": {"clipping": "microbatch", "noise_multiplier": 1.0}})",
            "Opacus does not clip row by row; set training.clipping=per_sample or ghost");
        row("tiles", R"({"training": {"clipping": "flash"}})",
            "Opacus has no norms in tiles; set training.clipping=ghost");
        row("book-keeping", R"({"training": {"clipping": "ghost_bk"}})",
            "Opacus has no book-keeping; set training.clipping=ghost");
        row("a tied embedding", R"({"training": {"clipping": "ghost"}})",
            "Opacus has no ghost norm of a tied embedding; set training.clipping=per_sample");
        row("all of OPT", R"({"model": {"id": "opt-125m"}, "training": {"clipping": "per_sample"}})",
            "Opacus gets no rows' gradients of all layers of opt; adapters can");
        row("a private chunked loss", R"({"training": {"clipping": "per_sample", "loss_head": "chunked"}})",
            "Liger hides the head from Opacus; set training.loss_head=naive");
        row("private on several", R"({"ranks": 2, "training": {"clipping": "ghost"}})",
            "scripts of private training are for one device");
        row("shards of 8-bit states", R"({"ranks": 2, "training": {"sharding": "zero3", "optimizer": "adamw8bit"}})",
            "bitsandbytes does not update the shards of FSDP2; set training.sharding=zero1");
        row("shards of 4 bits", R"({"ranks": 2, "dtype": "bfloat16", "model": {"quantization": "nf4"},
                                    "training": {"sharding": "zero2", "lora": {"rank": 4}}})",
            "FSDP2 does not divide bitsandbytes weights; set training.sharding=zero1");
        row("rows of each device", R"({"ranks": 4, "training": {"sharding": "zero1"}})",
            "6 rows are not the same number on each of 4 devices");
        row("scaled losses", R"({"ranks": 2, "training": {"sharding": "zero1", "amp": "float16"}})",
            "scripts for several devices have no loss scaler for float16");
        row("Trainer's optimiser", R"({"ranks": 2, "training": {"optimizer": "adamw8bit_embeddings32"}})",
            "adamw8bit_embeddings32 is Trainer's, whose scripts are for one device");
        row("chunks", R"({"training": {"attention": "chunked"}})", "transformers has no attention in chunks");
        row("Liger", R"({"model": {"id": "gpt2"}, "training": {"loss_head": "chunked"}})",
            "Liger has no chunked loss for gpt2; set training.loss_head=naive");
        row("our own shape", R"({"model": {"id": "plain-seed"}})", "transformers has no configuration for this shape");
    }
    void whatTrainerHasNotHasNoProgram()
    {
        QFETCH(QByteArray, changes);
        QFETCH(QByteArray, reason);
        const auto script = scriptFor(nlohmann::json::parse(changes.toStdString()));
        QVERIFY(!script);
        QCOMPARE(script.error().message, reason.toStdString());
    }

    void rowsOfAPassDivideTheBatch()
    {
        QCOMPARE(rowsOfPass(6, 4), std::int64_t{3});
        QCOMPARE(rowsOfPass(7, 6), std::int64_t{1});
        QCOMPARE(rowsOfPass(8, 99), std::int64_t{8});
        const auto fewer = scriptFor(nlohmann::json::object(), 1);
        QVERIFY(fewer && fewer->text.find("gradient_accumulation_steps=6,") != std::string::npos);
    }

    // Read back, each is the same shape, or transformersConfig() would have refused it.
    void everyPublishedModelHasAConfiguration()
    {
        const auto models = loadModelCatalogue();
        QVERIFY(models);
        for (const CatalogueModel& model : *models)
            QVERIFY2(model.hub.empty() || transformersConfig(model.config), model.id.c_str());
    }
};

PEAKSCOPE_APPLESS_TEST(TestTrainingScript)
#include "test_training_script.moc"
