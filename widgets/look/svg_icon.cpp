// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/svg_icon.h"

#include <QIconEngine>
#include <QPainter>
#include <QResource>
#include <QSvgRenderer>

namespace peakscope {

namespace {

// Indexed by PlotIcon.
constexpr const char* kPlotIcons[] = {"back",  "all",    "copy",   "copy-data", "export",
                                      "table", "follow", "legend", "peak",      "reference"};

class SvgIconEngine : public QIconEngine
{
public:
    SvgIconEngine(QString name, IconColor color) : m_name(std::move(name)), m_color(std::move(color)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        drawSvgIcon(*painter, m_name, rect, m_color(mode, state));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }

    QIconEngine* clone() const override { return new SvgIconEngine(*this); }

private:
    QString m_name;
    IconColor m_color;
};

} // namespace

void drawSvgIcon(QPainter& painter, const QString& name, const QRectF& area, const QColor& color)
{
    QByteArray svg = QResource(QStringLiteral(":/icons/%1.svg").arg(name)).uncompressedData();
    const double side = std::min(area.width(), area.height());
    painter.save();
    painter.setOpacity(painter.opacity() * color.alphaF());
    QSvgRenderer(svg.replace("currentColor", color.name().toLatin1()))
        .render(&painter, QRectF(area.center() - QPointF(side / 2, side / 2), QSizeF(side, side)));
    painter.restore();
}

QIcon svgIcon(const QString& name, IconColor color)
{
    return QIcon(new SvgIconEngine(name, std::move(color))); // the icon owns its engine
}

QIcon plotIcon(PlotIcon icon, const QColor& color, const QColor& disabledColor)
{
    return svgIcon(QStringLiteral("plot/") + QLatin1String(kPlotIcons[static_cast<std::size_t>(icon)]),
                   [color, disabledColor](QIcon::Mode mode, QIcon::State) {
                       return mode == QIcon::Disabled ? disabledColor : color;
                   });
}

} // namespace peakscope
