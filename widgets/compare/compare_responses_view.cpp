// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_responses_view.h"

#include "core/analysis/response/response_summary.h"
#include "core/results/analysis_tables.h"
#include "widgets/compare/compare_style.h"
#include "widgets/plot/choice_box.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/plot_interaction.h"

#include <qcustomplot.h>

#include <QLocale>

#include <algorithm>
#include <cmath>
#include <set>

namespace peakscope {

namespace {

constexpr double kAlike = 3; // pixels, by which two curves are apart and still one to the eye
constexpr double kLine = 1.8;
constexpr double kTurn = 9; // pixels, that one of them is drawn before the next

// A whole bar in the measure of views of bars, which think in bytes.
constexpr double kWhole = 1024;

constexpr UnitGroup kClasses[] = {UnitGroup::Func, UnitGroup::Sens, UnitGroup::Both};
constexpr UnitGroup kShown[] = {UnitGroup::Func, UnitGroup::Sens, UnitGroup::Both, UnitGroup::None};

std::int64_t unitsOf(const AnalysisData& data)
{
    std::int64_t all = 0;
    for (const UnitGroup group : kShown)
        all += unitsOfClass(data, group).value_or(0);
    return all;
}

QString letteredTitle(const ComparedResponses& run, std::size_t index)
{
    return compareLetter(index) + QLatin1Char(' ') + run.title;
}

} // namespace

CompareResponsesView::CompareResponsesView(QWidget* parent)
    : AnalysisPlot([] { return tr("Answers to noise, by result"); }, parent)
{
    explain(
        [] { return tr("A curve is a result: how much worse the model gets as noise in one class of weights grows."); },
        "perturbation");
    m_choice = new ChoiceBox(this);
    addViewWidget(m_choice);
    connect(m_choice, &QComboBox::currentIndexChanged, this, &CompareResponsesView::showChoice);
    setMarks(plot()->xAxis,
             [this](double low, double high, int most) { return noiseMarks(m_x.scale, m_sigmas, low, high, most); });
    setMarks(plot()->yAxis,
             [this](double low, double high, int most) { return valueMarks(m_y.scale, low, high, most); });
    setRuns({});
    inLanguage(this, [this] {
        m_choice->setAccessibleName(tr("What is drawn"));
        for (std::size_t i = 0; i < m_choices.size(); ++i)
            m_choice->setItemText(static_cast<int>(i), titleOf(m_choices[i]));
        say();
    });
}

QString CompareResponsesView::titleOf(const Choice& choice)
{
    return choice.perplexity ? tr("ΔPPL, noise in %1").arg(groupTitle(choice.group))
                             : tr("ΔAUC (%1), noise in %2").arg(attackTitle(choice.attack), groupTitle(choice.group));
}

const Spread& CompareResponsesView::answerOf(const ResponsePoint& point, bool perplexity)
{
    return perplexity ? point.perplexity : point.auc;
}

const CompareResponsesView::Choice* CompareResponsesView::chosen() const
{
    const int index = m_choice->currentIndex();
    return index >= 0 && index < static_cast<int>(m_choices.size()) ? &m_choices[static_cast<std::size_t>(index)]
                                                                    : nullptr;
}

MarkerStyle CompareResponsesView::markerOf(std::size_t run) const
{
    constexpr MarkerShape kShapes[] = {MarkerShape::Circle, MarkerShape::Square, MarkerShape::Triangle,
                                       MarkerShape::Diamond};
    return {kShapes[run % std::size(kShapes)], compareColor(run, theme().dark)};
}

QString CompareResponsesView::nameOf(std::size_t run) const
{
    const QString title = letteredTitle(m_runs[run], run);
    return m_runs[run].badge.isEmpty() ? title : tr("%1 (%2)", "run, badge").arg(title, m_runs[run].badge);
}

void CompareResponsesView::setRuns(std::vector<ComparedResponses> runs)
{
    m_runs = std::move(runs);
    const bool synthetic =
        std::any_of(m_runs.begin(), m_runs.end(), [](const ComparedResponses& run) { return !run.badge.isEmpty(); });
    const bool all =
        std::all_of(m_runs.begin(), m_runs.end(), [](const ComparedResponses& run) { return !run.badge.isEmpty(); });
    setBadge([synthetic, all] { return !synthetic ? QString() : all ? tr("synthetic") : tr("some synthetic"); });
    std::set<double> sigmas;
    for (const ComparedResponses& run : m_runs) {
        for (const double sigma : run.data->sigmas())
            sigmas.insert(sigma);
    }
    m_sigmas.assign(sigmas.begin(), sigmas.end());
    listChoices();
    setPlaceholder([none = m_choices.empty()] {
        return none ? tr("None of these results contains responses to noise.") : QString();
    });
    showChoice();
}

// Every change that a class of any result has.
void CompareResponsesView::listChoices()
{
    m_choices.clear();
    std::set<std::string> attacks;
    bool perplexity = false;
    for (const ComparedResponses& run : m_runs) {
        perplexity = perplexity || run.data->hasPerplexity();
        for (const std::string& attack : run.data->attacks())
            attacks.insert(attack);
    }
    for (const UnitGroup group : kClasses) {
        if (perplexity)
            m_choices.push_back({true, {}, group});
    }
    for (const std::string& attack : attacks) {
        for (const UnitGroup group : kClasses)
            m_choices.push_back({false, attack, group});
    }
    const QSignalBlocker blocker(m_choice);
    m_choice->clear();
    for (const Choice& choice : m_choices)
        m_choice->addItem(titleOf(choice));
    m_choice->setVisible(m_choices.size() > 1);
}

void CompareResponsesView::showChoice()
{
    m_curves.clear();
    m_hovered.reset();
    if (const Choice* choice = chosen()) {
        std::vector<Spread> spreads; // of all classes: one axis for them
        double resolution = std::nan("");
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            const AnalysisData& data = *m_runs[i].data;
            // A change of perplexity stands with every attack; of one of them it is drawn once.
            const std::string attack = !choice->perplexity   ? choice->attack
                                       : data.points.empty() ? std::string()
                                                             : data.points.front().attack;
            Curve curve{i, {}};
            for (const ResponsePoint& point : data.points) {
                const Spread& answer = answerOf(point, choice->perplexity);
                if (point.attack != attack || !answer.known())
                    continue;
                spreads.push_back(answer);
                if (point.group.group == choice->group)
                    curve.points.push_back(&point);
            }
            std::stable_sort(curve.points.begin(), curve.points.end(),
                             [](const ResponsePoint* a, const ResponsePoint* b) { return a->sigma < b->sigma; });
            resolution = std::fmax(
                resolution, responseResolution(
                                data, choice->perplexity ? ResponseMeasure::Perplexity : ResponseMeasure::Auc, attack));
            if (!curve.points.empty())
                m_curves.push_back(std::move(curve));
        }
        m_x = noiseAxis(m_sigmas);
        m_y = answerAxis(spreads, resolution);
        interaction()->setBounds({m_x.low, m_x.high, m_y.low, m_y.high});
        interaction()->startAnew();
    }
    say();
    updateReadout();
    contentChanged();
}

