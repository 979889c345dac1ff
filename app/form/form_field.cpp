// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/form_field.h"

#include "app/form/check_box_grid.h"
#include "app/parts/device_choice.h"
#include "app/parts/launcher_presets.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/units.h"
#include "core/experiment/experiment.h"
#include "core/experiment/schema.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QLineEdit>
#include <QProcess>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

class FieldWords
{
    Q_DECLARE_TR_FUNCTIONS(peakscope::FormField)
};

QString plainText(const nlohmann::json& value)
{
    if (value.is_string())
        return QString::fromStdString(value.get_ref<const std::string&>());
    return QString::fromStdString(value.dump());
}

// What a number field holds: a JSON number, or the text as it is so that the experiment's own check can name it.
nlohmann::json numberFromText(const QString& text)
{
    bool isInteger = false;
    const qlonglong integer = text.toLongLong(&isInteger);
    if (isInteger)
        return integer;
    bool isNumber = false;
    const double number = text.toDouble(&isNumber);
    if (isNumber && std::isfinite(number))
        return number;
    return text.toStdString();
}

// "lm_head.weight:17"; what has another shape as it is, so that the check can say what is wrong with it.
QString entryText(const nlohmann::json& entry)
{
    if (!entry.is_object() || !entry.contains("parameter") || !entry.contains("index"))
        return plainText(entry);
    return plainText(entry["parameter"]) + u':' + plainText(entry["index"]);
}

// As a size where one says it to the byte: a field is read again.
QString sizeToEdit(std::int64_t bytes)
{
    constexpr double kMebi = 1 << 20;
    constexpr int kDigits = 12;
    const QString size =
        QStringLiteral("%1 MiB").arg(QString::number(static_cast<double>(bytes) / kMebi, 'g', kDigits));
    const Result<std::int64_t> read = parseBytes(size.toStdString());
    return read && *read == bytes ? size : QString::number(bytes);
}

} // namespace

QComboBox* FormField::choice() const
{
    return static_cast<QComboBox*>(editor);
}

QLineEdit* FormField::line() const
{
    return static_cast<QLineEdit*>(editor);
}

CheckBoxGrid* FormField::checks() const
{
    return static_cast<CheckBoxGrid*>(editor);
}

void FormField::setValue(const nlohmann::json* value)
{
    if (auto* combo = qobject_cast<QComboBox*>(editor)) {
        if (!value || value->is_null()) {
            combo->setCurrentIndex(std::max(combo->findData(usual), 0));
            return;
        }
        const QString text = plainText(*value);
        int index = combo->findData(text);
        if (index < 0) { // kept as it is, so that the check can say what is wrong with it
            combo->addItem(key == "device" ? deviceTitle(text.toStdString()) : text, text);
            index = combo->count() - 1;
        }
        combo->setCurrentIndex(index);
        return;
    }
    if (auto* boxes = qobject_cast<CheckBoxGrid*>(editor)) {
        if (!value || !value->is_array()) {
            const nlohmann::json unsaid = keyValue(*row, defaultExperiment());
            setValue(&unsaid);
            return;
        }
        QStringList words;
        for (const nlohmann::json& word : *value)
            words << plainText(word);
        boxes->setWords(words);
        return;
    }
    QLineEdit* edit = line();
    QString text;
    if (value && kind == Kind::Entries && value->is_array()) {
        for (const nlohmann::json& entry : *value)
            text += (text.isEmpty() ? QString() : QStringLiteral(" ")) + entryText(entry);
    } else if (value && (kind == Kind::Words || kind == Kind::Numbers) && value->is_array()) {
        QStringList words;
        for (const nlohmann::json& word : *value)
            words << plainText(word);
        text = commandLine(words);
    } else if (const auto bytes = value && kind == Kind::Bytes ? jsonInteger(*value) : std::nullopt) {
        if (*bytes > 0)
            text = sizeToEdit(*bytes);
    } else if (value && kind == Kind::Json) {
        text = value->empty() ? QString() : QString::fromStdString(dumpJson(*value));
    } else if (value && !value->is_null()) {
        text = plainText(*value);
    }
    edit->setText(text);
    edit->setCursorPosition(0);
}

