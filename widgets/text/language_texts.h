// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that follow the language: what is built once says itself anew when the language changes, and nothing is built
// again. GUI thread.
#pragma once

#include <QString>

#include <functional>
#include <type_traits>

class QBoxLayout;
class QComboBox;
class QFormLayout;
class QLabel;
class QTabWidget;
class QVariant;
class QWidget;

namespace peakscope {

// Calls `say` now, and again each time that `widget` hears of another language; no longer than `widget` lives, which
// everything that `say` refers to must outlive.
void inLanguage(QWidget* widget, std::function<void()> say);

// A text that its owner says anew when the language changes, where it was given as a function; a string stays as it is
// until the caller sets another.
class LanguageText
{
public:
    LanguageText(const QString& text = {}) : m_say([text] { return text; }) {}
    template <typename Say>
    requires std::is_invocable_r_v<QString, Say&> LanguageText(Say say) : m_say(std::move(say)) {}

    QString say() const { return m_say(); }

private:
    std::function<QString()> m_say;
};

// A label that says itself anew, by itself or beside a field.
QLabel* makeLabel(LanguageText text, QWidget* parent);
// A tab, or an entry of a choice, whose title follows the language. The entry is known by its data, which no other has.
void addRow(QFormLayout* form, QWidget* field, LanguageText title);
// The same in a row; the title is the field's accessible name as well.
void addField(QBoxLayout* row, QWidget* field, int stretch, LanguageText title);
void addTab(QTabWidget* tabs, QWidget* page, LanguageText title);
void addItem(QComboBox* choice, const QVariant& data, LanguageText text);

} // namespace peakscope
