// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the experiment form is laid out; its behaviour stands in experiment_form.cpp.
#include "app/run/experiment_form.h"

#include "app/machines/launcher_presets.h"
#include "app/run/curvature_fields.h"
#include "app/run/device_choice.h"
#include "app/window/icons.h"
#include "core/experiment/schema.h"
#include "core/model/catalogue.h"
#include "widgets/look/pieces.h"
#include "widgets/text/plain_text.h"
#include "widgets/text/language_texts.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFileDialog>
#include <QGridLayout>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QProcess>
#include <QSignalBlocker>

#include <algorithm>

namespace peakscope {

QString ExperimentForm::parametersText(std::int64_t count)
{
    const double value = static_cast<double>(count);
    if (count >= 1'000'000'000)
        return tr("%1 B parameters").arg(QLocale().toString(value / 1e9, 'f', 2));
    if (count >= 1'000'000)
        return tr("%1 M parameters").arg(QLocale().toString(value / 1e6, 'f', 1));
    return tr("%1 parameters").arg(QLocale().toString(static_cast<qlonglong>(count)));
}

QGridLayout* ExperimentForm::addSection(QVBoxLayout* column, LanguageText title)
{
    QLabel* heading = makeLabel(std::move(title), this);
    makeBold(heading);
    column->addWidget(heading);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    column->addLayout(grid);
    column->addSpacing(8);
    return grid;
}

namespace {

// Marks the entry of a launcher that is none of the presets.
const QString kOwnWords = QStringLiteral("own");
constexpr int kOwnRole = Qt::UserRole + 1;
constexpr int kParametersRole = Qt::UserRole + 1; // of the models of the catalogue

// The rows' words are translated as the form's own.
QString translated(const char* text)
{
    return *text == '\0' ? QString() : QCoreApplication::translate("peakscope::ExperimentForm", text);
}

QString tipOf(const ExperimentKey& key)
{
    const QString path = QString::fromUtf8(key.path.data(), qsizetype(key.path.size()));
    const QString range = QString::fromStdString(rangeText(key)) + u' ' + translated(key.more.unit);
    return QStringLiteral("<p>%1</p><p><code>%2</code> %3</p>")
        .arg(translated(key.words).toHtmlEscaped(), path.toHtmlEscaped(), range.trimmed().toHtmlEscaped());
}

} // namespace

ExperimentForm::Field::Kind ExperimentForm::kindOf(const ExperimentKey& key)
{
    switch (typeOf(key)) {
    case KeyType::Truth:
        return Field::Kind::Truth;
    case KeyType::Integer:
    case KeyType::Number:
        return key.more.unit == std::string_view("bytes") ? Field::Kind::Bytes : Field::Kind::Number;
    case KeyType::Texts:
        return Field::Kind::Words;
    case KeyType::Numbers:
        return Field::Kind::Numbers;
    case KeyType::Word:
        return Field::Kind::Choice;
    case KeyType::Words:
        return Field::Kind::Checks;
    case KeyType::Entries:
        return Field::Kind::Entries;
    case KeyType::Marks:
        return Field::Kind::Json;
    case KeyType::Text:
        break;
    }
    return Field::Kind::Text;
}

ExperimentForm::Field& ExperimentForm::addField(QGridLayout* grid, const std::string& key)
{
    const ExperimentKey& row = *findExperimentKey(key);
    return addField(grid, row, kindOf(row));
}

ExperimentForm::Field& ExperimentForm::addField(QGridLayout* grid, const ExperimentKey& row, Field::Kind kind)
{
    const std::string key(row.path);
    Field& field = m_fields[key];
    field.kind = kind;
    field.key = key;
    field.row = &row;
    field.usual = QString::fromStdString(defaultText(row));
    field.label = new QLabel(this);
    field.reason = new QLabel(this);
    field.reason->setWordWrap(true);
    field.reason->setTextFormat(Qt::PlainText);
    field.reason->hide();
    const bool choice = kind == Field::Kind::Choice || kind == Field::Kind::Truth;
    if (kind == Field::Kind::Checks)
        field.editor = new WordChecks(this);
    else
        field.editor = choice ? static_cast<QWidget*>(new QComboBox(this)) : new QLineEdit(this);
    field.editor->setObjectName(QString::fromStdString(key));
    field.editor->setMinimumWidth(72);
    field.label->setBuddy(field.editor);
    field.holder = new QWidget(this);
    auto* beside = makeBox<QHBoxLayout>(field.holder, {}, 2);
    beside->addWidget(field.editor, 1);
    const int line = grid->rowCount();
    grid->addWidget(field.label, line, 0, kind == Field::Kind::Checks ? Qt::AlignTop : Qt::Alignment());
    grid->addWidget(field.holder, line, 1);
    grid->addWidget(field.reason, line + 1, 0, 1, 2);
    inLanguage(field.editor, [this, &field] { say(field); });
    return field;
}

void ExperimentForm::say(Field& field)
{
    field.title = translated(field.row->title);
    const QString hover = tipOf(*field.row);
    field.label->setToolTip(hover);
    field.editor->setToolTip(hover);
    field.editor->setAccessibleDescription(translated(field.row->words));
    if (auto* line = qobject_cast<QLineEdit*>(field.editor)) {
        const QString hint = field.hint.say();
        line->setPlaceholderText(hint.isEmpty() ? translated(field.usual.toUtf8().constData()) : hint);
    }
    setReason(field, field.reason->isHidden() ? QString() : field.reason->text());
}

QComboBox* ExperimentForm::addChoice(QGridLayout* grid, const std::string& key, QStringList values)
{
    const ExperimentKey& row = *findExperimentKey(key);
    for (const std::string& word : values.isEmpty() ? wordsOf(row) : std::vector<std::string>())
        values << QString::fromStdString(word);
    Field& field = addField(grid, row, Field::Kind::Choice);
    auto* combo = static_cast<QComboBox*>(field.editor);
    for (const QString& value : std::as_const(values))
        combo->addItem(value, value);
    combo->setCurrentIndex(std::max(combo->findData(field.usual), 0));
    // A long entry must not widen the column; the open list shows it whole.
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    connect(combo, &QComboBox::currentTextChanged, this, &ExperimentForm::onEdited);
    return combo;
}

QLineEdit* ExperimentForm::addLine(QGridLayout* grid, const std::string& key, LanguageText hint)
{
    Field& field = addField(grid, key);
    auto* line = static_cast<QLineEdit*>(field.editor);
    field.hint = std::move(hint);
    say(field);
    connect(line, &QLineEdit::textChanged, this, &ExperimentForm::onEdited);
    return line;
}

void ExperimentForm::addBrowse(Field& field, bool folder)
{
    auto* line = static_cast<QLineEdit*>(field.editor);
    auto* button = new QToolButton(field.holder);
    button->setIcon(glyphIcon(Glyph::Folder));
    button->setAutoRaise(true);
    inLanguage(button, [button, folder] {
        button->setToolTip(folder ? tr("Choose a folder") : tr("Choose a file"));
        button->setAccessibleName(button->toolTip());
    });
    field.holder->layout()->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, line, folder] {
        const QString chosen = folder ? QFileDialog::getExistingDirectory(this, tr("Choose a folder"), line->text())
                                      : QFileDialog::getOpenFileName(this, tr("Choose a file"), line->text());
        if (!chosen.isEmpty())
            line->setText(chosen);
    });
}

