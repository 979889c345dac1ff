// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/analysis/analysis_response_view.h"

#include "core/analysis/response/response_summary.h"
#include "core/results/analysis_tables.h"
#include "widgets/plot/choice_box.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

QString spreadText(const Spread& spread)
{
    if (!spread.known())
        return QStringLiteral("–");
    if (!spread.hasInterval())
        return compactNumber(spread.mean, 4);
    return QStringLiteral("%1 [%2, %3]")
        .arg(compactNumber(spread.mean, 4), compactNumber(spread.low), compactNumber(spread.high));
}

} // namespace

ResponseView::ResponseView(QWidget* parent) : AnalysisPlot([] { return tr("Answers to noise"); }, parent)
{
    explain(
        [] {
            return tr(
                "A curve is a class of weights: how the model answers as noise in it grows. Bands are 95 % intervals.");
        },
        "perturbation");
    m_choice = new ChoiceBox(this);
    addViewWidget(m_choice);
    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] { showChoice(false); });
    setMarks(plot()->xAxis, [this](double low, double high, int most) {
        const bool noise = m_data && m_choice->currentIndex() >= 0 &&
                           m_choices[static_cast<std::size_t>(m_choice->currentIndex())].kind != Kind::Both;
        return noise ? noiseMarks(m_x.scale, m_data->sigmas(), low, high, most)
                     : valueMarks(m_x.scale, low, high, most);
    });
    setMarks(plot()->yAxis,
             [this](double low, double high, int most) { return valueMarks(m_y.scale, low, high, most); });
    setData(nullptr);
    inLanguage(this, [this] {
        m_choice->setAccessibleName(tr("What is drawn"));
        for (std::size_t i = 0; i < m_choices.size(); ++i)
            m_choice->setItemText(static_cast<int>(i), titleOf(m_choices[i]));
        sayChoice();
    });
}

QString ResponseView::titleOf(const Choice& choice)
{
    switch (choice.kind) {
    case Kind::Perplexity:
        return tr("ΔPPL against σ");
    case Kind::Auc:
        return tr("ΔAUC (%1) against σ").arg(attackTitle(choice.attack));
    case Kind::Both:
        break;
    }
    return tr("ΔAUC (%1) against ΔPPL").arg(attackTitle(choice.attack));
}

void ResponseView::setData(std::shared_ptr<const AnalysisData> data)
{
    m_data = std::move(data);
    m_curves.clear();
    m_hovered.reset();
    rebuild(false);
}

void ResponseView::updateData(std::shared_ptr<const AnalysisData> data)
{
    m_data = std::move(data);
    m_curves.clear(); // they point into the data before
    m_hovered.reset();
    rebuild(true);
}

void ResponseView::rebuild(bool keepView)
{
    std::vector<Choice> choices;
    if (m_data) {
        if (m_data->hasPerplexity())
            choices.push_back({Kind::Perplexity, m_data->points.front().attack});
        for (const std::string& attack : m_data->attacks())
            choices.push_back({Kind::Auc, attack});
        for (const std::string& attack : m_data->attacks()) {
            if (m_data->hasPerplexity())
                choices.push_back({Kind::Both, attack});
        }
    }
    const int before = m_choice->currentIndex();
    const auto same = before < 0
                          ? choices.end()
                          : std::find(choices.begin(), choices.end(), m_choices[static_cast<std::size_t>(before)]);
    const bool kept = same != choices.end();
    const QSignalBlocker blocker(m_choice);
    m_choice->clear();
    for (const Choice& choice : choices)
        m_choice->addItem(titleOf(choice));
    m_choice->setCurrentIndex(kept ? static_cast<int>(same - choices.begin()) : choices.empty() ? -1 : 0);
    m_choice->setVisible(choices.size() > 1);
    m_choices = std::move(choices);
    setPlaceholder([none = m_choices.empty()] {
        return none ? tr("No responses to noise yet: an experiment of kind prm measures them.") : QString();
    });
    showChoice(keepView && kept);
}

void ResponseView::showChoice(bool keepView)
{
    m_curves.clear();
    m_hovered.reset();
    const int index = m_choice->currentIndex();
    if (!m_data || index < 0 || m_choices.empty()) {
        setLegend({});
        updateReadout();
        contentChanged();
        return;
    }
    const Choice& choice = m_choices[static_cast<std::size_t>(index)];
    for (const ResponseGroup& group : m_data->groups()) {
        Curve curve{group, {}};
        for (const ResponsePoint& point : m_data->points) {
            if (point.group == group && point.attack == choice.attack && yOf(point).known() && xOf(point).known())
                curve.points.push_back(&point);
        }
        std::stable_sort(curve.points.begin(), curve.points.end(),
                         [](const ResponsePoint* a, const ResponsePoint* b) { return a->sigma < b->sigma; });
        if (!curve.points.empty())
            m_curves.push_back(std::move(curve));
    }
    std::vector<Spread> xSpreads, ySpreads;
    for (const Curve& curve : m_curves) {
        for (const ResponsePoint* point : curve.points) {
            xSpreads.push_back(xOf(*point));
            ySpreads.push_back(yOf(*point));
        }
    }
    const bool noise = choice.kind != Kind::Both;
    const auto axisOf = [&](ResponseMeasure measure, const std::vector<Spread>& spreads) {
        return answerAxis(spreads, responseResolution(*m_data, measure, choice.attack));
    };
    m_x = noise ? noiseAxis(m_data->sigmas()) : axisOf(ResponseMeasure::Perplexity, xSpreads);
    m_y = axisOf(choice.kind == Kind::Perplexity ? ResponseMeasure::Perplexity : ResponseMeasure::Auc, ySpreads);
    interaction()->setBounds({m_x.low, m_x.high, m_y.low, m_y.high}); // what shows all goes on showing all
    if (!keepView)
        interaction()->startAnew();
    sayChoice();
    updateReadout();
    contentChanged();
}

