// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library/file_words.h"

#include "app/jobs/sweep_files.h"
#include "app/library/library_panel.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QRegularExpression>

namespace peakscope {

QString whenText(qint64 milliseconds)
{
    if (milliseconds <= 0)
        return {};
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(milliseconds);
    const QDate today = QDate::currentDate();
    if (when.date() == today)
        return QLocale().toString(when, QStringLiteral("HH:mm"));
    return QLocale().toString(when, when.date().year() == today.year()
                                        ? LibraryPanel::tr("d MMM HH:mm", "a moment of this year")
                                        : LibraryPanel::tr("d MMM yyyy", "a day of another year"));
}

bool isNamedByProgram(const QString& path)
{
    static const QRegularExpression moment(QStringLiteral("^\\d{8}T\\d{6}"));
    return isSweepFile(path) || QFileInfo(path).fileName().contains(moment);
}

QString untoldTitle(const QString& path)
{
    const QFileInfo file(path);
    if (isSweepFile(path))
        return nameOf(path);
    return isNamedByProgram(path) ? LibraryPanel::tr("run of %1").arg(whenText(file.lastModified().toMSecsSinceEpoch()))
                                  : file.fileName();
}

} // namespace peakscope
