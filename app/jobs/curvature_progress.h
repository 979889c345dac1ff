// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The file in which a curvature run notes what it has finished, so that a later run of the same experiment goes on from
// there: beside the results, named by the experiment. The run queue's thread.
#pragma once

#include <nlohmann/json.hpp>

#include <QString>

#include <memory>

class QLockFile;

namespace peakscope {

class CurvatureProgress
{
public:
    CurvatureProgress();
    ~CurvatureProgress();

    // Finds the file of an experiment; none where it is no curvature experiment, where another window's run writes the
    // file, or where the folder can't be made. Without `resume` what it holds is let go.
    void begin(const QString& folder, const nlohmann::json& experiment, bool resume);
    QString file() const { return m_file; }
    // The run is over; the worker has removed the file where nothing is left to go on with.
    void end();

private:
    QString m_file;
    std::unique_ptr<QLockFile> m_lock;
};

} // namespace peakscope