// Axes and legend of the curves that are shown.
void ResponseView::sayChoice()
{
    if (m_choice->currentIndex() < 0)
        return;
    const Kind kind = m_choices[static_cast<std::size_t>(m_choice->currentIndex())].kind;
    plot()->xAxis->setLabel(kind == Kind::Both ? scaleTitle(tr("ΔPPL"), m_x.scale)
                                               : tr("Noise σ (0, then logarithmic)"));
    plot()->yAxis->setLabel(uprightTitle(scaleTitle(kind == Kind::Perplexity ? tr("ΔPPL") : tr("ΔAUC"), m_y.scale)));
    std::vector<LegendMark> legend;
    for (const Curve& curve : m_curves)
        legend.push_back(
            {groupTitle(curve.group), groupMarker(curve.group.group), true, curve.group.group == UnitGroup::Control});
    setLegend(std::move(legend));
}

Spread ResponseView::xOf(const ResponsePoint& point) const
{
    if (m_choices[static_cast<std::size_t>(m_choice->currentIndex())].kind == Kind::Both)
        return point.perplexity;
    Spread spread;
    spread.mean = point.sigma;
    return spread;
}

const Spread& ResponseView::yOf(const ResponsePoint& point) const
{
    return m_choices[static_cast<std::size_t>(m_choice->currentIndex())].kind == Kind::Perplexity ? point.perplexity
                                                                                                  : point.auc;
}

void ResponseView::setEmphasis(UnitGroup group)
{
    m_emphasis = group;
    contentChanged();
}

void ResponseView::paintIntervals(QPainter& painter, const PlotGeometry& g, const Curve& curve) const
{
    const bool both = m_choices[static_cast<std::size_t>(m_choice->currentIndex())].kind == Kind::Both;
    QColor tint = groupMarker(curve.group.group).color;
    const auto held = [&](double pixel, double low, double high) { return std::clamp(pixel, low, high); };
    if (both) {
        tint.setAlphaF(0.6F);
        painter.setPen(QPen(tint, 1));
        for (const ResponsePoint* point : curve.points) {
            const double x = g.xPixel(m_x.scale.place(point->perplexity.mean)),
                         y = g.yPixel(m_y.scale.place(point->auc.mean));
            const auto px = [&](double v) {
                return held(g.xPixel(m_x.scale.place(v)), g.rect.left() - 9, g.rect.right() + 9);
            };
            const auto py = [&](double v) {
                return held(g.yPixel(m_y.scale.place(v)), g.rect.top() - 9, g.rect.bottom() + 9);
            };
            if (point->perplexity.hasInterval())
                painter.drawLine(QPointF(px(point->perplexity.low), y), QPointF(px(point->perplexity.high), y));
            if (point->auc.hasInterval())
                painter.drawLine(QPointF(x, py(point->auc.low)), QPointF(x, py(point->auc.high)));
        }
        return;
    }
    QPolygonF upper, lower;
    for (const ResponsePoint* point : curve.points) {
        const Spread& spread = yOf(*point);
        const double x = g.xPixel(m_x.scale.place(point->sigma));
        const bool wide = spread.hasInterval();
        const auto py = [&](double v) {
            return held(g.yPixel(m_y.scale.place(v)), g.rect.top() - 1e4, g.rect.bottom() + 1e4);
        };
        upper << QPointF(x, py(wide ? spread.high : spread.mean));
        lower.prepend(QPointF(x, py(wide ? spread.low : spread.mean)));
    }
    tint.setAlphaF(theme().dark ? 0.28F : 0.16F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tint);
    painter.drawPolygon(upper + lower);
}

