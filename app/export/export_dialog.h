// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses figure, panels, size, format and language, shows the figure as it will be, and writes it with its caption.
// Stays open beside the window, so that several figures can be made. GUI thread.
#pragma once

#include "widgets/figures/page/figure.h"

#include <QDialog>
#include <QTimer>

#include <optional>
#include <utility>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace peakscope {

class MessageBar;

class ExportDialog : public QDialog
{
    Q_OBJECT

public:
    explicit ExportDialog(QWidget* parent = nullptr);

    void setResults(const RunResults& results);
    void setFigure(const QString& figure);
    // What part of its time the plot of the figure shows; nothing where there is no such plot.
    void setSeen(std::optional<std::pair<double, double>> seen);
    QString figureName() const { return QString::fromStdString(figure()); }
    // Writes to `path` and says how that went.
    bool save(const QString& path);

signals:
    void boardRequested(const std::string& figure, const peakscope::RunResults& results);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void updatePreview();
    void sayPages(const QSizeF& millimetres);
    void chooseAndSave();
    void copyImage();
    void copyData();
    void fillPanels();
    void showPanels();
    void showRange();
    void sayFigures();
    std::string figure() const;
    FigurePreset preset() const;
    QString language() const;
    std::vector<std::size_t> chosenPanels() const;

    RunResults m_results;
    QComboBox* m_figure = nullptr;
    QComboBox* m_preset = nullptr;
    QComboBox* m_format = nullptr;
    QComboBox* m_language = nullptr;
    QCheckBox* m_caption = nullptr;
    QComboBox* m_range = nullptr;
    std::optional<std::pair<double, double>> m_seen;
    QToolButton* m_panels = nullptr; // its menu has an entry a panel
    QDoubleSpinBox* m_maxHeight = nullptr;
    QLabel* m_preview = nullptr;
    QLabel* m_size = nullptr;
    QPushButton* m_save = nullptr;
    MessageBar* m_messages = nullptr;
    QTimer m_timer;
};

} // namespace peakscope