// Axes and legend.
void CompareResponsesView::say()
{
    const Choice* choice = chosen();
    std::vector<LegendMark> legend;
    for (const Curve& curve : m_curves)
        legend.push_back({nameOf(curve.run), markerOf(curve.run), true, false});
    setLegend(std::move(legend));
    if (!choice)
        return;
    plot()->xAxis->setLabel(tr("Noise σ (0, then logarithmic)"));
    plot()->yAxis->setLabel(uprightTitle(scaleTitle(choice->perplexity ? tr("ΔPPL") : tr("ΔAUC"), m_y.scale)));
}

// Whether a curve has a point where that one stands.
bool CompareResponsesView::passes(const Curve& curve, const ResponsePoint& point, const PlotGeometry& g) const
{
    const auto height = [&](const ResponsePoint& at) {
        return g.yPixel(m_y.scale.place(answerOf(at, chosen()->perplexity).mean));
    };
    return std::any_of(curve.points.begin(), curve.points.end(), [&](const ResponsePoint* at) {
        return at->sigma == point.sigma && std::abs(height(*at) - height(point)) < kAlike;
    });
}

// Beside that without noise, which all have.
bool CompareResponsesView::coincide(const Curve& one, const Curve& other, const PlotGeometry& g) const
{
    return std::count_if(one.points.begin(), one.points.end(),
                         [&](const ResponsePoint* point) { return point->sigma > 0 && passes(other, *point, g); }) > 1;
}

// Curves that coincide take turns along their line, so that each is seen.
QPen CompareResponsesView::linePen(std::size_t curve, const QColor& color, const PlotGeometry& g) const
{
    QPen pen(color, kLine, Qt::SolidLine, Qt::FlatCap);
    double before = 0, all = 1;
    for (std::size_t other = 0; other < m_curves.size(); ++other) {
        if (other == curve || !coincide(m_curves[curve], m_curves[other], g))
            continue;
        before += other < curve ? 1 : 0;
        ++all;
    }
    if (before > 0) {
        pen.setDashPattern({kTurn / kLine, (all - 1) * kTurn / kLine});
        pen.setDashOffset((all - before) * kTurn / kLine);
    }
    return pen;
}

