// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/experiment_form.h"

#include "app/library/result_loader.h"
#include "app/machines/launcher_presets.h"
#include "app/run/curvature_fields.h"
#include "app/run/device_choice.h"
#include "app/run/form_section.h"
#include "app/run/model_folder.h"
#include "core/base/json_access.h"
#include "core/base/json_reader.h"
#include "core/base/units.h"
#include "core/experiment/experiment.h"
#include "core/experiment/schema.h"
#include "core/model/catalogue.h"
#include "widgets/look/pieces.h"
#include "widgets/text/reason_words.h"

#include <QComboBox>
#include <QEvent>
#include <QLineEdit>
#include <QLocale>
#include <QProcess>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr int kValidationPause = 150; // ms after the last key

// "data.batch" -> /data/batch
nlohmann::json::json_pointer pointer(const std::string& key)
{
    std::string path = "/" + key;
    std::replace(path.begin(), path.end(), '.', '/');
    return nlohmann::json::json_pointer(path);
}

QString plainText(const nlohmann::json& value)
{
    if (value.is_string())
        return QString::fromStdString(value.get_ref<const std::string&>());
    return QString::fromStdString(value.dump());
}

// What a number field holds: a JSON number, or the text as it is so that the experiment's own check can name it.
nlohmann::json numberFromText(const QString& text)
{
    bool isInteger = false;
    const qlonglong integer = text.toLongLong(&isInteger);
    if (isInteger)
        return integer;
    bool isNumber = false;
    const double number = text.toDouble(&isNumber);
    if (isNumber && std::isfinite(number))
        return number;
    return text.toStdString();
}

const char* const kShapeKeys[] = {"model.family", "model.layers",        "model.hidden",
                                  "model.heads",  "model.kv_heads",      "model.ffn",
                                  "model.vocab",  "model.max_positions", "model.tied"};

// The family of a shape and those of its keys without a field that say something. A result's configuration and a
// folder have all keys written out: one that follows from the others would stand in the way of changing them.
nlohmann::json unseenShape(nlohmann::json shape)
{
    const auto configOf = [](const nlohmann::json& model) {
        const auto read = experimentFromJson({{"kind", name(ExperimentKind::Memory)}, {"model", model}});
        return read ? std::optional(read->model.config) : std::nullopt;
    };
    for (const char* source : {"id", "dir"}) // empty, or it were no shape
        shape.erase(source);
    nlohmann::json unseen = nlohmann::json::object(), rest = shape;
    const std::optional<ModelConfig> whole = configOf(shape);
    for (const auto& [key, value] : shape.items()) {
        const bool field = std::any_of(std::begin(kShapeKeys), std::end(kShapeKeys),
                                       [&key](const char* known) { return known == "model." + key; });
        if (field && key != "family")
            continue;
        if (!field) {
            rest.erase(key);
            if (whole && configOf(rest) == whole)
                continue;
            rest[key] = value;
        }
        unseen[key] = value;
    }
    return unseen;
}

// "lm_head.weight:17"; what has another shape as it is, so that the check can say what is wrong with it.
QString entryText(const nlohmann::json& entry)
{
    if (!entry.is_object() || !entry.contains("parameter") || !entry.contains("index"))
        return plainText(entry);
    return plainText(entry["parameter"]) + u':' + plainText(entry["index"]);
}

QColor problemColor(const QPalette& palette)
{
    const bool dark = palette.color(QPalette::Window).lightness() < 128;
    return dark ? QColor(0xff, 0x8a, 0x75) : QColor(0xb0, 0x22, 0x0c);
}

} // namespace