void ExperimentForm::buildKind(QVBoxLayout* column)
{
    QGridLayout* grid = addSection(column, [] { return tr("Experiment"); });
    QComboBox* kind = addChoice(grid, "kind");
    connect(kind, &QComboBox::currentIndexChanged, this, &ExperimentForm::onKindChosen);
}

void ExperimentForm::buildModel(QVBoxLayout* column)
{
    QGridLayout* grid = addSection(column, [] { return tr("Model"); });
    m_source = new QComboBox(this);
    m_source->setObjectName(QStringLiteral("model_source"));
    addItem(m_source, static_cast<int>(ModelSource::Catalogue), [] { return tr("From the catalogue"); });
    addItem(m_source, static_cast<int>(ModelSource::Folder), [] { return tr("Hugging Face folder"); });
    addItem(m_source, static_cast<int>(ModelSource::Shape), [] { return tr("Own shape"); });
    auto* label = new QLabel(this);
    label->setBuddy(m_source);
    grid->addWidget(label, 0, 0);
    grid->addWidget(m_source, 0, 1);
    connect(m_source, &QComboBox::currentIndexChanged, this, [this] {
        adoptModel();
        updateVisibleFields();
        onEdited();
    });

    QComboBox* id = addChoice(grid, "model.id");
    id->setEditable(true); // tuned variants of an entry, and what Hugging Face's cache holds
    id->setInsertPolicy(QComboBox::NoInsert);
    addLine(grid, "model.dir", [] { return tr("folder with config.json"); });
    connect(static_cast<QLineEdit*>(m_fields["model.dir"].editor), &QLineEdit::textChanged, this, [this] {
        adoptModel();
        onEdited();
    });
    addBrowse(m_fields["model.dir"], true);
    addChoice(grid, "model.family");
    for (const char* key : {"model.layers", "model.hidden", "model.heads", "model.kv_heads", "model.ffn", "model.vocab",
                            "model.max_positions"})
        addLine(grid, key);
    Field& tied = addField(grid, "model.tied");
    auto* truth = static_cast<QComboBox*>(tied.editor);
    addItem(truth, QStringLiteral(""), [] { return tr("as the family does"); });
    addItem(truth, QStringLiteral("true"), [] { return tr("yes"); });
    addItem(truth, QStringLiteral("false"), [] { return tr("no"); });
    connect(truth, &QComboBox::currentIndexChanged, this, &ExperimentForm::onEdited);
    addChoice(grid, "weights", {QStringLiteral("random"), QStringLiteral("pretrained")});
    addChoice(grid, "dtype");
    addLine(grid, "seed");
    inLanguage(this, [this, label] {
        label->setText(tr("From"));
        m_source->setAccessibleName(tr("Where the model comes from"));
    });
}

