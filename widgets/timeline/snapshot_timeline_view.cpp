// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/snapshot_timeline_view.h"

#include "widgets/plot/mark_ticker.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/plot/readout_label.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/plain_text.h"
#include "widgets/timeline/snapshot_marks.h"
#include "widgets/timeline/timeline_text.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kSnapshotHeadRoom = 1.08; // above the highest mark
constexpr double kPeakWordsRoom = 1.15;    // above the peak's line, for its words
constexpr int kMostSnapshotNames = 40;     // percent of the view's height

// Whole numbers from 1 for positions from 0.
std::vector<AxisMark> snapshotOrderMarks(double low, double high, int most)
{
    std::vector<AxisMark> marks;
    for (AxisMark& mark : linearMarks(low + 1, high + 1, most)) {
        if (mark.place >= 1 && mark.place == std::floor(mark.place))
            marks.push_back({mark.place - 1, QLocale().toString(static_cast<int>(mark.place))}); // no "1.0"
    }
    return marks;
}

} // namespace

struct SnapshotTimelineView::Scene {
    SnapshotCourse course;
    std::int64_t peakBytes = 0;
    TimeScale unit;
    SnapshotPicture picture;

    bool showsPeak() const { return peakBytes > course.highestAllocatedBytes(); }
    double topBytes() const
    {
        return std::max(1024.0, static_cast<double>(std::max(peakBytes, course.highestBytes()))) *
               (showsPeak() ? kPeakWordsRoom : kSnapshotHeadRoom);
    }
    void paint(QPainter& painter, const PlotGeometry& geometry) const
    {
        if (showsPeak()) {
            const double y = std::round(geometry.yPixel(static_cast<double>(peakBytes)));
            painter.setPen(QPen(picture.theme.mutedText, 1, Qt::DotLine));
            painter.drawLine(QPointF(geometry.rect.left(), y), QPointF(geometry.rect.right(), y));
            painter.setFont(picture.font);
            painter.setPen(picture.theme.text);
            const QString text = SnapshotTimelineView::tr("peak %1").arg(bytesText(peakBytes));
            const QFontMetricsF metrics(picture.font);
            QRectF box(0, 0, metrics.horizontalAdvance(text) + 4, metrics.height());
            // Where nothing is drawn: above the line, unless what was reserved runs there.
            const bool above = course.highestBytes() <= peakBytes;
            box.moveBottomRight(QPointF(geometry.rect.right() - 4, above ? y - 1 : y + 1 + box.height()));
            painter.fillRect(box, picture.theme.background);
            painter.drawText(box, Qt::AlignCenter, text);
        }
        if (course.size() > 0)
            paintSnapshots(painter, geometry, picture);
    }
};

SnapshotTimelineView::SnapshotTimelineView(QWidget* parent)
    : LanePlot([] { return tr("Memory at the snapshots"); }, parent), m_scene(std::make_unique<Scene>())
{
    explain(
        [] {
            return tr("A step is what was held at a named place of the program. Nothing was measured between them.");
        },
        "components");
    m_scene->picture.course = &m_scene->course;
    m_scene->picture.font = font();
    buildPlot();
    setCourse({});
}

SnapshotTimelineView::~SnapshotTimelineView() = default;

