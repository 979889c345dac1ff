// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/curvature_progress.h"

#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QLockFile>

namespace peakscope {

namespace {

constexpr qint64 kKeptDays = 30; // what nobody has gone on with since is let go

// The same experiment has the same file, whatever it is launched with.
QString nameOf(nlohmann::json experiment)
{
    for (const char* key : {"launcher", "budget_bytes"})
        experiment.erase(key);
    const std::string text = experiment.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const QByteArray digest = QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha1);
    return QStringLiteral("curvature-%1.progress").arg(QString::fromLatin1(digest.toHex().left(16)));
}

void removeAll(const QDir& folder, const QString& pattern, const QDateTime& olderThan = {})
{
    for (const QFileInfo& file : folder.entryInfoList({pattern}, QDir::Files)) {
        if (!olderThan.isValid() || file.lastModified() < olderThan)
            QDir().remove(file.filePath());
    }
}

} // namespace

CurvatureProgress::CurvatureProgress() = default;
CurvatureProgress::~CurvatureProgress() = default;

void CurvatureProgress::begin(const QString& folder, const nlohmann::json& experiment, bool resume)
{
    end();
    if (experimentKind(experiment) != ExperimentKind::Curvature)
        return;
    const QDir place(folder);
    if (!place.mkpath(QStringLiteral(".")))
        return;
    removeAll(place, QStringLiteral("curvature-*.progress*"), QDateTime::currentDateTime().addDays(-kKeptDays));
    const QString name = nameOf(experiment);
    // Vectors stand in files of their own beside it.
    if (auto lock = std::make_unique<QLockFile>(place.absoluteFilePath(name + QStringLiteral(".lock")));
        lock->tryLock())
        m_lock = std::move(lock);
    else
        return;
    if (!resume) {
        QDir().remove(place.absoluteFilePath(name));
        for (const QFileInfo& file : place.entryInfoList({name + QStringLiteral(".*")}, QDir::Files)) {
            if (file.suffix() != QLatin1String("lock"))
                QDir().remove(file.filePath());
        }
    }
    m_file = place.absoluteFilePath(name);
}

void CurvatureProgress::end()
{
    m_file.clear();
    m_lock.reset(); // unlocks and removes its file
}

} // namespace peakscope
