// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where a sweep keeps itself, and who writes it. Pure functions but for the look at the folder.
#pragma once

#include "core/base/output_lock.h"

#include <QDir>
#include <QFileInfo>

namespace peakscope {

inline constexpr const char* kSweepFile = "sweep.json";

inline bool isSweepFile(const QString& path)
{
    return QFileInfo(path).fileName() == QLatin1String(kSweepFile);
}

inline QString sweepFileIn(const QString& folder)
{
    return QDir(folder).absoluteFilePath(QLatin1String(kSweepFile));
}

// The process that writes the sweep in a file: it has the lock of the folder. Nothing of another file.
inline std::optional<OutputHolder> sweepWriter(const QString& file)
{
    return isSweepFile(file) ? outputHolder(QFileInfo(file).absolutePath().toStdString()) : std::nullopt;
}

} // namespace peakscope