void SnapshotTimelineView::buildPlot()
{
    QCustomPlot* plot = this->plot();
    plot->plotLayout()->insertRow(0);
    plot->plotLayout()->setRowSpacing(0);
    m_strip = new QCPAxisRect(plot);
    plot->plotLayout()->addElement(0, 0, m_strip);
    m_strip->setAutoMargins(QCP::msLeft | QCP::msRight);
    m_strip->setMargins(QMargins(0, 2, 0, 0));
    for (QCPAxis* axis : m_strip->axes())
        axis->setVisible(false);
    auto* margins = new QCPMarginGroup(plot);
    QCPAxisRect* rect = plot->xAxis->axisRect();
    for (QCPAxisRect* each : {m_strip, rect})
        each->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    rect->setAutoMargins(QCP::msLeft | QCP::msRight | QCP::msBottom);
    rect->setMargins(QMargins(0, 3, 0, 0));
    QCPAxis* stripTime = m_strip->axis(QCPAxis::atBottom);
    connect(plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), stripTime,
            qOverload<const QCPRange&>(&QCPAxis::setRange));
    setMarks(plot->xAxis, [this](double low, double high, int most) {
        if (!m_scene->course.timed)
            return snapshotOrderMarks(low, high, most);
        const double unit = m_scene->unit.seconds;
        std::vector<AxisMark> marks = linearMarks(low / unit, high / unit, most);
        for (AxisMark& mark : marks)
            mark.place *= unit;
        return marks;
    });
    setByteScale(plot->yAxis, [] { return tr("Memory"); });
    addPaintedPlottable(plot->xAxis, plot->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paint(painter, geometry); });
    addPaintedPlottable(stripTime, m_strip->axis(QCPAxis::atLeft),
                        [this](QPainter& painter, const PlotGeometry& geometry) {
                            if (m_scene->course.size() > 0)
                                paintSnapshotNames(painter, geometry, m_scene->picture);
                        });
    buildLanes();
    m_readout = new QLabel;
    makeReadout(m_readout, 1, fontMetrics());
    m_legend = new LegendStrip;
    putUnder({m_readout, m_legend});
}

void SnapshotTimelineView::setCourse(SnapshotCourse course, std::int64_t peakBytes)
{
    clearCursor();
    m_scene->course = std::move(course);
    m_scene->peakBytes = peakBytes;
    m_scene->picture.current.reset();
    m_scene->unit = timeScaleFor(0, m_scene->course.endPosition());
    setPlaceholder([none = m_scene->course.size() == 0] {
        return none ? tr("This result holds no snapshots that could be drawn.") : QString();
    });
    updateBounds();
    interaction()->startAnew();
    interaction()->clearSelection();
    updateNames();
    updateTexts();
    contentChanged();
}

const SnapshotCourse& SnapshotTimelineView::course() const
{
    return m_scene->course;
}

void SnapshotTimelineView::showSnapshot(std::size_t snapshot)
{
    if (snapshot < m_scene->course.size())
        setCursor(m_scene->course.position[snapshot]);
}

void SnapshotTimelineView::updateBounds()
{
    const double top = m_scene->topBytes();
    if (m_scene->course.size() == 1) { // one moment stands in the middle
        interaction()->setBounds({-0.5, 0.5, 0, top});
        return;
    }
    const double end = std::max(m_scene->course.endPosition(), 1e-6);
    interaction()->setBounds({-kSnapshotSideRoom * end, (1 + kSnapshotSideRoom) * end, 0, top});
}

// As high as the longest name, where the plot keeps most of the view.
void SnapshotTimelineView::updateNames()
{
    const QFontMetrics metrics(m_scene->picture.font);
    int longest = 0;
    for (const std::string& name : m_scene->course.names)
        longest = std::max(longest, metrics.horizontalAdvance(QString::fromStdString(name)) + 8);
    const int most = plot()->height() * kMostSnapshotNames / 100;
    const int height = most < metrics.averageCharWidth() * 8 ? 4 : std::clamp(longest, 4, std::max(4, most));
    m_strip->setMinimumSize(0, height);
    m_strip->setMaximumSize(QWIDGETSIZE_MAX, height);
}

void SnapshotTimelineView::updateTexts()
{
    const SnapshotCourse& course = m_scene->course;
    plot()->xAxis->setLabel(course.timed ? tr("Time since the first snapshot (%1)").arg(m_scene->unit.unit)
                                         : snapshotOrderTitle());
    std::vector<LegendStrip::Entry> entries;
    if (course.size() > 0)
        entries = snapshotEntries(snapshotSeries(course), course.size() > 1, theme());
    if (!entries.empty() && m_scene->showsPeak()) {
        entries.push_back({tr("Peak, as recorded in the file"),
                           {},
                           Qt::NoPen,
                           [ink = theme().mutedText](QPainter& painter, const QRectF& box) {
                               painter.setPen(QPen(ink, 1, Qt::DotLine));
                               const double y = std::round(box.center().y());
                               painter.drawLine(QPointF(box.left() - 2, y), QPointF(box.right() + 2, y));
                           }});
    }
    m_legend->setEntries(std::move(entries));
    updateReadout();
}

