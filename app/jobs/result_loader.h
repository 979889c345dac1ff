// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reads result files of every format in a background thread of its own, one after another, and hands them over with
// their typed sections and their timeline index. GUI thread calls and receives.
#pragma once

#include "app/parts/background_thread.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/results/memory_timeline.h"
#include "core/results/run_result.h"
#include "widgets/text/language_texts.h"

#include <QObject>
#include <QSet>
#include <QString>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

namespace peakscope {

// A result as the window holds it. `path` is empty while it is in memory only; further results of a file that holds
// several have a "#2", "#3", … behind it.
struct RunDocument {
    QString path;
    std::shared_ptr<const RunResult> result;
    std::shared_ptr<const MemoryTimeline> timeline; // null where the result has no memory section
    // Of a run on several ranks one each, null where a rank has no memory section.
    std::vector<std::shared_ptr<const MemoryTimeline>> rankTimelines = {};
};

// The indices of a result's ranks; takes a while for millions of events.
std::vector<std::shared_ptr<const MemoryTimeline>> rankTimelinesOf(const RunResult& result);

// "opt-125m · 4 × 128 · adam": what a run is about, from its experiment.
QString experimentTitle(const nlohmann::json& experiment);
// What tells training steps apart beside the optimiser: "ghost clipping", "LoRA r 8".
QStringList methodWords(const nlohmann::json& training);
// The same for a result; a plan is named by its model and device.
QString resultTitle(const RunResult& result);
// "dry run of train.py … on NVIDIA A800, optimiser steps: 5"; empty for what is no recorded program's.
QString programText(const RunResult& result);

class ResultLoader : public QObject
{
    Q_OBJECT

public:
    explicit ResultLoader(QObject* parent = nullptr);
    // Stops the file being read.
    ~ResultLoader() override;

    // loaded() for every result of the file, or one failed() or tooLarge(), and then finished() follow; a file already
    // on its way is not read twice. A folder stands for the result files in it. `range`: only that of a snapshot.
    void load(const QString& path, const std::optional<SnapshotRange>& range = {});
    // The files that load() would read: a folder's, else the path itself; empty where a folder holds none.
    static QStringList filesOf(const QString& path);
    // What it would leave out of the folders among these, and why; nothing where it reads all.
    static std::optional<LanguageText> leftOutOf(const QStringList& paths);
    QString reading() const { return m_loading.isEmpty() ? QString() : *m_loading.begin(); } // empty: nothing

    // Of the files loaded from now on: how long a snapshot is read before its course so far is handed out, and between
    // two of them; and what memory is free.
    void setPatience(std::chrono::milliseconds before, std::chrono::milliseconds between);
    void setFreeMemory(std::function<std::optional<std::uint64_t>()> free) { m_free = std::move(free); }

signals:
    void loaded(const peakscope::RunDocument& document);
    // One line: what, where, what would be right.
    void failed(const QString& path, const QString& sentence);
    // Of a snapshot that takes a while; loaded() or failed() comes after the last one.
    void readSoFar(const QString& path, const std::shared_ptr<const peakscope::HistorySoFar>& soFar);
    // `sentence`: as failed() would have it.
    void tooLarge(const QString& path, const peakscope::LargeSnapshot& file, const QString& sentence);
    // After the last loaded() of a file, or its failed().
    void finished(const QString& path);

private:
    void loadFolder(const QString& path);
    // How a file is to be read; known before it is this one's turn.
    struct LoadRequest {
        QString path;
        std::optional<SnapshotRange> range;
        std::chrono::milliseconds before, between;
        std::function<std::optional<std::uint64_t>()> free;
    };
    void read(const LoadRequest& request); // in m_thread, as what follows
    Result<std::vector<RunResult>> resultsOf(const QString& file, const LoadRequest& request,
                                             std::optional<LargeSnapshot>& large);
    SnapshotWatcher watcher(const LoadRequest& request);

    std::stop_source m_stop;
    std::chrono::milliseconds m_before{150}, m_between{1000};
    std::function<std::optional<std::uint64_t>()> m_free = freeMemory;
    std::atomic<bool> m_taken = true; // the course handed out last; never two are in flight
    QSet<QString> m_loading;
    BackgroundThread m_thread;
};

} // namespace peakscope
