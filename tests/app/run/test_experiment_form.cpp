// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The set-up form: documents go in and come out, and what is wrong stands under its field.
#include "app/form/experiment_form.h"
#include "app/form/form_section.h"
#include "app/form/model_folder.h"
#include "app/form/run_panel.h"
#include "app/parts/settings.h"
#include "core/experiment/experiment.h"
#include "core/experiment/schema.h"
#include "core/model/catalogue.h"
#include "tests/app/run/form_test_support.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"

#include <QCheckBox>
#include <QAbstractItemModel>
#include <QComboBox>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace peakscope;

class TestExperimentForm : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void documentsComeBack_data();
    void documentsComeBack();
    void wrongFieldsAreMarked_data();
    void wrongFieldsAreMarked();
    void aShapeThatCantBeIsMarked();
    void dataThatDoNotFitAreMarked();
    void typingMarksAndMends();
    void fieldsFollowTheSource();
    void aFolderMeansItsWeights();
    void keysWithoutAFieldAreKept();
    void shapesKeepWhatHasNoField();
    void theRunButtonFollowsValidity();
    void aBudgetIsReadAsPeopleWriteIt();
    void documentsOfAWrongShapeDoNoHarm();
    void noiseIsFilledIn();
    void everyKeyHasAField();
    void whatDiffersStandsOpen();
    void choicesAreWordsForPeople();
    void cardsThatAreNotHere();

private:
    QTemporaryDir m_home;
};

void TestExperimentForm::documentsComeBack_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("demo") << QByteArray::fromStdString(demoExperiment().dump());
    QTest::newRow("catalogue") << QByteArray(R"({"kind":"memory","model":{"id":"opt-125m"},"weights":"random",)"
                                             R"("data":{"batch":1,"seq":64},"training":{"optimizer":"sgd","lr":0}})");
    QTest::newRow("own shape") << QByteArray(
        R"({"kind":"memory","model":{"family":"llama","hidden":64,"layers":2,"heads":4,"kv_heads":2,"ffn":192,)"
        R"("vocab":300,"max_positions":64,"tied":false},"dtype":"float64","budget_bytes":1073741824,)"
        R"("training":{"checkpointing":true,"amp":"bfloat16","warmup_steps":0},"launcher":["ssh","server"]})");
    QTest::newRow("noise") << QByteArray(
        R"({"kind":"prm","model":{"id":"opt-125m"},"weights":"random","data":{"batch":4,"seq":64},)"
        R"("prm":{"sigmas":[0,0.25,1e-3],"relative":false,"repeats":5,"attacks":["loss","min_k_pp"],"base_epochs":0,)"
        R"("finetune_epochs":7,"members":12,"attacked":10,"evaluation":9,"samples":"rows","small_noise":false,)"
        R"("unit":"head","thresholds":{"func_alignment":0.8}}})");
}

void TestExperimentForm::documentsComeBack()
{
    QFETCH(QByteArray, text);
    const auto given = nlohmann::json::parse(text.toStdString());
    ExperimentForm form;
    form.loadCatalogue();
    form.setDocument(given);
    const Result<Experiment> before = experimentFromJson(given);
    const Result<Experiment> after = experimentFromJson(form.document());
    QVERIFY2(before.ok(), before.ok() ? "" : before.error().text().c_str());
    QVERIFY2(after.ok(), after.ok() ? "" : after.error().text().c_str());
    // With defaults filled in both are the same experiment.
    if (after->document != before->document)
        qWarning("%s", nlohmann::json::diff(before->document, after->document).dump().c_str());
    QVERIFY(after->document == before->document);
    QVERIFY(form.isValid());
    QVERIFY(experimentSummary(form.document()).contains(QStringLiteral("parameters")));
}

