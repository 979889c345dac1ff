// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A card that is not here, programs that are run, and the Python of a real PyTorch.
#pragma once

#include "core/model/dry_device.h"

#include <QByteArray>
#include <QProcess>
#include <QStringList>

namespace peakscope {

inline DryDevice card(const char* name = "dry:h100-80gb")
{
    return dryDevice(name).value();
}

struct ProcessAnswer {
    int status = -1;
    QByteArray out, err;
};

inline ProcessAnswer ran(const QString& program, const QStringList& arguments, const QProcessEnvironment& environment)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    process.waitForFinished(60000);
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

// Of a real PyTorch that knows CUDA; empty: there is none.
inline QByteArray python()
{
    return qgetenv("PEAKSCOPE_DRY_PYTHON");
}

} // namespace peakscope
