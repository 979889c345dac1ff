// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What ended a snapshot's program, or would make it smaller: a sentence, and remedies with what each saves. The replays
// under other settings run in a thread of its own. GUI thread.
#pragma once

#include "app/window/background_thread.h"
#include "core/snapshots/snapshot_recording.h"

#include <QWidget>

#include <memory>
#include <stop_token>

class QLabel;
class QToolButton;

namespace peakscope {

class DataTableView;

class SnapshotDoctor : public QWidget
{
    Q_OBJECT
public:
    explicit SnapshotDoctor(QWidget* parent = nullptr);
    ~SnapshotDoctor() override;

    // Opens by itself where the program ended for lack of memory. Null: nothing.
    void setRecording(const std::shared_ptr<const SnapshotRecording>& recording);
    DataTableView* remedies() const { return m_remedies; }
    bool isOpen() const;
    bool isBusy() const { return m_busy; }

signals:
    void toggled(bool open);

private:
    void ask();
    void sayState();

    std::shared_ptr<const SnapshotRecording> m_recording;
    QToolButton* m_button = nullptr;
    QLabel* m_sentence = nullptr;
    DataTableView* m_remedies = nullptr;
    bool m_asked = false, m_busy = false;
    std::stop_source m_stop;
    BackgroundThread m_thread;
};

} // namespace peakscope
