// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which words a plot draws, and where: for tests of what is said and of words that cover one another.
#pragma once

#include <QPaintDevice>
#include <QRectF>
#include <QString>

#include <memory>
#include <vector>

class QCustomPlot;
class QWidget;

namespace peakscope {
class LegendStrip;
}

namespace peakscope::test {

// A paint device that notes where texts stand and draws nothing.
class TextRecorder : public QPaintDevice
{
public:
    struct Placed {
        QString text;
        QRectF box;
    };

    // Of everything that a plot would draw at its present size.
    explicit TextRecorder(QCustomPlot& plot);
    ~TextRecorder() override;

    const std::vector<Placed>& texts() const;

    // Two that share more than a pixel each way; empty where all stand apart.
    QString overlap() const;

    QPaintEngine* paintEngine() const override;

protected:
    int metric(PaintDeviceMetric metric) const override;

private:
    struct Engine;

    QSize m_size;
    std::unique_ptr<Engine> m_engine;
};

// The legend under a view: it is no class of its own to Qt's meta-objects.
LegendStrip* legendOf(const QWidget& view);

} // namespace peakscope::test