void TestExperimentForm::wrongFieldsAreMarked_data()
{
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QString>("text");
    QTest::newRow("batch of none") << QByteArray("data.batch") << "0";
    QTest::newRow("a word for a number") << QByteArray("data.seq") << "many";
    QTest::newRow("half a step") << QByteArray("training.steps") << "2.5";
    QTest::newRow("half a seed") << QByteArray("prm.repeats") << "2.5";
    QTest::newRow("a word among scales") << QByteArray("prm.sigmas") << "0 much 0.3";
    QTest::newRow("noise below none") << QByteArray("prm.sigmas") << "0 -0.1";
    QTest::newRow("negative rate") << QByteArray("training.lr") << "-1";
    QTest::newRow("sequence past the positions") << QByteArray("data.seq") << "99999";
    QTest::newRow("budget in apples") << QByteArray("budget_bytes") << "3 apples";
}

void TestExperimentForm::wrongFieldsAreMarked()
{
    QFETCH(QByteArray, key);
    QFETCH(QString, text);
    ExperimentForm form;
    nlohmann::json document = demoExperiment();
    if (key.startsWith("prm."))
        document["kind"] = "prm";
    form.setDocument(document);
    form.show();
    QVERIFY(form.isValid());
    QLineEdit* field = testing::line(form, key.constData());
    QVERIFY(field);
    field->setText(text);
    form.validate();
    QVERIFY(!form.isValid());
    const QString reason = form.problem(key.toStdString());
    QVERIFY2(!reason.isEmpty(), key.constData());
    QVERIFY(field->accessibleName().contains(reason));
}

void TestExperimentForm::aShapeThatCantBeIsMarked()
{
    ExperimentForm form;
    form.setDocument(demoExperiment());
    form.show();
    testing::line(form, "model.heads")->setText(QStringLiteral("5"));
    form.validate();
    QVERIFY(!form.isValid());
    // Under the field, with what would be right.
    QCOMPARE(form.problem("model.heads"), QStringLiteral("5 does not divide hidden 384; 4 or 6 would"));
    testing::line(form, "model.heads")->setText(QStringLiteral("6"));
    testing::line(form, "data.seq")->setText(QStringLiteral("300"));
    testing::line(form, "model.vocab")->setText(QStringLiteral("200"));
    form.validate();
    QVERIFY2(form.problem("data.seq").endsWith(QStringLiteral("at most 256")), qPrintable(form.problem("data.seq")));
    QVERIFY2(form.problem("model.vocab").endsWith(QStringLiteral("256 or more would do")),
             qPrintable(form.problem("model.vocab")));
    QVERIFY(form.problem("").isEmpty());
}

// What only the data tell comes a moment later, at the same place; of a model that is not written here, at the model.
void TestExperimentForm::dataThatDoNotFitAreMarked()
{
    const QString rows = m_home.filePath(QStringLiteral("rows.json"));
    QFile file(rows);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("[[1, 2, 50256], [3, 300]]") > 0);
    file.close();
    nlohmann::json document = demoExperiment();
    document["data"] = {{"source", "tokens"}, {"path", rows.toStdString()}, {"batch", 1}, {"seq", 8}};
    ExperimentForm form;
    form.show();
    form.setDocument(document);
    QTRY_VERIFY2(form.problem("model.vocab").endsWith(QStringLiteral("these tokens need one of 50257")),
                 qPrintable(form.problem("model.vocab") + form.problem("data.path") + form.problem("")));
    QVERIFY(!form.isValid());
    testing::line(form, "model.vocab")->setText(QStringLiteral("50257"));
    QTRY_VERIFY(form.isValid());
    QVERIFY(form.problem("model.vocab").isEmpty());
}

void TestExperimentForm::typingMarksAndMends()
{
    ExperimentForm form;
    form.setDocument(demoExperiment());
    form.resize(900, 500);
    form.show();
    QVERIFY(QTest::qWaitForWindowExposed(&form));
    QSignalSpy validated(&form, &ExperimentForm::validated);
    QLineEdit* batch = testing::line(form, "data.batch");
    batch->setFocus();
    batch->selectAll();
    QTest::keyClicks(batch, QStringLiteral("0"));
    QTRY_VERIFY(!form.problem("data.batch").isEmpty());
    QVERIFY(!form.isValid());
    QTest::keyClick(batch, Qt::Key_Backspace);
    QTest::keyClicks(batch, QStringLiteral("2"));
    QTRY_VERIFY(form.isValid());
    QVERIFY(form.problem("data.batch").isEmpty());
    QCOMPARE(form.document()["data"]["batch"].get<int>(), 2);
}

