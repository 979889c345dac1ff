// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Why a field of the set-up form is refused is said in the user's language, as core words it today.
#include "app/form/experiment_form.h"
#include "app/parts/end_words.h"
#include "app/parts/translations.h"
#include "core/experiment/experiment.h"
#include "core/experiment/schema.h"
#include "core/import/read_any.h"
#include "core/model/catalogue.h"
#include "core/planning/recommend/recommender.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"
#include "widgets/text/note_words.h"
#include "widgets/text/reason_words.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTest>

using namespace peakscope;

class TestReasonWords : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void cleanup() { installTranslation(QStringLiteral("en")); }
    void coresSentencesAreKnown_data();
    void coresSentencesAreKnown();
    void valuesStay();
    void notesOfAFileAreWhole();
    void whatIsSaidOfProgramsIsWhole();
    void plansAreWhole_data();
    void plansAreWhole();
    void everyFieldSaysWhatIsWrong_data();
    void everyFieldSaysWhatIsWrong();

private:
    QTemporaryDir m_home;
};

namespace {

// Two English words in a row, beside what is quoted: keys and words of the document stay as they are.
bool isEnglish(QString text)
{
    static const QRegularExpression quoted(QStringLiteral("\"[^\"]*\"|`[^`]*`"));
    static const QRegularExpression words(QStringLiteral("[A-Za-z]{2,} [a-z]{2,}"));
    return text.remove(quoted).contains(words);
}

nlohmann::json shape(const char* family)
{
    nlohmann::json document = testing::smallExperiment();
    document["model"]["family"] = family;
    return document;
}

} // namespace

