// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/known_sentences.h"

#include <utility>

namespace peakscope {

namespace {

// Each %1 becomes what `valueOf(1)` says, what stands between them what `textOf` makes of it.
template <typename TextOf, typename ValueOf>
QString replaced(const QString& words, TextOf textOf, ValueOf valueOf)
{
    static const QRegularExpression placeHolder(QStringLiteral("%([1-9])"));
    QString text;
    qsizetype end = 0;
    for (const QRegularExpressionMatch& match : placeHolder.globalMatch(words)) {
        text += textOf(words.mid(end, match.capturedStart() - end)) + valueOf(match.captured(1).toInt());
        end = match.capturedEnd();
    }
    return text + textOf(words.mid(end));
}

QRegularExpression expressionOf(const char* words)
{
    const auto escaped = [](const QString& part) { return QRegularExpression::escape(part); };
    return QRegularExpression(QRegularExpression::anchoredPattern(
        replaced(QString::fromUtf8(words), escaped, [](int) { return QStringLiteral("(.+?)"); })));
}

} // namespace

KnownSentences::KnownSentences(std::span<const char* const> all)
{
    for (const char* words : all)
        m_all.push_back(expressionOf(words));
}

std::optional<KnownSentences::Found> KnownSentences::find(const QString& text) const
{
    for (std::size_t place = 0; place < m_all.size(); ++place) {
        if (QRegularExpressionMatch match = m_all[place].match(text); match.hasMatch())
            return Found{place, std::move(match)};
    }
    return std::nullopt;
}

QString withValues(const QString& words, const std::function<QString(int)>& valueOf)
{
    return replaced(
        words, [](const QString& part) { return part; }, valueOf);
}

} // namespace peakscope