void ExperimentForm::loadCatalogue()
{
    if (m_catalogueLoaded)
        return;
    m_catalogueLoaded = true;
    offerCards();
    const Result<std::vector<CatalogueModel>> models = loadModelCatalogue();
    if (!models) {
        m_general->setText(QString::fromStdString(models.error().text()));
        m_general->show();
        return;
    }
    auto* combo = static_cast<QComboBox*>(find("model.id")->editor);
    const QString current = combo->currentData().toString();
    m_filling = true;
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
    m_filling = false;
}

void ExperimentForm::buildData(QVBoxLayout* column)
{
    QGridLayout* grid = addSection(column, [] { return tr("Data"); });
    addChoice(grid, "data.source");
    addLine(grid, "data.path", [] { return tr("file"); });
    addBrowse(m_fields["data.path"], false);
    for (const char* key : {"data.tokenizer", "data.batch", "data.seq", "data.max_physical_batch"})
        addLine(grid, key);
}

void ExperimentForm::buildTraining(QVBoxLayout* column)
{
    QGridLayout* grid = addSection(column, [] { return tr("Training"); });
    addChoice(grid, "training.optimizer");
    for (const char* key : {"training.lr", "training.warmup_steps", "training.steps"})
        addLine(grid, key);
    addTruth(grid, "training.checkpointing",
             {{[] { return tr("no"); }, false}, {[] { return tr("yes, per layer"); }, true}});
    for (const char* key : {"training.amp", "training.attention", "training.loss_head"})
        addChoice(grid, key);
}

void ExperimentForm::buildDevice(QVBoxLayout* column)
{
    QGridLayout* grid = addSection(column, [] { return tr("Device"); });
    addMachine(grid);
    m_devices = new DeviceChoice(addChoice(grid, "device", {QStringLiteral("auto")}));
    for (const char* key : {"threads", "budget_bytes"})
        addLine(grid, key);
    addTruth(grid, "fit", {{[] { return tr("no"); }, false}, {[] { return tr("yes"); }, true}});
    addLine(grid, "launcher");
    addRanks(grid);
    auto* launcher = static_cast<QLineEdit*>(m_fields["launcher"].editor);
    connect(launcher, &QLineEdit::selectionChanged, this, [this, launcher] {
        m_launcherSelected = !launcher->text().isEmpty() && launcher->selectedText() == launcher->text();
    });
    connect(launcher, &QLineEdit::textEdited, this, [this] {
        m_ownLauncher = m_ownLauncher || m_launcherSelected || this->launcher().isEmpty();
        noteTypedLauncher();
        showMachine();
    });
    connect(launcher, &QLineEdit::editingFinished, this, [this, launcher] {
        if (launcher->isModified())
            emit launcherChosen(this->launcher());
        launcher->setModified(false);
    });
}

// How many processes share a step, and the usual ways to start them.
void ExperimentForm::addRanks(QGridLayout* grid)
{
    QLineEdit* ranks = addLine(grid, "ranks");
    addChoice(grid, "training.sharding");
    auto* presets = new QToolButton(m_fields["ranks"].holder);
    presets->setObjectName(QStringLiteral("ranksPresets"));
    presets->setPopupMode(QToolButton::InstantPopup);
    m_fields["ranks"].holder->layout()->addWidget(presets);
    auto* menu = new QMenu(presets);
    presets->setMenu(menu);
    const auto add = [this, menu, ranks](LanguageText title, const QString& pattern) {
        QAction* action = menu->addAction(QString());
        inLanguage(menu, [action, title = std::move(title)] { action->setText(title.say()); });
        connect(action, &QAction::triggered, this, [this, ranks, pattern] {
            constexpr int kFirst = 2;
            const int wanted = std::max(ranks->text().toInt(), kFirst);
            ranks->setText(QString::number(wanted));
            auto* launcher = static_cast<QLineEdit*>(m_fields["launcher"].editor);
            launcher->setText(pattern.isEmpty() ? QString() : pattern.arg(wanted));
            m_ownLauncher = true;
            noteTypedLauncher();
            showMachine();
        });
    };
    add([] { return tr("This machine"); }, {});
    add([] { return tr("Hosts of a file (mpirun)"); }, QStringLiteral("mpirun --hostfile hosts -n %1"));
    add([] { return tr("Slurm (srun)"); }, QStringLiteral("srun -n %1 --mpi=pmix"));
    inLanguage(this, [presets] {
        presets->setText(tr("Start with"));
        presets->setToolTip(tr("Fills in ranks and launcher for a usual way to start several processes"));
    });
}

