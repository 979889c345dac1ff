// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where runs can happen beside this machine: a name for each way to start the worker elsewhere. What stands in an
// experiment is only the words put before the worker's command, so that it runs the same from the command line.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <vector>

namespace peakscope {

enum class LauncherKind { Local, Ssh, Slurm, Custom };

struct LauncherPreset {
    QString name;
    LauncherKind kind = LauncherKind::Ssh;
    QString host;    // ssh: USER@HOST; Slurm: the login node, empty where this machine is one
    QString options; // further words: ssh's, srun's, or the whole prefix of a custom launcher
    QString program; // peakscope-cli there, with its path; empty: the one on its path

    bool operator==(const LauncherPreset&) const = default;
};

// The words put before the worker's command; empty for this machine. The last one is the program where the preset
// names one. ssh asks for no password (a window cannot answer it) and gives up after 10 s without an answer; the words
// after its host are read by a shell there, so they are quoted where they would mean something to it.
QStringList launcherWords(const LauncherPreset& preset);
// The words behind "launcher" of an experiment; none where it says nothing of the kind.
QStringList launcherOf(const nlohmann::json& experiment);
// One sentence about what is missing; empty where the preset can be used.
QString launcherProblem(const LauncherPreset& preset);
QString launcherKindTitle(LauncherKind kind);

// Words as one line that QProcess::splitCommand takes apart again.
QString commandLine(const QStringList& words);

QByteArray launchersToBytes(const std::vector<LauncherPreset>& presets);
// Entries that make no sense are left out.
std::vector<LauncherPreset> launchersFromBytes(const QByteArray& bytes);

} // namespace peakscope