void TestReasonWords::coresSentencesAreKnown_data()
{
    QTest::addColumn<QByteArray>("family");
    QTest::addColumn<QByteArrayList>("assignments");
    const auto row = [](const char* name, QByteArrayList assignments, const char* family = "opt") {
        QTest::newRow(name) << QByteArray(family) << assignments;
    };
    row("below", {"data.batch=0"});
    row("above", {"model.layers=99999999"});
    row("no integer", {"data.seq=many"});
    row("no seed", {"seed=-1"});
    row("no rate", {"training.lr=-1"});
    row("no share", {"training.privacy.delta=7"});
    row("no number", {"training.lr=fast"});
    row("neither", {"training.checkpointing=3"});
    row("no text", {"data.tokenizer=3"});
    row("a word", {"dtype=f"});
    row("a list of words", {"kind=curvature", "curvature.quantities=[\"trace\",\"much\"]"});
    row("a device", {"device=gpu"});
    row("a card", {"device=dry:no-such-card"});
    row("a small card", {"device=dry:h100-80gb:1KiB"});
    row("FSDP of one rank", {"training.sharding=fsdp", "ranks=1"});
    row("FSDP's keys without it", {"training.fsdp.prefetch=false"});
    row("FSDP under autocast", {"training.sharding=fsdp", "training.amp=bfloat16"});
    row("FSDP's sums", {"training.sharding=fsdp", "training.fsdp.reduce_dtype=float64"});
    row("FSDP of wide adapters", {"training.sharding=fsdp", "training.lora.rank=2", "training.lora.dtype=float32"});
    row("curvature by FSDP", {"kind=curvature", "training.sharding=fsdp"});
    row("no bound", {"training.max_grad_norm=0"});
    row("no delta", {"training.privacy.delta=0"});
    row("no target", {"training.lora.rank=2", "training.lora.targets=[]"});
    row("an unknown target", {"training.lora.targets=[\"q\"]"});
    row("a large rank", {"training.lora.rank=999"});
    row("no alpha", {"training.lora.rank=2", "training.lora.alpha=0"});
    row("noise without clipping", {"training.noise_multiplier=1"});
    row("rows without clipping", {"training.privacy.poisson=true"});
    row("a batch without clipping", {"training.privacy.expected_batch=3"});
    row("safety without clipping", {"training.norm_safety=0.1"});
    row("tf32 without clipping", {"training.norm_precision=tf32"});
    row("tf32 of float64", {"training.norm_precision=tf32", "training.clipping=ghost", "dtype=float64"});
    row("noise beyond numbers",
        {"training.clipping=ghost", "training.noise_multiplier=1e300", "training.max_grad_norm=1e300"});
    row("a pass above the batch", {"data.max_physical_batch=5"});
    row("a long row", {"data.seq=5000"});
    row("a small vocabulary", {"model.vocab=200"});
    row("heads", {"model.heads=5"});
    row("grouped heads", {"model.heads=4", "model.kv_heads=3"}, "llama");
    row("no grouped heads", {"model.kv_heads=1"});
    row("a head's width", {"model.head_dim=7"});
    row("an odd head", {"model.heads=32", "model.head_dim=1"}, "llama");
    row("an embedding's width", {"model.embed_dim=16"}, "gpt2");
    row("a rotary base", {"model.rope_theta=1"}, "llama");
    row("kinds of layers without a window", {"model.attention_layers=[\"local\"]"}, "llama");
    row("a kind of layer", {"model.sliding_window=4", "model.attention_layers=[\"far\"]"}, "qwen3");
    row("a kind of positions", {"model.rotary_layers=[\"far\"]"}, "smollm3");
    row("no window", {"model.sliding_window=0"}, "gemma3");
    row("a local rotary base", {"model.local_rope_theta=1"}, "gemma3");
    row("more experts a token than there are", {"model.experts_per_token=9"}, "mixtral");
    row("samples' gradients of experts", {"training.clipping=flash"}, "gpt_oss");
    row("curvature of experts", {"kind=curvature"}, "gpt_oss");
    row("routing without experts", {"data.routing=skewed"}, "gpt2");
    row("curvature with a router's loss", {"kind=curvature", "model.router_aux_loss_coef=0.1"}, "mixtral");
    row("rows of a router's loss", {"training.clipping=flash", "model.router_aux_loss_coef=0.1"}, "mixtral");
    row("factors of no pair", {"model.rope_scaling={\"type\":\"longrope\"}"}, "phi3");
    row("whole tensors on shards", {"training.optimizer=muon", "training.sharding=zero2", "ranks=2"});
    row("whole tensors in pieces", {"training.optimizer=adafactor", "training.rounding=kahan", "dtype=bfloat16"});
    row("whole tensors beside masters", {"training.optimizer=muon", "training.masters=true", "dtype=bfloat16"});
    row("matrices one by one", {"training.optimizer=muon", "training.implementation=foreach"});
    row("a key", {"model.layer=3"});
    row("an unlike key", {"zzzzzzzz=3"});
    row("a folder", {"model={\"dir\":\"/nowhere/a model\"}"});
    row("an id", {"model={\"id\":\"gpt9\"}", "weights=random"});
    row("an unlike id", {"model={\"id\":\"zzzz\"}", "weights=random"});
    row("weights of a shape", {"weights=pretrained"});
    row("no model", {"model={}"});
    row("two models", {"model={\"id\":\"gpt2\",\"dir\":\"/nowhere\"}"});
    row("no path", {"data.source=text"});
    row("no tokens", {"data.source=tokens"});
    row("a path to nothing", {"data.source=text", "data.path=/nowhere/text"});
    row("a path of built-in data", {"data.path=/nowhere/text"});
    row("names of a sample", {"kind=curvature", "curvature.parameters.names=[\"a\"]"});
    row("entries of a sample", {"kind=curvature", "curvature.parameters.entries=[{\"parameter\":\"a\",\"index\":0}]"});
    row("no tokenizer", {"data.tokenizer=\"\""});
    row("a tokenizer of nothing", {"data.tokenizer=/nowhere"});
    row("launcher", {"launcher=srun"});
    row("scales", {"kind=prm", "prm.sigmas=[]"});
    row("a scale", {"kind=prm", "prm.sigmas=[-1]"});
    row("marks", {"marks=3"});
    row("a mark", {"marks=[{\"name\":\"a\"}]"});
    row("a mark without a name", {"marks=[{\"module\":\"a\"}]"});
    row("names", {"kind=curvature", "curvature.parameters.select=names"});
    row("entries", {"kind=curvature", "curvature.parameters.select=entries"});
    row("untraced", {"kind=curvature", "traced=false"});
}

