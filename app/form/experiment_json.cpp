// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/experiment_json.h"

#include "app/parts/icons.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_keys.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"
#include "widgets/look/pieces.h"
#include "widgets/text/language_texts.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTextBlock>

#include <string>
#include <vector>

namespace peakscope {

namespace {

std::string joined(const std::vector<std::string>& path)
{
    std::string text;
    for (const std::string& part : path)
        text += (text.empty() ? "" : ".") + part;
    return text;
}

} // namespace

int lineOfJsonKey(std::string_view text, std::string_view key)
{
    std::vector<std::string> path; // a part a level; empty within lists
    int line = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        line += letter == '\n' ? 1 : 0;
        if (letter == '{' || letter == '[')
            path.emplace_back();
        else if ((letter == '}' || letter == ']') && !path.empty())
            path.pop_back();
        if (letter != '"')
            continue;
        const std::size_t begin = i + 1;
        for (++i; i < text.size() && text[i] != '"'; ++i)
            i += text[i] == '\\' ? 1 : 0;
        const std::size_t after = text.find_first_not_of(" \t\r\n", i + 1);
        if (path.empty() || after == std::string_view::npos || text[after] != ':')
            continue;
        path.back() = text.substr(begin, i - begin);
        if (joined(path) == key)
            return line;
    }
    return 0;
}

ExperimentJson::ExperimentJson(QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this, {8, 0, 8, 8});
    m_field = new QPlainTextEdit(this);
    m_field->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_field->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_field->setObjectName(QStringLiteral("experimentJson"));
    m_verdict = new QLabel(this);
    m_verdict->setTextFormat(Qt::PlainText);
    m_verdict->setWordWrap(true);
    m_verdict->hide();
    auto* row = makeBox<QHBoxLayout>(nullptr, {}, 8);
    auto* copy = new QPushButton(glyphIcon(Glyph::Copy), {}, this);
    m_discard = new QPushButton(this);
    m_apply = new QPushButton(this);
    m_apply->setObjectName(QStringLiteral("applyJson"));
    row->addStretch(1);
    for (QPushButton* button : {copy, m_discard, m_apply})
        row->addWidget(button);
    layout->addWidget(m_field, 1);
    layout->addWidget(m_verdict);
    layout->addLayout(row);
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_field->toPlainText()); });
    connect(m_discard, &QPushButton::clicked, this, &ExperimentJson::discard);
    connect(m_apply, &QPushButton::clicked, this, &ExperimentJson::apply);
    connect(m_field, &QPlainTextEdit::textChanged, this, [this] { showEdited(true); });
    showEdited(false);
    inLanguage(this, [this, copy] {
        copy->setText(tr("Copy"));
        copy->setToolTip(tr("Copies the experiment; peakscope-cli run takes it as a file"));
        m_discard->setText(tr("Discard"));
        m_discard->setToolTip(tr("Back to the values of the form"));
        m_apply->setText(tr("Apply"));
        m_apply->setToolTip(tr("Puts the experiment into the form"));
        m_field->setAccessibleName(tr("The experiment as JSON"));
    });
}

QString ExperimentJson::verdict() const
{
    return m_verdict->text();
}

void ExperimentJson::setDocument(const nlohmann::json& document)
{
    m_document = document;
    if (!m_edited)
        discard();
}

void ExperimentJson::discard()
{
    const QString text =
        QString::fromStdString(m_document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    if (m_field->toPlainText() != text)
        m_field->setPlainText(text);
    showEdited(false);
}

void ExperimentJson::showEdited(bool edited)
{
    m_edited = edited;
    m_apply->setEnabled(edited);
    m_discard->setEnabled(edited);
    m_verdict->clear();
    m_verdict->hide();
}

void ExperimentJson::apply()
{
    const std::string text = m_field->toPlainText().toStdString();
    const auto document = parseJson(text);
    if (!document) { // which says the line itself
        const QString sentence = QString::fromStdString(document.error().text());
        static const QRegularExpression place(QStringLiteral("line (\\d+)"));
        refuse(sentence, place.match(sentence).captured(1).toInt());
        return;
    }
    const auto atKey = [&](const std::string& key, const QString& sentence) {
        const int line = lineOfJsonKey(text, key);
        refuse(line > 0 ? tr("Line %1: %2").arg(QString::number(line), sentence) : sentence, line);
    };
    if (const std::string key = repeatedKey(text); !key.empty()) {
        atKey(key, tr("the key %1 appears twice; keep one of them").arg(QString::fromStdString(key)));
        return;
    }
    if (const auto problems = experimentProblems(*document); !problems.empty()) {
        atKey(problems.front().first, QString::fromStdString(problemText(problems.front())));
        return;
    }
    showEdited(false);
    emit applied(*document);
}

// It stays as typed, with the cursor at the line.
void ExperimentJson::refuse(const QString& sentence, int line)
{
    m_verdict->setText(sentence);
    m_verdict->show();
    if (line < 1)
        return;
    m_field->setTextCursor(QTextCursor(m_field->document()->findBlockByNumber(line - 1)));
    m_field->setFocus();
}

} // namespace peakscope