void TestExperimentForm::fieldsFollowTheSource()
{
    ExperimentForm form;
    form.setDocument(demoExperiment());
    form.show();
    auto* source = form.findChild<QComboBox*>(QStringLiteral("model_source"));
    source->setCurrentIndex(int(ModelFields::Source::Folder));
    QVERIFY(testing::line(form, "model.dir")->isVisible());
    QVERIFY(!testing::line(form, "model.hidden")->isVisible());
    testing::line(form, "model.dir")->setText(QStringLiteral("/nowhere/model"));
    form.validate();
    QVERIFY2(form.problem("model.dir").contains(QStringLiteral("/nowhere/model")),
             qPrintable(form.problem("model.dir")));
    QVERIFY(!form.document()["model"].contains("hidden"));
    source->setCurrentIndex(int(ModelFields::Source::Shape));
    QVERIFY(testing::line(form, "model.hidden")->isVisible());
    form.validate();
    QVERIFY(form.isValid()); // the folder is no longer asked for
    QVERIFY(!testing::line(form, "data.path")->isVisible());
    testing::choice(form, "data.source")->setCurrentText(QStringLiteral("Text file"));
    QVERIFY(testing::line(form, "data.path")->isVisible());
    // A field that is out of sight says nothing, and another document's neither.
    nlohmann::json text = demoExperiment();
    text["data"]["source"] = "text";
    text["data"]["path"] = m_home.path().toStdString();
    form.setDocument(text);
    form.validate();
    QVERIFY(form.isValid() && form.document()["data"].contains("path"));
    testing::choice(form, "data.source")->setCurrentIndex(0);
    form.validate();
    QVERIFY(form.isValid() && !form.document()["data"].contains("path"));
}

