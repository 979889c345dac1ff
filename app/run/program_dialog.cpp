// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/program_dialog.h"

#include "app/session/settings.h"
#include "app/window/message_bar.h"
#include "core/base/shell_line.h"
#include "widgets/look/pieces.h"
#include "widgets/plan/strategy_style.h"
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
#include <QHeaderView>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>
#include <QStyledItemDelegate>
#include <QTableWidget>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kUsualSteps = 5; // as record takes
constexpr const char* kUsualCard = "a800-80gb";

enum Column { Card, State, Allocated, Reserved, Outside, OfTheCard, ColumnCount };

QString stateTitle(const ProgramRow& row)
{
    switch (row.state) {
    case ProgramRow::State::Waiting:
        return ProgramDialog::tr("waiting");
    case ProgramRow::State::Running:
        return row.said.isEmpty() ? ProgramDialog::tr("running") : ProgramDialog::tr("running: %1").arg(row.said);
    case ProgramRow::State::Done:
        return row.largest.isEmpty() ? ProgramDialog::tr("done")
                                     : ProgramDialog::tr("largest that fits: %1").arg(row.largest);
    case ProgramRow::State::OutOfMemory:
        return ProgramDialog::tr("ran out of memory");
    case ProgramRow::State::NothingFits:
        return ProgramDialog::tr("not even the first value fits");
    case ProgramRow::State::Failed:
        return row.said.isEmpty() ? ProgramDialog::tr("failed") : ProgramDialog::tr("failed: %1").arg(row.said);
    case ProgramRow::State::Stopped:
        return ProgramDialog::tr("stopped");
    }
    return {};
}

// "Fits: 21.3 GiB of 79.3 GiB", with what stands outside the allocator.
QString verdictWords(const ProgramRow& row)
{
    if (row.state == ProgramRow::State::OutOfMemory || row.state == ProgramRow::State::NothingFits)
        return ProgramDialog::tr("%1: the card has %2")
            .arg(verdictTitle(row.verdict()), bytesText(row.card.usableBytes));
    if (!row.known())
        return {};
    return ProgramDialog::tr("%1: %2 of %3")
        .arg(verdictTitle(row.verdict()), bytesText(row.takenBytes()), bytesText(row.card.usableBytes));
}

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

// A cell's words over a bar as long as the card: what the allocator reserved, and dotted what stands outside of it.
class CardBar : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    static void set(QTableWidgetItem* item, const ProgramRow& row)
    {
        const auto card = static_cast<double>(std::max(std::int64_t(1), row.card.usableBytes));
        item->setData(kReserved, static_cast<double>(row.reservedBytes) / card);
        item->setData(kOutside, row.known() ? static_cast<double>(row.card.contextBytes) / card : 0);
        item->setData(kVerdict, static_cast<int>(row.verdict()));
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const double reserved = index.data(kReserved).toDouble(), outside = index.data(kOutside).toDouble();
        QStyleOptionViewItem words = option;
        words.rect.adjust(0, 0, 0, reserved + outside > 0 ? -kHeight - 1 : 0);
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, option.palette.highlight());
        QStyledItemDelegate::paint(painter, words, index);
        if (reserved + outside <= 0)
            return;
        const QRectF card(option.rect.left() + kMargin, option.rect.bottom() - kHeight - 1,
                          option.rect.width() - 2 * kMargin, kHeight);
        const auto at = [&card](double share) { return card.left() + card.width() * std::min(1.0, share); };
        const QColor ink = option.palette.color(QPalette::Text);
        painter->save();
        painter->fillRect(card, option.palette.base()); // also where the row is chosen
        painter->fillRect(QRectF(card.topLeft(), QPointF(at(reserved), card.bottom())),
                          verdictFill(static_cast<Verdict>(index.data(kVerdict).toInt())));
        painter->fillRect(QRectF(QPointF(at(reserved), card.top()), QPointF(at(reserved + outside), card.bottom())),
                          QBrush(ink, Qt::Dense4Pattern));
        painter->setPen(QPen(ink, 0));
        painter->setOpacity(0.5);
        painter->drawRect(card);
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(2 * kMargin, kHeight + 4);
    }

private:
    static constexpr int kReserved = Qt::UserRole + 1, kOutside = kReserved + 1, kVerdict = kOutside + 1; // shares
    static constexpr int kHeight = 5, kMargin = 4;
};

} // namespace

