// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reads result files of every format in a background thread of its own, one after another, and hands them over with
// their typed sections and their timeline index. GUI thread calls and receives.
#pragma once

#include "app/window/background_thread.h"
#include "core/results/memory_timeline.h"
#include "core/results/run_result.h"

#include <QObject>
#include <QSet>
#include <QString>

#include <memory>
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
// "dry run of `train.py …` on NVIDIA A800, optimiser steps: 5"; empty for what is no recorded program's.
QString programText(const RunResult& result);

class ResultLoader : public QObject
{
    Q_OBJECT

public:
    explicit ResultLoader(QObject* parent = nullptr);
    // Stops the file being read.
    ~ResultLoader() override;

    // loaded() for every result of the file, or one failed(), and then finished() follow; a file already on its way is
    // not read twice. A folder stands for the result files in it.
    void load(const QString& path);
    // The files that load() would read: a folder's, else the path itself; empty where a folder holds none.
    static QStringList filesOf(const QString& path);
    QString reading() const { return m_loading.isEmpty() ? QString() : *m_loading.begin(); } // empty: nothing

signals:
    void loaded(const peakscope::RunDocument& document);
    // One line: what, where, what would be right.
    void failed(const QString& path, const QString& sentence);
    // After the last loaded() of a file, or its failed().
    void finished(const QString& path);

private:
    void loadFolder(const QString& folder);
    void read(const QString& path); // in m_thread

    std::stop_source m_stop;
    QSet<QString> m_loading;
    BackgroundThread m_thread;
};

} // namespace peakscope
