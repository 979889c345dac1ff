// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An sshd of the test's own on a free port of this machine, with keys of its own that nothing else knows, for the user
// who runs the test. Nothing of the system's or the user's ssh set-up is read or written. Ends with the object.
#pragma once

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <arpa/inet.h>
#include <csignal>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace peakscope::testing {

// The processes under `pid`, the nearest first.
inline QList<int> descendants(int pid)
{
    QList<int> found;
    const QDir tasks(QStringLiteral("/proc/%1/task").arg(pid));
    for (const QString& task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile file(tasks.filePath(task + QStringLiteral("/children")));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        for (const QByteArray& child : file.readAll().simplified().split(' ')) {
            if (child.toInt() > 0)
                found << child.toInt() << descendants(child.toInt());
        }
    }
    return found;
}

// The words a process was started with; none once it is gone (a zombie has none either).
inline QList<QByteArray> wordsOf(int pid)
{
    QFile file(QStringLiteral("/proc/%1/cmdline").arg(pid));
    const QByteArray words = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    return words.isEmpty() ? QList<QByteArray>() : words.chopped(1).split('\0');
}

class LocalSshd
{
public:
    ~LocalSshd()
    {
        endSessions();
        m_process.terminate();
        m_process.waitForFinished(5000);
        if (m_madeFolder)
            ::rmdir(kFolder);
    }

    // Empty, or why there is none here.
    QString start()
    {
        const QString program = QStandardPaths::findExecutable(QStringLiteral("sshd"), {"/usr/sbin", "/sbin"});
        if (program.isEmpty() || find("ssh").isEmpty() || find("ssh-keygen").isEmpty())
            return QStringLiteral("sshd, ssh or ssh-keygen is not installed here");
        if (!makeKey(QStringLiteral("host")) || !makeKey(QStringLiteral("user")))
            return QStringLiteral("ssh-keygen made no keys");
        if (::geteuid() == 0 && ::mkdir(kFolder, 0755) == 0) // what the system's service makes when it starts
            m_madeFolder = true;
        m_port = freePort();
        QFile config(path("config"));
        if (!config.open(QIODevice::WriteOnly))
            return QStringLiteral("no configuration could be written");
        config.write("ListenAddress 127.0.0.1\nPort " + QByteArray::number(m_port) + "\nHostKey " +
                     path("host").toLocal8Bit() + "\nAuthorizedKeysFile " + path("user.pub").toLocal8Bit() +
                     "\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n"
                     "KbdInteractiveAuthentication no\nStrictModes no\nUsePAM no\nPidFile none\n");
        config.close();
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGTERM); }); // should the test crash
        m_process.start(program, {"-D", "-e", "-f", config.fileName()});
        for (int attempt = 0; attempt < 20; ++attempt) {
            QProcess probe;
            probe.start(QStringLiteral("ssh"), options() + QStringList{host(), "true"});
            if (probe.waitForFinished(10'000) && probe.exitCode() == 0)
                return {};
            if (m_process.waitForFinished(100))
                break;
        }
        return "sshd lets nobody in here: " + QString::fromLocal8Bit(m_process.readAll().simplified().right(300));
    }

    // Before the host.
    QStringList options() const
    {
        return {"-F", "/dev/null",
                "-p", QString::number(m_port),
                "-i", path("user"),
                "-o", "IdentitiesOnly=yes",
                "-o", "BatchMode=yes",
                "-o", "StrictHostKeyChecking=no",
                "-o", "UserKnownHostsFile=/dev/null",
                "-o", "ConnectTimeout=5"};
    }
    QString host() const { return QString::fromLocal8Bit(::getpwuid(::geteuid())->pw_name) + "@127.0.0.1"; }
    int port() const { return m_port; }

    // The processes that were started over it and whose last word is this.
    QList<int> started(const QByteArray& lastWord) const
    {
        QList<int> found;
        for (const int pid : descendants(static_cast<int>(m_process.processId()))) {
            const QList<QByteArray> words = wordsOf(pid);
            if (words.size() > 1 && words.last() == lastWord && !words.first().contains("ssh") &&
                !words.contains("-c")) // the shell between
                found << pid;
        }
        return found;
    }

    // As when the line is cut.
    void endSessions()
    {
        for (const int pid : descendants(static_cast<int>(m_process.processId()))) {
            const QList<QByteArray> words = wordsOf(pid);
            if (!words.isEmpty() && words.first().contains("sshd"))
                ::kill(pid, SIGKILL);
        }
    }

private:
    static constexpr const char* kFolder = "/run/sshd";

    static QString find(const char* name) { return QStandardPaths::findExecutable(QString::fromLatin1(name)); }
    QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }

    bool makeKey(const QString& name) const
    {
        return QProcess::execute(QStringLiteral("ssh-keygen"),
                                 {"-q", "-t", "ed25519", "-N", "", "-f", m_folder.filePath(name)}) == 0;
    }

    static int freePort()
    {
        const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        ::bind(probe, reinterpret_cast<sockaddr*>(&address), size);
        ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
        ::close(probe);
        return ntohs(address.sin_port);
    }

    QTemporaryDir m_folder;
    QProcess m_process;
    int m_port = 0;
    bool m_madeFolder = false;
};

} // namespace peakscope::testing