ExperimentForm::ExperimentForm(QWidget* parent) : QWidget(parent), m_costs(this), m_validation(this)
{
    auto* layout = makeBox<QVBoxLayout>(this, {8, 8, 8, 8}, 4);
    m_columns = new QGridLayout;
    m_columns->setHorizontalSpacing(24);
    layout->addLayout(m_columns);
    const auto& column = m_column;
    for (int i = 0; i < 3; ++i) {
        m_column[i] = makeBox<QVBoxLayout>(nullptr, {}, 4);
        m_columns->addLayout(m_column[i], 0, i, i == 1 ? 2 : 1, 1);
        m_columns->setColumnStretch(i, 1);
    }
    buildKind(column[0]);
    buildModel(column[0]);
    buildData(column[1]);
    buildDevice(column[1]);
    const auto addBox = [this, &column] {
        auto* box = new QWidget(this);
        auto* inside = makeBox<QVBoxLayout>(box, {}, 4);
        column[2]->addWidget(box);
        return std::pair(box, inside);
    };
    const auto [trainingBox, training] = addBox();
    const auto [curvatureBox, curvature] = addBox();
    m_trainingBox = trainingBox;
    m_curvatureBox = curvatureBox;
    const auto [perturbationBox, perturbation] = addBox();
    m_perturbationBox = perturbationBox;
    buildTraining(training);
    buildCurvature(curvature);
    buildPerturbation(perturbation);
    addClosing(column[2], "privacySection", [] { return tr("Privacy"); },
               {"training.clipping", "training.max_grad_norm", "training.noise_multiplier", "training.privacy.delta",
                "training.privacy.poisson", "training.privacy.expected_batch", "training.norm_precision",
                "training.norm_safety"});
    addClosing(column[2], "adapterSection", [] { return tr("Adapters"); },
               {"training.lora.rank", "training.lora.alpha", "training.lora.targets"});
    addClosing(column[1], "allocatorSection", [] { return tr("CUDA allocator"); },
               {"cuda_allocator.max_split_size_mb", "cuda_allocator.expandable_segments"});
    addClosing(
        column[1], "moreSection", [] { return tr("More"); }, keysWithoutField());
    for (QVBoxLayout* each : column)
        each->addStretch(1);
    m_general = new QLabel(this);
    m_general->setWordWrap(true);
    m_general->setTextFormat(Qt::PlainText);
    m_general->hide();
    layout->addWidget(m_general);

    m_validation.setSingleShot(true);
    m_validation.setInterval(kValidationPause);
    connect(&m_validation, &QTimer::timeout, this, &ExperimentForm::validate);
    connect(&m_costs, &FormCosts::answered, this, &ExperimentForm::showCosts);
    updateVisibleFields();
}

void ExperimentForm::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    loadCatalogue();
    validate();
}

void ExperimentForm::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    // Marks take the new theme's colours; what is wrong is said in the new language.
    if (event->type() == QEvent::PaletteChange || (event->type() == QEvent::LanguageChange && m_catalogueLoaded))
        m_validation.start();
}

ExperimentForm::Field* ExperimentForm::find(const std::string& key)
{
    const auto found = m_fields.find(key);
    return found == m_fields.end() ? nullptr : &found->second;
}

const ExperimentForm::Field* ExperimentForm::find(const std::string& key) const
{
    const auto found = m_fields.find(key);
    return found == m_fields.end() ? nullptr : &found->second;
}

QWidget* ExperimentForm::field(const std::string& key) const
{
    const Field* found = find(key);
    return found ? found->editor : nullptr;
}

QString ExperimentForm::problem(const std::string& key) const
{
    if (key.empty())
        return m_general->isHidden() ? QString() : m_general->text();
    const Field* found = find(key);
    return found && !found->reason->isHidden() ? found->reason->text() : QString();
}

ExperimentForm::ModelSource ExperimentForm::modelSource() const
{
    return static_cast<ModelSource>(m_source->currentIndex());
}

void ExperimentForm::setDocument(const nlohmann::json& experiment, const Origin& origin)
{
    m_filling = true;
    m_origin = identified(origin, experiment);
    m_base = experiment.is_object() ? experiment : nlohmann::json::object();
    for (const char* section : {"model", "data", "training", "curvature", "prm"}) {
        if (m_base.contains(section) && !m_base[section].is_object())
            m_base.erase(section);
    }
    if (m_base.contains("curvature") && m_base["curvature"].contains("parameters") &&
        !m_base["curvature"]["parameters"].is_object())
        m_base["curvature"].erase("parameters");
    const nlohmann::json* id = lenient::findPath(m_base, "model.id");
    const nlohmann::json* folder = lenient::findPath(m_base, "model.dir");
    const auto given = [](const nlohmann::json* text) {
        return text && text->is_string() && !text->empty() && *text != "";
    };
    const ModelSource source = given(id)       ? ModelSource::Catalogue
                               : given(folder) ? ModelSource::Folder
                                               : ModelSource::Shape;
    m_source->setCurrentIndex(static_cast<int>(source));
    m_unseenShape =
        source == ModelSource::Shape ? unseenShape(lenient::object(m_base, "model")) : nlohmann::json::object();
    for (auto& [key, field] : m_fields)
        setValue(field, lenient::findPath(m_base, key));
    if (!lenient::findPath(m_base, "weights")) { // the contract's default depends on the model
        const nlohmann::json usual = source == ModelSource::Shape ? "random" : "pretrained";
        setValue(*find("weights"), &usual);
    }
    m_filling = false;
    const QStringList words = launcher();
    m_ownLauncher = words.isEmpty() || origin.typed.contains(words);
    m_givenLauncher = m_ownLauncher ? QStringList() : words;
    m_typedLauncher = m_ownLauncher ? words : QStringList();
    m_launcherSelected = false;
    showMachine();
    updateVisibleFields();
    openSections();
    validate();
    emit documentChanged();
    emit launcherReplaced();
}