void TestReasonWords::coresSentencesAreKnown()
{
    QFETCH(QByteArray, family);
    QFETCH(QByteArrayList, assignments);
    nlohmann::json document = shape(family.constData());
    for (const QByteArray& assignment : assignments)
        QVERIFY2(applyAssignment(document, assignment.toStdString()), assignment.constData());
    const auto problems = experimentProblems(document);
    QVERIFY(!problems.empty());
    const bool chinese = installTranslation(QStringLiteral("zh"));
    QStringList shown;
    for (const auto& [key, sentence] : problems)
        shown << reasonText(sentence);
    installTranslation(QStringLiteral("en"));
    for (const auto& [key, sentence] : problems)
        QCOMPARE(reasonText(sentence), QString::fromStdString(sentence));
    if (!chinese)
        QSKIP("no font for Chinese here");
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const QString& text = shown[qsizetype(i)];
        QVERIFY2(text != QString::fromStdString(problems[i].second) && !isEnglish(text), qPrintable(text));
    }
}

void TestReasonWords::valuesStay()
{
    if (!installTranslation(QStringLiteral("zh")))
        QSKIP("no font for Chinese here");
    QCOMPARE(reasonText("5 does not divide hidden 384; 4 or 6 would"),
             QStringLiteral("5 不能整除 hidden 384；4、6 可以"));
    QCOMPARE(reasonText("\"f\" is not one of float32, float64 and %1"),
             QStringLiteral("\"f\" 不是 float32、float64、%1 之一"));
    // A folder is no list, and what it is called no place holder.
    QCOMPARE(reasonText("no such folder: /a, b and %2 or c"), QStringLiteral("没有此文件夹：/a, b and %2 or c"));
    QCOMPARE(reasonText("a list of numbers is needed, an empty list was given"),
             QStringLiteral("需要数值的列表，给出的是 空列表"));
    QCOMPARE(reasonText("/m/config.json: hidden_size: 0 is below 1"),
             QStringLiteral("/m/config.json: hidden_size: 0 小于 1"));
    QCOMPARE(reasonText("layer_types: \"linear_attention\" is not supported (full_attention is)"),
             QStringLiteral("layer_types: 不支持 \"linear_attention\"（支持 full_attention）"));
    QCOMPARE(reasonText("no_rope_layers: needs an integer for each of 2 layers"),
             QStringLiteral("no_rope_layers: 需要为 2 层各给一个整数"));
    QCOMPARE(reasonText("their own words"), QStringLiteral("their own words"));
}

// No sentence takes the words of another for a value.
void TestReasonWords::notesOfAFileAreWhole()
{
    const auto read = readAny(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/dpsgd/seed003_sample_result.json");
    QVERIFY(read.ok() && !read->front().notes.empty());
    if (!installTranslation(QStringLiteral("zh")))
        QSKIP("no font for Chinese here");
    for (const std::string& note : read->front().notes)
        QVERIFY2(!isEnglish(noteText(note)), qPrintable(noteText(note)));
}

// Of a search for the largest, and of ends: a card's name and a line of the program's stay.
void TestReasonWords::whatIsSaidOfProgramsIsWhole()
{
    if (!installTranslation(QStringLiteral("zh")))
        QSKIP("no font for Chinese here");
    for (const char* note :
         {"A800: batch 1 allocates 12.4 % more than the fitted line",
          "batch 16 allocates 2.3 % less than the fitted line",
          "A800: batch 64 is the end of the range, not of the card: more may fit; go on with --vary batch=64..512",
          "A800: batch 8: its steps request different bytes, so other rows may take more than the first. To try seeds "
          "0 "
          "to 4, put {draw} in the arguments",
          "batch 8 does not fit the program's own limit; the card has room for it. That limit is a share of what "
          "--target "
          "leaves of the card",
          "batch 9 fits though 8 does not: what the program takes does not rise with it",
          "batch 8 in 5 draws of its rows reserves 1.00 GiB to 1.50 GiB",
          "over the budget of 38.1 MiB: 15.3 MiB more were requested while 31.8 MiB were allocated, at train.py:6 main",
          "over the budget of 38.1 MiB: 15.3 MiB more were requested while 31.8 MiB were allocated",
          "eigenvalues: finite differences are off by 0.064 in the first, by an exact product",
          "eigenvalues: finite differences are off by 2.6 in the first, by an exact product; another curvature.step "
          "may be "
          "nearer, method \"auto\" is exact"})
        QVERIFY2(!isEnglish(noteText(note).remove(QStringLiteral("--vary batch"))), qPrintable(noteText(note)));
    QVERIFY2(!isEnglish(endText("cancelled in phase load")), qPrintable(endText("cancelled in phase load")));
}

void TestReasonWords::plansAreWhole_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("goal");
    QTest::newRow("nothing fits") << "llama-3.1-70b"
                                  << "rtx-4090" << int(Goal::Train);
    QTest::newRow("shards") << "llama-3.1-8b"
                            << "rtx-4090" << int(Goal::Train);
    QTest::newRow("a Hessian that fits nowhere") << "llama-3.1-8b"
                                                 << "rtx-4090" << int(Goal::Hessian);
}