void TestExperimentForm::aFolderMeansItsWeights()
{
    const QString folder = m_home.filePath(QStringLiteral("checkpoint"));
    QVERIFY(QDir().mkpath(folder));
    const auto write = [&folder](const char* name, const QByteArray& text) {
        QFile file(folder + u'/' + QString::fromLatin1(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    };
    write("config.json", R"({"model_type":"gpt2","n_embd":32,"n_layer":2,"n_head":2,"vocab_size":300,"n_positions":64,)"
                         R"("n_ctx":64,"activation_function":"gelu_new"})");
    ExperimentForm form;
    form.setDocument(demoExperiment()); // random weights, bytes, rows of 128
    form.show();
    auto* source = form.findChild<QComboBox*>(QStringLiteral("model_source"));
    source->setCurrentIndex(int(ModelFields::Source::Folder));
    QTest::keyClicks(testing::line(form, "model.dir"), folder);
    QVERIFY(form.document()["weights"] == "random"); // there are none
    write("model.safetensors", "anything");
    QSignalSpy changed(&form, &ExperimentForm::documentChanged);
    testing::line(form, "model.dir")->setText(folder + u'/');
    QVERIFY(changed.count() > 0);
    const nlohmann::json document = form.document();
    QVERIFY2(document["weights"] == "pretrained", document.dump().c_str());
    QVERIFY2(document["data"]["tokenizer"] == "auto", document.dump().c_str());
    QVERIFY2(document["data"]["seq"] == 64, document.dump().c_str()); // no longer row fits into the model
    // A plan's strategy runs with them as well.
    const nlohmann::json planned = {{"model", {{"dir", folder.toStdString()}}}, {"weights", "random"}};
    QVERIFY(withFolderWeights(planned)["weights"] == "pretrained");
    QVERIFY(withFolderWeights({{"model", {{"id", "gpt2"}}}, {"weights", "random"}})["weights"] == "random");
    // Rows that it can take stay as they were asked for; a file's own words are not changed either.
    testing::line(form, "data.seq")->setText(QStringLiteral("16"));
    testing::line(form, "model.dir")->setText(folder);
    QVERIFY(form.document()["data"]["seq"] == 16);
    // An own shape begins where the folder's ends, without weights to load.
    source->setCurrentIndex(int(ModelFields::Source::Shape));
    QVERIFY2(form.document()["weights"] == "random" && form.document()["model"]["vocab"] == 300,
             form.document().dump().c_str());
    nlohmann::json own = document;
    own["weights"] = "random";
    form.setDocument(own);
    QVERIFY(form.document()["weights"] == "random");
}

void TestExperimentForm::keysWithoutAFieldAreKept()
{
    nlohmann::json document = demoExperiment();
    document["marks"] = {{{"name", "fc1"}, {"module", "layers.*.fc1"}, {"operator", ""}}};
    document["training"]["max_grad_norm"] = 0.5;
    ExperimentForm form;
    form.setDocument(document);
    QVERIFY(form.document()["marks"] == document["marks"]);
    QCOMPARE(form.document()["training"]["max_grad_norm"].get<double>(), 0.5);
}

// What is opened is what runs: a shape's keys that have no field stay, as long as the family does.
void TestExperimentForm::shapesKeepWhatHasNoField()
{
    nlohmann::json document = demoExperiment();
    document["model"] = {{"family", "llama"}, {"layers", 2},    {"hidden", 64},        {"heads", 4},
                         {"kv_heads", 2},     {"ffn", 128},     {"vocab", 256},        {"max_positions", 256},
                         {"tied", true},      {"head_dim", 16}, {"rope_theta", 500000}};
    document["model"]["id"] = ""; // of no model: not a key of the shape
    ExperimentForm form;
    form.setDocument(document);
    QCOMPARE(form.document()["model"].value("rope_theta", 0.0), 500000.0);
    QVERIFY(!form.document()["model"].contains("head_dim")); // follows from the others
    QVERIFY(!form.document()["model"].contains("id"));
    static_cast<QLineEdit*>(form.field("model.hidden"))->setText(QStringLiteral("32"));
    const auto read = experimentFromJson(form.document());
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->model.config.headDim, 8);
    QCOMPARE(read->model.config.ropeTheta, 500000.0);
    testing::choice(form, "model.family")->setCurrentText(QStringLiteral("OPT"));
    QVERIFY(!form.document()["model"].contains("rope_theta"));
}

void TestExperimentForm::theRunButtonFollowsValidity()
{
    RunPanel panel;
    panel.resize(900, 600);
    panel.setDocument(demoExperiment());
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QSignalSpy requested(&panel, &RunPanel::runRequested);
    QTRY_VERIFY(panel.runButton()->isEnabled());
    testing::line(*panel.form(), "data.batch")->setText(QStringLiteral("-3"));
    QTRY_VERIFY(!panel.runButton()->isEnabled());
    panel.setExpanded(false);
    panel.requestRun(); // by key, say
    QCOMPARE(requested.count(), 0);
    QVERIFY(panel.isExpanded()); // the reason is in sight
    testing::line(*panel.form(), "data.batch")->setText(QStringLiteral("3"));
    QTRY_VERIFY(panel.runButton()->isEnabled());
    QTest::mouseClick(panel.runButton(), Qt::LeftButton);
    QCOMPARE(requested.count(), 1);
}

void TestExperimentForm::aBudgetIsReadAsPeopleWriteIt()
{
    ExperimentForm form;
    form.setDocument(demoExperiment());
    testing::line(form, "budget_bytes")->setText(QStringLiteral("2 GiB"));
    form.validate();
    QVERIFY2(form.isValid(), qPrintable(form.problem("budget_bytes")));
    QCOMPARE(form.document()["budget_bytes"].get<std::int64_t>(), std::int64_t(2) << 30);
    nlohmann::json document = form.document();
    form.setDocument(document);
    QCOMPARE(testing::line(form, "budget_bytes")->text(), QStringLiteral("2048 MiB"));
    // One that is no whole number of them, as a plan's, stays the same to the byte.
    document["budget_bytes"] = 24974262272;
    form.setDocument(document);
    QCOMPARE(testing::line(form, "budget_bytes")->text(), QStringLiteral("23817.3125 MiB"));
    QCOMPARE(form.document()["budget_bytes"].get<std::int64_t>(), std::int64_t(24974262272));
}

void TestExperimentForm::documentsOfAWrongShapeDoNoHarm()
{
    ExperimentForm form;
    form.setDocument(nlohmann::json::parse(R"({"model": 3, "data": "x", "training": [], "dtype": "int4"})"));
    QVERIFY(!form.isValid());
    QVERIFY(!form.problem("dtype").isEmpty());
    form.setDocument(nlohmann::json::array());
    form.setDocument(demoExperiment());
    QVERIFY(form.isValid());
}

void TestExperimentForm::noiseIsFilledIn()
{
    ExperimentForm form;
    form.setDocument({{"kind", "memory"},
                      {"model", {{"family", "gpt2"}, {"hidden", 32}, {"layers", 1}, {"heads", 2}, {"vocab", 256}}},
                      {"training", {{"clipping", "ghost"}, {"steps", 9}, {"lr", 0.01}}}});
    form.show();
    QVERIFY(form.field("prm.sigmas")->isHidden() || !form.field("prm.sigmas")->isVisible());
    QVERIFY(!form.document().contains("prm"));
    QComboBox* kind = testing::choice(form, "kind");
    kind->setCurrentIndex(kind->findData(QStringLiteral("prm")));
    QVERIFY(form.field("prm.sigmas")->isVisible() && form.field("training.lr")->isVisible());
    QVERIFY(!form.field("training.steps")->isVisible());
    QTest::mouseClick(form.field("prm.sigmas"), Qt::LeftButton);
    QTest::keyClicks(form.field("prm.sigmas"), QStringLiteral("0, 0.1; 0.3"));
    auto* zlib = form.findChild<QCheckBox*>(QStringLiteral("zlib"));
    QVERIFY(zlib && zlib->isChecked());
    QTest::mouseClick(zlib, Qt::LeftButton, {}, QPoint(8, zlib->height() / 2));
    QComboBox* values = testing::choice(form, "prm.synthetic");
    values->setCurrentIndex(values->findData(QStringLiteral("true")));
    form.validate();
    QVERIFY2(form.isValid(), qPrintable(form.problem("")));
    const auto experiment = experimentFromJson(form.document());
    QVERIFY2(experiment.ok(), experiment.ok() ? "" : experiment.error().text().c_str());
    const nlohmann::json& prm = experiment->document["prm"];
    QVERIFY(prm["sigmas"] == nlohmann::json({0, 0.1, 0.3}));
    QVERIFY(prm["attacks"] == nlohmann::json({"loss", "reference", "min_k", "min_k_pp"}));
    QVERIFY(prm["synthetic"] == true && prm["relative"] == true && prm["unit"] == "row");
    QVERIFY(!form.document()["training"].contains("clipping")); // it fine-tunes without
    kind->setCurrentIndex(kind->findData(QStringLiteral("memory")));
    QVERIFY(!form.document().contains("prm") && form.field("training.steps")->isVisible());
}

void TestExperimentForm::everyKeyHasAField()
{
    const ExperimentForm form;
    for (const ExperimentKey& row : experimentKeys()) {
        if (!row.isOfModel())
            QVERIFY2(form.field(std::string(row.path)), row.path.data());
    }
}

// A step of DP-SGD with adapters: its parts are open, say what they are while closed, and come back as they were.
void TestExperimentForm::whatDiffersStandsOpen()
{
    nlohmann::json wanted = testing::smallExperiment();
    wanted["training"].update({{"clipping", "ghost"}, {"noise_multiplier", 1.5}, {"lora", {{"rank", 4}}}});
    wanted["marks"] = {{{"name", "projections"}, {"module", "*.fc1"}}};
    RunPanel panel;
    panel.resize(1200, 800);
    panel.show();
    ExperimentForm& form = *panel.form();
    const auto section = [&form](const char* name) { return form.findChild<FormSection*>(QString::fromLatin1(name)); };
    form.setDocument(testing::smallExperiment());
    for (const char* name : {"privacySection", "adapterSection", "allocatorSection", "moreSection"})
        QVERIFY2(section(name)->isVisible() && !section(name)->isOpen() && section(name)->summary().isEmpty(), name);
    form.setDocument(wanted);
    QVERIFY2(form.isValid(), qPrintable(form.problem("")));
    QVERIFY(section("privacySection")->isOpen() && section("adapterSection")->isOpen());
    QVERIFY(section("moreSection")->isOpen() && !section("allocatorSection")->isOpen());
    QCOMPARE(section("privacySection")->summary(), QStringLiteral("Clipping Ghost · Noise multiplier 1.5"));
    QCOMPARE(testing::choice(form, "training.clipping")->currentData().toString(), QStringLiteral("ghost"));
    QCOMPARE(testing::line(form, "training.lora.rank")->text(), QStringLiteral("4"));
    const auto experiment = experimentFromJson(form.document());
    const auto original = experimentFromJson(wanted);
    QVERIFY(experiment && original && experimentDocument(*experiment) == experimentDocument(*original));
    const auto* summary = panel.findChild<QLabel*>(QStringLiteral("experimentSummary"));
    QVERIFY2(summary->text().contains(QStringLiteral("ghost clipping · LoRA r 4")), qPrintable(summary->text()));
    // Where three columns have no room the last one goes below: nothing is to be scrolled to the side.
    const auto* bar = panel.findChild<QScrollArea*>()->horizontalScrollBar();
    for (const int width : {700, 1200}) {
        panel.resize(width, 800);
        QTRY_COMPARE(bar->maximum(), 0);
        QTRY_COMPARE(section("privacySection")->mapTo(&form, QPoint()).x() > form.width() / 2, width == 1200);
    }
    // What is wrong in a closed part opens it; one that no run of this kind reads is not there.
    section("privacySection")->setOpen(false);
    testing::line(form, "training.max_grad_norm")->setText(QStringLiteral("-1"));
    form.validate();
    QVERIFY(!form.isValid() && section("privacySection")->isOpen());
    QVERIFY(!form.problem("training.max_grad_norm").isEmpty());
    testing::choice(form, "kind")->setCurrentIndex(testing::choice(form, "kind")->findData(QStringLiteral("prm")));
    QVERIFY(!section("privacySection")->isVisible() && section("allocatorSection")->isVisible());
    form.validate();
    QVERIFY2(form.isValid(), qPrintable(form.problem("")));
    QVERIFY(!form.document()["training"].contains("clipping"));
}

// The list has titles, the experiment its own words, which the hovers keep.
void TestExperimentForm::choicesAreWordsForPeople()
{
    ExperimentForm form;
    form.setDocument(demoExperiment());
    const std::pair<const char*, const char*> shown[] = {{"model.family", "OPT"},
                                                         {"training.optimizer", "Adam"},
                                                         {"dtype", "float32"},
                                                         {"kind", "Memory"},
                                                         {"data.source", "Built-in text"},
                                                         {"model.tied", "Yes"},
                                                         {"training.clipping", "None"},
                                                         {"fit", "No"}};
    for (const auto& [key, words] : shown)
        QCOMPARE(testing::choice(form, key)->currentText(), QString::fromLatin1(words));
    // No list shows a word with an underscore, and none shows a title twice.
    for (const ExperimentKey& row : experimentKeys()) {
        const auto* list = qobject_cast<QComboBox*>(form.field(std::string(row.path)));
        if (!list || list->isEditable())
            continue;
        QStringList titles;
        for (int i = 0; i < list->count(); ++i)
            titles << list->itemText(i);
        QVERIFY2(titles.filter(QStringLiteral("_")).isEmpty(), qPrintable(titles.join(u' ')));
        QCOMPARE(titles.removeDuplicates(), 0);
    }
    QComboBox* optimizer = testing::choice(form, "training.optimizer");
    optimizer->setCurrentText(QStringLiteral("8-bit AdamW"));
    testing::choice(form, "model.family")->setCurrentText(QStringLiteral("GPT-NeoX"));
    testing::choice(form, "data.source")->setCurrentText(QStringLiteral("Token file"));
    testing::choice(form, "fit")->setCurrentText(QStringLiteral("Yes"));
    const nlohmann::json document = form.document();
    QCOMPARE(document["training"]["optimizer"], nlohmann::json("adamw8bit"));
    QCOMPARE(document["model"]["family"], nlohmann::json("gpt_neox"));
    QCOMPARE(document["data"]["source"], nlohmann::json("tokens"));
    QCOMPARE(document["fit"], nlohmann::json(true));
    QCOMPARE(optimizer->currentData(Qt::ToolTipRole).toString(), QStringLiteral("adamw8bit"));
    QVERIFY2(optimizer->toolTip().contains(QStringLiteral("training.optimizer")), qPrintable(optimizer->toolTip()));
}

void TestExperimentForm::cardsThatAreNotHere()
{
    settings::noteDryCards({QStringLiteral("l4"), QStringLiteral("rtx-4090")});
    ExperimentForm form;
    form.setDocument(demoExperiment());
    form.resize(1200, 700);
    form.show();
    QVERIFY(QTest::qWaitForWindowExposed(&form));
    QComboBox* device = testing::choice(form, "device");
    const auto entries = [device] {
        QStringList all;
        for (int i = 0; i < device->count(); ++i)
            all << device->itemData(i).toString();
        return all;
    };
    // The machine's first, then the cards chosen lately, then the others; no more than can be acted out.
    QCOMPARE(entries().first(6), (QStringList{QStringLiteral("auto"), QStringLiteral("cpu"), QStringLiteral("cuda:0"),
                                              QString(), QStringLiteral("dry:l4"), QStringLiteral("dry:rtx-4090")}));
    QStringList able;
    const auto catalogue = loadDeviceCatalogue();
    for (const CatalogueDevice& card : *catalogue) {
        if (card.cuda)
            able << QStringLiteral("dry:") + QString::fromStdString(card.id);
    }
    QStringList offered = entries().filter(QStringLiteral("dry:"));
    offered.sort();
    able.sort();
    QCOMPARE(offered, able);
    QCOMPARE(device->itemText(4), QStringLiteral("dry run on NVIDIA L4 24GB"));
    // Any part of a name finds a card, and what is typed whole is one.
    device->lineEdit()->setFocus();
    device->lineEdit()->selectAll();
    QTest::keyClicks(device->lineEdit(), QStringLiteral("4090"));
    QCOMPARE(device->completer()->completionCount(), 1);
    QCOMPARE(device->completer()->currentCompletion(), QStringLiteral("dry run on NVIDIA GeForce RTX 4090 24GB"));
    device->setEditText(QStringLiteral("Dry run on nvidia a800 sxm 80gb"));
    QCOMPARE(form.document()["device"], nlohmann::json("dry:a800-80gb"));
    form.validate();
    QVERIFY2(form.isValid(), qPrintable(form.problem("device")));
    QVERIFY2(experimentSummary(form.document()).endsWith(QStringLiteral("dry run on NVIDIA A800 SXM 80GB")),
             qPrintable(experimentSummary(form.document())));
    // Chosen in the list, and kept when the machine's devices are known.
    device->setCurrentIndex(5);
    form.setDevices({{QStringLiteral("cpu"), {}}, {QStringLiteral("cuda:7"), {}}});
    QCOMPARE(form.document()["device"], nlohmann::json("dry:rtx-4090"));
    QCOMPARE(entries()[2], QStringLiteral("cuda:7"));
    // Another size of a card stays what it is.
    nlohmann::json document = form.document();
    document["device"] = "dry:h100-80gb:95GiB";
    form.setDocument(document);
    QCOMPARE(device->currentText(), QStringLiteral("dry run on NVIDIA H100 SXM 80GB of 95.0 GiB"));
    QCOMPARE(form.document()["device"], document["device"]);
    QVERIFY(form.isValid());
    document["device"] = "dry:no-such-card";
    form.setDocument(document);
    QVERIFY(!form.isValid() && !form.problem("device").isEmpty());
}

PEAKSCOPE_TEST(TestExperimentForm)
#include "test_experiment_form.moc"
