// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/program_dialog.h"

#include "app/form/program_picture.h"
#include "app/form/program_table.h"
#include "app/form/rank_fields.h"
#include "app/jobs/python_probe.h"
#include "app/parts/elided_label.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "core/base/shell_line.h"
#include "widgets/look/pieces.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/plain_text.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QSpinBox>
#include <QStandardPaths>
#include <QToolButton>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kUsualSteps = 5; // as record takes

QString cardTitle(const CatalogueDevice& card)
{
    return QStringLiteral("%1  %2").arg(QString::fromStdString(card.name), bytesText(card.usableBytes));
}

// By its name on the path, or by its path from the folder.
bool isProgram(const QString& word, const QString& folder)
{
    if (!word.contains(u'/'))
        return !QStandardPaths::findExecutable(word).isEmpty();
    const QFileInfo file(QDir(folder), word);
    return file.isFile() && file.isExecutable();
}

// "{batch}", where the command has a place for a value; else empty.
QString placeIn(const QStringList& command)
{
    static const QRegularExpression place(QStringLiteral("\\{[A-Za-z_]\\w*\\}"));
    return place.match(command.join(u' ')).captured();
}

} // namespace

ProgramDialog::ProgramDialog(ProgramRuns& runs, QWidget* parent) : QDialog(parent), m_runs(runs)
{
    const QSize room = screen()->availableSize() - QSize(80, 80);
    resize(QSize(fontMetrics().averageCharWidth() * 200, fontMetrics().height() * 34).boundedTo(room));
    auto* layout = new QVBoxLayout(this);
    m_messages = new MessageBar(this);
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    layout->addLayout(form);
    buildFields(form);
    auto* columns = new QHBoxLayout;
    layout->addLayout(columns, 1);
    buildCards();
    auto* left = new QVBoxLayout;
    left->addWidget(m_here);
    left->addWidget(makeLabel([] { return tr("Dry, on cards that aren't here"); }, this));
    left->addWidget(m_search);
    left->addWidget(m_cards, 1);
    auto* ticked = new QHBoxLayout;
    ticked->addWidget(m_ticked, 1);
    ticked->addWidget(m_untick);
    left->addLayout(ticked);
    columns->addLayout(left);
    columns->addWidget(buildResults(), 1);
    m_verdict = new QLabel(this);
    m_verdict->setTextFormat(Qt::PlainText);
    m_verdict->setWordWrap(true);
    layout->addWidget(m_verdict);
    layout->addWidget(buildButtons());
    connectParts();
    inLanguage(this, [this] {
        setWindowTitle(tr("Your program"));
        m_heading->setText(tr("Dry run: no numbers were computed"));
        showRows();
    });
}

void ProgramDialog::buildFields(QFormLayout* form)
{
    m_command = new QLineEdit(this);
    addRow(form, m_command, [] { return tr("Command"); });
    m_probe = new PythonProbe(this);
    m_python = new ElidedLabel(this);
    makeYielding(m_python, "programPython")->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    form->addRow(QString(), m_python);
    auto* where = new QWidget(this);
    auto* row = makeBox<QHBoxLayout>(where);
    m_folder = new QLineEdit(QDir::currentPath(), where);
    m_browse = new QPushButton(where);
    m_browse->setAutoDefault(false);
    row->addWidget(m_folder, 1);
    row->addWidget(m_browse);
    addRow(form, where, [] { return tr("Folder"); });
    auto* search = new QWidget(this);
    row = makeBox<QHBoxLayout>(search);
    m_vary = new QCheckBox(search);
    m_name = new QLineEdit(QStringLiteral("batch"), search);
    m_values = new QLineEdit(QStringLiteral("1..64"), search);
    row->addWidget(m_vary);
    addField(row, m_name, 1, [] { return tr("Name"); });
    addField(row, m_values, 2, [] { return tr("Values"); });
    addRow(form, search, [] { return tr("Vary"); });
    m_world = new RankFields(this);
    addRow(form, m_world, [] { return tr("GPUs"); });
    auto* more = new QWidget(this);
    row = makeBox<QHBoxLayout>(more);
    m_steps = new QSpinBox(more);
    m_steps->setMaximum(1000000);
    m_saves = new QCheckBox(more);
    row->addWidget(m_steps);
    m_ring = new QCheckBox(more);
    row->addWidget(m_saves);
    row->addWidget(m_ring);
    row->addStretch();
    addRow(form, more, [] { return tr("Optimiser steps"); });
    inLanguage(m_command, [this] {
        m_command->setPlaceholderText(tr("as in a terminal: python train.py --batch 8"));
        m_python->setText(m_probe->answer().text());
        m_browse->setText(tr("Choose…"));
        m_folder->setAccessibleName(tr("Folder"));
        m_vary->setText(tr("Find the largest that fits"));
        m_values->setToolTip(tr("1..64 is a range, 8,16,24 a list"));
        m_steps->setAccessibleName(tr("Optimiser steps"));
        m_steps->setToolTip(tr("The program is ended after this number of steps"));
        m_steps->setSpecialValueText(tr("to its end")); // of 0, which no card offers
        m_saves->setText(tr("Allow saves"));
        m_ring->setText(tr("Long run: every step's peak, the last 3 in full"));
    });
}

