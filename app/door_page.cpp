// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/door_page.h"

#include "core/results/component.h"
#include "widgets/component_palette.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QVBoxLayout>

#include <array>
#include <cmath>

namespace peakscope {

namespace {

// A sketch of the workspace to come: shapes only, so that nobody takes it for a measurement.
class Sketch : public QWidget
{
public:
    Sketch(DoorPage::Kind kind, QWidget* parent) : QWidget(parent), m_kind(kind)
    {
        setFixedHeight(220);
        setAccessibleName(DoorPage::tr("A sketch of this workspace, without values"));
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const ChartTheme theme = chartTheme(palette());
        painter.setPen(QPen(theme.grid, 1));
        painter.setBrush(palette().color(QPalette::Base));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        painter.translate(24, 20);
        const QSizeF size(width() - 48, height() - 40);
        if (m_kind == DoorPage::Kind::Analyse)
            drawAnalyse(painter, size, theme);
        else
            drawCompare(painter, size, theme);
    }

private:
    static QColor soft(Component component, const ChartTheme& theme)
    {
        return mixed(theme.background, componentColor(component), 0.55);
    }

    static void drawAnalyse(QPainter& painter, const QSizeF& size, const ChartTheme& theme)
    {
        const std::array<std::pair<QPointF, QColor>, 3> kClusters = {{{{0.12, 0.3}, QColor(0xd5, 0x5e, 0x00)},
                                                                      {{0.25, 0.72}, QColor(0x00, 0x72, 0xb2)},
                                                                      {{0.37, 0.35}, QColor(0x00, 0x9e, 0x73)}}};
        painter.setPen(Qt::NoPen);
        for (const auto& [centre, color] : kClusters) {
            painter.setBrush(mixed(theme.background, color, 0.7));
            for (int point = 0; point < 26; ++point) { // a sunflower: even, and plainly no data
                const double angle = point * 2.39996;
                const double radius = 7.5 * std::sqrt(point);
                painter.drawEllipse(QPointF(centre.x() * size.width() + radius * std::cos(angle) * 1.4,
                                            centre.y() * size.height() + radius * std::sin(angle)),
                                    2.6, 2.6);
            }
        }
        painter.setBrush(Qt::NoBrush);
        const double left = size.width() * 0.56;
        const double width = size.width() - left;
        painter.setPen(QPen(theme.axis, 1));
        painter.drawLine(QPointF(left, 0), QPointF(left, size.height()));
        painter.drawLine(QPointF(left, size.height()), QPointF(size.width(), size.height()));
        for (std::size_t curve = 0; curve < kClusters.size(); ++curve) {
            QPainterPath path(QPointF(left, size.height() * 0.92));
            const double rise = 0.25 + 0.25 * static_cast<double>(curve);
            path.cubicTo(left + width * 0.5, size.height() * 0.9, left + width * 0.6, size.height() * (0.95 - rise),
                         size.width(), size.height() * (0.85 - rise));
            painter.setPen(QPen(mixed(theme.background, kClusters[curve].second, 0.8), 2));
            painter.drawPath(path);
        }
    }

    static void drawCompare(QPainter& painter, const QSizeF& size, const ChartTheme& theme)
    {
        for (int run = 0; run < 2; ++run) {
            const double base = size.height() * (run + 1) / 2.0 - 6;
            const double height = size.height() * (run == 0 ? 0.42 : 0.3);
            for (const auto& [component, top] :
                 {std::pair(Component::Activations, 1.0), std::pair(Component::Parameters, 0.35)}) {
                QPainterPath path(QPointF(0, base));
                for (int step = 0; step <= 60; ++step) {
                    const double x = step / 60.0;
                    const double wave = top < 0.5 ? 1 : 0.45 + 0.55 * std::abs(std::sin(x * 9.42));
                    path.lineTo(x * size.width(), base - height * top * wave);
                }
                path.lineTo(size.width(), base);
                path.closeSubpath();
                painter.fillPath(path, soft(component, theme));
            }
            painter.setPen(QPen(theme.axis, 1));
            painter.drawLine(QPointF(0, base), QPointF(size.width(), base));
        }
    }

    DoorPage::Kind m_kind;
};

struct Words {
    QString title;
    QString sentence;
    QStringList points;
    QString meanwhile;
    QString button;
};

Words words(DoorPage::Kind kind)
{
    switch (kind) {
    case DoorPage::Kind::Analyse:
        return {DoorPage::tr("Analyse"),
                DoorPage::tr("Which parameters carry function, and which carry privacy risk? This workspace opens in a "
                             "later version."),
                {DoorPage::tr("Parameter units as a map, clustered; thresholds are lines one can drag."),
                 DoorPage::tr("Perturbation response: noise in, change of perplexity and of attack success out."),
                 DoorPage::tr("Curvature of the loss around the weights: spectrum, trace, blocks."),
                 DoorPage::tr("Statistics and features as tables beside every plot.")},
                DoorPage::tr("Until then: see where the memory of these weights goes."),
                DoorPage::tr("Profile a run")};
    case DoorPage::Kind::Compare:
        break;
    }
    return {DoorPage::tr("Compare"),
            DoorPage::tr("How do two runs differ? This workspace opens in a later version."),
            {DoorPage::tr("Runs as columns: timelines under one another with one time axis."),
             DoorPage::tr("Bars side by side, time against memory, and a heat map."),
             DoorPage::tr("A table of differences and ratios, each with its meaning."),
             DoorPage::tr("From the command line: peakscope --compare A B.")},
            DoorPage::tr("Until then: open several results and switch between them in the library."),
            DoorPage::tr("Open results")};
}

} // namespace

DoorPage::DoorPage(Kind kind, QWidget* parent) : QWidget(parent)
{
    constexpr int kWidth = 720;
    const Words text = words(kind);
    auto* outer = new QHBoxLayout(this);
    outer->setContentsMargins(24, 24, 24, 24);
    auto* page = new QWidget(this);
    page->setMaximumWidth(kWidth);
    outer->addStretch(1);
    outer->addWidget(page, 100);
    outer->addStretch(1);
    auto* layout = new QVBoxLayout(page);
    layout->setSpacing(8);
    layout->addStretch(1);
    auto* heading = new QLabel(text.title, page);
    QFont large = heading->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    large.setBold(true);
    heading->setFont(large);
    layout->addWidget(heading);
    auto* sentence = new QLabel(text.sentence, page);
    sentence->setWordWrap(true);
    layout->addWidget(sentence);
    layout->addSpacing(4);
    layout->addWidget(new Sketch(kind, page));
    layout->addSpacing(4);
    for (const QString& point : text.points) {
        auto* label = new QLabel(QStringLiteral("•  ") + point, page);
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    layout->addSpacing(8);
    auto* meanwhile = new QHBoxLayout;
    auto* now = new QLabel(text.meanwhile, page);
    now->setWordWrap(true);
    auto* button = new QPushButton(text.button, page);
    connect(button, &QPushButton::clicked, this, &DoorPage::insteadRequested);
    meanwhile->addWidget(now, 1);
    meanwhile->addWidget(button);
    layout->addLayout(meanwhile);
    layout->addStretch(2);
}

} // namespace peakscope
