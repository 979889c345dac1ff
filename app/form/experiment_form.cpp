// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/experiment_form.h"

#include "app/form/form_section.h"
#include "app/jobs/result_loader.h"
#include "app/parts/device_choice.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"
#include "core/experiment/schema.h"
#include "widgets/look/pieces.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/reason_words.h"

#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLineEdit>

#include <algorithm>

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

} // namespace

ExperimentForm::ExperimentForm(QWidget* parent)
    : QWidget(parent), m_fields(this), m_model(m_fields, this), m_launcher(m_fields, this), m_curvature(m_fields, this),
      m_perturbation(m_fields, this), m_sections(m_fields, this), m_costs(this), m_validation(this)
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
    m_model.build(column[0]);
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
    m_curvature.build(curvature);
    m_perturbation.build(perturbation);
    m_sections.add(column[2], "privacySection", [] { return tr("Privacy"); },
                   {"training.clipping", "training.max_grad_norm", "training.noise_multiplier",
                    "training.privacy.delta", "training.privacy.poisson", "training.privacy.expected_batch",
                    "training.norm_precision", "training.norm_safety"});
    m_sections.add(column[2], "adapterSection", [] { return tr("Adapters"); },
                   {"training.lora.rank", "training.lora.alpha", "training.lora.targets", "training.lora.dtype"});
    m_sections.add(column[1], "allocatorSection", [] { return tr("CUDA allocator"); },
                   {"cuda_allocator.max_split_size_mb", "cuda_allocator.expandable_segments"});
    m_sections.add(
        column[1], "moreSection", [] { return tr("More"); }, m_sections.keysWithoutField());
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
    connect(&m_fields, &FormFields::edited, this, &ExperimentForm::onEdited);
    connect(&m_launcher, &LauncherFields::chosen, this, &ExperimentForm::launcherChosen);
    connect(&m_launcher, &LauncherFields::manageRequested, this, &ExperimentForm::manageLaunchersRequested);
    connect(&m_costs, &FormCosts::answered, this, &ExperimentForm::showCosts);
    updateVisibleFields();
}

void ExperimentForm::buildKind(QVBoxLayout* column)
{
    QGridLayout* grid = m_fields.addSection(column, [] { return tr("Experiment"); });
    QComboBox* kind = m_fields.addChoice(grid, "kind");
    connect(kind, &QComboBox::currentIndexChanged, this, &ExperimentForm::onKindChosen);
}

void ExperimentForm::buildData(QVBoxLayout* column)
{
    QGridLayout* grid = m_fields.addSection(column, [] { return tr("Data"); });
    m_fields.addChoice(grid, "data.source");
    m_fields.addLine(grid, "data.path", [] { return tr("file"); });
    m_fields.addBrowse(m_fields["data.path"], false);
    for (const char* key : {"data.tokenizer", "data.batch", "data.seq", "data.max_physical_batch"})
        m_fields.addLine(grid, key);
}

void ExperimentForm::buildTraining(QVBoxLayout* column)
{
    QGridLayout* grid = m_fields.addSection(column, [] { return tr("Training"); });
    m_fields.addChoice(grid, "training.optimizer");
    for (const char* key : {"training.lr", "training.warmup_steps", "training.steps"})
        m_fields.addLine(grid, key);
    m_fields.addTruth(grid, "training.checkpointing",
                      {{[] { return tr("No"); }, false}, {[] { return tr("Yes, per layer"); }, true}});
    for (const char* key : {"training.amp", "training.attention", "training.loss_head"})
        m_fields.addChoice(grid, key);
}