void ProgramDialog::buildCards()
{
    m_here = new QCheckBox(this);
    m_search = new QLineEdit(this);
    m_search->setClearButtonEnabled(true);
    m_cards = new QListWidget(this);
    m_ticked = new ElidedLabel(this);
    makeYielding(m_ticked, "tickedCards");
    m_untick = new QToolButton(this);
    m_untick->setObjectName(QStringLiteral("untickCards"));
    m_untick->setAutoRaise(true);
    const QStringList chosen = settings::dryCards();
    m_here->setChecked(chosen.isEmpty()); // the first time
    const auto catalogue = loadDeviceCatalogue();
    if (!catalogue) {
        m_messages->showMessage(MessageBar::Kind::Error, QString::fromStdString(catalogue.error().text()));
        return;
    }
    std::copy_if(catalogue->begin(), catalogue->end(), std::back_inserter(m_catalogue),
                 [](const CatalogueDevice& card) { return card.cuda.has_value(); });
    for (const CatalogueDevice& card : m_catalogue) {
        const QString id = QString::fromStdString(card.id);
        auto* item = new QListWidgetItem(cardTitle(card), m_cards);
        item->setData(Qt::UserRole, id);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(chosen.contains(id) ? Qt::Checked : Qt::Unchecked);
        if (chosen.contains(id))
            m_cards->scrollToItem(item);
    }
    m_cards->setFixedWidth(m_cards->sizeHintForColumn(0) + 2 * fontMetrics().height()); // a scroll bar beside them
    m_search->setFixedWidth(m_cards->width());
    inLanguage(m_cards, [this] {
        m_here->setText(tr("On this machine"));
        m_here->setToolTip(
            tr("Runs the program and shows what holds its memory while it runs: what PyTorch allocates, in Run"));
        m_untick->setText(tr("Clear"));
        m_untick->setToolTip(tr("Unticks all cards"));
        m_search->setPlaceholderText(tr("Search cards"));
        m_search->setAccessibleName(m_search->placeholderText());
        m_cards->setAccessibleName(tr("Cards"));
    });
}

QWidget* ProgramDialog::buildResults()
{
    auto* page = new QWidget(this);
    auto* layout = makeBox<QVBoxLayout>(page);
    m_heading = new QLabel(page);
    m_heading->setObjectName(QStringLiteral("dryHeading"));
    makeBold(m_heading);
    auto* line = new QHBoxLayout;
    m_largest = new QLabel(page);
    m_largest->setTextFormat(Qt::PlainText);
    m_largest->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_largest->setWordWrap(true);
    m_copy = new QPushButton(page);
    m_copy->setAutoDefault(false);
    line->addWidget(m_largest, 1);
    m_further = new QPushButton(page);
    m_further->setObjectName(QStringLiteral("searchOn"));
    m_further->setAutoDefault(false);
    m_further->hide();
    line->addWidget(m_further);
    line->addWidget(m_copy);
    m_table = new ProgramTable(page);
    layout->addWidget(m_heading);
    layout->addLayout(line);
    layout->addWidget(m_table, 1);
    m_picture = new ProgramPicture(m_runs, page);
    layout->addWidget(m_picture, 2);
    m_messages->layOver(m_table);
    inLanguage(page, [this] {
        m_copy->setText(tr("Copy"));
        m_copy->setToolTip(tr("Copies the command with the largest value that fits"));
    });
    return page;
}