ProgramDialog::ProgramDialog(ProgramRuns& runs, QWidget* parent) : QDialog(parent), m_runs(runs)
{
    resize(fontMetrics().averageCharWidth() * 150, fontMetrics().height() * 34);
    auto* layout = new QVBoxLayout(this);
    m_messages = new MessageBar(this);
    layout->addWidget(m_messages);
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    layout->addLayout(form);
    buildFields(form);
    auto* columns = new QHBoxLayout;
    layout->addLayout(columns, 1);
    buildCards();
    auto* left = new QVBoxLayout;
    left->addWidget(makeLabel([] { return tr("Cards"); }, this));
    left->addWidget(m_search);
    left->addWidget(m_cards, 1);
    columns->addLayout(left, 2);
    columns->addWidget(buildResults(), 5);
    m_verdict = new QLabel(this);
    m_verdict->setTextFormat(Qt::PlainText);
    m_verdict->setWordWrap(true);
    layout->addWidget(m_verdict);
    layout->addWidget(buildButtons());
    connectParts();
    inLanguage(this, [this] {
        setWindowTitle(tr("A program dry. Dry run: no numbers were computed"));
        m_table->setHorizontalHeaderLabels(
            {tr("Card"), tr("State"), tr("Allocated"), tr("Reserved"), tr("Outside the allocator"), tr("Of the card")});
        m_heading->setText(tr("Dry run: no numbers were computed"));
        showRows();
    });
}

void ProgramDialog::buildFields(QFormLayout* form)
{
    m_command = new QLineEdit(this);
    addRow(form, m_command, [] { return tr("Command"); });
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
    auto* more = new QWidget(this);
    row = makeBox<QHBoxLayout>(more);
    m_steps = new QSpinBox(more);
    m_steps->setRange(1, 1000000);
    m_steps->setValue(kUsualSteps);
    m_saves = new QCheckBox(more);
    row->addWidget(m_steps);
    row->addWidget(m_saves);
    row->addStretch();
    addRow(form, more, [] { return tr("Optimiser steps"); });
    inLanguage(m_command, [this] {
        m_command->setPlaceholderText(tr("as in a terminal: python train.py --batch 8"));
        m_browse->setText(tr("Choose…"));
        m_folder->setAccessibleName(tr("Folder"));
        m_vary->setText(tr("Find the largest that fits"));
        m_vary->setToolTip(tr("Runs the program with one value after another, each time from its start; {NAME} in the "
                              "command stands for the value"));
        m_values->setToolTip(tr("1..64 is a range, 8,16,24 a list"));
        m_steps->setAccessibleName(tr("Optimiser steps"));
        m_steps->setToolTip(tr("After so many the program is ended"));
        m_saves->setText(tr("Allow saves"));
        m_saves->setToolTip(tr("Lets the program save values that nobody knows"));
    });
}

void ProgramDialog::buildCards()
{
    m_search = new QLineEdit(this);
    m_search->setClearButtonEnabled(true);
    m_cards = new QListWidget(this);
    QStringList chosen = settings::dryCards();
    if (chosen.isEmpty())
        chosen << QString::fromLatin1(kUsualCard);
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
    inLanguage(m_cards, [this] {
        m_search->setPlaceholderText(tr("Search cards"));
        m_cards->setAccessibleName(tr("Cards"));
    });
}

QWidget* ProgramDialog::buildResults()
{
    auto* page = new QWidget(this);
    auto* layout = makeBox<QVBoxLayout>(page);
    m_heading = new QLabel(page);
    makeBold(m_heading);
    auto* line = new QHBoxLayout;
    m_largest = new QLabel(page);
    m_largest->setTextFormat(Qt::PlainText);
    m_largest->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_largest->setWordWrap(true);
    m_copy = new QPushButton(page);
    m_copy->setAutoDefault(false);
    line->addWidget(m_largest, 1);
    line->addWidget(m_copy);
    m_table = new QTableWidget(0, ColumnCount, page);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setWordWrap(false);
    m_table->setItemDelegateForColumn(OfTheCard, new CardBar(m_table));
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 14);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(State, QHeaderView::Stretch);
    m_table->horizontalHeader()->setMinimumSectionSize(fontMetrics().averageCharWidth() * 12);
    layout->addWidget(m_heading);
    layout->addLayout(line);
    layout->addWidget(m_table, 1);
    inLanguage(page, [this] {
        m_copy->setText(tr("Copy"));
        m_copy->setToolTip(tr("Copies the command with the largest value that fits"));
        m_table->setAccessibleName(tr("Dry runs"));
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
        m_start->setText(tr("Start"));
        m_close->setText(tr("Close"));
    });
    return page;
}

