// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/save_file.h"

#include "core/base/input_file.h"

#include <filesystem>

namespace peakscope {

QString saveFile(const QString& path, std::string_view bytes)
{
    // A pipe would make the window wait for its reader.
    if (std::error_code error; std::filesystem::exists(path.toStdString(), error) && !isRegularFile(path.toStdString()))
        return QStringLiteral("not a regular file");
    const Status written = writeFileAtomically(path.toStdString(), bytes);
    if (written)
        return {};
    constexpr std::string_view kSaid = "cannot write: "; // as callers say it, in the user's language
    std::string_view reason = written.error().message;
    if (reason.starts_with(kSaid))
        reason.remove_prefix(kSaid.size());
    return QString::fromUtf8(reason.data(), static_cast<qsizetype>(reason.size()));
}

} // namespace peakscope
