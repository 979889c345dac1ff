// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/end_words.h"

#include "widgets/look/component_palette.h"
#include "widgets/text/note_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace peakscope {

namespace {

struct EndWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::EndWords)
};

// As Ledger::where() says it.
QString placeText(const QRegularExpressionMatch& match)
{
    const auto phase = phaseFromName(match.captured(QStringLiteral("phase")).toStdString());
    const QString title = phase ? phaseTitle(*phase) : match.captured(QStringLiteral("phase"));
    const QString module = match.captured(QStringLiteral("module"));
    const QString operation = match.captured(QStringLiteral("operator"));
    if (module.isEmpty() && operation.isEmpty())
        return EndWords::tr("phase %1").arg(title);
    if (operation.isEmpty())
        return EndWords::tr("phase %1, module %2").arg(title, module);
    if (module.isEmpty())
        return EndWords::tr("phase %1, operator %2").arg(title, operation);
    return EndWords::tr("phase %1, module %2, operator %3").arg(title, module, operation);
}

// Empty: it is none of these.
QString translated(const QRegularExpressionMatch& match)
{
    const auto of = [&match](const char* group) { return match.captured(QString::fromLatin1(group)); };
    const QString place = placeText(match);
    if (!of("budget").isEmpty() && of("reserved").isEmpty())
        return EndWords::tr("Over budget: %1 more in %2 on top of %3 live would pass the budget of %4")
            .arg(of("asked"), place, of("live"), of("budget"));
    if (!of("budget").isEmpty())
        return EndWords::tr("Over budget: %1 more in %2 on top of %3 live and %4 reserved would pass the budget of %5")
            .arg(of("asked"), place, of("live"), of("reserved"), of("budget"));
    if (!of("device").isEmpty())
        return EndWords::tr(
                   "Out of memory: %1 more in %2 on top of %3 live and %4 reserved, but the device has %5 free")
            .arg(of("asked"), place, of("live"), of("reserved"), of("device"));
    if (!of("machine").isEmpty())
        return EndWords::tr("Out of memory: %1 more in %2, but the machine has %3 free and keeps %4")
            .arg(of("asked"), place, of("machine"), of("keeps"));
    return {};
}

QRegularExpressionMatch matchOf(const QString& message)
{
    static const QRegularExpression expression(QRegularExpression::anchoredPattern(
        QStringLiteral("(?:over budget|out of memory): (?<asked>[^:]+?) more in phase (?<phase>\\w+)"
                       "(?:, module (?<module>[^, ]+))?(?:, operator (?<operator>[^, ]+))?"
                       "(?: on top of (?<live>[^,]+?) live)?(?: and (?<reserved>[^,]+?) reserved)?"
                       "(?: would pass the budget of (?<budget>.+)|, but the device has (?<device>.+) free"
                       "|, but the machine has (?<machine>.+) free and keeps (?<keeps>.+))")));
    return expression.match(message);
}

} // namespace

QString askedText(const std::string& message)
{
    return matchOf(QString::fromStdString(message)).captured(QStringLiteral("asked"));
}

QString endText(const std::string& message)
{
    const QRegularExpressionMatch match = matchOf(QString::fromStdString(message));
    static const QRegularExpression cancelled(
        QRegularExpression::anchoredPattern(QStringLiteral("cancelled in phase (?<phase>\\w+)")));
    if (const auto found = cancelled.match(QString::fromStdString(message)); found.hasMatch())
        return EndWords::tr("Cancelled in %1").arg(placeText(found));
    const QString text = match.hasMatch() ? translated(match) : QString();
    return text.isEmpty() ? noteText(message) : text; // of a snapshot
}

} // namespace peakscope
