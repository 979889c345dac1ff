// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/plot/text_recorder.h"

#include "widgets/plot/legend_strip.h"

#include <qcustomplot.h>

#include <QPaintEngine>

namespace peakscope::test {

struct TextRecorder::Engine : QPaintEngine {
    Engine() : QPaintEngine(AllFeatures) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    Type type() const override { return User; }
    void updateState(const QPaintEngineState& state) override
    {
        if (state.state() & DirtyTransform)
            transform = state.transform();
    }
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawTextItem(const QPointF& at, const QTextItem& item) override
    {
        const QRectF box(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent());
        placed.push_back({item.text(), transform.mapRect(box)});
    }

    QTransform transform;
    std::vector<Placed> placed;
};

TextRecorder::TextRecorder(QCustomPlot& plot) : m_size(plot.size()), m_engine(std::make_unique<Engine>())
{
    QCPPainter painter;
    painter.begin(this);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&painter, m_size.width(), m_size.height());
    painter.end();
}

TextRecorder::~TextRecorder() = default;

const std::vector<TextRecorder::Placed>& TextRecorder::texts() const
{
    return m_engine->placed;
}

QPaintEngine* TextRecorder::paintEngine() const
{
    return m_engine.get();
}

QString TextRecorder::overlap() const
{
    for (std::size_t i = 0; i < texts().size(); ++i) {
        for (std::size_t k = i + 1; k < texts().size(); ++k) {
            const QRectF common = texts()[i].box.intersected(texts()[k].box);
            if (common.width() > 1.5 && common.height() > 1.5)
                return texts()[i].text + QStringLiteral(" / ") + texts()[k].text;
        }
    }
    return {};
}

int TextRecorder::metric(PaintDeviceMetric metric) const
{
    constexpr int kDpi = 96;
    switch (metric) {
    case PdmWidth:
        return m_size.width();
    case PdmHeight:
        return m_size.height();
    case PdmWidthMM:
        return m_size.width() * 254 / (10 * kDpi);
    case PdmHeightMM:
        return m_size.height() * 254 / (10 * kDpi);
    case PdmNumColors:
        return 1 << 24;
    case PdmDepth:
        return 24;
    case PdmDevicePixelRatio:
        return 1;
    case PdmDevicePixelRatioScaled:
        return static_cast<int>(devicePixelRatioFScale());
    default:
        return kDpi;
    }
}

LegendStrip* legendOf(const QWidget& view)
{
    return view.findChild<LegendStrip*>();
}

} // namespace peakscope::test