void ExperimentForm::setValue(Field& field, const nlohmann::json* value)
{
    using Kind = Field::Kind;
    if (auto* combo = qobject_cast<QComboBox*>(field.editor)) {
        if (!value || value->is_null()) {
            combo->setCurrentIndex(std::max(combo->findData(field.usual), 0));
            return;
        }
        const QString text = plainText(*value);
        int index = combo->findData(text);
        if (index < 0) { // kept as it is, so that the check can say what is wrong with it
            combo->addItem(field.key == "device" ? deviceTitle(text.toStdString()) : text, text);
            index = combo->count() - 1;
        }
        combo->setCurrentIndex(index);
        return;
    }
    if (auto* checks = qobject_cast<WordChecks*>(field.editor)) {
        if (!value || !value->is_array()) {
            const nlohmann::json usual = keyValue(*field.row, defaultExperiment()); // where nothing is said
            setValue(field, &usual);
            return;
        }
        QStringList words;
        for (const nlohmann::json& word : *value)
            words << plainText(word);
        checks->setWords(words);
        return;
    }
    auto* line = static_cast<QLineEdit*>(field.editor);
    QString text;
    if (value && field.kind == Kind::Entries && value->is_array()) {
        for (const nlohmann::json& entry : *value)
            text += (text.isEmpty() ? QString() : QStringLiteral(" ")) + entryText(entry);
    } else if (value && (field.kind == Kind::Words || field.kind == Kind::Numbers) && value->is_array()) {
        QStringList words;
        for (const nlohmann::json& word : *value)
            words << plainText(word);
        text = commandLine(words);
    } else if (const auto bytes = value && field.kind == Kind::Bytes ? jsonInteger(*value) : std::nullopt) {
        constexpr std::int64_t kMebi = 1 << 20;
        if (*bytes > 0)
            text = *bytes % kMebi == 0 ? QStringLiteral("%1 MiB").arg(*bytes / kMebi) : QString::number(*bytes);
    } else if (value && field.kind == Kind::Json) {
        text = value->empty() ? QString() : QString::fromStdString(dumpJson(*value));
    } else if (value && !value->is_null()) {
        text = plainText(*value);
    }
    line->setText(text);
    line->setCursorPosition(0);
}

bool ExperimentForm::readValue(const Field& field, nlohmann::json& value, QString& problem) const
{
    using Kind = Field::Kind;
    value = nullptr; // stays so where the key is left out
    if (const auto* combo = qobject_cast<const QComboBox*>(field.editor)) {
        const bool typed = combo->isEditable() && combo->currentText() != combo->itemText(combo->currentIndex());
        const int meant = typed ? combo->findText(combo->currentText().trimmed(), Qt::MatchFixedString) : -1;
        const QString text = meant >= 0 ? combo->itemData(meant).toString()
                             : typed    ? combo->currentText().trimmed()
                                        : combo->currentData().toString();
        if (field.kind == Kind::Truth && (text == QLatin1String("true") || text == QLatin1String("false")))
            value = text == QLatin1String("true");
        else if (!text.isEmpty())
            value = text.toStdString();
        return true;
    }
    if (const auto* checks = qobject_cast<const WordChecks*>(field.editor)) {
        value = nlohmann::json::array(); // also where none is checked: nothing to compute is wrong
        for (const QString& word : checks->words())
            value.push_back(word.toStdString());
        return true;
    }
    const QString text = static_cast<const QLineEdit*>(field.editor)->text().trimmed();
    if (text.isEmpty())
        return true;
    switch (field.kind) {
    case Kind::Number:
        value = numberFromText(text);
        return true;
    case Kind::Bytes: {
        const Result<std::int64_t> bytes = parseBytes(text.toStdString());
        if (!bytes) {
            problem = QString::fromStdString(bytes.error().text());
            return false;
        }
        value = *bytes;
        return true;
    }
    case Kind::Json:
        value = nlohmann::json::parse(text.toStdString(), nullptr, false);
        if (value.is_discarded())
            value = text.toStdString(); // its own check says what is needed
        return true;
    case Kind::Words:
        value = nlohmann::json::array();
        for (const QString& word : QProcess::splitCommand(text))
            value.push_back(word.toStdString());
        return true;
    case Kind::Numbers:
        value = nlohmann::json::array();
        for (const QString& word : text.split(QRegularExpression(QStringLiteral("[\\s,;]+")), Qt::SkipEmptyParts))
            value.push_back(numberFromText(word));
        return true;
    case Kind::Entries:
        value = nlohmann::json::array();
        for (const QString& word : text.simplified().split(u' ')) {
            const qsizetype colon = word.lastIndexOf(u':');
            if (colon < 1) {
                problem = tr("%1 has no position; write NAME:INDEX").arg(word);
                return false;
            }
            value.push_back(
                {{"parameter", word.left(colon).toStdString()}, {"index", numberFromText(word.mid(colon + 1))}});
        }
        return true;
    default:
        value = text.toStdString();
        return true;
    }
}

