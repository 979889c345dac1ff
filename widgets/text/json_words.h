// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of JSON that may be anything, as Qt has them: what is there and is no text is as what is not there.
#pragma once

#include "core/base/json/json_reader.h"

#include <QString>
#include <QStringList>

namespace peakscope {

inline QString jsonText(const nlohmann::json& object, std::string_view key)
{
    return QString::fromStdString(lenient::text(object, key));
}

// Those elements of an array that are texts.
inline QStringList jsonTexts(const nlohmann::json& array)
{
    QStringList words;
    for (const std::string& word : lenient::texts(array))
        words << QString::fromStdString(word);
    return words;
}

inline nlohmann::json jsonArray(const QStringList& words)
{
    nlohmann::json list = nlohmann::json::array();
    for (const QString& word : words)
        list.push_back(word.toStdString());
    return list;
}

} // namespace peakscope
