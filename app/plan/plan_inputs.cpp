// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan/plan_inputs.h"

#include "app/parts/icons.h"
#include "core/base/units.h"
#include "core/model/catalogue.h"
#include "widgets/look/pieces.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/json_words.h"
#include "widgets/text/language_texts.h"

#include <QComboBox>
#include <QAbstractItemView>
#include <QCompleter>
#include <QFileDialog>
#include <QLineEdit>
#include <QLocale>
#include <QSpinBox>
#include <QStyledItemDelegate>

#include <algorithm>

namespace peakscope {

namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 30;

// "Batch: …": a whole number, or empty for any.
Result<std::optional<std::int64_t>> wholeNumber(const QLineEdit& field, const QString& title)
{
    QString text = field.text().trimmed();
    if (text.isEmpty())
        return std::optional<std::int64_t>();
    bool ok = false;
    text.remove(field.locale().groupSeparator());
    const qlonglong value = text.toLongLong(&ok);
    if (!ok || value < 1 || value > kMostRows) {
        return badInput({}, PlanInputs::tr("%1: “%2” is not a whole number from 1 to 2³⁰; leave it empty for any")
                                .arg(title, field.text())
                                .toStdString());
    }
    return std::optional<std::int64_t>(value);
}

// An entry and what it is: a card's name and memory, a model's size.
QString offerOf(const QString& entry, const QString& tip)
{
    return tip.isEmpty() ? entry : entry + QStringLiteral("  ·  ") + tip;
}

// An entry of the list that opens while one types, where no tooltip is seen.
class OfferDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->text = offerOf(option->text, index.data(Qt::ToolTipRole).toString());
        option->showDecorationSelected = true; // the whole row
    }
};

void makeRoomForOffers(const QComboBox& combo)
{
    int widest = 0;
    for (int i = 0; i < combo.count(); ++i) {
        const QString offer = offerOf(combo.itemText(i), combo.itemData(i, Qt::ToolTipRole).toString());
        widest = std::max(widest, combo.fontMetrics().horizontalAdvance(offer));
    }
    combo.completer()->popup()->setMinimumWidth(widest + 3 * combo.fontMetrics().height()); // edges, a scroll bar
}

// Of the entries that hold what was typed; empty where that is an entry itself, or nothing holds it.
QString firstMatch(const QComboBox& combo)
{
    const QString text = combo.currentText().trimmed();
    QString first;
    for (int i = 0; i < combo.count() && !text.isEmpty(); ++i) {
        const QString entry = combo.itemText(i);
        if (entry.compare(text, Qt::CaseInsensitive) == 0)
            return {};
        if (first.isEmpty() && entry.contains(text, Qt::CaseInsensitive))
            first = entry;
    }
    return first;
}

} // namespace

