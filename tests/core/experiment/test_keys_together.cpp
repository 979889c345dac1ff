// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What an experiment's keys may not say together, one line each, and what is only noted.
#include "core/experiment/experiment.h"
#include "core/experiment/keys_together.h"
#include "tests/test_room.h"

#include <QTest>

using nlohmann::json;
using namespace peakscope;

class TestKeysTogether : public QObject
{
    Q_OBJECT

private slots:
    void refusals_data();
    void refusals();
    void whatGoesTogether_data();
    void whatGoesTogether();
    void longSequencesAreNoted();
};

static json ofAnUpdate(const QByteArray& patch)
{
    json document{{"kind", "memory"}, {"model", {{"family", "opt"}, {"hidden", 64}, {"layers", 2}}}};
    document.merge_patch(json::parse(patch.toStdString()));
    return document;
}

void TestKeysTogether::refusals_data()
{
    QTest::addColumn<QByteArray>("patch");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* label, const char* patch, const char* message) {
        QTest::newRow(label) << QByteArray(patch) << QString(message);
    };
    row("a path of built-in data", R"({"data": {"path": "corpus.txt"}})",
        "data.path is for data.source text or tokens, which is builtin; give data.source text, or tokens for a JSON "
        "file of token ids");
    row("names of a sample", R"({"kind": "curvature", "curvature": {"parameters": {"names": ["*"]}}})",
        "curvature.parameters.names is for select names, which is sample");
    row("entries of all", R"({"kind": "curvature", "curvature": {"parameters": {"select": "all",
            "entries": [{"parameter": "lm_head.weight", "index": 0}]}}})",
        "curvature.parameters.entries is for select entries, which is all");
    row("rounding of float32 weights", R"({"training": {"rounding": "kahan"}})",
        "training.rounding: kahan is for weights in bfloat16, dtype is float32");
    row("rounding of float16 weights", R"({"dtype": "float16", "training": {"rounding": "stochastic"}})",
        "training.rounding: stochastic is for weights in bfloat16, dtype is float16");
    row("masters of float32 weights", R"({"training": {"masters": true}})",
        "training.masters: true copies 16-bit weights to float32, dtype is float32; give bfloat16 or float16");
    row("masters and rounding", R"({"dtype": "bfloat16", "training": {"masters": true, "rounding": "kahan"}})",
        "training.rounding: kahan and training.masters both keep what rounding loses; choose one");
    row("8-bit states of float64", R"({"dtype": "float64", "training": {"optimizer": "adamw8bit"}})",
        "training.optimizer: adamw8bit computes in float32, dtype is float64; give float32, bfloat16 or float16");
    row("8-bit states together", R"({"training": {"optimizer": "adamw8bit", "implementation": "foreach"}})",
        "training.implementation: foreach has no form for adamw8bit, which updates one parameter after another; give "
        "auto or loop");
    row("embeddings apart in rows", R"({"training": {"optimizer": "adamw8bit_embeddings32", "sharding": "zero1"}})",
        "training.optimizer: adamw8bit_embeddings32 needs each embedding apart, training.sharding zero1 joins tensors "
        "into rows; give adamw8bit");
    row("Muon on shards", R"({"training": {"optimizer": "muon", "sharding": "zero1"}})",
        "training.optimizer: muon takes whole tensors, training.sharding zero1 leaves each rank a part of them; give "
        "adamw, or none");
    row("Adafactor on shards", R"({"training": {"optimizer": "adafactor", "sharding": "zero3"}})",
        "training.optimizer: adafactor takes whole tensors, training.sharding zero3 leaves each rank a part of them; "
        "give adamw, or none");
    row("Muon in pieces", R"({"dtype": "bfloat16", "training": {"optimizer": "muon", "rounding": "kahan"}})",
        "training.rounding: kahan updates a weight in pieces, muon takes whole tensors; give nearest");
    row("Adafactor on masters", R"({"dtype": "float16", "training": {"optimizer": "adafactor", "masters": true}})",
        "training.masters: true updates a weight in pieces, adafactor takes whole tensors; give false");
    row("Muon together", R"({"training": {"optimizer": "muon", "implementation": "foreach"}})",
        "training.implementation: foreach has no form for muon, which updates one matrix after another; give auto or "
        "loop");
    row("curvature with a router's loss",
        R"({"kind": "curvature", "model": {"family": "mixtral", "router_aux_loss_coef": 0.5}, "training": null})",
        "model.router_aux_loss_coef: 0.5 adds a loss of the whole batch, which kind curvature does not take; give 0");
    row("rows of a router's loss",
        R"({"model": {"family": "mixtral", "router_aux_loss_coef": 0.5}, "training": {"clipping": "ghost"}})",
        "model.router_aux_loss_coef: 0.5 adds a loss of the whole batch, which training.clipping ghost cannot divide "
        "among rows; give 0");
    row("clipped in backward", R"({"training": {"implementation": "in_backward", "clipping": "ghost"}})",
        "training.implementation: in_backward updates a parameter before the other gradients are there; "
        "training.clipping ghost needs every row's norm first; give loop");
    row("passes in backward",
        R"({"data": {"batch": 4, "max_physical_batch": 2}, "training": {"implementation": "in_backward"}})",
        "training.implementation: in_backward updates a parameter before the other gradients are there; gradients of 2 "
        "passes (data.max_physical_batch) are added up first; give loop, or all 4 rows in one pass");
    row("float16 in backward", R"({"dtype": "float16", "training": {"implementation": "in_backward"}})",
        "training.implementation: in_backward updates a parameter before the other gradients are there; float16's loss "
        "scale is checked on all of them; give bfloat16 or loop");
    row("sharded in backward", R"({"training": {"implementation": "in_backward", "sharding": "zero2"}})",
        "training.implementation: in_backward updates a parameter before the other gradients are there; ranks reduce "
        "them in groups; give loop");
    row("a quantised base that is trained", R"({"model": {"quantization": "nf4"}})",
        "model.quantization: nf4 stores frozen weights, and all weights are trained; give training.lora.rank, 16 for "
        "example");
    row("an unknown quantisation", R"({"model": {"quantization": "nf3"}})",
        "model.quantization: \"nf3\" is not one of none, nf4, nf4_nested and int8");
    row("a quantised base of curvature without adapters", R"({"kind": "curvature", "model": {"quantization": "int8"}})",
        "model.quantization: int8 stores frozen weights, and all weights are trained; give training.lora.rank, 16 for "
        "example");
    row("a quantised base of noise", R"({"kind": "prm", "model": {"quantization": "int8"}})",
        "model.quantization: int8 keeps weights that cannot be perturbed, kind is prm; give none");
    row("a quantised base in rows",
        R"({"model": {"quantization": "nf4"}, "training": {"lora": {"rank": 4}, "sharding": "zero3"}})",
        "model.quantization: nf4 stores weights in blocks that training.sharding zero3 does not divide; give zero2, "
        "zero1 or none");
    row("FSDP's keys without it", R"({"training": {"fsdp": {"prefetch": false}}})",
        "training.fsdp is for training.sharding fsdp, which is none");
    row("FSDP of one rank", R"({"ranks": 1, "training": {"sharding": "fsdp"}})",
        "training.sharding: fsdp divides parameters among ranks, and ranks is 1; give ranks 2 or more, or none");
    row("FSDP under autocast", R"({"training": {"sharding": "fsdp", "amp": "bfloat16"}})",
        "training.amp: bfloat16 casts what fsdp gathers in bfloat16 already; give none, or training.fsdp.param_dtype "
        "float32");
    row("FSDP's sums in float64", R"({"training": {"sharding": "fsdp", "fsdp": {"reduce_dtype": "float64"}}})",
        "training.fsdp.reduce_dtype: float64 does not go with dtype float32; give auto");
    row("FSDP of a quantised base",
        R"({"model": {"quantization": "nf4"}, "training": {"lora": {"rank": 4}, "sharding": "fsdp"}})",
        "model.quantization: nf4 stores weights in blocks that training.sharding fsdp does not divide; give zero2, "
        "zero1 or none");
    row("FSDP of wide adapters", R"({"training": {"lora": {"rank": 4, "dtype": "float32"}, "sharding": "fsdp"}})",
        "training.lora.dtype: float32 is not what fsdp keeps and gathers all parameters in (float32, bfloat16); give "
        "weights");
    row("curvature by FSDP", R"({"kind": "curvature", "training": {"sharding": "fsdp"}})",
        "training.sharding: fsdp has no form for curvature; give zero3");
    row("narrow adapters", R"({"dtype": "float64", "training": {"lora": {"rank": 4, "dtype": "float32"}}})",
        "training.lora.dtype: float32 is narrower than weights of dtype float64; give weights");
    row("rounding of wide adapters",
        R"({"dtype": "bfloat16", "training": {"rounding": "kahan", "lora": {"rank": 4, "dtype": "float32"}}})",
        "training.rounding: kahan is for weights in bfloat16, training.lora.dtype is float32; give nearest");
    row("masters of wide adapters",
        R"({"dtype": "float16", "training": {"masters": true, "lora": {"rank": 4, "dtype": "float32"}}})",
        "training.masters: true copies 16-bit weights to float32, training.lora.dtype is float32; give false");
}

