// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/form_fields.h"

#include "app/form/check_box_grid.h"
#include "app/form/form_section.h"
#include "app/parts/icons.h"
#include "core/experiment/experiment.h"
#include "core/experiment/schema.h"
#include "core/model/family.h"
#include "core/optimizers/optimizers.h"
#include "widgets/look/pieces.h"
#include "widgets/text/key_words.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFileDialog>
#include <QGridLayout>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

namespace peakscope {

namespace {

QString tipOf(const ExperimentKey& key)
{
    const QString path = QString::fromUtf8(key.path.data(), qsizetype(key.path.size()));
    const QString range = QString::fromStdString(rangeText(key)) + u' ' + translatedRow(key.more.unit);
    return QStringLiteral("<p>%1</p><p><code>%2</code> %3</p>")
        .arg(translatedRow(key.words).toHtmlEscaped(), path.toHtmlEscaped(), range.trimmed().toHtmlEscaped());
}

// What stands in a list for a word of an experiment: a title, a name that every language shares, or the word.
const std::map<QString, const char*>& wordTitles()
{
    static const std::map<QString, const char*> titles{
        {QStringLiteral("memory"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Memory")},
        {QStringLiteral("curvature"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Curvature")},
        {QStringLiteral("prm"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Perturbation (PRM)")},
        {QStringLiteral("builtin"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Built-in text")},
        {QStringLiteral("text"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Text file")},
        {QStringLiteral("tokens"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Token file")},
        {QStringLiteral("random"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Random")},
        {QStringLiteral("pretrained"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Pretrained")},
        {QStringLiteral("plain"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Plain")},
        {QStringLiteral("none"), QT_TRANSLATE_NOOP("peakscope::FormFields", "None")},
        {QStringLiteral("auto"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Auto")},
        {QStringLiteral("fused"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Fused")},
        {QStringLiteral("chunked"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Chunked")},
        {QStringLiteral("math"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Math")},
        {QStringLiteral("naive"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Naive")},
        {QStringLiteral("per_sample"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Per sample")},
        {QStringLiteral("microbatch"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Microbatch")},
        {QStringLiteral("ghost_bk"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Ghost, book-keeping")},
        {QStringLiteral("flash_bk"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Flash, book-keeping")},
        {QStringLiteral("full"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Full precision")},
        {QStringLiteral("loop"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Loop")},
        {QStringLiteral("in_backward"), QT_TRANSLATE_NOOP("peakscope::FormFields", "In backward")},
        {QStringLiteral("nearest"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Nearest")},
        {QStringLiteral("stochastic"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Stochastic")},
        {QStringLiteral("double_backward"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Double backward")},
        {QStringLiteral("reverse_over_forward"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Reverse over forward")},
        {QStringLiteral("forward_over_reverse"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Forward over reverse")},
        {QStringLiteral("finite_difference"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Finite difference")},
        {QStringLiteral("row"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Row")},
        {QStringLiteral("all"), QT_TRANSLATE_NOOP("peakscope::FormFields", "All")},
        {QStringLiteral("sample"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Sample")},
        {QStringLiteral("names"), QT_TRANSLATE_NOOP("peakscope::FormFields", "By name")},
        {QStringLiteral("entries"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Entries")},
        {QStringLiteral("tensor"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Tensor")},
        {QStringLiteral("head"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Head")},
        {QStringLiteral("block"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Block")},
        {QStringLiteral("lines"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Lines")},
        {QStringLiteral("rows"), QT_TRANSLATE_NOOP("peakscope::FormFields", "Rows")},
    };
    return titles;
}

QString nameOfWord(const QString& word)
{
    static const std::map<QString, QString> names = [] {
        std::map<QString, QString> all{
            {QStringLiteral("ghost"), QStringLiteral("Ghost")},  {QStringLiteral("flash"), QStringLiteral("Flash")},
            {QStringLiteral("tf32"), QStringLiteral("TF32")},    {QStringLiteral("foreach"), QStringLiteral("Foreach")},
            {QStringLiteral("kahan"), QStringLiteral("Kahan")},  {QStringLiteral("jets"), QStringLiteral("Jets")},
            {QStringLiteral("zero1"), QStringLiteral("ZeRO-1")}, {QStringLiteral("zero2"), QStringLiteral("ZeRO-2")},
            {QStringLiteral("zero3"), QStringLiteral("ZeRO-3")}, {QStringLiteral("fsdp"), QStringLiteral("FSDP")},
        };
        for (const FamilyDescription& family : families())
            all.emplace(QString::fromUtf8(family.name), QString::fromUtf8(family.title));
        for (const OptimizerDescription& optimizer : optimizers())
            all.emplace(QString::fromStdString(optimizer.name), QString::fromStdString(optimizer.title));
        return all;
    }();
    const auto found = names.find(word);
    return found == names.end() ? word : found->second;
}

} // namespace

QGridLayout* FormFields::addSection(QVBoxLayout* column, LanguageText title)
{
    QLabel* heading = makeLabel(std::move(title), m_page);
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

FormField& FormFields::add(QGridLayout* grid, const std::string& key)
{
    const ExperimentKey& row = *findExperimentKey(key);
    return add(grid, row, fieldKind(row));
}

FormField& FormFields::add(QGridLayout* grid, const ExperimentKey& row, FormField::Kind kind)
{
    const std::string key(row.path);
    FormField& field = m_fields[key];
    field.kind = kind;
    field.key = key;
    field.row = &row;
    field.usual = QString::fromStdString(defaultText(row));
    field.label = new QLabel(m_page);
    field.reason = new QLabel(m_page);
    field.reason->setWordWrap(true);
    field.reason->setTextFormat(Qt::PlainText);
    field.reason->hide();
    const bool choice = kind == FormField::Kind::Choice || kind == FormField::Kind::Truth;
    if (kind == FormField::Kind::Checks)
        field.editor = new CheckBoxGrid(m_page);
    else
        field.editor = choice ? static_cast<QWidget*>(new QComboBox(m_page)) : new QLineEdit(m_page);
    field.editor->setObjectName(QString::fromStdString(key));
    field.editor->setMinimumWidth(72);
    field.label->setBuddy(field.editor);
    field.holder = new QWidget(m_page);
    auto* beside = makeBox<QHBoxLayout>(field.holder, {}, 2);
    beside->addWidget(field.editor, 1);
    const int line = grid->rowCount();
    grid->addWidget(field.label, line, 0, kind == FormField::Kind::Checks ? Qt::AlignTop : Qt::Alignment());
    grid->addWidget(field.holder, line, 1);
    grid->addWidget(field.reason, line + 1, 0, 1, 2);
    inLanguage(field.editor, [&field] { say(field); });
    return field;
}

void FormFields::say(FormField& field)
{
    field.title = translatedRow(field.row->title);
    const QString hover = tipOf(*field.row);
    field.label->setToolTip(hover);
    field.editor->setToolTip(hover);
    field.editor->setAccessibleDescription(translatedRow(field.row->words));
    if (auto* line = qobject_cast<QLineEdit*>(field.editor)) {
        const QString hint = field.hint.say();
        line->setPlaceholderText(hint.isEmpty() ? translatedRow(field.usual.toUtf8().constData()) : hint);
    }
    field.setReason(field.isWrong() ? field.reason->text() : QString());
}

QComboBox* FormFields::addChoice(QGridLayout* grid, const std::string& key, QStringList values)
{
    const ExperimentKey& row = *findExperimentKey(key);
    for (const std::string& word : values.isEmpty() ? wordsOf(row) : std::vector<std::string>())
        values << QString::fromStdString(word);
    FormField& field = add(grid, row, FormField::Kind::Choice);
    auto* combo = static_cast<QComboBox*>(field.editor);
    const bool ofIds = key == "model.id" || key == "device"; // which are themselves
    for (const QString& value : std::as_const(values)) {
        if (const auto title = wordTitles().find(value); !ofIds && title != wordTitles().end())
            addItem(combo, value, [text = title->second] { return tr(text); });
        else
            combo->addItem(ofIds ? value : nameOfWord(value), value);
        combo->setItemData(combo->count() - 1, value, Qt::ToolTipRole); // as the experiment has it
    }
    combo->setCurrentIndex(std::max(combo->findData(field.usual), 0));
    // A long entry must not widen the column; the open list shows it whole.
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    connect(combo, &QComboBox::currentTextChanged, this, &FormFields::tellEdited);
    return combo;
}

QLineEdit* FormFields::addLine(QGridLayout* grid, const std::string& key, LanguageText hint)
{
    FormField& field = add(grid, key);
    auto* line = static_cast<QLineEdit*>(field.editor);
    field.hint = std::move(hint);
    say(field);
    connect(line, &QLineEdit::textChanged, this, &FormFields::tellEdited);
    return line;
}

void FormFields::addTruth(QGridLayout* grid, const std::string& key,
                          const std::vector<std::pair<LanguageText, bool>>& values)
{
    auto* truth = static_cast<QComboBox*>(add(grid, key).editor);
    for (const auto& [text, value] : values)
        addItem(truth, value ? QStringLiteral("true") : QStringLiteral("false"), text);
    connect(truth, &QComboBox::currentIndexChanged, this, &FormFields::tellEdited);
}

CheckBoxGrid* FormFields::addChecks(QGridLayout* grid, const std::string& key)
{
    CheckBoxGrid* checks = add(grid, key).checks();
    connect(checks, &CheckBoxGrid::changed, this, &FormFields::tellEdited);
    return checks;
}

void FormFields::addAny(QGridLayout* grid, const std::string& key)
{
    const ExperimentKey& row = *findExperimentKey(key);
    switch (typeOf(row)) {
    case KeyType::Truth: {
        const std::vector<std::pair<LanguageText, bool>> values{{[] { return tr("No"); }, false},
                                                                {[] { return tr("Yes"); }, true}};
        addTruth(grid, key, values);
        break;
    }
    case KeyType::Word:
        addChoice(grid, key);
        break;
    case KeyType::Words: {
        CheckBoxGrid* checks = addChecks(grid, key);
        for (const std::string& word : wordsOf(row))
            checks->add(QString::fromStdString(word), {}, QString::fromStdString(word));
        m_fields[key].setValue(nullptr);
        break;
    }
    default:
        addLine(grid, key);
    }
}

void FormFields::addBrowse(FormField& field, bool folder)
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
        const QString chosen = folder ? QFileDialog::getExistingDirectory(m_page, tr("Choose a folder"), line->text())
                                      : QFileDialog::getOpenFileName(m_page, tr("Choose a file"), line->text());
        if (!chosen.isEmpty())
            line->setText(chosen);
    });
}

FormField* FormFields::find(const std::string& key)
{
    const auto found = m_fields.find(key);
    return found == m_fields.end() ? nullptr : &found->second;
}

const FormField* FormFields::find(const std::string& key) const
{
    const auto found = m_fields.find(key);
    return found == m_fields.end() ? nullptr : &found->second;
}

ExperimentKind FormFields::kind() const
{
    const QString word = (*this)["kind"].choice()->currentData().toString();
    return valueOf(word.toStdString(), ExperimentKind::Memory);
}

bool FormFields::isRead(const std::string& key) const
{
    return ((*this)[key].row->kinds & (1U << static_cast<unsigned>(kind()))) != 0;
}

bool FormFields::isAsked(const FormField& field) const
{
    return field.section ? !field.section->isHidden() && !field.holder->isHidden() : field.holder->isVisibleTo(m_page);
}

void FormFields::tellEdited()
{
    if (!m_filling)
        emit edited();
}

} // namespace peakscope
