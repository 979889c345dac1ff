// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/key_words.h"

#include "core/experiment/schema.h"

#include <QCoreApplication>

namespace peakscope {

QString translatedRow(const char* text)
{
    return *text == '\0' ? QString() : QCoreApplication::translate("peakscope::ExperimentForm", text);
}

QString experimentKeyTitle(const std::string& path)
{
    if (const ExperimentKey* key = findExperimentKey(path))
        return translatedRow(key->title);
    QString text = QString::fromStdString(path);
    text = text.mid(text.lastIndexOf(u'.') + 1).replace(u'_', u' ');
    return text.isEmpty() ? text : text.left(1).toUpper() + text.mid(1);
}

} // namespace peakscope
