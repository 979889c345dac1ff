// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/model_fields.h"

#include "app/form/form_fields.h"
#include "app/form/model_folder.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"
#include "core/model/catalogue.h"
#include "widgets/look/pieces.h"
#include "widgets/text/language_texts.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QSignalBlocker>

#include <algorithm>
#include <optional>

namespace peakscope {

namespace {

constexpr int kParametersRole = Qt::UserRole + 1; // of the models of the catalogue

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

} // namespace

QString ModelFields::parametersText(std::int64_t count)
{
    const double value = static_cast<double>(count);
    if (count >= 1'000'000'000)
        return tr("%1 B parameters").arg(QLocale().toString(value / 1e9, 'f', 2));
    if (count >= 1'000'000)
        return tr("%1 M parameters").arg(QLocale().toString(value / 1e6, 'f', 1));
    return tr("%1 parameters").arg(QLocale().toString(static_cast<qlonglong>(count)));
}

void ModelFields::build(QVBoxLayout* column)
{
    QGridLayout* grid = m_fields.addSection(column, [] { return tr("Model"); });
    m_source = new QComboBox(m_page);
    m_source->setObjectName(QStringLiteral("model_source"));
    addItem(m_source, static_cast<int>(Source::Catalogue), [] { return tr("From the catalogue"); });
    addItem(m_source, static_cast<int>(Source::Folder), [] { return tr("Hugging Face folder"); });
    addItem(m_source, static_cast<int>(Source::Shape), [] { return tr("Own shape"); });
    auto* label = new QLabel(m_page);
    label->setBuddy(m_source);
    grid->addWidget(label, 0, 0);
    grid->addWidget(m_source, 0, 1);
    connect(m_source, &QComboBox::currentIndexChanged, this, [this] {
        adopt();
        m_fields.tellEdited();
    });

    QComboBox* id = m_fields.addChoice(grid, "model.id");
    id->setEditable(true); // tuned variants of an entry, and what Hugging Face's cache holds
    id->setInsertPolicy(QComboBox::NoInsert);
    m_fields.addLine(grid, "model.dir", [] { return tr("folder with config.json"); });
    connect(m_fields["model.dir"].line(), &QLineEdit::textChanged, this, [this] {
        adopt();
        m_fields.tellEdited();
    });
    m_fields.addBrowse(m_fields["model.dir"], true);
    m_fields.addChoice(grid, "model.family");
    for (const char* key : {"model.layers", "model.hidden", "model.heads", "model.kv_heads", "model.ffn", "model.vocab",
                            "model.max_positions"})
        m_fields.addLine(grid, key);
    QComboBox* truth = m_fields.add(grid, "model.tied").choice();
    addItem(truth, QStringLiteral(""), [] { return tr("As the family does"); });
    addItem(truth, QStringLiteral("true"), [] { return tr("Yes"); });
    addItem(truth, QStringLiteral("false"), [] { return tr("No"); });
    connect(truth, &QComboBox::currentIndexChanged, this, [this] { m_fields.tellEdited(); });
    m_fields.addChoice(grid, "weights", {QStringLiteral("random"), QStringLiteral("pretrained")});
    m_fields.addChoice(grid, "dtype");
    m_fields.addLine(grid, "seed");
    inLanguage(m_source, [this, label] {
        label->setText(tr("From"));
        m_source->setAccessibleName(tr("Where the model comes from"));
    });
}

QString ModelFields::loadCatalogue()
{
    const Result<std::vector<CatalogueModel>> models = loadModelCatalogue();
    if (!models)
        return QString::fromStdString(models.error().text());
    QComboBox* combo = m_fields["model.id"].choice();
    const QString current = combo->currentData().toString();
    m_fields.setFilling(true);
    combo->clear();
    for (const CatalogueModel& model : *models) {
        const QString id = QString::fromStdString(model.id);
        combo->addItem(id, id);
        combo->setItemData(combo->count() - 1, qlonglong(model.parameters), kParametersRole);
    }
    inLanguage(combo, [combo] {
        const QSignalBlocker blocker(combo); // an entry with another tip is no other choice
        for (int i = 0; i < combo->count(); ++i) {
            if (const QVariant count = combo->itemData(i, kParametersRole); count.isValid())
                combo->setItemData(i, parametersText(count.toLongLong()), Qt::ToolTipRole);
        }
    });
    combo->setMaxVisibleItems(20);
    const int index = combo->findData(current);
    if (index < 0 && !current.isEmpty())
        combo->insertItem(0, current, current);
    combo->setCurrentIndex(std::max(index, 0));
    m_fields.setFilling(false);
    return {};
}

ModelFields::Source ModelFields::source() const
{
    return static_cast<Source>(m_source->currentIndex());
}

void ModelFields::begin(const nlohmann::json& document)
{
    const auto given = [&document](const char* key) {
        const nlohmann::json* text = lenient::findPath(document, key);
        return text && text->is_string() && !text->empty() && *text != "";
    };
    const Source source = given("model.id") ? Source::Catalogue : given("model.dir") ? Source::Folder : Source::Shape;
    m_source->setCurrentIndex(static_cast<int>(source));
    m_unseenShape =
        source == Source::Shape ? unseenShape(lenient::object(document, "model")) : nlohmann::json::object();
}

void ModelFields::setUsualWeights()
{
    const nlohmann::json usual = source() == Source::Shape ? "random" : "pretrained";
    m_fields["weights"].setValue(&usual);
}

void ModelFields::update()
{
    const Source source = this->source();
    m_fields["model.id"].setVisible(source == Source::Catalogue);
    m_fields["model.dir"].setVisible(source == Source::Folder);
    for (const char* key : kShapeKeys)
        m_fields[key].setVisible(source == Source::Shape);
}

bool ModelFields::isOfSource(const std::string& key) const
{
    return source() == Source::Shape ? key != "model.id" && key != "model.dir" : key == mainKey();
}

void ModelFields::complete(nlohmann::json& model) const
{
    if (source() == Source::Shape && lenient::text(model, "family") == lenient::text(m_unseenShape, "family"))
        model.update(m_unseenShape);
}

const char* ModelFields::mainKey() const
{
    return source() == Source::Catalogue ? "model.id" : source() == Source::Folder ? "model.dir" : "model.family";
}

// A folder means its weights; one without any, like an own shape, can only have random ones.
void ModelFields::adopt()
{
    const Source source = this->source();
    if (m_fields.filling() || source == Source::Catalogue)
        return;
    const auto textOf = [this](const char* key) { return m_fields[key].line()->text().trimmed(); };
    nlohmann::json weights = "random";
    m_fields.setFilling(true);
    if (source == Source::Folder) {
        const Result<ModelFolder> folder = lookIntoModelFolder(textOf("model.dir").toStdString());
        if (!folder) { // still being typed, or no model: the field's own check says so
            m_fields.setFilling(false);
            return;
        }
        if (folder->hasWeights)
            weights = "pretrained";
        for (const char* key : kShapeKeys) // where an own shape begins from
            m_fields[key].setValue(lenient::findPath({{"model", folder->shape}}, key));
        m_unseenShape = unseenShape(folder->shape);
        const nlohmann::json own = "auto";
        if (textOf("data.tokenizer") == QLatin1String("bytes"))
            m_fields["data.tokenizer"].setValue(&own);
        const nlohmann::json longest = folder->positions;
        bool isNumber = false;
        if (const qlonglong rows = textOf("data.seq").toLongLong(&isNumber); isNumber && rows > folder->positions)
            m_fields["data.seq"].setValue(&longest);
    }
    m_fields["weights"].setValue(&weights);
    m_fields.setFilling(false);
}

} // namespace peakscope