void CompareResponsesView::paint(QPainter& painter, const PlotGeometry& g)
{
    const Choice* choice = chosen();
    if (!choice)
        return;
    painter.setPen(QPen(theme().axis, 1));
    const double zero = std::round(g.yPixel(0));
    painter.drawLine(QPointF(g.rect.left(), zero), QPointF(g.rect.right(), zero));
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t c = 0; c < m_curves.size(); ++c) {
        const Curve& curve = m_curves[c];
        const MarkerStyle style = markerOf(curve.run);
        QPolygonF line;
        painter.setPen(QPen(style.color, 1));
        for (const ResponsePoint* point : curve.points) {
            const Spread& answer = answerOf(*point, choice->perplexity);
            const double x = g.xPixel(m_x.scale.place(point->sigma));
            const auto y = [&](double value) {
                return std::clamp(g.yPixel(m_y.scale.place(value)), g.rect.top() - 9, g.rect.bottom() + 9);
            };
            line << QPointF(x, g.yPixel(m_y.scale.place(answer.mean)));
            if (answer.hasInterval())
                painter.drawLine(QPointF(x, y(answer.low)), QPointF(x, y(answer.high)));
        }
        painter.setBrush(Qt::NoBrush);
        painter.setPen(linePen(c, style.color, g));
        painter.drawPolyline(line);
        for (qsizetype i = 0; i < line.size(); ++i) {
            // A mark under others is to be seen around them.
            const auto& point = *curve.points[static_cast<std::size_t>(i)];
            const double wider =
                1.5 *
                static_cast<double>(std::count_if(m_curves.begin() + static_cast<std::ptrdiff_t>(c) + 1, m_curves.end(),
                                                  [&](const Curve& later) { return passes(later, point, g); }));
            const bool hovered = m_hovered && m_hovered->first == c && m_hovered->second == static_cast<std::size_t>(i);
            paintMarker(painter, line[i], kCurveMarker + wider + 1,
                        {style.shape, hovered ? theme().accent : theme().background});
            paintMarker(painter, line[i], kCurveMarker + wider, style);
        }
    }
}

void CompareResponsesView::pointed(QPointF pixel, bool inside)
{
    double best = 9;
    std::optional<std::pair<std::size_t, std::size_t>> found;
    const Choice* choice = chosen();
    for (std::size_t c = 0; inside && choice && c < m_curves.size(); ++c) {
        for (std::size_t i = 0; i < m_curves[c].points.size(); ++i) {
            const ResponsePoint& point = *m_curves[c].points[i];
            const QPointF at =
                toPixel(m_x.scale.place(point.sigma), m_y.scale.place(answerOf(point, choice->perplexity).mean));
            const double distance = std::hypot(at.x() - pixel.x(), at.y() - pixel.y());
            if (distance < best) {
                best = distance;
                found = {c, i};
            }
        }
    }
    if (found == m_hovered)
        return;
    m_hovered = found;
    updateReadout();
    contentChanged();
}

QString CompareResponsesView::readoutText() const
{
    const Choice* choice = chosen();
    if (!choice)
        return {};
    if (!m_hovered)
        return tr("Point at a mark for its values.");
    const Curve& curve = m_curves[m_hovered->first];
    const ResponsePoint& point = *curve.points[m_hovered->second];
    const Spread& answer = answerOf(point, choice->perplexity);
    const QString value = answer.hasInterval() ? tr("%1 [%2, %3]", "mean and its 95 % interval")
                                                     .arg(compactNumber(answer.mean, 4), compactNumber(answer.low),
                                                          compactNumber(answer.high))
                                               : compactNumber(answer.mean, 4);
    return tr("%1, σ %2: %3 · draws: %4", "run, noise, change")
        .arg(nameOf(curve.run), compactNumber(point.sigma), value)
        .arg(point.repeats);
}

QString CompareResponsesView::summary() const
{
    const Choice* choice = chosen();
    if (!choice || m_curves.empty())
        return tr("No answers to noise.");
    QStringList parts;
    for (const Curve& curve : m_curves) {
        const ResponsePoint& last = *curve.points.back();
        parts << tr("%1 at σ %2: %3")
                     .arg(nameOf(curve.run), compactNumber(last.sigma),
                          compactNumber(answerOf(last, choice->perplexity).mean, 4));
    }
    return m_choice->currentText() + QStringLiteral(". ") + parts.join(QStringLiteral("; "));
}