std::string keyOf(const PlanRequest& request)
{
    return nlohmann::json{request.model, request.device, request.devices, name(request.goal), request.base}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

PlanInputs::PlanInputs(QWidget* parent) : QWidget(parent)
{
    buildFields();
}

QComboBox* PlanInputs::addSearchable(int characters)
{
    auto* combo = new QComboBox(this);
    combo->setEditable(true);
    combo->setInsertPolicy(QComboBox::NoInsert);
    combo->setMaxVisibleItems(20);
    // Wide where there is room; a small window makes them give way.
    combo->setMinimumContentsLength(8);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    combo->setMaximumWidth(fontMetrics().averageCharWidth() * (characters + 8));
    combo->completer()->setCompletionMode(QCompleter::PopupCompletion);
    combo->completer()->setFilterMode(Qt::MatchContains);
    combo->completer()->setCaseSensitivity(Qt::CaseInsensitive);
    combo->completer()->popup()->setItemDelegate(new OfferDelegate(combo));
    connect(combo, &QComboBox::editTextChanged, this, [this] {
        if (!m_filling)
            emit edited();
    });
    m_searchable.push_back(combo);
    connect(combo, &QComboBox::activated, this, &PlanInputs::confirmed);
    connect(combo->lineEdit(), &QLineEdit::returnPressed, this, [this, combo] {
        if (const QString match = firstMatch(*combo); !match.isEmpty())
            combo->setEditText(match);
        combo->completer()->popup()->hide(); // it is chosen
        emit confirmed();
    });
    connect(combo->lineEdit(), &QLineEdit::editingFinished, this, &PlanInputs::confirmed);
    return combo;
}

void PlanInputs::addField(LanguageText title, LanguageText tip, QWidget* field)
{
    auto* label = new QLabel(this);
    label->setBuddy(field);
    inLanguage(field, [label, field, title = std::move(title), tip = std::move(tip)] {
        label->setText(title.say());
        label->setToolTip(tip.say());
        field->setToolTip(tip.say());
        field->setAccessibleName(title.say());
        field->setAccessibleDescription(tip.say());
    });
    m_row->addWidget(label);
    m_row->addWidget(field, field->sizePolicy().horizontalPolicy() == QSizePolicy::Expanding ? 100 : 0);
}

void PlanInputs::buildFields()
{
    auto* rows = makeBox<QVBoxLayout>(this, {}, 4);
    const auto newRow = [this, rows] {
        m_row = new QHBoxLayout;
        m_row->setSpacing(6);
        rows->addLayout(m_row);
    };
    newRow();
    m_model = addSearchable(20);
    addField(
        [] { return tr("Model"); },
        [] {
            return tr(
                "An id of the catalogue (type to search), a Hugging Face folder with a config.json, or a bare count: "
                "params:6.7e9");
        },
        m_model);
    auto* folder = new QToolButton(this);
    connect(folder, &QToolButton::clicked, this, &PlanInputs::chooseFolder);
    m_row->addWidget(folder);
    m_row->addSpacing(8);
    m_device = addSearchable(18);
    addField([] { return tr("Device"); },
             [] {
                 return tr("A device of this machine or of the catalogue (type to search), or any capacity: 24 GiB. "
                           "A dry run's card has its name there: dry:a800-80gb");
             },
             m_device);
    m_devices = new QSpinBox(this);
    m_devices->setRange(1, 4096);
    m_devices->setPrefix(QStringLiteral("× "));
    connect(m_devices, &QSpinBox::valueChanged, this, [this] {
        if (!m_filling)
            emit edited();
    });
    m_row->addWidget(m_devices);
    m_row->addStretch(1);

    newRow();
    m_goal = new QComboBox(this);
    for (const Goal goal : {Goal::Train, Goal::Hessian, Goal::DpSgd, Goal::Prm})
        addItem(m_goal, static_cast<int>(goal), [goal] { return goalTitle(std::string(name(goal))); });
    connect(m_goal, &QComboBox::activated, this, &PlanInputs::confirmed);
    addField(
        [] { return tr("Goal"); },
        [] {
            return tr(
                "Plain training, second derivatives, training with differential privacy, or a perturbation experiment");
        },
        m_goal);
    const auto addNumber = [this](LanguageText title, LanguageText tip) {
        auto* line = new QLineEdit(this);
        inLanguage(line, [line] { line->setPlaceholderText(tr("any")); });
        line->setFixedWidth(fontMetrics().averageCharWidth() * 9);
        connect(line, &QLineEdit::textEdited, this, &PlanInputs::edited);
        connect(line, &QLineEdit::returnPressed, this, &PlanInputs::confirmed);
        addField(std::move(title), std::move(tip), line);
        return line;
    };
    m_batch = addNumber([] { return tr("Batch"); }, [] { return tr("Rows of a step; empty: the search chooses"); });
    m_sequence =
        addNumber([] { return tr("Sequence"); }, [] { return tr("Tokens of a row; empty: the search chooses"); });
    m_dtype = new QComboBox(this);
    m_dtype->addItem(QString());
    for (const Dtype dtype : {Dtype::Float32, Dtype::BFloat16, Dtype::Float16, Dtype::Float64})
        m_dtype->addItem(QString::fromStdString(std::string(name(dtype))));
    connect(m_dtype, &QComboBox::activated, this, &PlanInputs::confirmed);
    addField([] { return tr("Data type"); },
             [] { return tr("Of parameters, gradients and states; any: the search chooses"); }, m_dtype);
    m_row->addStretch(1);
    inLanguage(this, [this, folder] {
        m_dtype->setItemText(0, tr("any"));
        folder->setText(tr("Folder…"));
        folder->setToolTip(tr("Choose a folder with a config.json"));
        m_devices->setToolTip(tr("How many of this device there are"));
        m_devices->setAccessibleName(tr("How many of this device there are"));
        sayTips();
        fillDevices();
    });
}

bool PlanInputs::unfinished() const
{
    return std::any_of(m_searchable.begin(), m_searchable.end(), [](const QComboBox* combo) {
        return combo->completer()->popup()->isVisible() ||
               (combo->lineEdit()->hasFocus() && !firstMatch(*combo).isEmpty());
    });
}

void PlanInputs::chooseFolder()
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("A model's folder"), m_model->currentText());
    if (folder.isEmpty())
        return;
    m_model->setEditText(folder);
    emit confirmed();
}

