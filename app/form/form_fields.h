// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a form for an experiment, made from the rows of its keys (core/experiment/schema.h): title, tool tip,
// kind and choices are theirs. GUI thread.
#pragma once

#include "app/form/form_field.h"

#include <QObject>
#include <QStringList>

#include <map>
#include <utility>
#include <vector>

class QGridLayout;
class QVBoxLayout;

namespace peakscope {

enum class ExperimentKind;

class FormFields : public QObject
{
    Q_OBJECT

public:
    // Their widgets belong to the page.
    explicit FormFields(QWidget* page) : QObject(page), m_page(page) {}

    QGridLayout* addSection(QVBoxLayout* column, LanguageText title);
    FormField& add(QGridLayout* grid, const std::string& key);
    // Of the row's words, or of `values` in their place.
    QComboBox* addChoice(QGridLayout* grid, const std::string& key, QStringList values = {});
    // `hint` shows what may stand there; the default where it is left out.
    QLineEdit* addLine(QGridLayout* grid, const std::string& key, LanguageText hint = {});
    void addTruth(QGridLayout* grid, const std::string& key, const std::vector<std::pair<LanguageText, bool>>& values);
    // Boxes are the caller's to add.
    CheckBoxGrid* addChecks(QGridLayout* grid, const std::string& key);
    // As the row's type asks for.
    void addAny(QGridLayout* grid, const std::string& key);
    // A button that chooses a folder, else a file.
    void addBrowse(FormField& field, bool folder);

    // Null where there is none.
    FormField* find(const std::string& key);
    const FormField* find(const std::string& key) const;
    FormField& operator[](const std::string& key) { return m_fields.at(key); }
    const FormField& operator[](const std::string& key) const { return m_fields.at(key); }
    std::map<std::string, FormField>& all() { return m_fields; }
    const std::map<std::string, FormField>& all() const { return m_fields; }

    ExperimentKind kind() const;               // that is chosen
    bool isRead(const std::string& key) const; // by that kind of experiment
    // Whether its value counts: it is on the page, or would be if its section were open.
    bool isAsked(const FormField& field) const;

    // While values are filled in nothing is edited.
    void setFilling(bool filling) { m_filling = filling; }
    bool filling() const { return m_filling; }
    void tellEdited();

signals:
    void edited(); // by the user

private:
    FormField& add(QGridLayout* grid, const ExperimentKey& row, FormField::Kind kind);
    static void say(FormField& field);

    QWidget* m_page;
    std::map<std::string, FormField> m_fields;
    bool m_filling = false;
};

} // namespace peakscope