QWidget* ProgramDialog::buildButtons()
{
    auto* page = new QWidget(this);
    auto* row = makeBox<QHBoxLayout>(page);
    for (QPushButton** button : {&m_open, &m_openAll, &m_stop, &m_start, &m_close}) {
        *button = new QPushButton(page);
        (*button)->setAutoDefault(false);
        row->addWidget(*button);
        if (*button == m_openAll)
            row->addStretch();
    }
    m_start->setDefault(true);
    inLanguage(page, [this] {
        m_open->setText(tr("Open"));
        m_openAll->setText(tr("Open all"));
        m_openAll->setToolTip(tr("Side by side in Compare"));
        m_stop->setText(tr("Stop"));
        m_close->setText(tr("Close"));
        m_close->setToolTip(tr("What runs goes on; the library lists it"));
    });
    return page;
}

void ProgramDialog::connectParts()
{
    for (QLineEdit* field : {m_command, m_folder, m_name, m_values})
        connect(field, &QLineEdit::textChanged, this, &ProgramDialog::check);
    connect(m_command, &QLineEdit::textEdited, this, [this] { m_typed = program(); });
    for (QLineEdit* field : {m_command, m_folder})
        connect(field, &QLineEdit::textChanged, this,
                [this] { m_probe->ask(program(), m_folder->text(), program() == m_typed); });
    connect(m_probe, &PythonProbe::answered, this, [this] {
        m_python->setText(m_probe->answer().text());
        m_python->setToolTip(plainToolTip(m_python->text()));
    });
    connect(m_vary, &QCheckBox::clicked, this, &ProgramDialog::placeValues);
    connect(m_command, &QLineEdit::editingFinished, this, &ProgramDialog::placeValues);
    connect(m_vary, &QCheckBox::clicked, this, [this](bool search) {
        if (search && !m_hereChosen) // a search is of cards alone
            m_here->setChecked(false);
    });
    connect(m_here, &QCheckBox::clicked, this, [this] { m_hereChosen = true; });
    for (QCheckBox* box : {m_vary, m_here})
        connect(box, &QCheckBox::toggled, this, &ProgramDialog::check);
    connect(m_steps, &QSpinBox::valueChanged, this, [this](int steps) {
        m_ownSteps = steps > 0;
        check();
    });
    connect(m_untick, &QToolButton::clicked, this, &ProgramDialog::untickAll);
    connect(m_world, &RankFields::changed, this, &ProgramDialog::check);
    connect(m_world, &RankFields::sizesRequested, this, [this] { start(true); });
    connect(m_search, &QLineEdit::textChanged, this, &ProgramDialog::filterCards);
    connect(m_cards, &QListWidget::itemChanged, this, &ProgramDialog::check);
    connect(m_browse, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Where the program runs"), m_folder->text());
        if (!folder.isEmpty())
            m_folder->setText(folder);
    });
    connect(m_start, &QPushButton::clicked, this, [this] { start(false); });
    connect(m_stop, &QPushButton::clicked, &m_runs, &ProgramRuns::stop);
    connect(m_close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_open, &QPushButton::clicked, this, [this] { openRow(m_table->currentRow()); });
    connect(m_openAll, &QPushButton::clicked, this, [this] { emit openedTogether(m_runs.files()); });
    connect(m_copy, &QPushButton::clicked, this, &ProgramDialog::copyCommand);
    connect(m_further, &QPushButton::clicked, this, &ProgramDialog::searchOn);
    connect(m_table, &QTableWidget::cellDoubleClicked, this, &ProgramDialog::openRow);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, &ProgramDialog::showChoice);
    connect(&m_runs, &ProgramRuns::changed, this, &ProgramDialog::showRows);
    connect(&m_runs, &ProgramRuns::finished, this, [this] { check(); });
}

