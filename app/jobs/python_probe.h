// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which Python will run a command, and its PyTorch, asked in another thread. GUI thread.
#pragma once

#include "app/parts/background_thread.h"

#include <QObject>
#include <QString>

#include <stop_token>

namespace peakscope {

struct ProgramPython {
    enum class Torch { NotAsked, NoAnswer, None, Found };
    QString python = {}; // its path; empty: the command is of no Python
    Torch torch = Torch::NotAsked;
    QString version = {}; // of its PyTorch

    QString text() const; // "Runs with /usr/bin/python3, PyTorch 2.15.0"; empty where there is none
};

class PythonProbe : public QObject
{
    Q_OBJECT

public:
    explicit PythonProbe(QObject* parent);

    // Of a command's first word, as it is run in that folder; nothing where it is the same as before. A path is asked
    // only where `trusted`: somebody typed it. What is on the path is the user's own.
    void ask(const QString& program, const QString& folder, bool trusted);
    const ProgramPython& answer() const { return m_answer; }

signals:
    void answered(); // answer() is another one

private:
    QString m_asked;
    ProgramPython m_answer;
    std::stop_source m_stop;
    BackgroundThread m_thread;
};

} // namespace peakscope
