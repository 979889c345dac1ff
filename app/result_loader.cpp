// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/result_loader.h"

#include "core/results/plan_document.h"

#include <QFileInfo>

namespace peakscope {

namespace {

QString textAt(const nlohmann::json& document, const char* key)
{
    const auto found = document.find(key);
    if (found == document.end())
        return {};
    if (found->is_string())
        return QString::fromStdString(found->get_ref<const std::string&>());
    if (found->is_number_integer())
        return QString::number(found->get<std::int64_t>());
    return {};
}

nlohmann::json objectAt(const nlohmann::json& document, const char* key)
{
    const auto found = document.is_object() ? document.find(key) : document.end();
    return document.is_object() && found != document.end() && found->is_object() ? *found : nlohmann::json::object();
}

} // namespace

QString experimentTitle(const nlohmann::json& experiment)
{
    const nlohmann::json model = objectAt(experiment, "model");
    QString name = textAt(model, "id");
    if (name.isEmpty())
        name = QFileInfo(textAt(model, "dir")).fileName();
    if (name.isEmpty() && model.contains("family"))
        name =
            QStringLiteral("%1 %2×%3").arg(textAt(model, "family"), textAt(model, "layers"), textAt(model, "hidden"));
    QStringList parts{name.isEmpty() ? ResultLoader::tr("run") : name};
    const nlohmann::json data = objectAt(experiment, "data");
    const QString batch = textAt(data, "batch");
    const QString seq = textAt(data, "seq");
    if (!batch.isEmpty() && !seq.isEmpty())
        parts << QStringLiteral("%1×%2").arg(batch, seq);
    const nlohmann::json training = objectAt(experiment, "training");
    const QString optimizer = textAt(training, "optimizer");
    if (!optimizer.isEmpty())
        parts << optimizer;
    return parts.join(QStringLiteral(" · "));
}

QString resultTitle(const RunResult& result)
{
    if (!isPlan(result))
        return experimentTitle(result.config);
    const QString device = textAt(result.config, "device");
    const QString model = experimentTitle(result.config);
    return device.isEmpty() ? ResultLoader::tr("Plan: %1").arg(model)
                            : ResultLoader::tr("Plan: %1 on %2").arg(model, device);
}

ResultLoader::ResultLoader(QObject* parent) : QObject(parent), m_worker(new QObject)
{
    qRegisterMetaType<RunDocument>();
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.setObjectName(QStringLiteral("result loader"));
    m_thread.start();
    connect(this, &ResultLoader::loaded, this,
            [this](const RunDocument& document) { m_loading.remove(document.path); });
    connect(this, &ResultLoader::failed, this, [this](const QString& path) { m_loading.remove(path); });
}

ResultLoader::~ResultLoader()
{
    m_thread.quit();
    m_thread.wait();
}

void ResultLoader::load(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (m_loading.contains(absolute))
        return;
    m_loading.insert(absolute);
    QMetaObject::invokeMethod(
        m_worker,
        [this, absolute] {
            // Signals are emitted from this thread and reach the GUI's objects queued.
            Result<RunResult> result = loadResultOrPlan(absolute.toStdString());
            if (!result) {
                emit failed(absolute, QString::fromStdString(result.error().text()));
                return;
            }
            RunDocument document;
            document.path = absolute;
            auto shared = std::make_shared<const RunResult>(std::move(result).value());
            if (shared->memory)
                document.timeline = std::make_shared<const MemoryTimeline>(shared->memory->timeline);
            document.result = std::move(shared);
            emit loaded(document);
        },
        Qt::QueuedConnection);
}

} // namespace peakscope
