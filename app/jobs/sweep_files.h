// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where a sweep keeps itself, and who writes a result. Pure functions but for the look at the lock.
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

// What people know it by.
inline QString nameOf(const QString& file)
{
    return isSweepFile(file) ? QFileInfo(file).dir().dirName() : QFileInfo(file).completeBaseName();
}

// The process that writes the result in a file: it has the file's lock, of a sweep the folder's.
inline std::optional<OutputHolder> writerOf(const QString& file)
{
    return outputHolder((isSweepFile(file) ? QFileInfo(file).absolutePath() : file).toStdString());
}

} // namespace peakscope