nlohmann::json ExperimentForm::document() const
{
    nlohmann::json document = m_base;
    const ModelSource source = modelSource();
    // A result's configuration carries the resolved shape beside the id; what is asked for again is the id.
    document["model"] = nlohmann::json::object();
    for (const auto& [key, field] : m_fields) {
        const bool isModel = key.rfind("model.", 0) == 0;
        const bool isShape = isModel && key != "model.id" && key != "model.dir";
        if (isModel &&
            ((source == ModelSource::Catalogue && key != "model.id") ||
             (source == ModelSource::Folder && key != "model.dir") || (source == ModelSource::Shape && !isShape)))
            continue;
        const bool ofKind = key.starts_with("curvature.") || key.starts_with("training.");
        if (!isModel && (!isRead(key) || (ofKind && field.holder->isHidden())))
            continue; // what is not asked for
        nlohmann::json value;
        QString problem;
        if (!readValue(field, value, problem))
            continue;
        const bool quiet = field.section || (key.starts_with("training.") && kind() == ExperimentKind::Curvature);
        if (quiet && qobject_cast<const QComboBox*>(field.editor) && !differs(field))
            value = nullptr; // written where it says something
        const nlohmann::json::json_pointer at = pointer(key);
        if (!value.is_null())
            document[at] = value;
        else if (document.contains(at))
            document.at(at.parent_pointer()).erase(at.back());
    }
    if (source == ModelSource::Shape &&
        lenient::text(document["model"], "family") == lenient::text(m_unseenShape, "family"))
        document["model"].update(m_unseenShape);
    return document;
}

void ExperimentForm::onEdited()
{
    if (m_filling)
        return;
    updateVisibleFields();
    m_validation.start();
    emit documentChanged();
}

// A folder means its weights; one without any, like an own shape, can only have random ones.
void ExperimentForm::adoptModel()
{
    const ModelSource source = modelSource();
    if (m_filling || source == ModelSource::Catalogue)
        return;
    const auto textOf = [this](const char* key) {
        return static_cast<QLineEdit*>(find(key)->editor)->text().trimmed();
    };
    nlohmann::json weights = "random";
    m_filling = true;
    if (source == ModelSource::Folder) {
        const Result<ModelFolder> folder = lookIntoModelFolder(textOf("model.dir").toStdString());
        if (!folder) { // still being typed, or no model: the field's own check says so
            m_filling = false;
            return;
        }
        if (folder->hasWeights)
            weights = "pretrained";
        for (const char* key : kShapeKeys) // where an own shape begins from
            setValue(*find(key), lenient::findPath({{"model", folder->shape}}, key));
        m_unseenShape = unseenShape(folder->shape);
        const nlohmann::json own = "auto";
        if (textOf("data.tokenizer") == QLatin1String("bytes"))
            setValue(*find("data.tokenizer"), &own);
        const nlohmann::json longest = folder->positions;
        bool isNumber = false;
        if (const qlonglong rows = textOf("data.seq").toLongLong(&isNumber); isNumber && rows > folder->positions)
            setValue(*find("data.seq"), &longest);
    }
    setValue(*find("weights"), &weights);
    m_filling = false;
}

void ExperimentForm::updateVisibleFields()
{
    const ModelSource source = modelSource();
    showField("model.id", source == ModelSource::Catalogue);
    showField("model.dir", source == ModelSource::Folder);
    for (const char* key : kShapeKeys)
        showField(key, source == ModelSource::Shape);
    const QString data = static_cast<QComboBox*>(find("data.source")->editor)->currentData().toString();
    showField("data.path", data != QLatin1String("builtin"));
    showField("data.tokenizer", data != QLatin1String("tokens"));
    updateCurvatureFields();
    updatePerturbationFields();
    updateSections();
}