QString CompareResponsesView::visibleDataTsv() const
{
    Table all;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        Table table = responsesTable(*m_runs[i].data);
        table.columns.insert(table.columns.begin(), {"run", ""});
        for (auto& row : table.rows) {
            row.insert(row.begin(), letteredTitle(m_runs[i], i).toStdString());
            all.rows.push_back(std::move(row));
        }
        all.columns = std::move(table.columns);
    }
    return QString::fromStdString(toTsv(all));
}

CompareClassesView::CompareClassesView(QWidget* parent)
    : BarsView([] { return tr("Classes of units"); }, [] { return QString(); }, parent)
{
    explain([] { return tr("A bar is a result, its colours the part of the units in each class."); }, "perturbation");
    // After the label of an axis of bytes, which follows the range as well.
    const auto sayAxis = [this] { plot()->xAxis->setLabel(tr("Part of the units (%)")); };
    connect(plot()->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, sayAxis);
    inLanguage(this, sayAxis);
    setMarks(plot()->xAxis, [](double low, double high, int most) {
        std::vector<AxisMark> marks = linearMarks(100 * low / kWhole, 100 * std::min(high, kWhole) / kWhole, most);
        for (AxisMark& mark : marks)
            mark.place *= kWhole / 100;
        return marks;
    });
    setRuns({});
}

void CompareClassesView::setRuns(std::vector<ComparedResponses> runs)
{
    m_runs = std::move(runs);
    const bool none =
        std::none_of(m_runs.begin(), m_runs.end(), [](const ComparedResponses& run) { return unitsOf(*run.data) > 0; });
    setPlaceholder([none] { return none ? tr("None of these results contains classes of units.") : QString(); });
    rebuild();
}

void CompareClassesView::rebuild()
{
    std::vector<BarRow> rows;
    bool any[std::size(kShown)] = {};
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const AnalysisData& data = *m_runs[i].data;
        const std::int64_t all = unitsOf(data);
        BarRow row;
        row.name = compareLetter(i);
        row.label = letteredTitle(m_runs[i], i);
        row.tooltip = QStringLiteral("<b>%1</b>").arg(row.label.toHtmlEscaped());
        Bar bar;
        for (std::size_t k = 0; all > 0 && k < std::size(kShown); ++k) {
            const std::int64_t count = unitsOfClass(data, kShown[k]).value_or(0);
            any[k] = any[k] || count > 0;
            bar.segments.push_back({kWhole * static_cast<double>(count) / static_cast<double>(all),
                                    groupMarker(kShown[k]).color, Qt::NoPen, groupTitle(kShown[k])});
            row.tooltip +=
                QStringLiteral("<br>%1: %2").arg(groupTitle(kShown[k]), QLocale().toString(qlonglong(count)));
        }
        bar.valueText = all > 0 ? tr("%1 units").arg(QLocale().toString(qlonglong(all))) : tr("not recorded");
        row.bars.push_back(std::move(bar));
        rows.push_back(std::move(row));
    }
    std::vector<LegendStrip::Entry> entries;
    for (std::size_t k = 0; k < std::size(kShown); ++k) {
        if (any[k])
            entries.push_back({groupTitle(kShown[k]), groupMarker(kShown[k]).color, Qt::NoPen});
    }
    legend()->setEntries(std::move(entries));
    setRows(std::move(rows));
}

QString CompareClassesView::summary() const
{
    QStringList parts;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const auto count = [&](UnitGroup group) {
            return QLocale().toString(qlonglong(unitsOfClass(*m_runs[i].data, group).value_or(0)));
        };
        if (unitsOf(*m_runs[i].data) > 0)
            parts << tr("%1: Wfunc %2, Wsens %3, Wboth %4")
                         .arg(letteredTitle(m_runs[i], i), count(UnitGroup::Func), count(UnitGroup::Sens),
                              count(UnitGroup::Both));
    }
    return parts.isEmpty() ? tr("No classes.") : parts.join(QStringLiteral("; "));
}

QString CompareClassesView::visibleDataTsv() const
{
    std::vector<ComparedAnalysis> runs;
    for (std::size_t i = 0; i < m_runs.size(); ++i)
        runs.push_back({letteredTitle(m_runs[i], i).toStdString(), m_runs[i].data.get(), !m_runs[i].badge.isEmpty()});
    return QString::fromStdString(toTsv(comparedAnalysesTable(runs)));
}

} // namespace peakscope