void ProgramDialog::connectParts()
{
    for (QLineEdit* field : {m_command, m_folder, m_name, m_values})
        connect(field, &QLineEdit::textChanged, this, &ProgramDialog::check);
    connect(m_vary, &QCheckBox::toggled, this, &ProgramDialog::check);
    connect(m_search, &QLineEdit::textChanged, this, &ProgramDialog::filterCards);
    connect(m_cards, &QListWidget::itemChanged, this, &ProgramDialog::check);
    connect(m_browse, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Where the program runs"), m_folder->text());
        if (!folder.isEmpty())
            m_folder->setText(folder);
    });
    connect(m_start, &QPushButton::clicked, this, &ProgramDialog::start);
    connect(m_stop, &QPushButton::clicked, &m_runs, &ProgramRuns::stop);
    connect(m_close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_open, &QPushButton::clicked, this, [this] { openRow(m_table->currentRow()); });
    connect(m_openAll, &QPushButton::clicked, this, [this] { emit openedTogether(m_runs.files()); });
    connect(m_copy, &QPushButton::clicked, this, &ProgramDialog::copyCommand);
    connect(m_table, &QTableWidget::cellDoubleClicked, this, &ProgramDialog::openRow);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, &ProgramDialog::showChoice);
    connect(&m_runs, &ProgramRuns::changed, this, &ProgramDialog::showRows);
    connect(&m_runs, &ProgramRuns::finished, this, [this] {
        m_messages->dismiss(); // whether to stop them
        check();
    });
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
    if (m_vary->isChecked())
        setUp.vary = m_name->text().trimmed() + u'=' + m_values->text().remove(u' ');
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
        return tr("No card is chosen: tick one or several.");
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
    m_name->setEnabled(m_vary->isChecked());
    m_values->setEnabled(m_vary->isChecked());
    m_saves->setEnabled(!m_vary->isChecked());
    const auto ready = setUp();
    m_start->setEnabled(ready && !running);
    m_stop->setEnabled(running);
    if (!ready)
        return;
    const QString python = ready->command.first();
    m_verdict->setText(
        ready->vary.isEmpty()
            ? tr("Programs: %1, two at a time, each by %2; results go to %3.")
                  .arg(QString::number(ready->cards.size()), python, settings::libraryFolder())
            : tr("Programs: one after another for each value, two at a time, each by %1; the result goes to %2.")
                  .arg(python, settings::libraryFolder()));
}

void ProgramDialog::start()
{
    const auto ready = setUp();
    if (!ready || m_runs.running())
        return;
    QStringList ids;
    for (const CatalogueDevice& card : ready->cards)
        ids << QString::fromStdString(card.id);
    settings::setDryCards(ids);
    m_runs.start(*ready, settings::libraryFolder());
    m_table->setCurrentCell(0, 0);
    check();
}

void ProgramDialog::showRows()
{
    const auto count = static_cast<int>(m_runs.rows().size());
    m_table->setRowCount(count);
    for (int row = 0; row < count; ++row)
        showRow(row);
    showChoice();
    check();
}

void ProgramDialog::showRow(int row)
{
    const ProgramRow& one = m_runs.rows()[static_cast<std::size_t>(row)];
    const auto bytes = [&one](std::int64_t value) { return one.known() ? bytesText(value) : QString(); };
    const QStringList texts{
        QString::fromStdString(one.card.name), stateTitle(one),  bytes(one.allocatedBytes), bytes(one.reservedBytes),
        bytesText(one.card.contextBytes),      verdictWords(one)};
    for (int column = 0; column < ColumnCount; ++column) {
        QTableWidgetItem* item = m_table->item(row, column);
        if (!item) {
            item = new QTableWidgetItem;
            const bool number = column == Allocated || column == Reserved || column == Outside;
            item->setTextAlignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
            m_table->setItem(row, column, item);
        }
        item->setText(texts[column]);
        item->setToolTip(plainToolTip(texts[column]));
    }
    CardBar::set(m_table->item(row, OfTheCard), one);
}

void ProgramDialog::showChoice()
{
    const auto& rows = m_runs.rows();
    const auto chosen = static_cast<std::size_t>(std::max(0, m_table->currentRow()));
    const ProgramRow row = chosen < rows.size() ? rows[chosen] : ProgramRow();
    m_open->setEnabled(!row.file.isEmpty());
    m_openAll->setEnabled(m_runs.files().size() > 1);
    m_largest->setVisible(!row.command.isEmpty());
    m_copy->setVisible(!row.command.isEmpty());
    m_largest->setText(tr("The largest that fits %1: %2").arg(QString::fromStdString(row.card.name), row.largest) +
                       u'\n' + row.command);
}

void ProgramDialog::openRow(int row)
{
    const auto& rows = m_runs.rows();
    const auto chosen = static_cast<std::size_t>(std::max(0, row));
    if (chosen < rows.size() && !rows[chosen].file.isEmpty())
        emit opened(rows[chosen].file);
}

void ProgramDialog::copyCommand()
{
    QApplication::clipboard()->setText(m_largest->text().section(u'\n', 1));
}

void ProgramDialog::reject()
{
    if (!m_runs.running()) {
        QDialog::reject();
        return;
    }
    m_messages->showMessage(MessageBar::Kind::Warning, [] { return tr("A program runs dry: closing stops it."); },
                            {{[] { return tr("Stop and close"); },
                              [this] {
                                  m_runs.stop();
                                  QDialog::reject();
                              }},
                             {[] { return tr("Keep running"); }, [this] { m_messages->dismiss(); }}});
}

} // namespace peakscope