void TestKeysTogether::refusals()
{
    QFETCH(const QByteArray, patch);
    QFETCH(const QString, message);
    const auto read = experimentFromJson(ofAnUpdate(patch));
    QVERIFY(!read.ok());
    QCOMPARE(read.error().code, ErrorCode::BadInput);
    QCOMPARE(QString::fromStdString(read.error().text()), message);
}

void TestKeysTogether::whatGoesTogether_data()
{
    QTest::addColumn<QByteArray>("patch");
    for (const char* patch :
         {R"({"dtype": "bfloat16", "training": {"rounding": "kahan", "optimizer": "adamw8bit"}})",
          R"({"dtype": "float16", "training": {"masters": true, "optimizer": "adamw8bit_embeddings32"}})",
          R"({"dtype": "bfloat16", "training": {"rounding": "stochastic", "implementation": "in_backward"}})",
          R"({"dtype": "bfloat16", "training": {"masters": true, "sharding": "zero2"}})",
          R"({"dtype": "bfloat16", "model": {"quantization": "nf4_nested"},
              "training": {"lora": {"rank": 4}, "rounding": "kahan", "clipping": "ghost"}})",
          R"({"kind": "curvature", "model": {"quantization": "int8"}, "training": {"lora": {"rank": 4}}})",
          R"({"ranks": 2, "model": {"quantization": "nf4"}, "training": {"lora": {"rank": 4}, "sharding": "zero2"}})",
          R"({"dtype": "bfloat16", "training": {"lora": {"rank": 4, "dtype": "float32"}, "sharding": "zero3"}})",
          R"({"training": {"lora": {"rank": 4, "dtype": "float32"}}})",
          R"({"ranks": 2, "training": {"sharding": "fsdp", "fsdp": {"reduce_dtype": "bfloat16", "prefetch": false}}})",
          R"({"training": {"sharding": "fsdp"}})", R"({"dtype": "float64", "training": {"sharding": "fsdp"}})"})
        QTest::newRow(patch) << QByteArray(patch);
}

void TestKeysTogether::whatGoesTogether()
{
    QFETCH(const QByteArray, patch);
    const auto read = experimentFromJson(ofAnUpdate(patch));
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QVERIFY(experimentFromJson(read->document).ok());
}

void TestKeysTogether::longSequencesAreNoted()
{
    const auto note = [](const char* patch) {
        json document{{"kind", "memory"}, {"model", {{"family", "llama"}, {"hidden", 64}, {"max_positions", 64}}}};
        document.merge_patch(json::parse(patch));
        const auto read = experimentFromJson(document);
        return read ? positionsNote(*read) : read.error().text();
    };
    QCOMPARE(note(R"({"data": {"seq": 64}})"), std::string());
    QCOMPARE(note(R"({"data": {"seq": 65}})"),
             std::string("data.seq: 65 tokens are more than the 64 positions that the "
                         "model was made for (model.max_positions)"));
    QCOMPARE(note(R"({"data": {"seq": 65}, "model": {"rope_scaling": {"type": "dynamic", "factor": 2,
                      "original_max_positions": 64}}})"),
             std::string());
}

PEAKSCOPE_GUILESS_TEST(TestKeysTogether)
#include "test_keys_together.moc"
