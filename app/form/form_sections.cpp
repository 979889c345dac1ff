// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/form_sections.h"

#include "app/form/form_fields.h"
#include "app/form/form_section.h"
#include "core/experiment/schema.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/number_text.h"

#include <QComboBox>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace peakscope {

void FormSections::add(QVBoxLayout* column, const char* name, LanguageText title, const std::vector<std::string>& keys)
{
    auto* section = new FormSection(name, std::move(title), m_page);
    column->addWidget(section);
    for (const std::string& key : keys) {
        m_fields.addAny(section->grid(), key);
        m_fields[key].section = section;
    }
    m_sections.push_back({section, keys});
}

std::vector<std::string> FormSections::keysWithoutField() const
{
    std::vector<std::string> keys;
    for (const ExperimentKey& row : experimentKeys()) {
        if (std::string key(row.path); !row.isOfModel() && !m_fields.find(key))
            keys.push_back(std::move(key));
    }
    return keys;
}

QString FormSections::differing(const Section& section) const
{
    QStringList parts;
    for (const std::string& key : section.keys) {
        const FormField& field = m_fields[key];
        if (!m_fields.isRead(key) || !field.differs())
            continue;
        const auto* choice = qobject_cast<const QComboBox*>(field.editor);
        const auto* line = qobject_cast<const QLineEdit*>(field.editor);
        parts << (choice ? tr("%1 %2", "a field's title, its value").arg(field.title, choice->currentText())
                  : line ? tr("%1 %2", "a field's title, its value").arg(field.title, line->text())
                         : field.title);
    }
    return parts.join(QStringLiteral(" · "));
}

void FormSections::update()
{
    for (const Section& section : m_sections) {
        section.widget->setVisible(std::any_of(section.keys.begin(), section.keys.end(),
                                               [this](const std::string& key) { return m_fields.isRead(key); }));
        for (const std::string& key : section.keys)
            m_fields[key].setVisible(m_fields.isRead(key));
        section.widget->setSummary(differing(section));
    }
}

void FormSections::open()
{
    for (const Section& section : m_sections)
        section.widget->setOpen(!differing(section).isEmpty());
}

std::vector<std::vector<std::string>> FormSections::differingKeys() const
{
    std::vector<std::vector<std::string>> keys;
    for (const Section& section : m_sections)
        keys.push_back(differing(section).isEmpty() ? std::vector<std::string>() : section.keys);
    return keys;
}

void FormSections::showCosts(const FormCosts::Answer& answer)
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
}

} // namespace peakscope
