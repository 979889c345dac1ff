// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The list at the left: the queue with its progress, the results that are open, those saved in the library folder, and
// files opened lately; with a filter. Shows what it is told and says what was chosen. GUI thread.
#pragma once

#include "app/library_index.h"
#include "app/result_loader.h"
#include "app/run_queue.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QStandardItem;
class QStandardItemModel;
class QSortFilterProxyModel;
class QTreeView;

namespace peakscope {

class LibraryPanel : public QWidget
{
    Q_OBJECT

public:
    explicit LibraryPanel(QWidget* parent = nullptr);

    // Adds the run or brings its line up to date.
    void showRun(const RunInfo& info);
    void removeRun(int id);
    // An opened result; one line a path.
    void showDocument(const RunDocument& document);
    // Result files of the library folder and files opened lately; those that are open are left out.
    void setFiles(const LibraryIndex& library, const QStringList& recent);

    void selectRun(int id);
    void selectFile(const QString& path);
    int currentRun() const;      // 0: none
    QString currentFile() const; // empty: none

    QTreeView* view() const { return m_view; }
    QLineEdit* filterField() const { return m_filter; }

signals:
    void runSelected(int id);
    void fileSelected(const QString& path);
    void cancelRequested(int id);
    void removeRequested(int id);

private:
    enum Section { Runs, Opened, Saved, Recent, SectionCount };

    QStandardItem* findRun(int id) const;
    QStandardItem* findFile(const QString& path) const;
    void fillFiles(Section section, const QStringList& files, const LibraryIndex& library);
    void selectItem(QStandardItem* item);
    void onCurrentChanged(const QModelIndex& current);
    void onContextMenu(const QPoint& position);
    void updateSections();

    QLineEdit* m_filter = nullptr;
    QTreeView* m_view = nullptr;
    QLabel* m_empty = nullptr;
    QStandardItemModel* m_model = nullptr;
    QSortFilterProxyModel* m_proxy = nullptr;
    QStandardItem* m_sections[SectionCount] = {};
    bool m_selecting = false; // by the program, not the user
};

// "complete", "over budget", …, translated.
QString stateTitle(RunState state);

} // namespace peakscope
