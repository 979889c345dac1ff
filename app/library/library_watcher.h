// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Watches the library folder and looks, in a background thread, into files that are new or have changed. GUI thread
// calls and receives.
#pragma once

#include "app/library/library_index.h"
#include "app/parts/background_thread.h"

#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QTimer>

#include <stop_token>

namespace peakscope {

class LibraryWatcher : public QObject
{
    Q_OBJECT

public:
    explicit LibraryWatcher(QObject* parent = nullptr);
    ~LibraryWatcher() override;

    // Another folder, and what is known of its files; changed() follows once it has been looked through.
    void watch(const LibraryIndex& index);
    // Looks again: `index` knows more now.
    void look(const LibraryIndex& index);
    bool busy() const { return m_looking > 0; }

signals:
    // Files of the folder came, went or changed; `entries` are those looked into, by name.
    void changed(const QString& folder, const QHash<QString, peakscope::LibraryEntry>& entries);
    // The folder changed on disk: look() is due.
    void stirred();

private:
    void see(const QString& folder);

    QFileSystemWatcher m_files;
    QTimer m_pause; // changes come in bursts
    std::stop_source m_stop;
    int m_looking = 0;
    BackgroundThread m_thread;
};

} // namespace peakscope