// The one at the cursor, or the one at which most was allocated.
std::size_t SnapshotTimelineView::current() const
{
    const SnapshotCourse& course = m_scene->course;
    if (cursor())
        return course.nearest(*cursor());
    const auto highest = std::max_element(course.allocatedBytes.begin(), course.allocatedBytes.end());
    return static_cast<std::size_t>(highest - course.allocatedBytes.begin());
}

QString SnapshotTimelineView::readout() const
{
    const SnapshotCourse& course = m_scene->course;
    if (course.size() == 0)
        return {};
    const std::size_t snapshot = current();
    QStringList parts;
    QString head = QString::fromStdString(course.names[snapshot]);
    if (course.timed)
        head += QStringLiteral(" · ") + timelineTimeText(course.position[snapshot], 0, course.endPosition(), 1000);
    parts << (course.size() == 1 ? tr("The only snapshot: %1").arg(head)
              : cursor()         ? head
                                 : tr("Highest snapshot: %1").arg(head));
    parts << tr("allocated %1").arg(bytesText(course.allocatedBytes[snapshot]));
    if (const auto bytes = snapshotBytes(course, SnapshotSeries::Reserved, snapshot))
        parts << tr("reserved %1").arg(bytesText(*bytes));
    if (const auto bytes = snapshotBytes(course, SnapshotSeries::Maximum, snapshot))
        parts << tr("highest until then %1").arg(bytesText(*bytes));
    return parts.join(QStringLiteral("   "));
}

void SnapshotTimelineView::updateReadout()
{
    const QString text = readout();
    m_readout->setText(text);
    m_readout->setToolTip(plainToolTip(text));
    m_readout->setAccessibleName(text);
    const auto shown = cursor() && m_scene->course.size() > 0 ? std::optional(current()) : std::nullopt;
    if (std::exchange(m_scene->picture.current, shown) != shown)
        plot()->replot(QCustomPlot::rpQueuedReplot);
}

void SnapshotTimelineView::applyTheme(const ChartTheme& theme)
{
    m_scene->picture.theme = theme;
    m_scene->picture.font = font();
    LanePlot::applyTheme(theme);
    updateNames();
    updateTexts();
}

bool SnapshotTimelineView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return LanePlot::eventFilter(watched, event);
    if (event->type() == QEvent::Resize)
        updateNames();
    if (event->type() == QEvent::MouseButtonRelease && m_scene->course.size() > 0) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        // A press that did not become a drag chooses the snapshot.
        if (mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier && !interaction()->isDragging())
            emit snapshotActivated(
                static_cast<int>(m_scene->course.nearest(plot()->xAxis->pixelToCoord(mouse->position().x()))));
    }
    return moveCursor(event);
}

QString SnapshotTimelineView::summary() const
{
    const SnapshotCourse& course = m_scene->course;
    if (course.size() == 0)
        return tr("No snapshots.");
    if (course.size() == 1)
        return readout();
    const auto highest = std::max_element(course.allocatedBytes.begin(), course.allocatedBytes.end());
    return tr("%1 snapshots; most was allocated at %2 with %3. Nothing was measured between them.")
        .arg(QString::number(course.size()),
             QString::fromStdString(course.names[static_cast<std::size_t>(highest - course.allocatedBytes.begin())]),
             bytesText(*highest));
}

QString SnapshotTimelineView::visibleDataTsv() const
{
    const SnapshotCourse& course = m_scene->course;
    QString text = QStringLiteral("name\ttime_seconds\tallocated_bytes\treserved_bytes\tmax_allocated_bytes\n");
    for (std::size_t i = 0; i < course.size(); ++i) {
        if (course.position[i] < visibleLower() || course.position[i] > visibleUpper())
            continue;
        const auto cell = [&](SnapshotSeries series) {
            const auto bytes = snapshotBytes(course, series, i);
            return bytes ? QString::number(static_cast<qlonglong>(*bytes)) : QString();
        };
        QString name = QString::fromStdString(course.names[i]);
        name.replace(QLatin1Char('\t'), QLatin1Char(' ')).replace(QLatin1Char('\n'), QLatin1Char(' '));
        const QStringList cells{name, course.timed ? QString::number(course.position[i], 'g', 12) : QString(),
                                cell(SnapshotSeries::Allocated), cell(SnapshotSeries::Reserved),
                                cell(SnapshotSeries::Maximum)};
        text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return text;
}

} // namespace peakscope