QString ProgramDialog::program() const
{
    const auto words = shellWords(m_command->text().trimmed().toStdString());
    return words && !words->empty() ? QString::fromStdString(words->front()) : QString();
}

void ProgramDialog::filterCards(const QString& text)
{
    for (int i = 0; i < m_cards->count(); ++i) {
        QListWidgetItem* item = m_cards->item(i);
        const QString words = item->text() + u' ' + item->data(Qt::UserRole).toString();
        item->setHidden(!words.contains(text.trimmed(), Qt::CaseInsensitive));
    }
}

std::vector<CatalogueDevice> ProgramDialog::chosenCards() const
{
    std::vector<CatalogueDevice> chosen;
    for (std::size_t i = 0; i < m_catalogue.size(); ++i) {
        if (m_cards->item(static_cast<int>(i))->checkState() == Qt::Checked)
            chosen.push_back(m_catalogue[i]);
    }
    return chosen;
}

std::optional<ProgramSetUp> ProgramDialog::setUp()
{
    const auto words = shellWords(m_command->text().trimmed().toStdString());
    if (!words) {
        m_verdict->setText(tr("The command: %1").arg(QString::fromStdString(words.error().message)));
        return std::nullopt;
    }
    ProgramSetUp setUp{.folder = m_folder->text(), .cards = chosenCards(), .steps = m_steps->value()};
    for (const std::string& word : *words)
        setUp.command << QString::fromStdString(word);
    setUp.allowSaves = m_saves->isChecked() && !m_vary->isChecked();
    setUp.ring = m_ring->isChecked() && setUp.cards.empty();
    if (m_vary->isChecked() && !setUp.cards.empty())
        setUp.vary = m_name->text().trimmed() + u'=' + m_values->text().remove(u' ');
    m_world->apply(setUp);
    const QString problem = problemOf(setUp);
    if (!problem.isEmpty()) {
        m_verdict->setText(problem);
        return std::nullopt;
    }
    return setUp;
}

QString ProgramDialog::problemOf(const ProgramSetUp& setUp) const
{
    if (setUp.command.isEmpty())
        return tr("Which program? Its command as in a terminal, such as: python train.py --batch 8");
    if (setUp.folder.isEmpty() || !QFileInfo(setUp.folder).isDir())
        return tr("There is no folder “%1”; choose the one that the program runs in.").arg(setUp.folder);
    if (!isProgram(setUp.command.first(), setUp.folder))
        return tr("“%1” is no program here; the command begins with one, such as python or its whole path.")
            .arg(setUp.command.first());
    if (setUp.cards.empty())
        return m_here->isChecked() ? QString() : tr("Where does it run? Tick this machine, a card, or several.");
    if (const QString problem = m_world->problem(); !problem.isEmpty())
        return problem;
    const QString name = m_name->text().trimmed();
    if (!setUp.vary.isEmpty() && (name.isEmpty() || m_values->text().trimmed().isEmpty()))
        return tr("What varies has a name, such as batch, and values, such as 1..64.");
    const QString place = u'{' + name + u'}';
    if (!setUp.vary.isEmpty() && setUp.command.filter(place).isEmpty())
        return tr("Put %1 into the command where the value belongs, such as: --batch %1").arg(place);
    return {};
}