// Titles of strategies, and what would fit where nothing does.
void TestReasonWords::plansAreWhole()
{
    QFETCH(const QString, model);
    QFETCH(const QString, device);
    QFETCH(const int, goal);
    qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources");
    RecommendOptions options;
    options.model = {{"id", model.toStdString()}};
    options.modelText = model.toStdString();
    options.device = *planDeviceFromText(device.toStdString());
    options.goal = Goal(goal);
    const auto found = recommend(options);
    QVERIFY(found.ok());
    installTranslation(QStringLiteral("zh"));
    QStringList said;
    for (const Strategy& strategy : found->strategies)
        said << strategyTitleText(strategy.title);
    for (const std::string& sentence : found->wouldFit)
        said << wouldFitText(sentence);
    static const QRegularExpression names(QStringLiteral("NVIDIA [A-Za-z0-9 ]+|Llama [0-9.]+ [0-9]+B|OPT [0-9.]+[BM]"));
    for (QString text : said)
        QVERIFY2(!isEnglish(text.remove(names)), qPrintable(text));
}

void TestReasonWords::everyFieldSaysWhatIsWrong_data()
{
    QTest::addColumn<QByteArray>("kind");
    for (const char* kind : {"memory", "curvature", "prm"})
        QTest::newRow(kind) << QByteArray(kind);
}

// Whatever somebody types, in whichever field.
void TestReasonWords::everyFieldSaysWhatIsWrong()
{
    QFETCH(QByteArray, kind);
    if (!installTranslation(QStringLiteral("zh")))
        QSKIP("no font for Chinese here");
    nlohmann::json document = shape("opt");
    document["kind"] = kind.toStdString();
    document["weights"] = "random";
    ExperimentForm form;
    form.setDocument(document);
    QVERIFY2(form.isValid(), qPrintable(form.problem("")));
    int refused = 0;
    for (const ExperimentKey& row : experimentKeys()) {
        const std::string key(row.path);
        QWidget* editor = form.field(key);
        auto* line = qobject_cast<QLineEdit*>(editor);
        auto* combo = qobject_cast<QComboBox*>(editor);
        if (combo && combo->isEditable())
            line = combo->lineEdit();
        if (!line)
            continue;
        const QString usual = line->text();
        for (const char* wrong : {"-1", "0", "2.5", "many words", "1e300", "99999999", "[1, \"x\"]", "{}", "a:b"}) {
            line->setText(QString::fromLatin1(wrong));
            form.validate();
            for (const std::string& place : {key, std::string()}) {
                const QString reason = form.problem(place);
                refused += !reason.isEmpty();
                QVERIFY2(!isEnglish(reason), qPrintable(QString::fromStdString(key) + u' ' + QLatin1String(wrong) +
                                                        QStringLiteral(" -> ") + reason));
            }
        }
        line->setText(usual);
        form.validate();
    }
    QVERIFY2(refused > 50, qPrintable(QString::number(refused)));
}

PEAKSCOPE_TEST(TestReasonWords)
#include "test_reason_words.moc"
