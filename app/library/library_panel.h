// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The list at the left: the queue with its progress, the results that are open, those saved in the library folder, and
// files opened lately; searched, sorted, grouped, with tags and a note on each. Shows what it is told and says what was
// chosen. GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/jobs/run_queue.h"
#include "app/library/library_index.h"
#include "app/library/library_model.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
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
    void removeFile(const QString& path);
    // An opened result; one line a path.
    void showDocument(const RunDocument& document);
    // How it stands by now; below 0: how far it is, is not known.
    void setState(const QString& path, RunState state, double fraction = -1);
    // These sweeps wait for their turn.
    void setWaiting(const QStringList& files);
    // Result files of the library folder and files opened lately; those that are open are left out.
    void setFiles(const LibraryIndex& library, const QStringList& recent);

    void selectRun(int id);
    void selectFile(const QString& path);
    // Marks the lines of several; none where fewer than two have one.
    void selectFiles(const QStringList& paths);
    int currentRun() const;      // 0: none; below 0: a job
    QString currentFile() const; // empty: none
    // Of all selected lines, from top to bottom; queued runs have none.
    QStringList selectedPaths() const;

    QTreeView* view() const { return m_view; }
    QLineEdit* filterField() const { return m_filter; }
    QComboBox* sortBox() const { return m_sort; }
    QComboBox* groupBox() const { return m_group; }
    QLineEdit* tagsField() const { return m_tags; }
    QLineEdit* noteField() const { return m_note; }
    LibraryModel* model() const { return m_model; }

signals:
    void runSelected(int id);
    void fileSelected(const QString& path);
    void fileClicked(const QString& path); // also where it was selected before
    void jobSelected(int job);             // that is no run
    void jobStopRequested(int job);
    void cancelRequested(int id);
    void removeRequested(int id);
    void compareRequested(); // the selected lines
    void noteEdited(const QString& path, const peakscope::LibraryNote& note);

private:
    void buildControls();
    void buildNotes();
    LibraryLine lineOf(const QString& path, const LibraryIndex& library) const;
    void selectIndex(const QModelIndex& index);
    void open(const QModelIndex& index);
    void onContextMenu(const QPoint& position);
    void keepSelection();
    void restoreSelection();
    void sayEmpty();
    void showNotes();
    void saveNotes();

    QLineEdit* m_filter = nullptr;
    QComboBox* m_sort = nullptr;
    QComboBox* m_group = nullptr;
    QTreeView* m_view = nullptr;
    QLabel* m_empty = nullptr;
    QWidget* m_notes = nullptr;
    QLineEdit* m_tags = nullptr;
    QLineEdit* m_note = nullptr;
    LibraryModel* m_model = nullptr;
    QStringList m_waiting;                                // files of sweeps
    QString m_notesPath;                                  // whose tags and note stand in the fields
    std::vector<std::pair<int, QString>> m_keptSelection; // over a reset: run and path, the current one first
    bool m_selecting = false;                             // by the program, not the user
};

// "complete", "over budget", …, translated.
QString stateTitle(RunState state);
QString stateTitle(const RunInfo& info);
// The same of a result: a recorded program that ran out of memory says so, nothing else failed.
QString stateTitle(const RunResult& result, RunState state);

} // namespace peakscope
