// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/snapshot/snapshot_reading_view.h"

#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/plot/readout_label.h"

#include <qcustomplot.h>

#include <QAction>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <utility>

namespace peakscope {

namespace {

constexpr double kHeadRoom = 1.08;

} // namespace

struct SnapshotReadingView::Scene {
    std::shared_ptr<const HistorySoFar> soFar;
    ChartTheme theme;

    // Each piece from its lowest to its highest: a curve of as many columns as the screen has, at any number of events.
    void paint(QPainter& painter, const PlotGeometry& geometry) const
    {
        if (!soFar)
            return;
        const double width = static_cast<double>(soFar->eventsAPiece);
        QPolygonF curve;
        for (std::size_t i = 0; i < soFar->pieces.size(); ++i) {
            const double x = geometry.xPixel((static_cast<double>(i) + 0.5) * width);
            const auto y = [&](std::int64_t bytes) {
                return geometry.yPixel(static_cast<double>(bytes + soFar->atLeastBefore));
            };
            curve << QPointF(x, y(soFar->pieces[i].lowest)) << QPointF(x, y(soFar->pieces[i].highest));
        }
        painter.setPen(QPen(theme.text, 1));
        painter.drawPolyline(curve);
    }
};

SnapshotReadingView::SnapshotReadingView(QWidget* parent)
    : PlotView([] { return tr("Requested bytes, as far as the file is read"); }, parent),
      m_scene(std::make_unique<Scene>())
{
    setCountScale(plot()->xAxis, [] { return tr("Events"); });
    setByteScale(plot()->yAxis, [] { return tr("Requested, at least"); });
    addPaintedPlottable(plot()->xAxis, plot()->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paint(painter, geometry); });
    interaction()->setSelectionEnabled(false);
    // There is no figure and no table of a part.
    for (const char* action : {"exportFigure", "showData"})
        findChild<QAction*>(QString::fromLatin1(action))->setEnabled(false);
    m_sentence = new QLabel;
    m_sentence->setObjectName(QStringLiteral("readingSentence"));
    makeReadout(m_sentence, 2, fontMetrics());
    putUnder({m_sentence});
    setBadge([this] { return words(); });
    inLanguage(this, [this] { m_sentence->setText(summary()); });
}

SnapshotReadingView::~SnapshotReadingView() = default;

void SnapshotReadingView::showSoFar(const QString& file, std::shared_ptr<const HistorySoFar> soFar)
{
    const bool another = std::exchange(m_file, file) != file;
    m_scene->soFar = std::move(soFar);
    const double events = static_cast<double>(std::max<std::int64_t>(1, m_scene->soFar->events));
    const double top = static_cast<double>(std::max<std::int64_t>(1024, m_scene->soFar->highest()));
    interaction()->setBounds({0, events, 0, top * kHeadRoom});
    if (another)
        interaction()->startAnew();
    setBadge([this] { return words(); });
    m_sentence->setText(summary());
    contentChanged();
}

const std::shared_ptr<const HistorySoFar>& SnapshotReadingView::soFar() const
{
    return m_scene->soFar;
}

QString SnapshotReadingView::words() const
{
    return m_scene->soFar ? tr("reading: %1 %").arg(static_cast<int>(std::floor(100 * m_scene->soFar->read)))
                          : QString();
}

QString SnapshotReadingView::summary() const
{
    if (!m_scene->soFar)
        return {};
    return tr("%1, %2: the bytes that its first %3 events allocated and freed. What was there before them, blocks and "
              "who holds them are known when all of it is read.")
        .arg(m_file, words(), QLocale().toString(static_cast<qlonglong>(m_scene->soFar->events)));
}

QString SnapshotReadingView::visibleDataTsv() const
{
    QString text = QStringLiteral("first_event\tlowest_requested_bytes\thighest_requested_bytes\n");
    for (std::size_t i = 0; m_scene->soFar && i < m_scene->soFar->pieces.size(); ++i) {
        const auto first = static_cast<std::int64_t>(i) * m_scene->soFar->eventsAPiece;
        if (static_cast<double>(first) < visibleLower() || static_cast<double>(first) > visibleUpper())
            continue;
        const HistorySoFar::Piece& piece = m_scene->soFar->pieces[i];
        text += QStringLiteral("%1\t%2\t%3\n")
                    .arg(first)
                    .arg(piece.lowest + m_scene->soFar->atLeastBefore)
                    .arg(piece.highest + m_scene->soFar->atLeastBefore);
    }
    return text;
}

void SnapshotReadingView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
}

} // namespace peakscope