Status PlanInputs::loadCatalogues()
{
    const Result<std::vector<CatalogueModel>> models = loadModelCatalogue();
    if (!models)
        return models.error();
    const Result<std::vector<CatalogueDevice>> devices = loadDeviceCatalogue();
    if (!devices)
        return devices.error();
    m_filling = true;
    const QString text = m_model->currentText();
    m_model->clear();
    m_modelTips.clear();
    for (const CatalogueModel& model : *models) {
        m_model->addItem(QString::fromStdString(model.id));
        m_modelTips.emplace_back([title = QString::fromStdString(model.title), count = qlonglong(model.parameters)] {
            return tr("%1, %2 parameters").arg(title, QLocale().toString(count));
        });
    }
    m_model->setEditText(text);
    m_catalogue.clear();
    for (const CatalogueDevice& device : *devices) {
        m_catalogue.emplace_back(QString::fromStdString(device.id),
                                 [name = QString::fromStdString(device.name), usable = device.usableBytes] {
                                     return tr("%1, %2 usable").arg(name, bytesText(usable));
                                 });
    }
    m_filling = false;
    sayTips();
    fillDevices();
    return Done{};
}

void PlanInputs::sayTips()
{
    m_filling = true;
    const QString text = m_model->currentText(); // Qt puts the entry there whose data changes
    for (std::size_t i = 0; i < m_modelTips.size(); ++i)
        m_model->setItemData(static_cast<int>(i), m_modelTips[i].say(), Qt::ToolTipRole);
    m_model->setEditText(text);
    makeRoomForOffers(*m_model);
    m_filling = false;
}

void PlanInputs::setMachineDevices(const std::vector<MachineDevice>& devices)
{
    m_machine = devices;
    fillDevices();
}

void PlanInputs::fillDevices()
{
    m_filling = true;
    const QString text = m_device->currentText();
    m_device->clear();
    for (const MachineDevice& device : m_machine) {
        m_device->addItem(glyphIcon(Glyph::Device), device.id);
        m_device->setItemData(m_device->count() - 1,
                              tr("This machine: %1, %2 usable").arg(device.name, bytesText(device.usableBytes)),
                              Qt::ToolTipRole);
    }
    if (!m_machine.empty())
        m_device->insertSeparator(m_device->count());
    for (const auto& [id, tip] : m_catalogue) {
        m_device->addItem(id);
        m_device->setItemData(m_device->count() - 1, tip.say(), Qt::ToolTipRole);
    }
    m_device->setEditText(text);
    makeRoomForOffers(*m_device);
    m_filling = false;
}

