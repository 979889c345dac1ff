// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/python_probe.h"

#include "core/protocol/program_python.h"

#include <QDir>

#include <utility>

namespace peakscope {

namespace {

ProgramPython pythonFor(const QString& program, const QString& folder, bool trusted)
{
    const bool named = !program.contains(u'/');
    const auto file = named ? programOnPath(program.toStdString())
                            : std::filesystem::path(QDir(folder).filePath(program).toStdString());
    const std::string python = pythonOf(file).string();
    if (python.empty())
        return {};
    ProgramPython found{QString::fromStdString(python)};
    if (!named && !trusted)
        return found;
    const auto answer = askPython(python);
    if (!answer) {
        found.torch = ProgramPython::Torch::NoAnswer;
        return found;
    }
    if (!answer->python.empty())
        found.python = QString::fromStdString(answer->python);
    const auto torch = torchIn(answer->torch, python);
    found.torch = torch ? ProgramPython::Torch::Found : ProgramPython::Torch::None;
    found.version = torch ? QString::fromStdString(torch->version) : QString();
    return found;
}

} // namespace

QString ProgramPython::text() const
{
    if (python.isEmpty())
        return {};
    switch (torch) {
    case Torch::NotAsked:
        break;
    case Torch::NoAnswer:
        return PythonProbe::tr("Runs with %1, which does not start").arg(python);
    case Torch::None:
        return PythonProbe::tr("Runs with %1, which has no PyTorch").arg(python);
    case Torch::Found:
        return PythonProbe::tr("Runs with %1, PyTorch %2").arg(python, version);
    }
    return PythonProbe::tr("Runs with %1").arg(python);
}

PythonProbe::PythonProbe(QObject* parent) : QObject(parent), m_thread(this, QStringLiteral("python")) {}

void PythonProbe::ask(const QString& program, const QString& folder, bool trusted)
{
    const QString asked = QStringList{program, folder, trusted ? QStringLiteral("trusted") : QString()}.join(u'\n');
    if (asked == std::exchange(m_asked, asked))
        return;
    m_stop.request_stop();
    m_stop = {};
    m_thread.post([this, program, folder, trusted, stop = m_stop.get_token()] {
        if (stop.stop_requested())
            return;
        m_thread.answer(stop, [this, found = pythonFor(program, folder, trusted)] {
            m_answer = found;
            emit answered();
        });
    });
}

} // namespace peakscope