void ExperimentForm::buildDevice(QVBoxLayout* column)
{
    QGridLayout* grid = m_fields.addSection(column, [] { return tr("Device"); });
    m_launcher.addMachine(grid);
    m_devices = new DeviceChoice(m_fields.addChoice(grid, "device", {QStringLiteral("auto")}));
    for (const char* key : {"threads", "budget_bytes"})
        m_fields.addLine(grid, key);
    m_fields.addTruth(grid, "fit", {{[] { return tr("No"); }, false}, {[] { return tr("Yes"); }, true}});
    m_launcher.addCommand(grid);
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

void ExperimentForm::fit(int width)
{
    int needed =
        layout()->contentsMargins().left() + layout()->contentsMargins().right() + 2 * m_columns->horizontalSpacing();
    for (const QVBoxLayout* column : m_column)
        needed += column->minimumSize().width();
    QVBoxLayout* last = m_column.back();
    const bool beside = width >= needed;
    if (beside == (m_columns->itemAtPosition(0, 2) != nullptr))
        return;
    m_columns->removeItem(last);
    last->setParent(nullptr); // or it could not be added again
    m_columns->addLayout(last, beside ? 0 : 1, beside ? 2 : 0);
    m_columns->setColumnStretch(2, beside ? 1 : 0);
}

void ExperimentForm::loadCatalogue()
{
    if (m_catalogueLoaded)
        return;
    m_catalogueLoaded = true;
    offerCards();
    if (const QString problem = m_model.loadCatalogue(); !problem.isEmpty()) {
        m_general->setText(problem);
        m_general->show();
    }
}

void ExperimentForm::setDevices(const std::vector<std::pair<QString, QString>>& devices)
{
    m_devices->setDevices(devices);
}

void ExperimentForm::offerCards()
{
    m_devices->offerCards();
}

QWidget* ExperimentForm::field(const std::string& key) const
{
    const FormField* found = m_fields.find(key);
    return found ? found->editor : nullptr;
}

QString ExperimentForm::problem(const std::string& key) const
{
    if (key.empty())
        return m_general->isHidden() ? QString() : m_general->text();
    const FormField* found = m_fields.find(key);
    return found && found->isWrong() ? found->reason->text() : QString();
}

void ExperimentForm::setDocument(const nlohmann::json& experiment, const Origin& origin)
{
    m_fields.setFilling(true);
    m_base = experiment.is_object() ? experiment : nlohmann::json::object();
    for (const char* section : {"model", "data", "training", "curvature", "prm"}) {
        if (m_base.contains(section) && !m_base[section].is_object())
            m_base.erase(section);
    }
    if (m_base.contains("curvature") && m_base["curvature"].contains("parameters") &&
        !m_base["curvature"]["parameters"].is_object())
        m_base["curvature"].erase("parameters");
    m_model.begin(m_base);
    for (auto& [key, field] : m_fields.all())
        field.setValue(lenient::findPath(m_base, key));
    if (!lenient::findPath(m_base, "weights"))
        m_model.setUsualWeights();
    m_fields.setFilling(false);
    m_launcher.begin(identified(origin, experiment));
    updateVisibleFields();
    m_sections.open();
    emit predicting();
    validate();
    emit documentChanged();
    emit launcherReplaced();
}

nlohmann::json ExperimentForm::document() const
{
    nlohmann::json document = m_base;
    // A result's configuration carries the resolved shape beside the id; what is asked for again is the id.
    document["model"] = nlohmann::json::object();
    for (const auto& [key, field] : m_fields.all()) {
        const bool isModel = key.starts_with("model.");
        if (isModel && !m_model.isOfSource(key))
            continue;
        if (!isModel && !m_fields.isRead(key))
            continue; // what is not asked for
        const bool hasUses = key.starts_with("curvature.") || key.starts_with("training.") || key == "data.path";
        const bool idle = hasUses && field.holder->isHidden(); // as other keys are, it says nothing
        nlohmann::json value;
        QString problem;
        if (!idle && !field.readValue(value, problem))
            continue;
        const bool quiet =
            field.section || (key.starts_with("training.") && m_fields.kind() == ExperimentKind::Curvature);
        if (quiet && qobject_cast<const QComboBox*>(field.editor) && !field.differs())
            value = nullptr; // written where it says something
        const nlohmann::json::json_pointer at = pointer(key);
        if (!value.is_null())
            document[at] = value;
        else if (document.contains(at))
            document.at(at.parent_pointer()).erase(at.back());
    }
    m_model.complete(document["model"]);
    return document;
}

void ExperimentForm::onKindChosen()
{
    if (m_fields.filling())
        return;
    switch (m_fields.kind()) {
    case ExperimentKind::Memory:
        m_base.erase("prm");
        m_base.erase("curvature");
        break;
    case ExperimentKind::Prm:
        m_base.erase("curvature");
        // It fine-tunes in a way of its own: what it does not read would be refused.
        for (const auto& [key, field] : m_fields.all()) {
            constexpr std::string_view kTraining = "training.";
            const std::string rest =
                key.starts_with(kTraining) && !m_fields.isRead(key) ? key.substr(kTraining.size()) : "";
            if (!rest.empty() && m_base.contains("training"))
                m_base["training"].erase(rest.substr(0, rest.find('.')));
        }
        break;
    case ExperimentKind::Curvature:
        m_base.erase("prm");
        // What a training run was given (autocast, adapters) has no place in a curvature run.
        m_base.erase("training");
        if (!m_base.contains("curvature"))
            m_curvature.fillUsual();
        break;
    }
    onEdited();
}

void ExperimentForm::onEdited()
{
    updateVisibleFields();
    emit predicting();
    m_validation.start();
    emit documentChanged();
}

void ExperimentForm::updateVisibleFields()
{
    m_model.update();
    const QString data = m_fields["data.source"].choice()->currentData().toString();
    m_fields["data.path"].setVisible(data != QLatin1String("builtin"));
    m_fields["data.tokenizer"].setVisible(data != QLatin1String("tokens"));
    const ExperimentKind kind = m_fields.kind();
    m_trainingBox->setVisible(kind != ExperimentKind::Curvature);
    m_curvatureBox->setVisible(kind == ExperimentKind::Curvature);
    m_perturbationBox->setVisible(kind == ExperimentKind::Prm);
    m_curvature.update();
    m_perturbation.update();
    m_sections.update();
}

FormField* ExperimentForm::fieldForProblem(const std::string& key)
{
    FormField* field = m_fields.find(key);
    if (key == "model" || (key.starts_with("model.") && (!field || !m_fields.isAsked(*field))))
        field = m_fields.find(m_model.mainKey());
    if (!field || !m_fields.isAsked(*field))
        return nullptr;
    if (field->section)
        field->section->setOpen(true);
    return field;
}

void ExperimentForm::validate()
{
    m_validation.stop();
    std::vector<std::pair<std::string, std::string>> problems;
    for (auto& [key, field] : m_fields.all()) {
        field.setReason({});
        nlohmann::json value;
        QString problem;
        if (m_fields.isAsked(field) && !field.readValue(value, problem))
            problems.emplace_back(key, problem.toStdString());
    }
    for (auto& problem : experimentProblems(document()))
        problems.push_back(std::move(problem));

    QStringList general;
    for (const auto& [key, sentence] : problems) {
        const QString text = reasonText(sentence);
        FormField* field = fieldForProblem(key);
        if (!field)
            general << (key.empty() ? text : QString::fromStdString(key) + QStringLiteral(": ") + text);
        else if (!field->isWrong())
            field->setReason(text);
    }
    QPalette colors;
    colors.setColor(QPalette::WindowText, problemColor(palette()));
    m_general->setPalette(colors);
    m_general->setText(general.join(u'\n'));
    m_general->setVisible(!general.isEmpty());
    m_valid = problems.empty();
    if (m_valid && isVisible()) {
        m_costs.ask({document(), m_sections.differingKeys()});
    } else {
        m_costs.forget();
        showCosts({});
    }
    emit validated(m_valid);
}

void ExperimentForm::showCosts(const FormCosts::Answer& answer)
{
    m_sections.showCosts(answer);
    if (!answer.dataProblem.empty()) {
        FormField* field = fieldForProblem(answer.vocabularyTooSmall ? "model.vocab" : "data.path");
        if (field)
            field->setReason(reasonText(answer.dataProblem));
        m_valid = false;
        emit validated(false);
    }
    emit predicted(answer.peak, answer.fitted);
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
    QStringList parts{model, ModelFields::parametersText(parameterCount(e.model.config)),
                      ExperimentForm::tr("batch %1 × %2").arg(e.data.batch).arg(e.data.seq),
                      e.kind == ExperimentKind::Curvature ? ExperimentForm::tr("curvature")
                                                          : word(name(e.training.optimizer))};
    parts << methodWords(lenient::object(e.document, "training")) << word(name(e.dtype)) << deviceTitle(e.device);
    return parts.join(QStringLiteral(" · "));
}

} // namespace peakscope
