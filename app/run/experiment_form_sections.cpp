// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the experiment form that are closed while all in them is as usual. What the schema knows and no other
// part has stands in the last one, so that no key is without a field.
#include "app/run/curvature_fields.h"
#include "app/run/experiment_form.h"
#include "app/run/form_section.h"
#include "core/experiment/schema.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/number_text.h"
#include "widgets/text/reason_words.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>

#include <algorithm>

namespace peakscope {

void ExperimentForm::addClosing(QVBoxLayout* column, const char* name, LanguageText title,
                                const std::vector<std::string>& keys)
{
    auto* section = new FormSection(name, std::move(title), this);
    column->addWidget(section);
    for (const std::string& key : keys) {
        addAny(section->grid(), key);
        find(key)->section = section;
    }
    m_sections.push_back({section, keys});
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

std::vector<std::string> ExperimentForm::keysWithoutField() const
{
    std::vector<std::string> keys;
    for (const ExperimentKey& row : experimentKeys()) {
        if (std::string key(row.path); !row.isOfModel() && !find(key))
            keys.push_back(std::move(key));
    }
    return keys;
}

void ExperimentForm::addAny(QGridLayout* grid, const std::string& key)
{
    const ExperimentKey& row = *findExperimentKey(key);
    switch (typeOf(row)) {
    case KeyType::Truth: {
        const std::vector<std::pair<LanguageText, bool>> values{{[] { return tr("no"); }, false},
                                                                {[] { return tr("yes"); }, true}};
        addTruth(grid, key, values);
        break;
    }
    case KeyType::Word:
        addChoice(grid, key);
        break;
    case KeyType::Words: {
        Field& field = addField(grid, key);
        auto* checks = static_cast<WordChecks*>(field.editor);
        for (const std::string& word : wordsOf(row))
            checks->add(QString::fromStdString(word), {}, QString::fromStdString(word));
        connect(checks, &WordChecks::changed, this, &ExperimentForm::onEdited);
        setValue(field, nullptr);
        break;
    }
    default:
        addLine(grid, key);
    }
}

bool ExperimentForm::isRead(const std::string& key) const
{
    const Field* field = find(key);
    return (field->row->kinds & (1U << static_cast<unsigned>(kind()))) != 0;
}

bool ExperimentForm::isAsked(const Field& field) const
{
    return field.section ? !field.section->isHidden() && !field.holder->isHidden() : field.holder->isVisibleTo(this);
}

bool ExperimentForm::differs(const Field& field) const
{
    nlohmann::json value;
    QString problem;
    if (!readValue(field, value, problem))
        return true;
    return !value.is_null() && value != keyValue(*field.row, defaultExperiment());
}

QString ExperimentForm::differing(const Section& section) const
{
    QStringList parts;
    for (const std::string& key : section.keys) {
        const Field& field = *find(key);
        if (!isRead(key) || !differs(field))
            continue;
        const auto* choice = qobject_cast<const QComboBox*>(field.editor);
        const auto* line = qobject_cast<const QLineEdit*>(field.editor);
        parts << (choice ? tr("%1 %2", "a field's title, its value").arg(field.title, choice->currentText())
                  : line ? tr("%1 %2", "a field's title, its value").arg(field.title, line->text())
                         : field.title);
    }
    return parts.join(QStringLiteral(" · "));
}

void ExperimentForm::updateSections()
{
    for (const Section& section : m_sections) {
        section.widget->setVisible(std::any_of(section.keys.begin(), section.keys.end(),
                                               [this](const std::string& key) { return isRead(key); }));
        for (const std::string& key : section.keys)
            showField(key, isRead(key));
        section.widget->setSummary(differing(section));
    }
}

void ExperimentForm::openSections()
{
    for (const Section& section : m_sections)
        section.widget->setOpen(!differing(section).isEmpty());
}

void ExperimentForm::showCosts(const FormCosts::Answer& answer)
{
    for (std::size_t i = 0; i < m_sections.size(); ++i) {
        const auto adding = i < answer.adding.size() ? answer.adding[i].value_or(0) : 0;
        QString cost = adding == 0 ? QString() : bytesText(adding);
        if (adding > 0)
            cost.prepend(u'+');
        if (answer.privacy && m_sections[i].widget->objectName() == QLatin1String("privacySection"))
            cost = tr("ε %1").arg(compactNumber(answer.privacy->epsilon, 3)) +
                   (cost.isEmpty() ? QString() : QStringLiteral(" · ") + cost);
        m_sections[i].widget->setCost(cost);
    }
    if (!answer.dataProblem.empty()) {
        Field* field = fieldForProblem(answer.vocabularyTooSmall ? "model.vocab" : "data.path");
        if (field)
            setReason(*field, reasonText(answer.dataProblem));
        m_valid = false;
        emit validated(false);
    }
    emit predicted(answer.peakBytes ? tr("predicted peak %1").arg(bytesText(*answer.peakBytes)) : QString());
}

} // namespace peakscope