void ProgramDialog::check()
{
    const bool running = m_runs.running();
    const std::vector<CatalogueDevice> cards = chosenCards();
    const bool dry = !cards.empty() || !m_here->isChecked();
    offerFields(dry);
    sayTicked(cards);
    const auto ready = setUp();
    m_start->setEnabled(ready && !running);
    m_start->setToolTip(running ? tr("Once the dry run is over, or stopped") : QString());
    const QString sizes = dry ? m_world->sizesProblem() : QString();
    m_world->sizesButton()->setEnabled(ready && !running && !m_vary->isChecked() && sizes.isEmpty());
    m_stop->setEnabled(running);
    m_stop->setVisible(running);
    if (!ready)
        return;
    const QString place = ready->vary.isEmpty() ? placeIn(ready->command) : QString();
    QStringList lines{sizes.isEmpty() ? planOf(*ready) : sizes};
    if (!place.isEmpty())
        lines.prepend(tr("The program receives %1 literally; for values in its place, tick a card and “Find the "
                         "largest that fits”.")
                          .arg(place));
    m_verdict->setText(lines.join(u'\n'));
}

void ProgramDialog::offerFields(bool dry)
{
    const QString why = tr("Only for dry runs: tick a card");
    const bool varies = dry && m_vary->isChecked();
    m_world->setEnabled(dry);
    m_vary->setEnabled(dry);
    m_vary->setToolTip(dry ? tr("Runs the program once per value, each time from its start; {NAME} in the command is "
                                "replaced by the value")
                           : why);
    m_name->setEnabled(varies);
    m_values->setEnabled(varies);
    m_saves->setEnabled(dry && !varies);
    m_saves->setToolTip(dry ? tr("The program's files are saved to their own paths, not to a scratch folder") : why);
    m_ring->setEnabled(!dry);
    m_ring->setToolTip(
        dry ? tr("Only for recordings on this machine")
            : tr("Hours can be recorded: each step is a point, and the last three steps have all events"));
    const QSignalBlocker blocker(m_steps);
    m_steps->setMinimum(dry ? 1 : 0);
    if (!m_ownSteps)
        m_steps->setValue(dry ? kUsualSteps : 0);
}

void ProgramDialog::sayTicked(const std::vector<CatalogueDevice>& cards)
{
    const auto count = static_cast<int>(cards.size());
    QStringList names;
    for (const CatalogueDevice& card : cards)
        names << QString::fromStdString(card.name).remove(QStringLiteral("NVIDIA ")).remove(QStringLiteral("GeForce "));
    const QString all = names.join(tr(", ", "between cards"));
    m_ticked->setText(count == 1 ? tr("1 card: %1").arg(all) : tr("%1 cards: %2").arg(QString::number(count), all));
    m_ticked->setToolTip(plainToolTip(m_ticked->text()));
    m_ticked->setVisible(count > 0);
    m_untick->setVisible(count > 0);
    const bool here = m_here->isChecked();
    m_start->setText(count == 0 ? (here ? tr("Record here") : tr("Start"))
                     : count == 1
                         ? (here ? tr("Record here, dry run on 1 card") : tr("Dry run on 1 card"))
                         : (here ? tr("Record here, dry run on %1 cards") : tr("Dry run on %1 cards")).arg(count));
}

QString ProgramDialog::planOf(const ProgramSetUp& setUp) const
{
    const QString python = setUp.command.first();
    const QString folder = settings::libraryFolder();
    if (setUp.cards.empty())
        return setUp.steps == 0 ? tr("Runs to its end on this machine, live in Run; the result goes to %1.").arg(folder)
                                : tr("Runs on this machine, live in Run, optimiser steps: %1; the result goes to %2.")
                                      .arg(QString::number(setUp.steps), folder);
    return setUp.vary.isEmpty()
               ? tr("Programs: %1, two at a time, each by %2; results go to %3.")
                     .arg(QString::number(setUp.runs()), python, folder)
               : tr("Programs: one after another for each value, two at a time, each by %1; the result goes to %2.")
                     .arg(python, folder);
}

void ProgramDialog::untickAll()
{
    for (int i = 0; i < m_cards->count(); ++i)
        m_cards->item(i)->setCheckState(Qt::Unchecked);
}