void ExperimentForm::showField(const std::string& key, bool visible)
{
    Field& field = *find(key);
    field.label->setVisible(visible);
    field.holder->setVisible(visible);
    if (!visible)
        setReason(field, {});
}

void ExperimentForm::setReason(Field& field, const QString& reason)
{
    const bool wrong = !reason.isEmpty();
    field.reason->setText(reason);
    field.reason->setVisible(wrong);
    QPalette label;
    if (wrong)
        label.setColor(QPalette::WindowText, problemColor(palette()));
    field.label->setPalette(label);
    field.reason->setPalette(label);
    // Not by colour alone: the title carries a mark as well.
    field.label->setText(wrong ? QStringLiteral("⚠ ") + field.title : field.title);
    field.editor->setAccessibleName(wrong ? tr("%1, wrong: %2").arg(field.title, reason) : field.title);
}

ExperimentForm::Field* ExperimentForm::fieldForProblem(const std::string& key)
{
    Field* field = find(key);
    if (key == "model" || (key.starts_with("model.") && (!field || !isAsked(*field)))) {
        const ModelSource source = modelSource();
        field = find(source == ModelSource::Catalogue ? "model.id"
                     : source == ModelSource::Folder  ? "model.dir"
                                                      : "model.family");
    }
    if (!field || !isAsked(*field))
        return nullptr;
    if (field->section)
        field->section->setOpen(true);
    return field;
}

void ExperimentForm::validate()
{
    m_validation.stop();
    std::vector<std::pair<std::string, std::string>> problems;
    for (auto& [key, field] : m_fields) {
        setReason(field, {});
        nlohmann::json value;
        QString problem;
        if (isAsked(field) && !readValue(field, value, problem))
            problems.emplace_back(key, problem.toStdString());
    }
    for (auto& problem : experimentProblems(document()))
        problems.push_back(std::move(problem));

    QStringList general;
    for (const auto& [key, sentence] : problems) {
        const QString text = reasonText(sentence);
        Field* field = fieldForProblem(key);
        if (!field)
            general << (key.empty() ? text : QString::fromStdString(key) + QStringLiteral(": ") + text);
        else if (field->reason->isHidden())
            setReason(*field, text);
    }
    QPalette colors;
    colors.setColor(QPalette::WindowText, problemColor(palette()));
    m_general->setPalette(colors);
    m_general->setText(general.join(u'\n'));
    m_general->setVisible(!general.isEmpty());
    m_valid = problems.empty();
    if (m_valid && isVisible()) {
        FormCosts::Question question{document(), {}};
        for (const Section& section : m_sections)
            question.parts.push_back(differing(section).isEmpty() ? std::vector<std::string>() : section.keys);
        m_costs.ask(question);
    } else {
        m_costs.forget();
        showCosts({});
    }
    emit validated(m_valid);
}

bool ExperimentForm::holds(const nlohmann::json& experiment) const
{
    const Result<Experiment> own = experimentFromJson(document());
    const Result<Experiment> other = experimentFromJson(experiment);
    return own && other && experimentDocument(*own) == experimentDocument(*other);
}

QString experimentSummary(const nlohmann::json& document)
{
    const Result<Experiment> experiment = experimentFromJson(document);
    if (!experiment)
        return ExperimentForm::tr("something is missing");
    const Experiment& e = *experiment;
    QString model = QString::fromStdString(e.model.id);
    if (model.isEmpty())
        model = e.model.dir.empty()
                    ? ExperimentForm::tr("own %1").arg(QString::fromStdString(std::string(name(e.model.config.family))))
                    : QString::fromStdString(e.model.dir).section(u'/', -1, -1, QString::SectionSkipEmpty);
    const auto word = [](std::string_view text) { return QString::fromUtf8(text.data(), qsizetype(text.size())); };
    QStringList parts{model, ExperimentForm::parametersText(parameterCount(e.model.config)),
                      ExperimentForm::tr("batch %1 × %2").arg(e.data.batch).arg(e.data.seq),
                      e.kind == ExperimentKind::Curvature ? ExperimentForm::tr("curvature")
                                                          : word(name(e.training.optimizer))};
    parts << methodWords(lenient::object(e.document, "training")) << word(name(e.dtype)) << deviceTitle(e.device);
    return parts.join(QStringLiteral(" · "));
}

void ExperimentForm::setDevices(const std::vector<std::pair<QString, QString>>& devices)
{
    m_devices->setDevices(devices);
}

void ExperimentForm::offerCards()
{
    m_devices->offerCards();
}

} // namespace peakscope
