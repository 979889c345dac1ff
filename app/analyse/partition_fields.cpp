// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/partition_fields.h"

#include "widgets/look/pieces.h"
#include "widgets/text/language_texts.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QToolButton>

#include <utility>

namespace peakscope {

namespace {

QDoubleSpinBox* shareField(LanguageText name, LanguageText tip, QWidget* parent)
{
    auto* field = new QDoubleSpinBox(parent);
    field->setRange(0, 1);
    field->setDecimals(2);
    field->setSingleStep(0.01);
    inLanguage(field, [field, name = std::move(name), tip = std::move(tip)] {
        field->setAccessibleName(name.say());
        field->setToolTip(tip.say());
    });
    field->setKeyboardTracking(false);
    return field;
}

} // namespace

PartitionFields::PartitionFields(QWidget* parent) : QWidget(parent)
{
    buildRow();
    inLanguage(this, [this] { sayTexts(); });
    connect(m_reset, &QToolButton::clicked, this, &PartitionFields::resetRequested);
    connect(m_rule, &QComboBox::currentIndexChanged, this, [this] {
        enableFields();
        if (!m_filling)
            emit ruleChosen();
    });
    for (QDoubleSpinBox* field : m_fields)
        connect(field, &QDoubleSpinBox::valueChanged, this, &PartitionFields::takeLines);
}

void PartitionFields::buildRow()
{
    m_row = makeBox<QHBoxLayout>(this, {8, 2, 8, 2}, 4);
    m_rule = new QComboBox(this);
    m_rule->setObjectName(QStringLiteral("rule"));
    m_rule->addItems({QString(), QString()});
    m_rule->setSizeAdjustPolicy(QComboBox::AdjustToContents); // another language has longer words
    const auto func = [] { return tr("Wfunc: alignment at least this and sparsity below the other"); };
    const auto sens = [] { return tr("Wsens: alignment at most this and sparsity at least the other"); };
    m_fields = {shareField([] { return tr("Least alignment of Wfunc"); }, func, this),
                shareField([] { return tr("Sparsity of Wfunc below"); }, func, this),
                shareField([] { return tr("Most alignment of Wsens"); }, sens, this),
                shareField([] { return tr("Least sparsity of Wsens"); }, sens, this)};
    m_reset = new QToolButton(this);
    m_reset->setAutoRaise(true);
    QLabel* rule = makeLabel([] { return tr("Rule:"); }, this);
    rule->setBuddy(m_rule);
    m_row->addWidget(rule);
    m_row->addWidget(m_rule);
    m_row->addWidget(makeLabel([] { return tr("Wfunc ≥"); }, this));
    m_row->addWidget(m_fields[0]);
    m_row->addWidget(new QLabel(QStringLiteral("<"), this));
    m_row->addWidget(m_fields[1]);
    m_row->addWidget(makeLabel([] { return tr("Wsens ≤"); }, this));
    m_row->addWidget(m_fields[2]);
    m_row->addWidget(new QLabel(QStringLiteral("≥"), this));
    m_row->addWidget(m_fields[3]);
    m_row->addWidget(m_reset);
    m_row->addStretch(1);
}

void PartitionFields::putFirst(QLabel* label, QWidget* field)
{
    m_row->insertWidget(0, label);
    m_row->insertWidget(1, field);
    m_row->insertSpacing(2, 8);
}

void PartitionFields::sayTexts()
{
    m_rule->setItemText(0, tr("Thresholds"));
    m_rule->setItemText(1, tr("Quantiles"));
    m_rule->setAccessibleName(tr("Rule of the classes"));
    m_rule->setToolTip(tr("Thresholds: alignment ≥ and sparsity < make Wfunc, alignment ≤ and sparsity ≥ make Wsens, "
                          "the rest is Wboth. Quantiles: by rank of alignment less rank of sparsity, a third each."));
    m_reset->setText(tr("As stored"));
    m_reset->setToolTip(tr("Resets the lines to the thresholds of the result"));
}

PartitionRule PartitionFields::rule() const
{
    return m_rule->currentIndex() == 1 ? PartitionRule::Quantile : PartitionRule::Absolute;
}

void PartitionFields::setPartition(const ClassThresholds& lines, PartitionRule rule)
{
    m_filling = true;
    m_lines = lines;
    const std::array each{lines.funcAlignment, lines.funcSparsity, lines.sensAlignment, lines.sensSparsity};
    for (std::size_t i = 0; i < each.size(); ++i) {
        m_fields[i]->setValue(each[i]);
        m_shown[i] = m_fields[i]->value();
    }
    m_rule->setCurrentIndex(rule == PartitionRule::Quantile ? 1 : 0);
    m_filling = false;
    enableFields();
}

// Thresholds that are not in force are not to be set.
void PartitionFields::enableFields()
{
    for (QDoubleSpinBox* field : m_fields)
        field->setEnabled(m_usable && rule() == PartitionRule::Absolute);
}

void PartitionFields::setUsable(bool usable)
{
    m_usable = usable;
    enableFields();
    m_rule->setEnabled(usable);
    m_reset->setEnabled(usable);
}

// A line whose field says what it said stays where it is: it may stand between two hundredths.
void PartitionFields::takeLines()
{
    if (m_filling)
        return;
    ClassThresholds lines = m_lines;
    double* const each[] = {&lines.funcAlignment, &lines.funcSparsity, &lines.sensAlignment, &lines.sensSparsity};
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        if (m_fields[i]->value() != m_shown[i])
            *each[i] = m_fields[i]->value();
    }
    emit linesEdited(lines);
}

} // namespace peakscope
