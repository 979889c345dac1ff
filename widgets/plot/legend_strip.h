// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A line of swatches with names under a chart; wraps where the chart is narrow. Private to the widgets; GUI thread.
#pragma once

#include <QBrush>
#include <QPen>
#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

namespace peakscope {

class LegendStrip : public QWidget
{
    Q_OBJECT

public:
    struct Entry {
        QString name;
        QBrush brush;
        QPen outline = Qt::NoPen;
        std::function<void(QPainter&, const QRectF&)> sign = {}; // painted in place of the swatch
    };

    explicit LegendStrip(QWidget* parent = nullptr);

    // No entries: the strip takes no room.
    void setEntries(std::vector<Entry> entries);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    // The place of every entry at a width, and the height they take.
    std::vector<QRect> places(int width, int& height) const;
    QString shownName(const QString& name, int width) const;
    void updateHeight();

    std::vector<Entry> m_entries;
};

} // namespace peakscope
