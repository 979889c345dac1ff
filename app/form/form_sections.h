// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of an experiment's form that are closed while all in them is as usual, and what each adds to the memory.
// GUI thread.
#pragma once

#include "app/form/form_costs.h"
#include "widgets/text/language_texts.h"

#include <QObject>

#include <string>
#include <vector>

class QVBoxLayout;

namespace peakscope {

class FormFields;
class FormSection;

class FormSections : public QObject
{
    Q_OBJECT

public:
    FormSections(FormFields& fields, QWidget* page) : QObject(page), m_fields(fields), m_page(page) {}

    void add(QVBoxLayout* column, const char* name, LanguageText title, const std::vector<std::string>& keys);
    // What the schema knows and no part has, for the last one: no key is without a field.
    std::vector<std::string> keysWithoutField() const;

    void update(); // which there are, and what differs in them
    void open();   // those in which something does
    // The keys of each in which something differs, else none.
    std::vector<std::vector<std::string>> differingKeys() const;
    void showCosts(const FormCosts::Answer& answer);

private:
    struct Section {
        FormSection* widget = nullptr;
        std::vector<std::string> keys;
    };
    QString differing(const Section& section) const;

    FormFields& m_fields;
    QWidget* m_page;
    std::vector<Section> m_sections;
};

} // namespace peakscope
