// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Puts several figures on one page: a list that is ordered by dragging or by keys, captions edited in place, the page
// as it will be, and its file. Stays open beside the window, which adds figures of what is in front. GUI thread.
#pragma once

#include "widgets/figures/page/figure_board.h"

#include <QDialog>
#include <QTimer>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QListWidget;
class QListWidgetItem;
class QMenu;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace peakscope {

class MessageBar;

class BoardDialog : public QDialog
{
    Q_OBJECT

public:
    explicit BoardDialog(QWidget* parent = nullptr);

    const FigureBoard& board() const { return m_board; }
    // At the end of the page.
    void addPanel(const std::string& figure, const RunResults& results);
    // What "Add" offers: the figures of these runs.
    void setResults(const RunResults& results);
    // Writes to `path` and says how that went.
    bool save(const QString& path);

    QListWidget* list() const { return m_list; }
    QSpinBox* columnsField() const { return m_columns; }
    QComboBox* presetField() const { return m_preset; }
    QComboBox* formatField() const { return m_format; }
    QToolButton* addButton() const { return m_add; }
    QPushButton* removeButton() const { return m_remove; }
    QPushButton* upButton() const { return m_up; }
    QPushButton* downButton() const { return m_down; }
    MessageBar* messages() const { return m_messages; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QHBoxLayout* buildChoices();
    QHBoxLayout* buildButtons();
    void buildList(QWidget* parent);
    void connectParts();
    void fillList(int current);
    void sayPanels();
    void takeOrder();
    void takeCaption(QListWidgetItem* item);
    void move(int by);
    void removeCurrent();
    void fillMenu();
    void changed();
    void updatePreview();
    void chooseAndSave();
    void copyImage();
    FigurePreset preset() const;

    FigureBoard m_board;
    RunResults m_results; // in front in the window
    bool m_filling = false;
    QListWidget* m_list = nullptr;
    QToolButton* m_add = nullptr;
    QMenu* m_menu = nullptr;
    QPushButton* m_remove = nullptr;
    QPushButton* m_up = nullptr;
    QPushButton* m_down = nullptr;
    QSpinBox* m_columns = nullptr;
    QComboBox* m_preset = nullptr;
    QComboBox* m_format = nullptr;
    QLabel* m_preview = nullptr;
    QLabel* m_size = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_copy = nullptr;
    MessageBar* m_messages = nullptr;
    QTimer m_timer;
};

} // namespace peakscope