bool FormField::readValue(nlohmann::json& value, QString& problem) const
{
    value = nullptr; // stays so where the key is left out
    if (const auto* combo = qobject_cast<const QComboBox*>(editor)) {
        const bool typed = combo->isEditable() && combo->currentText() != combo->itemText(combo->currentIndex());
        const int meant = typed ? combo->findText(combo->currentText().trimmed(), Qt::MatchFixedString) : -1;
        const QString text = meant >= 0 ? combo->itemData(meant).toString()
                             : typed    ? combo->currentText().trimmed()
                                        : combo->currentData().toString();
        if (kind == Kind::Truth && (text == QLatin1String("true") || text == QLatin1String("false")))
            value = text == QLatin1String("true");
        else if (!text.isEmpty())
            value = text.toStdString();
        return true;
    }
    if (const auto* boxes = qobject_cast<const CheckBoxGrid*>(editor)) {
        value = nlohmann::json::array(); // also where none is checked: nothing to compute is wrong
        for (const QString& word : boxes->words())
            value.push_back(word.toStdString());
        return true;
    }
    const QString text = line()->text().trimmed();
    if (text.isEmpty())
        return true;
    switch (kind) {
    case Kind::Number:
        value = numberFromText(text);
        return true;
    case Kind::Bytes: {
        const Result<std::int64_t> bytes = parseBytes(text.toStdString());
        if (!bytes) {
            problem = QString::fromStdString(bytes.error().text());
            return false;
        }
        value = *bytes;
        return true;
    }
    case Kind::Json:
        value = nlohmann::json::parse(text.toStdString(), nullptr, false);
        if (value.is_discarded())
            value = text.toStdString(); // its own check says what is needed
        return true;
    case Kind::Words:
        value = nlohmann::json::array();
        for (const QString& word : QProcess::splitCommand(text))
            value.push_back(word.toStdString());
        return true;
    case Kind::Numbers:
        value = nlohmann::json::array();
        for (const QString& word : text.split(QRegularExpression(QStringLiteral("[\\s,;]+")), Qt::SkipEmptyParts))
            value.push_back(numberFromText(word));
        return true;
    case Kind::Entries:
        value = nlohmann::json::array();
        for (const QString& word : text.simplified().split(u' ')) {
            const qsizetype colon = word.lastIndexOf(u':');
            if (colon < 1) {
                problem = FieldWords::tr("%1 has no position; write NAME:INDEX").arg(word);
                return false;
            }
            value.push_back(
                {{"parameter", word.left(colon).toStdString()}, {"index", numberFromText(word.mid(colon + 1))}});
        }
        return true;
    default:
        value = text.toStdString();
        return true;
    }
}

bool FormField::differs() const
{
    nlohmann::json value;
    QString problem;
    if (!readValue(value, problem))
        return true;
    return !value.is_null() && value != keyValue(*row, defaultExperiment());
}

void FormField::setReason(const QString& text)
{
    const bool wrong = !text.isEmpty();
    reason->setText(text);
    reason->setVisible(wrong);
    QPalette colors;
    if (wrong)
        colors.setColor(QPalette::WindowText, problemColor(holder->palette()));
    label->setPalette(colors);
    reason->setPalette(colors);
    // Not by colour alone: the title carries a mark as well.
    label->setText(wrong ? QStringLiteral("⚠ ") + title : title);
    editor->setAccessibleName(wrong ? FieldWords::tr("%1, wrong: %2").arg(title, text) : title);
}

void FormField::setVisible(bool visible)
{
    label->setVisible(visible);
    holder->setVisible(visible);
    if (!visible)
        setReason({});
}

FormField::Kind fieldKind(const ExperimentKey& key)
{
    switch (typeOf(key)) {
    case KeyType::Truth:
        return FormField::Kind::Truth;
    case KeyType::Integer:
    case KeyType::Number:
        return key.more.unit == std::string_view("bytes") ? FormField::Kind::Bytes : FormField::Kind::Number;
    case KeyType::Texts:
        return FormField::Kind::Words;
    case KeyType::Numbers:
        return FormField::Kind::Numbers;
    case KeyType::Word:
        return FormField::Kind::Choice;
    case KeyType::Words:
        return FormField::Kind::Checks;
    case KeyType::Entries:
        return FormField::Kind::Entries;
    case KeyType::Marks:
        return FormField::Kind::Json;
    case KeyType::Text:
        break;
    }
    return FormField::Kind::Text;
}

QColor problemColor(const QPalette& palette)
{
    const bool dark = palette.color(QPalette::Window).lightness() < 128;
    return dark ? QColor(0xff, 0x8a, 0x75) : QColor(0xb0, 0x22, 0x0c);
}

} // namespace peakscope