void ProgramDialog::start(bool sizes)
{
    auto ready = setUp();
    if (!ready || m_runs.running())
        return;
    if (sizes)
        m_world->applySizes(*ready);
    if (m_here->isChecked())
        emit startedHere({ready->command, ready->folder, ready->steps, ready->ring});
    if (ready->cards.empty()) {
        m_runs.clear(); // rows of another run, which say nothing of this one
        hide();         // what was started is behind it
        return;
    }
    QStringList ids;
    for (const CatalogueDevice& card : ready->cards)
        ids << QString::fromStdString(card.id);
    settings::setDryCards(ids);
    settings::noteDryCards(ids);
    m_runs.start(*ready, settings::libraryFolder());
    m_table->setCurrentCell(0, 0);
    check();
}

void ProgramDialog::showRows()
{
    m_heading->setVisible(!m_runs.rows().empty());
    m_table->showRows(m_runs.rows());
    showChoice();
    check();
}

ProgramRow ProgramDialog::rowAt(int row) const
{
    const auto& rows = m_runs.rows();
    const auto chosen = static_cast<std::size_t>(std::max(0, row));
    return chosen < rows.size() ? rows[chosen] : ProgramRow();
}

void ProgramDialog::showChoice()
{
    const auto& rows = m_runs.rows();
    const ProgramRow row = rowAt(m_table->currentRow());
    m_picture->showRow(m_table->currentRow());
    m_open->setVisible(!rows.empty());
    m_open->setEnabled(!row.file.isEmpty());
    m_open->setToolTip(row.file.isEmpty() ? tr("The chosen row has no result") : QString());
    m_openAll->setVisible(m_runs.files().size() > 1);
    const QString first = firstThatFits(rows, row.card);
    m_largest->setVisible(!row.command.isEmpty() || !first.isEmpty());
    m_copy->setVisible(!row.command.isEmpty());
    m_further->setVisible(!row.further.isEmpty());
    m_further->setEnabled(!m_runs.running());
    m_further->setText(tr("Search on: %1").arg(row.further.section(u'=', 1)));
    m_largest->setText(row.command.isEmpty() ? first
                                             : (row.further.isEmpty() ? tr("The largest that fits %1: %2")
                                                                      : tr("%1: at least %2, the end of the range"))
                                                       .arg(QString::fromStdString(row.card.name), row.largest) +
                                                   u'\n' + (QStringList{row.command} + row.remarks).join(u'\n'));
}

void ProgramDialog::openRow(int row)
{
    if (const QString file = rowAt(row).file; !file.isEmpty())
        emit opened(file);
}

void ProgramDialog::copyCommand()
{
    QApplication::clipboard()->setText(rowAt(m_table->currentRow()).command);
}

void ProgramDialog::propose(const QString& command, const QString& card, const QString& vary)
{
    m_command->setText(command);
    m_here->setChecked(false);
    for (int i = 0; i < m_cards->count(); ++i) {
        QListWidgetItem* item = m_cards->item(i);
        item->setCheckState(item->data(Qt::UserRole).toString() == card ? Qt::Checked : Qt::Unchecked);
    }
    m_vary->setChecked(!vary.isEmpty());
    if (vary.isEmpty())
        return;
    m_name->setText(vary.section(u'=', 0, 0));
    m_values->setText(vary.section(u'=', 1));
}

// On that card alone, from where its range ended.
void ProgramDialog::searchOn()
{
    const ProgramRow row = rowAt(m_table->currentRow());
    propose(m_command->text(), QString::fromStdString(row.card.id), row.further);
    start(false);
}

// The program's own option takes the values: "--batch 8" becomes "--batch {batch}".
void ProgramDialog::placeValues()
{
    const QString command = m_command->text(), name = m_name->text().trimmed();
    const bool searches = m_vary->isEnabled() && m_vary->isChecked();
    if (!searches || name.isEmpty() || !placeIn({command}).isEmpty())
        return;
    const QRegularExpression option(
        QStringLiteral("(\\s--?(?:\\w+[-_])*%1(?:[-_]size)?[ =])\\d+(?=\\s|$)").arg(QRegularExpression::escape(name)));
    if (const auto found = option.match(command); found.hasMatch())
        m_command->setText(command.left(found.capturedEnd(1)) + u'{' + name + u'}' + command.mid(found.capturedEnd()));
}

} // namespace peakscope
