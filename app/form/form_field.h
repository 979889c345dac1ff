// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A key of an experiment as a field of a form: its label, its editor, what is wrong with it, and its value as JSON. GUI
// thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <nlohmann/json_fwd.hpp>

#include <QLabel>
#include <QString>

#include <string>

class QComboBox;
class QLineEdit;

namespace peakscope {

class FormSection;
class CheckBoxGrid;
struct ExperimentKey;

struct FormField {
    enum class Kind { Choice, Number, Text, Bytes, Truth, Words, Checks, Entries, Numbers, Json } kind = Kind::Text;
    std::string key;
    QLabel* label = nullptr;
    QWidget* editor = nullptr; // QComboBox, QLineEdit or CheckBoxGrid
    QWidget* holder = nullptr; // the editor with what stands beside it
    QLabel* reason = nullptr;
    const ExperimentKey* row = nullptr;
    LanguageText hint; // what a line shows while it is empty; empty: the default
    QString title;
    QString usual;                  // the default, as an item of a choice has it
    FormSection* section = nullptr; // that it stands in, where it is one that closes

    // Of these three the one that the kind has.
    QComboBox* choice() const;
    QLineEdit* line() const;
    CheckBoxGrid* checks() const;

    // Null: the default.
    void setValue(const nlohmann::json* value);
    // Null where the key is left out. False where the text can't be a value of its kind; `problem` says why.
    bool readValue(nlohmann::json& value, QString& problem) const;
    bool differs() const; // from the default

    // What is wrong, said under it; empty: nothing.
    void setReason(const QString& text);
    bool isWrong() const { return !reason->isHidden(); }
    void setVisible(bool visible);
};

FormField::Kind fieldKind(const ExperimentKey& key);

// In which what is wrong is said.
QColor problemColor(const QPalette& palette);

} // namespace peakscope
