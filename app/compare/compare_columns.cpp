// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_columns.h"

#include "app/parts/elided_label.h"
#include "app/parts/icons.h"
#include "app/parts/parts_label.h"
#include "core/base/units.h"
#include "core/results/prediction_bound.h"
#include "core/results/sweeps/timed_round.h"
#include "widgets/compare/compare_style.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/look/pieces.h"
#include "widgets/look/theme.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/plain_text.h"

#include <QFrame>
#include <QGridLayout>
#include <QMouseEvent>

#include <functional>

namespace peakscope {

QString comparedBadge(const RunResult& result)
{
    QStringList badges = runBadges(result);
    if (!result.memory && peakClaim(result) != PeakClaim::None)
        badges << (predictionIsBound(result) ? CompareColumns::tr("planned") : CompareColumns::tr("predicted"));
    else if (result.other.is_object() && result.other.contains("source"))
        badges << CompareColumns::tr("imported");
    return badges.join(QStringLiteral(", "));
}

namespace {

// One run as a column head: letter, name, main numbers; a click shows the run.
class RunColumn : public QFrame
{
public:
    RunColumn(std::size_t run, const QString& label, const RunResult& result, bool isBase, QWidget* parent)
        : QFrame(parent)
    {
        setFrameShape(QFrame::StyledPanel);
        const ChartTheme theme = chartTheme(palette());
        auto* grid = new QGridLayout(this);
        grid->setContentsMargins(8, 3, 4, 3);
        grid->setSpacing(2);
        grid->setHorizontalSpacing(8);
        auto* head = new QLabel(QStringLiteral("<b><span style=\"color:%1\">%2</span></b>&nbsp; %3")
                                    .arg(compareColor(run, theme.dark).name(), compareLetter(run),
                                         fontMetrics()
                                             .elidedText(label, Qt::ElideMiddle, fontMetrics().averageCharWidth() * 34)
                                             .toHtmlEscaped()),
                                this);
        head->setToolTip(plainToolTip(label));
        QStringList facts;
        if (result.memory && result.memory->peakBytes > 0)
            facts << CompareColumns::tr("peak %1").arg(bytesText(result.memory->peakBytes));
        else if (peakClaim(result) != PeakClaim::None)
            facts << (predictionIsBound(result) ? CompareColumns::tr("planned for at most %1")
                                                : CompareColumns::tr("predicted %1"))
                         .arg(bytesText(result.prediction->peakBytes));
        if (result.timing && result.timing->medianStepSeconds > 0) {
            const QString step = QString::fromStdString(formatSeconds(result.timing->medianStepSeconds));
            facts << (tooBusy(timedRounds(result)) ? CompareColumns::tr("step %1, machine busy").arg(step)
                                                   : CompareColumns::tr("step %1").arg(step));
        }
        if (facts.isEmpty())
            facts << CompareColumns::tr("nothing measured");
        QStringList marks;
        if (isBase)
            marks << CompareColumns::tr("compared against");
        if (const QString badge = comparedBadge(result); !badge.isEmpty())
            marks << badge;
        // Where columns have little room facts give way, the last first; marks have a line with the name.
        auto* numbers = new PartsLabel(Qt::ElideRight, this);
        numbers->setText(facts.join(QStringLiteral(" · ")));
        numbers->setMinimumWidth(numbers->firstFactWidth());
        numbers->setToolTip(plainToolTip(numbers->text()));
        auto* mark = new ElidedLabel(marks.join(QStringLiteral(", ")), this);
        mark->setToolTip(plainToolTip(mark->text()));
        QPalette muted = mark->palette();
        muted.setColor(QPalette::WindowText, theme.mutedText);
        mark->setPalette(muted);
        remove = new QToolButton(this);
        remove->setAutoRaise(true);
        remove->setIcon(glyphIcon(Glyph::Close));
        remove->setIconSize(QSize(12, 12));
        remove->setToolTip(CompareColumns::tr("Take run %1 out of the comparison").arg(compareLetter(run)));
        remove->setAccessibleName(remove->toolTip());
        grid->addWidget(head, 0, 0);
        grid->addWidget(remove, 0, 2, Qt::AlignTop | Qt::AlignRight);
        grid->addWidget(mark, 0, 1);
        grid->addWidget(numbers, 1, 0, 1, 3);
        grid->setColumnStretch(1, 1);
        setCursor(Qt::PointingHandCursor);
        setToolTip(CompareColumns::tr("Double click: show this run alone"));
        setAccessibleName(compareLetter(run) + QLatin1Char(' ') + label + QStringLiteral(", ") +
                          facts.join(QStringLiteral(", ")));
    }

    QToolButton* remove = nullptr;
    std::function<void()> activated;

protected:
    void mouseDoubleClickEvent(QMouseEvent*) override
    {
        if (activated)
            activated();
    }
};

} // namespace

CompareColumns::CompareColumns(QWidget* parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* row = new QWidget(this);
    m_row = makeBox<QHBoxLayout>(row, {8, 6, 8, 2}, 8);
    setWidget(row);
    // Three lines of text, and the room of a scroll bar only where one is needed.
    setFixedHeight(fontMetrics().height() * 3 + 26);
}

void CompareColumns::setRuns(const std::vector<std::shared_ptr<const RunResult>>& runs, const QStringList& labels,
                             std::size_t base)
{
    while (QLayoutItem* item = m_row->takeAt(0)) {
        if (QWidget* column = item->widget()) {
            column->hide();
            column->deleteLater(); // a click on its own button may be under way
        }
        delete item;
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto* column = new RunColumn(i, labels.value(static_cast<qsizetype>(i)), *runs[i], i == base, widget());
        connect(column->remove, &QToolButton::clicked, this, [this, i] { emit removeRequested(i); });
        column->activated = [this, i] { emit activated(i); };
        m_row->addWidget(column, 1);
    }
}

} // namespace peakscope
