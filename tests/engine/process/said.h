// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

#include <nlohmann/json.hpp>

namespace peakscope::test {

inline const QString kCli = QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli");

// What a program said, and its exit status; -1: it died of a signal or did not end in four minutes, when it is killed.
struct Said {
    int status = -1;
    QString out, error;
};

inline Said endOf(QProcess& process)
{
    if (!process.waitForFinished(240'000)) {
        process.kill();
        process.waitForFinished();
        return {-1, {}, QStringLiteral("it waits")};
    }
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
}

// Where one is to be killed in its middle: the workers of what is started with it are programs of their own, not forks
// of a warm engine, which are over too soon.
inline QProcessEnvironment ownWorkers()
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PEAKSCOPE_CLI"), kCli);
    return environment;
}

// peakscope-cli with these words and nothing on its standard input.
inline Said say(const QStringList& words)
{
    QProcess process;
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(kCli, words);
    return endOf(process);
}

// Null where there is none; discarded where it is no JSON.
inline nlohmann::json readJson(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? nlohmann::json::parse(file.readAll().toStdString(), nullptr, false)
                                          : nlohmann::json();
}

} // namespace peakscope::test