void ExperimentForm::addMachine(QGridLayout* grid)
{
    m_machine = new QComboBox(this);
    m_machine->setObjectName(QStringLiteral("machine"));
    auto* manage = new QToolButton(this);
    manage->setObjectName(QStringLiteral("manageLaunchers"));
    auto* holder = new QWidget(this);
    auto* row = makeBox<QHBoxLayout>(holder);
    row->addWidget(m_machine, 1);
    row->addWidget(manage);
    auto* label = new QLabel(this);
    label->setBuddy(m_machine);
    const int line = grid->rowCount();
    grid->addWidget(label, line, 0);
    grid->addWidget(holder, line, 1);
    connect(manage, &QToolButton::clicked, this, &ExperimentForm::manageLaunchersRequested);
    connect(m_machine, &QComboBox::activated, this, [this](int index) {
        const QStringList words = m_machine->itemData(index).toStringList();
        m_ownLauncher = m_ownLauncher || words != launcher();
        static_cast<QLineEdit*>(m_fields["launcher"].editor)->setText(commandLine(words));
        showMachine();
        emit launcherChosen(words);
    });
    setLaunchers({});
    inLanguage(this, [this, label, manage] {
        label->setText(tr("Machine"));
        m_machine->setAccessibleName(tr("Machine"));
        m_machine->setToolTip(tr("Where the run happens: this machine, or another one reached through a launcher."));
        m_machine->setItemText(0, tr("This machine"));
        if (const int own = m_machine->findData(kOwnWords, kOwnRole); own >= 0)
            m_machine->setItemText(own, tr("as the launcher says"));
        manage->setText(tr("Manage…"));
        manage->setToolTip(tr("Add, change and test the machines that runs can happen on"));
    });
}

void ExperimentForm::setLaunchers(const std::vector<std::pair<QString, QStringList>>& launchers)
{
    m_machine->clear();
    m_machine->addItem(tr("This machine"), QStringList());
    for (const auto& [name, words] : launchers) {
        m_machine->addItem(name, words);
        m_machine->setItemData(m_machine->count() - 1, plainToolTip(commandLine(words)), Qt::ToolTipRole);
    }
    showMachine();
}

QStringList ExperimentForm::launcher() const
{
    const auto field = m_fields.find("launcher");
    return field == m_fields.end() ? QStringList()
                                   : QProcess::splitCommand(static_cast<QLineEdit*>(field->second.editor)->text());
}

// A command that came with a file stays the file's while any of it stands there, whatever was added.
void ExperimentForm::noteTypedLauncher()
{
    const QStringList words = launcher();
    m_typedLauncher = m_ownLauncher && words != m_givenLauncher ? words : QStringList();
}

Origin ExperimentForm::origin() const
{
    Origin origin = m_origin;
    if (!m_typedLauncher.isEmpty() && m_typedLauncher == launcher() && !origin.typed.contains(m_typedLauncher))
        origin.typed << m_typedLauncher;
    return origin;
}

// The choice whose words stand in the field; words of no preset are a choice of their own while they stand there.
void ExperimentForm::showMachine()
{
    const QStringList words = launcher();
    for (int own = m_machine->findData(kOwnWords, kOwnRole); own >= 0; own = m_machine->findData(kOwnWords, kOwnRole))
        m_machine->removeItem(own);
    int index = -1;
    for (int i = 0; i < m_machine->count(); ++i)
        index = index < 0 && m_machine->itemData(i).toStringList() == words ? i : index;
    if (index < 0) {
        m_machine->addItem(tr("as the launcher says"), words);
        index = m_machine->count() - 1;
        m_machine->setItemData(index, kOwnWords, kOwnRole);
    }
    m_machine->setCurrentIndex(index);
}

} // namespace peakscope