Result<PlanRequest> PlanInputs::request() const
{
    PlanRequest request;
    request.model = m_model->currentText().trimmed().toStdString();
    if (request.model.empty())
        return badInput({}, tr("Model: choose one, or write a count such as params:6.7e9").toStdString());
    const QString device = m_device->currentText().trimmed();
    if (device.isEmpty())
        return badInput({}, tr("Device: choose one, or write a capacity such as 24 GiB").toStdString());
    request.device = device.toStdString();
    const auto local = std::find_if(m_machine.begin(), m_machine.end(),
                                    [&device](const MachineDevice& each) { return each.id == device; });
    if (local != m_machine.end()) {
        request.machine = planDeviceOfMachine(
            {local->id.toStdString(), local->name.toStdString(), local->totalBytes, 0, local->usableBytes});
    } else if (!device.contains(u':') && parseBytes(request.device)) {
        request.device = "bytes:" + request.device; // "24 GiB" as people write it
    }
    request.devices = m_devices->value();
    request.goal = static_cast<Goal>(m_goal->currentData().toInt());
    const auto batch = wholeNumber(*m_batch, tr("Batch"));
    if (!batch)
        return batch.error();
    const auto sequence = wholeNumber(*m_sequence, tr("Sequence"));
    if (!sequence)
        return sequence.error();
    if (*batch)
        request.base["data"]["batch"] = **batch;
    if (*sequence)
        request.base["data"]["seq"] = **sequence;
    if (m_dtype->currentIndex() > 0)
        request.base["dtype"] = m_dtype->currentText().toStdString();
    return request;
}

std::pair<std::string, std::string> PlanInputs::modelAndDevice() const
{
    return {m_model->currentText().toStdString(), m_device->currentText().toStdString()};
}

nlohmann::json PlanInputs::fields() const
{
    return {{"model", m_model->currentText().toStdString()},
            {"device", m_device->currentText().toStdString()},
            {"devices", m_devices->value()},
            {"goal", m_goal->currentIndex()},
            {"batch", m_batch->text().toStdString()},
            {"sequence", m_sequence->text().toStdString()},
            {"dtype", m_dtype->currentIndex()}};
}

void PlanInputs::setFields(const nlohmann::json& fields)
{
    const auto text = [&fields](const char* key) -> std::optional<QString> {
        return lenient::member(fields, key).is_string() ? std::optional(jsonText(fields, key)) : std::nullopt;
    };
    const auto number = [&fields](const char* key) { return static_cast<int>(lenient::integer(fields, key, -1)); };
    if (!fields.is_object())
        return;
    m_filling = true;
    if (const auto model = text("model"))
        m_model->setEditText(*model);
    if (const auto device = text("device"))
        m_device->setEditText(*device);
    if (number("devices") > 0)
        m_devices->setValue(number("devices"));
    for (const auto& [combo, key] : {std::pair(m_goal, "goal"), {m_dtype, "dtype"}}) {
        if (number(key) >= 0 && number(key) < combo->count())
            combo->setCurrentIndex(number(key));
    }
    m_batch->setText(text("batch").value_or(m_batch->text()));
    m_sequence->setText(text("sequence").value_or(m_sequence->text()));
    m_filling = false;
}

void PlanInputs::setPlan(const PlanDocument& plan)
{
    m_filling = true;
    m_model->setEditText(QString::fromStdString(plan.model));
    m_device->setEditText(QString::fromStdString(plan.device.id));
    m_devices->setValue(static_cast<int>(std::clamp<std::int64_t>(plan.devices, 1, m_devices->maximum())));
    if (const auto goal = goalFromName(plan.goal))
        m_goal->setCurrentIndex(m_goal->findData(static_cast<int>(*goal)));
    const auto number = [&data = lenient::member(plan.base, "data")](const char* key) {
        const auto value = jsonAs<std::int64_t>(lenient::member(data, key));
        return value ? QString::number(*value) : QString();
    };
    m_batch->setText(number("batch"));
    m_sequence->setText(number("seq"));
    m_dtype->setCurrentIndex(std::max(0, m_dtype->findText(jsonText(plan.base, "dtype"))));
    m_filling = false;
}

} // namespace peakscope