void ResponseView::paintCurve(QPainter& painter, const PlotGeometry& g, const Curve& curve) const
{
    const MarkerStyle style = groupMarker(curve.group.group);
    const bool control = curve.group.group == UnitGroup::Control;
    QPolygonF line;
    for (const ResponsePoint* point : curve.points)
        line << QPointF(g.xPixel(m_x.scale.place(xOf(*point).mean)), g.yPixel(m_y.scale.place(yOf(*point).mean)));
    const bool strong = m_emphasis == curve.group.group;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(style.color,
                        strong    ? 3
                        : control ? 1.2
                                  : 1.8,
                        control ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
    painter.drawPolyline(line);
    for (const QPointF& point : line) {
        if (!control)
            paintMarker(painter, point, kCurveMarker + 1, {style.shape, theme().background});
        paintMarker(painter, point, kCurveMarker, style);
    }
}

void ResponseView::paint(QPainter& painter, const PlotGeometry& geometry)
{
    if (m_curves.empty())
        return;
    painter.setPen(QPen(theme().axis, 1));
    const double zero = std::round(geometry.yPixel(0));
    painter.drawLine(QPointF(geometry.rect.left(), zero), QPointF(geometry.rect.right(), zero));
    if (m_choices[static_cast<std::size_t>(m_choice->currentIndex())].kind == Kind::Both) {
        const double middle = std::round(geometry.xPixel(0));
        painter.drawLine(QPointF(middle, geometry.rect.top()), QPointF(middle, geometry.rect.bottom()));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Curve& curve : m_curves)
        paintIntervals(painter, geometry, curve);
    for (auto curve = m_curves.rbegin(); curve != m_curves.rend(); ++curve)
        paintCurve(painter, geometry, *curve);
    if (m_hovered) {
        const ResponsePoint& point =
            *m_curves[static_cast<std::size_t>(m_hovered->first)].points[static_cast<std::size_t>(m_hovered->second)];
        painter.setPen(QPen(theme().accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(QPointF(geometry.xPixel(m_x.scale.place(xOf(point).mean)),
                                    geometry.yPixel(m_y.scale.place(yOf(point).mean))),
                            8, 8);
    }
}

std::optional<std::pair<int, int>> ResponseView::markAt(QPointF pixel) const
{
    double best = 9;
    std::optional<std::pair<int, int>> found;
    for (std::size_t c = 0; c < m_curves.size(); ++c) {
        for (std::size_t k = 0; k < m_curves[c].points.size(); ++k) {
            const ResponsePoint& point = *m_curves[c].points[k];
            const QPointF at = toPixel(m_x.scale.place(xOf(point).mean), m_y.scale.place(yOf(point).mean));
            const double distance = std::hypot(at.x() - pixel.x(), at.y() - pixel.y());
            if (distance < best) {
                best = distance;
                found = {static_cast<int>(c), static_cast<int>(k)};
            }
        }
    }
    return found;
}

void ResponseView::pointed(QPointF pixel, bool inside)
{
    const auto mark = inside ? markAt(pixel) : std::nullopt;
    if (mark == m_hovered)
        return;
    m_hovered = mark;
    updateReadout();
    contentChanged();
}

bool ResponseView::drawsBands() const
{
    const auto wide = [this](const ResponsePoint* point) { return yOf(*point).hasInterval(); };
    return m_choices[static_cast<std::size_t>(m_choice->currentIndex())].kind != Kind::Both &&
           std::any_of(m_curves.begin(), m_curves.end(),
                       [&](const Curve& curve) { return std::any_of(curve.points.begin(), curve.points.end(), wide); });
}

QString ResponseView::readoutText() const
{
    if (m_choice->currentIndex() < 0)
        return {};
    if (!m_hovered && drawsBands())
        return tr("Bands: 95 % intervals. Point at a mark for its values; click it to select the class.");
    if (!m_hovered)
        return tr("Point at a mark for its values; click it to select the class.");
    const Curve& curve = m_curves[static_cast<std::size_t>(m_hovered->first)];
    const ResponsePoint& point = *curve.points[static_cast<std::size_t>(m_hovered->second)];
    return tr("%1, σ %2 · ΔPPL %3 · ΔAUC %4 · draws: %5", "class, noise, values with 95 % intervals")
        .arg(groupTitle(curve.group), compactNumber(point.sigma), spreadText(point.perplexity), spreadText(point.auc))
        .arg(point.repeats);
}

bool ResponseView::mousePressed(const QMouseEvent& event)
{
    if (event.button() == Qt::LeftButton && event.modifiers() == Qt::NoModifier) {
        if (const auto mark = markAt(event.position())) {
            emit groupClicked(m_curves[static_cast<std::size_t>(mark->first)].group.group);
            return true;
        }
    }
    return false;
}

QString ResponseView::summary() const
{
    if (m_curves.empty())
        return tr("No answers to noise.");
    QStringList parts;
    for (const Curve& curve : m_curves) {
        const ResponsePoint& last = *curve.points.back();
        parts << tr("%1 at σ %2: %3").arg(groupTitle(curve.group), compactNumber(last.sigma), spreadText(yOf(last)));
    }
    return m_choice->currentText() + QStringLiteral(". ") + parts.join(QStringLiteral("; "));
}

QString ResponseView::visibleDataTsv() const
{
    return m_data ? QString::fromStdString(toTsv(responsesTable(*m_data))) : QString();
}

} // namespace peakscope
