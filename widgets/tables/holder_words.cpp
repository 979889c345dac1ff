// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/holder_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace peakscope {

namespace {

struct HolderWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::HolderWords)
};

constexpr const char* kWords[] = {QT_TRANSLATE_NOOP("peakscope::HolderWords", "(before the record)"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "(before the first phase)"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "(no stack)"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "of this step"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "1 step"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "under 10 events"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "PyTorch's own"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "keep nothing of a step"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "checkpointing"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "a loss in pieces"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "zero_grad before the forward pass"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "fewer optimiser states")};

// The captures of the whole text stand for %1, %2, …
struct Pattern {
    const char* expression;
    const char* words;
};
constexpr Pattern kPatterns[] = {
    {"stream (\\d+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "stream %1")},
    {"pool (\\([^()]*\\)|\\d+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "pool %1")},
    {"step (\\d+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "step %1")},
    {"(\\d+) steps", QT_TRANSLATE_NOOP("peakscope::HolderWords", "%1 steps")},
    {"(\\d+) events or more", QT_TRANSLATE_NOOP("peakscope::HolderWords", "%1 events or more")},
    {"backward of (\\S+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "backward of %1")}};
constexpr Pattern kRemedies[] = {
    {"(.+) left (.+) alive in (\\d+) steps: what holds it there\\? A list of losses or outputs wants \\.item\\(\\) or "
     "\\.detach\\(\\)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords",
                       "%1 left %2 alive in %3 steps: what holds it there? A list of losses or outputs wants .item() "
                       "or .detach()")}};

template <std::size_t N>
QString patternText(const Pattern (&patterns)[N], const std::string& text)
{
    const QString whole = QString::fromStdString(text);
    for (const Pattern& pattern : patterns) {
        const QRegularExpression expression(
            QRegularExpression::anchoredPattern(QString::fromLatin1(pattern.expression)));
        const QRegularExpressionMatch match = expression.match(whole);
        if (!match.hasMatch())
            continue;
        const QString words = HolderWords::tr(pattern.words);
        if (match.lastCapturedIndex() == 1)
            return words.arg(match.captured(1));
        // At once: what a program named may hold place holders of its own.
        return words.arg(holderText(match.captured(1).toStdString()), match.captured(2), match.captured(3));
    }
    return whole;
}

} // namespace

QString holderText(const std::string& text)
{
    for (const char* word : kWords) {
        if (text == word)
            return HolderWords::tr(word);
    }
    return patternText(kPatterns, text);
}

QString remedyText(const std::string& text)
{
    return patternText(kRemedies, text);
}

} // namespace peakscope
