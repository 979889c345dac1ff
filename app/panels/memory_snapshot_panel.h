// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA memory snapshot in the Run workspace: one sentence, its course, who holds the memory at an instant as list,
// treemap, flame graph and segment map, and the doctor. GUI thread.
#pragma once

#include "app/parts/inspector_panel.h"
#include "core/snapshots/chosen_blocks.h"

#include <QWidget>

#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QSplitter;
class QTabWidget;

namespace peakscope {

class DataTableView;
class Doctor;
class PlotView;
class SnapshotCourseView;
class TilesView;
enum class TilesShape;

class MemorySnapshotPanel : public QWidget
{
    Q_OBJECT
public:
    explicit MemorySnapshotPanel(QWidget* parent = nullptr);

    // Null: nothing. The same recording stays as it stands.
    void setRecording(const std::shared_ptr<const SnapshotRecording>& recording);
    // Who holds the memory after that event; -1: before the first.
    void ask(std::int64_t event);
    std::int64_t shownEvent() const { return m_event; }
    void gatherBy(HolderKey key);
    // Points out, in every picture, what the row of that name holds or one block; nothing with an empty name.
    void choose(const QString& row);
    void choose(std::size_t block);
    const ChosenBlocks& chosen() const { return m_chosen; }

    SnapshotCourseView* course() const { return m_course; }
    DataTableView* alive() const { return m_alive; }
    TilesView* tiles(TilesShape shape) const;
    Doctor* doctor() const { return m_doctor; }
    QString sentence() const;
    DataTableView* table(const QString& name) const; // "alive", "remedies"; null: none of its own

signals:
    void figureRequested(const QString& figure);
    void tableExportRequested(const QString& table);
    // What is chosen, in words; null: nothing is any more.
    void inspected(const peakscope::InspectorWords& say);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override; // Escape: nothing is chosen

private:
    void buildList(QWidget* parent);
    void buildShapes(QWidget* parent);
    void showShape();
    void showList();
    void sayTexts();
    void chooseLine(const QString& line);
    void activateBlock(std::size_t block);
    void rowChosen(const QString& row);
    void showChosen();
    bool listsBlocks() const; // each by itself
    void applySizes();

    std::shared_ptr<const SnapshotRecording> m_recording;
    std::int64_t m_event = -1;
    QString m_row;                      // that is chosen; empty: none
    std::optional<std::size_t> m_block; // likewise
    ChosenBlocks m_chosen;
    QLabel* m_sentence = nullptr;
    SnapshotCourseView* m_course = nullptr;
    QWidget* m_list = nullptr;
    QLabel* m_instant = nullptr;
    QComboBox* m_by = nullptr;
    DataTableView* m_alive = nullptr;
    QTabWidget* m_shapes = nullptr;
    Doctor* m_doctor = nullptr;
    QSplitter* m_rows = nullptr;
};

} // namespace peakscope
