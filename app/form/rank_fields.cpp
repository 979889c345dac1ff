// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/rank_fields.h"

#include "widgets/look/pieces.h"
#include "widgets/text/language_texts.h"

#include <QEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>

#include <algorithm>
#include <optional>

namespace peakscope {

namespace {

constexpr int kMost = 1'000'000; // as --world
constexpr qsizetype kMostSizes = 16;

// "8, 16 64" in rising order, each once; nothing where a word is no number from `least` to `most`.
std::optional<std::vector<std::int64_t>> numbersIn(const QString& text, std::int64_t least, std::int64_t most)
{
    std::vector<std::int64_t> numbers;
    for (const QString& word : text.split(QRegularExpression(QStringLiteral("[\\s,;，]+")), Qt::SkipEmptyParts)) {
        bool isNumber = false;
        const qlonglong number = word.toLongLong(&isNumber);
        if (!isNumber || number < least || number > most)
            return std::nullopt;
        numbers.push_back(number);
    }
    std::ranges::sort(numbers);
    const auto twice = std::ranges::unique(numbers);
    numbers.erase(twice.begin(), twice.end());
    return numbers.empty() ? std::nullopt : std::optional(numbers);
}

} // namespace

RankFields::RankFields(QWidget* parent) : QWidget(parent)
{
    auto* row = makeBox<QHBoxLayout>(this);
    m_world = new QSpinBox(this);
    m_world->setRange(1, kMost);
    m_more = new QWidget(this);
    auto* more = makeBox<QHBoxLayout>(m_more);
    m_ranks = new QLineEdit(QStringLiteral("0"), m_more);
    m_perNode = new QSpinBox(m_more);
    m_perNode->setRange(1, 1024);
    m_perNode->setValue(static_cast<int>(ProgramSetUp().perNode));
    addField(more, m_ranks, 1, [] { return tr("Ranks"); });
    addField(more, m_perNode, 0, [] { return tr("GPUs a machine"); });
    m_sizes = new QLineEdit(QStringLiteral("8, 16, 64, 256"), this);
    m_each = new QPushButton(this);
    m_each->setAutoDefault(false);
    row->addWidget(m_world);
    row->addWidget(m_more, 1);
    row->addStretch(1);
    addField(row, m_sizes, 1, [] { return tr("Numbers of GPUs"); });
    row->addWidget(m_each);
    connect(m_world, &QSpinBox::valueChanged, this, &RankFields::follow);
    connect(m_ranks, &QLineEdit::textEdited, this, [this] { m_ownRanks = !m_ranks->text().isEmpty(); });
    for (QLineEdit* field : {m_ranks, m_sizes})
        connect(field, &QLineEdit::textChanged, this, &RankFields::changed);
    connect(m_each, &QPushButton::clicked, this, &RankFields::sizesRequested);
    follow();
    inLanguage(this, [this] {
        m_world->setAccessibleName(tr("GPUs"));
        m_each->setText(tr("Run at each"));
        sayTips();
    });
}

void RankFields::sayTips()
{
    const QString why = isEnabled() ? QString() : tr("Only for dry runs: tick a card");
    setToolTip(why);
    const auto say = [&why](QWidget* field, const QString& tip) { field->setToolTip(why.isEmpty() ? tip : why); };
    say(m_world, tr("The program runs as one rank of this number, without the others, as torchrun, accelerate launch "
                    "or python would start it"));
    say(m_ranks, tr("Which ranks are run, one after another: 0,7"));
    say(m_sizes, {});
    say(m_each, tr("Runs the first rank at each of these numbers of GPUs, and reports the first that fits"));
}

void RankFields::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::EnabledChange && m_each)
        sayTips();
}

void RankFields::follow()
{
    const int world = m_world->value();
    m_more->setVisible(world > 1);
    if (!m_ownRanks) // the first and the last tell how much ranks differ
        m_ranks->setText(world > 1 ? QStringLiteral("0,%1").arg(world - 1) : QStringLiteral("0"));
    emit changed();
}

QString RankFields::problem() const
{
    const int world = m_world->value();
    if (world > 1 && !numbersIn(m_ranks->text(), 0, world - 1))
        return tr("Ranks are numbers from 0 to %1, such as: 0,%1").arg(world - 1);
    return {};
}

QString RankFields::sizesProblem() const
{
    const auto sizes = numbersIn(m_sizes->text(), 1, kMost);
    return !sizes || sizes->size() > kMostSizes
               ? tr("Numbers of GPUs are up to %1 numbers from 1 on, such as: 8, 16, 64").arg(kMostSizes)
               : QString();
}

void RankFields::apply(ProgramSetUp& setUp) const
{
    setUp.worlds = {m_world->value()};
    setUp.perNode = m_perNode->value();
    if (const auto ranks = numbersIn(m_ranks->text(), 0, m_world->value() - 1))
        setUp.ranks = *ranks;
}

void RankFields::applySizes(ProgramSetUp& setUp) const
{
    setUp.worlds = numbersIn(m_sizes->text(), 1, kMost).value_or(setUp.worlds);
    setUp.ranks = {0};
}

} // namespace peakscope
