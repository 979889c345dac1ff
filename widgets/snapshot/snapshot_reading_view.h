// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot while its file is read: what its events so far asked for and let go of, and how much of the file that is.
// Peaks, holders and the history's kind are not known before its end, and are not said. GUI thread.
#pragma once

#include "core/snapshots/history_so_far.h"
#include "widgets/plot/plot_view.h"

#include <memory>

class QLabel;

namespace peakscope {

class SnapshotReadingView : public PlotView
{
    Q_OBJECT
public:
    explicit SnapshotReadingView(QWidget* parent = nullptr);
    ~SnapshotReadingView() override;

    // `file`: its name.
    void showSoFar(const QString& file, std::shared_ptr<const HistorySoFar> soFar);
    // Null before the first.
    const std::shared_ptr<const HistorySoFar>& soFar() const;
    QString words() const; // "reading: 34 %"

    QString summary() const override;
    QString visibleDataTsv() const override;

protected:
    void applyTheme(const ChartTheme& theme) override;

private:
    struct Scene;

    std::unique_ptr<Scene> m_scene;
    QString m_file;
    QLabel* m_sentence = nullptr;
};

} // namespace peakscope
