// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the experiment form is laid out; its behaviour stands in experiment_form.cpp.
#include "app/experiment_form.h"

#include "app/curvature_fields.h"
#include "app/icons.h"
#include "app/launcher_presets.h"
#include "core/model/family.h"
#include "core/optimizers/optimizers.h"
#include "widgets/plain_text.h"

#include <QComboBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace peakscope {

QGridLayout* ExperimentForm::addSection(QVBoxLayout* column, const QString& title)
{
    auto* heading = new QLabel(title, this);
    QFont font = heading->font();
    font.setBold(true);
    heading->setFont(font);
    column->addWidget(heading);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    column->addLayout(grid);
    column->addSpacing(8);
    return grid;
}

ExperimentForm::Field& ExperimentForm::addField(QGridLayout* grid, Field::Kind kind, const std::string& key,
                                                const QString& title, const QString& tip)
{
    Field& field = m_fields[key];
    field.kind = kind;
    field.key = key;
    field.title = title;
    field.label = new QLabel(title, this);
    field.reason = new QLabel(this);
    field.reason->setWordWrap(true);
    field.reason->setTextFormat(Qt::PlainText);
    field.reason->hide();
    const QString hover = QStringLiteral("<p>%1</p><p><code>%2</code></p>")
                              .arg(tip.toHtmlEscaped(), QString::fromStdString(key).toHtmlEscaped());
    const bool choice = kind == Field::Kind::Choice || kind == Field::Kind::Truth;
    if (kind == Field::Kind::Checks)
        field.editor = new WordChecks(this);
    else
        field.editor = choice ? static_cast<QWidget*>(new QComboBox(this)) : new QLineEdit(this);
    field.editor->setObjectName(QString::fromStdString(key));
    field.editor->setToolTip(hover);
    field.editor->setAccessibleName(title);
    field.editor->setAccessibleDescription(tip);
    field.editor->setMinimumWidth(72);
    field.label->setToolTip(hover);
    field.label->setBuddy(field.editor);
    field.holder = new QWidget(this);
    auto* row = new QHBoxLayout(field.holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    row->addWidget(field.editor, 1);
    const int line = grid->rowCount();
    grid->addWidget(field.label, line, 0, kind == Field::Kind::Checks ? Qt::AlignTop : Qt::Alignment());
    grid->addWidget(field.holder, line, 1);
    grid->addWidget(field.reason, line + 1, 0, 1, 2);
    return field;
}

QComboBox* ExperimentForm::addChoice(QGridLayout* grid, const std::string& key, const QString& title,
                                     const QString& tip, const QStringList& values)
{
    auto* combo = static_cast<QComboBox*>(addField(grid, Field::Kind::Choice, key, title, tip).editor);
    for (const QString& value : values)
        combo->addItem(value, value);
    // A long entry must not widen the column; the open list shows it whole.
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    connect(combo, &QComboBox::currentTextChanged, this, &ExperimentForm::onEdited);
    return combo;
}

QLineEdit* ExperimentForm::addLine(QGridLayout* grid, Field::Kind kind, const std::string& key, const QString& title,
                                   const QString& tip, const QString& hint)
{
    auto* line = static_cast<QLineEdit*>(addField(grid, kind, key, title, tip).editor);
    line->setPlaceholderText(hint);
    connect(line, &QLineEdit::textChanged, this, &ExperimentForm::onEdited);
    return line;
}

void ExperimentForm::addBrowse(Field& field, bool folder)
{
    auto* line = static_cast<QLineEdit*>(field.editor);
    auto* button = new QToolButton(field.holder);
    button->setIcon(glyphIcon(Glyph::Folder));
    button->setAutoRaise(true);
    button->setToolTip(folder ? tr("Choose a folder") : tr("Choose a file"));
    button->setAccessibleName(button->toolTip());
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
    QGridLayout* grid = addSection(column, tr("Experiment"));
    QComboBox* kind =
        addChoice(grid, "kind", tr("Kind"),
                  tr("memory measures training steps; curvature computes Hessian quantities; prm puts noise "
                     "into classes of weights and asks perplexity and attacks."),
                  {QStringLiteral("memory"), QStringLiteral("curvature"), QStringLiteral("prm")});
    connect(kind, &QComboBox::currentIndexChanged, this, &ExperimentForm::onKindChosen);
}

void ExperimentForm::buildModel(QVBoxLayout* column)
{
    using Kind = Field::Kind;
    QGridLayout* grid = addSection(column, tr("Model"));
    m_source = new QComboBox(this);
    m_source->setObjectName(QStringLiteral("model_source"));
    m_source->addItems({tr("From the catalogue"), tr("Hugging Face folder"), tr("Own shape")});
    m_source->setAccessibleName(tr("Where the model comes from"));
    auto* label = new QLabel(tr("From"), this);
    label->setBuddy(m_source);
    grid->addWidget(label, 0, 0);
    grid->addWidget(m_source, 0, 1);
    connect(m_source, &QComboBox::currentIndexChanged, this, [this] {
        adoptModel();
        updateVisibleFields();
        onEdited();
    });

    addChoice(grid, "model.id", tr("Model"), tr("A model of the catalogue, by its id."), {});
    addLine(grid, Kind::Text, "model.dir", tr("Folder"),
            tr("A folder with config.json and model.safetensors or pytorch_model.bin, as Hugging Face's library saves "
               "it."),
            tr("folder with config.json"));
    connect(static_cast<QLineEdit*>(m_fields["model.dir"].editor), &QLineEdit::textChanged, this, [this] {
        adoptModel();
        onEdited();
    });
    addBrowse(m_fields["model.dir"], true);
    QStringList families;
    for (const std::string& name : familyNames())
        families << QString::fromStdString(name);
    addChoice(grid, "model.family", tr("Family"), tr("The architecture of the model."), families);
    addLine(grid, Kind::Number, "model.layers", tr("Layers"), tr("Number of transformer layers."), QStringLiteral("4"));
    addLine(grid, Kind::Number, "model.hidden", tr("Hidden"), tr("Width of the residual stream."),
            QStringLiteral("256"));
    addLine(grid, Kind::Number, "model.heads", tr("Heads"), tr("Attention heads; they divide the width."),
            QStringLiteral("4"));
    addLine(grid, Kind::Number, "model.kv_heads", tr("KV heads"),
            tr("Key and value heads (grouped-query attention); as many as heads where empty."), tr("as heads"));
    addLine(grid, Kind::Number, "model.ffn", tr("Feed-forward"), tr("Inner width of the feed-forward block."),
            tr("as the family does"));
    addLine(grid, Kind::Number, "model.vocab", tr("Vocabulary"), tr("Number of tokens."), QStringLiteral("256"));
    addLine(grid, Kind::Number, "model.max_positions", tr("Positions"), tr("Longest sequence the model can take."),
            QStringLiteral("256"));
    Field& tied = addField(grid, Kind::Truth, "model.tied", tr("Tied head"),
                           tr("Whether the head shares the embedding's weights."));
    auto* truth = static_cast<QComboBox*>(tied.editor);
    truth->addItem(tr("as the family does"), QStringLiteral(""));
    truth->addItem(tr("yes"), QStringLiteral("true"));
    truth->addItem(tr("no"), QStringLiteral("false"));
    connect(truth, &QComboBox::currentIndexChanged, this, &ExperimentForm::onEdited);
    addChoice(grid, "weights", tr("Weights"),
              tr("Pretrained weights of the folder or of the Hugging Face cache, or random ones. Memory is the same."),
              {QStringLiteral("random"), QStringLiteral("pretrained")});
    addChoice(
        grid, "dtype", tr("Number type"), tr("Of parameters, gradients and optimizer states."),
        {QStringLiteral("float32"), QStringLiteral("float64"), QStringLiteral("bfloat16"), QStringLiteral("float16")});
    addLine(grid, Kind::Number, "seed", tr("Seed"), tr("Of random weights and of the data's order."),
            QStringLiteral("42"));
}

void ExperimentForm::buildData(QVBoxLayout* column)
{
    using Kind = Field::Kind;
    QGridLayout* grid = addSection(column, tr("Data"));
    addChoice(grid, "data.source", tr("Source"),
              tr("Built-in records, a text file or folder, or rows of token ids in a JSON file."),
              {QStringLiteral("builtin"), QStringLiteral("text"), QStringLiteral("tokens")});
    addLine(grid, Kind::Text, "data.path", tr("Path"), tr("The text file or folder, or the JSON file of tokens."),
            tr("file"));
    addBrowse(m_fields["data.path"], false);
    addLine(grid, Kind::Text, "data.tokenizer", tr("Tokenizer"),
            tr("auto: the model folder's own, else bytes; bytes; or a folder with a tokenizer."),
            QStringLiteral("auto"));
    addLine(grid, Kind::Number, "data.batch", tr("Batch"), tr("Rows of one training step."), QStringLiteral("4"));
    addLine(grid, Kind::Number, "data.seq", tr("Sequence"), tr("Tokens of one row."), QStringLiteral("128"));
    addLine(grid, Kind::Number, "data.max_physical_batch", tr("Rows at once"),
            tr("Rows of one forward pass; gradients accumulate over the rest. The whole batch where empty."),
            tr("whole batch"));
}

void ExperimentForm::buildTraining(QVBoxLayout* column)
{
    using Kind = Field::Kind;
    QGridLayout* grid = addSection(column, tr("Training"));
    QStringList optimizerNames, optimizerStates;
    for (const OptimizerDescription& optimizer : optimizers()) {
        optimizerNames << QString::fromStdString(optimizer.name);
        optimizerStates << QStringLiteral("%1 %2").arg(optimizerNames.last()).arg(optimizer.states.size());
    }
    addChoice(grid, "training.optimizer", tr("Optimizer"),
              tr("States kept for every parameter: %1.").arg(optimizerStates.join(QStringLiteral(", "))),
              optimizerNames);
    addLine(grid, Kind::Number, "training.lr", tr("Learning rate"), tr("0 leaves the weights as they are."),
            QStringLiteral("1e-4"));
    addLine(grid, Kind::Number, "training.warmup_steps", tr("Warm-up steps"), tr("Steps before those that are timed."),
            QStringLiteral("2"));
    addLine(grid, Kind::Number, "training.steps", tr("Steps"), tr("Measured steps."), QStringLiteral("3"));
    addTruth(grid, "training.checkpointing", tr("Checkpointing"),
             tr("Keeps only each layer's input and computes its activations again in the backward pass."),
             {{tr("no"), false}, {tr("yes, per layer"), true}});
    addChoice(grid, "training.amp", tr("Autocast"), tr("Computes in a narrower type; parameters keep theirs."),
              {QStringLiteral("none"), QStringLiteral("bfloat16"), QStringLiteral("float16")});
    addChoice(grid, "training.attention", tr("Attention"),
              tr("fused and chunked never hold a sequence × sequence matrix; math does."),
              {QStringLiteral("auto"), QStringLiteral("fused"), QStringLiteral("chunked"), QStringLiteral("math")});
    addChoice(grid, "training.loss_head", tr("Loss head"), tr("chunked never holds the logits of the whole batch."),
              {QStringLiteral("auto"), QStringLiteral("naive"), QStringLiteral("chunked")});
}

void ExperimentForm::buildDevice(QVBoxLayout* column)
{
    using Kind = Field::Kind;
    QGridLayout* grid = addSection(column, tr("Device"));
    addMachine(grid);
    QComboBox* device = addChoice(grid, "device", tr("Device"), tr("auto takes the first GPU, else the processor."),
                                  {QStringLiteral("auto"), QStringLiteral("cpu"), QStringLiteral("cuda:0")});
    device->setEditable(true);
    device->setInsertPolicy(QComboBox::NoInsert);
    addLine(grid, Kind::Number, "threads", tr("Threads"), tr("0: as many as the machine has."), QStringLiteral("0"));
    addLine(grid, Kind::Bytes, "budget_bytes", tr("Memory budget"),
            tr("The run ends when an allocation would pass this: 2 GiB, 512 MiB, 1500000000. Empty: no budget."),
            tr("none"));
    addLine(grid, Kind::Words, "launcher", tr("Launcher"),
            tr("Words put before the worker's command, for another machine or a cluster: ssh HOST, srun --gpus 1."),
            tr("this machine"));
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
    QLineEdit* ranks =
        addLine(grid, Field::Kind::Number, "ranks", tr("Ranks"),
                tr("Processes that share every step. 0: as many as the launcher starts, without a launcher 1. Two or "
                   "more without a launcher are started on this machine. The batch is that of all ranks together."),
                QStringLiteral("0"));
    addChoice(grid, "training.sharding", tr("Sharding"),
              tr("What ranks share out: zero1 optimizer states, zero2 gradients too, zero3 parameters too; none: every "
                 "rank holds all of them."),
              {QStringLiteral("none"), QStringLiteral("zero1"), QStringLiteral("zero2"), QStringLiteral("zero3")});
    auto* presets = new QToolButton(m_fields["ranks"].holder);
    presets->setText(tr("Start with"));
    presets->setObjectName(QStringLiteral("ranksPresets"));
    presets->setToolTip(tr("Fills in ranks and launcher for a usual way to start several processes"));
    presets->setPopupMode(QToolButton::InstantPopup);
    m_fields["ranks"].holder->layout()->addWidget(presets);
    auto* menu = new QMenu(presets);
    presets->setMenu(menu);
    const auto add = [this, menu, ranks](const QString& title, const QString& pattern) {
        connect(menu->addAction(title), &QAction::triggered, this, [this, ranks, pattern] {
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
    add(tr("This machine"), {});
    add(tr("Hosts of a file (mpirun)"), QStringLiteral("mpirun --hostfile hosts -n %1"));
    add(tr("Slurm (srun)"), QStringLiteral("srun -n %1 --mpi=pmix"));
}

void ExperimentForm::addMachine(QGridLayout* grid)
{
    m_machine = new QComboBox(this);
    m_machine->setObjectName(QStringLiteral("machine"));
    m_machine->setAccessibleName(tr("Machine"));
    m_machine->setToolTip(tr("Where the run happens: this machine, or another one reached through a launcher."));
    auto* manage = new QToolButton(this);
    manage->setText(tr("Manage…"));
    manage->setObjectName(QStringLiteral("manageLaunchers"));
    manage->setToolTip(tr("Add, change and test the machines that runs can happen on"));
    auto* holder = new QWidget(this);
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_machine, 1);
    row->addWidget(manage);
    auto* label = new QLabel(tr("Machine"), this);
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
    const QString own = QStringLiteral("own");
    for (int i = m_machine->count() - 1; i >= 0; --i) {
        if (m_machine->itemData(i, Qt::UserRole + 1).toString() == own)
            m_machine->removeItem(i);
    }
    int index = -1;
    for (int i = 0; i < m_machine->count(); ++i)
        index = index < 0 && m_machine->itemData(i).toStringList() == words ? i : index;
    if (index < 0) {
        m_machine->addItem(tr("as the launcher says"), words);
        index = m_machine->count() - 1;
        m_machine->setItemData(index, own, Qt::UserRole + 1);
    }
    m_machine->setCurrentIndex(index);
}

} // namespace peakscope
