// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/run_header.h"

#include "app/library/library_panel.h"
#include "app/parts/device_choice.h"
#include "app/parts/icons.h"
#include "app/parts/parts_label.h"
#include "app/parts/remaining_text.h"
#include "app/run/run_answer.h"
#include "app/shell/prediction_words.h"
#include "core/base/units.h"
#include "core/import/read_any.h"
#include "core/results/dry_result.h"
#include "core/results/prediction_bound.h"
#include "core/results/sweeps/sweep_document.h"
#include "core/results/sweeps/timed_round.h"
#include "widgets/look/pieces.h"
#include "widgets/look/theme.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/number_text.h"
#include "widgets/text/plain_text.h"

#include <QEvent>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace peakscope {

namespace {

QString resultFacts(const RunResult& result)
{
    QStringList facts;
    if (const QString answer = curvatureAnswer(result); !answer.isEmpty())
        facts << answer;
    if (result.memory && peakClaim(result) != PeakClaim::None)
        facts << predictionText(result);
    else if (result.memory)
        facts << RunHeader::tr("peak %1").arg(QString::fromStdString(formatBytes(result.memory->peakBytes)));
    if (result.timing && result.timing->medianStepSeconds > 0)
        facts << RunHeader::tr("step %1").arg(QString::fromStdString(formatSeconds(result.timing->medianStepSeconds)));
    if (result.loss)
        facts << RunHeader::tr("loss %1").arg(compactNumber(*result.loss, 5));
    return facts.join(QStringLiteral("  ·  "));
}

} // namespace

RunHeader::RunHeader(QWidget* parent) : QWidget(parent)
{
    auto* row = makeBox<QHBoxLayout>(this, {8, 4, 8, 4}, 8);
    m_title = new PartsLabel(Qt::ElideRight, this);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setObjectName(QStringLiteral("runTitle"));
    makeBold(m_title);
    m_badges = new QHBoxLayout;
    m_badges->setSpacing(4);
    m_facts = new PartsLabel(Qt::ElideNone, this);
    makeYielding(m_facts, "runFacts");
    m_remaining = new QLabel(this);
    m_remaining->setTextFormat(Qt::PlainText);
    m_progress = new QProgressBar(this);
    m_progress->setRange(0, 1000);
    m_progress->setFixedWidth(120);
    m_progress->setMaximumHeight(fontMetrics().height() + 2);
    m_ranks = new QToolButton(this);
    m_ranks->setCheckable(true);
    m_ranks->setObjectName(QStringLiteral("ranksButton"));
    m_ranks->hide();
    connect(m_ranks, &QToolButton::clicked, this, &RunHeader::ranksToggled);
    m_stop = new QToolButton(this);
    m_stop->setIcon(glyphIcon(Glyph::Stop));
    m_stop->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_stop->setObjectName(QStringLiteral("stopButton"));
    m_again = new QToolButton(this);
    m_again->setIcon(glyphIcon(Glyph::NewRun));
    m_again->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_again->setObjectName(QStringLiteral("againButton"));
    connect(m_stop, &QToolButton::clicked, this, &RunHeader::stopRequested);
    connect(m_again, &QToolButton::clicked, this, &RunHeader::runAgainRequested);
    row->addWidget(m_title);
    row->addLayout(m_badges);
    row->addWidget(m_facts, 1);
    row->addWidget(m_remaining);
    row->addWidget(m_progress);
    row->addWidget(m_ranks);
    row->addWidget(m_stop);
    row->addWidget(m_again);
    inLanguage(this, [this] {
        m_progress->setAccessibleName(tr("Progress of the run"));
        m_ranks->setToolTip(tr("Shows the memory of every rank side by side, with their differences"));
        m_stop->setText(tr("Stop"));
        m_stop->setToolTip(tr("Stops the run; what was measured until then is kept"));
        m_again->setText(tr("Run again"));
        sayAgain();
    });
}

void RunHeader::showRun(const RunInfo& info)
{
    m_title->setText(info.title);
    const bool going = !isFinished(info.state);
    m_progress->setVisible(going && info.fraction >= 0);
    m_remaining->setVisible(going);
    m_stop->setEnabled(going && info.state != RunState::Stopping);
    setAgain(going ? Again::Going : info.program ? Again::Program : Again::Experiment);
    m_progress->setValue(qRound(info.fraction * 1000));
    m_progress->setToolTip(plainToolTip(info.progressMessage));
    m_remaining->setText(info.remainingSeconds ? tr("%1 left").arg(remainingText(*info.remainingSeconds))
                                               : info.progressMessage);
    m_remaining->setToolTip(plainToolTip(info.progressMessage));
    if (!going && info.outcome.result) {
        showResult(info.title, *info.outcome.result, info.state, info.program.has_value());
        return;
    }
    const bool bad = info.state == RunState::Failed;
    std::vector<std::pair<QString, Tone>> badges{{stateTitle(info), bad ? Tone::Bad : Tone::Neutral}};
    if (isDryExperiment(info.experiment))
        badges.emplace_back(tr("dry run"), Tone::Warning);
    setBadges(badges);
}

void RunHeader::showResult(const QString& title, const RunResult& result, RunState state, bool recordedHere)
{
    const bool going = !isFinished(state);
    m_title->setText(title);
    m_progress->setVisible(going);
    m_remaining->hide();
    m_stop->setEnabled(going);
    setAgain(going                     ? Again::Going
             : recordedHere            ? Again::Program
             : holdsExperiment(result) ? Again::Experiment
             : importedFormat(result)  ? Again::Imported
                                       : Again::ProgramInFile);
    std::vector<std::pair<QString, Tone>> badges;
    const Tone tone = going                         ? Tone::Neutral
                      : state == RunState::Complete ? Tone::Good
                      : state == RunState::Failed   ? Tone::Bad
                                                    : Tone::Warning;
    badges.emplace_back(stateTitle(result, state), tone);
    if (result.synthetic)
        badges.emplace_back(tr("synthetic"), Tone::Warning);
    if (isDry(result))
        badges.emplace_back(tr("dry run"), Tone::Warning);
    if (result.other.contains("source"))
        badges.emplace_back(tr("imported"), Tone::Neutral);
    if (result.memory && result.memory->timeline.merged)
        badges.emplace_back(tr("merged timeline"), Tone::Neutral);
    setBadges(badges);
    setFacts(resultFacts(result));
}

void RunHeader::setAgain(Again again)
{
    m_whatAgain = again;
    m_again->setEnabled(again == Again::Experiment || again == Again::Program);
    sayAgain();
}

void RunHeader::sayAgain()
{
    const auto text = [](Again again) {
        switch (again) {
        case Again::Experiment:
            break;
        case Again::Program:
            return tr("Starts the same program once more (F5)");
        case Again::Going:
            return tr("Not finished yet");
        case Again::ProgramInFile:
            return tr("The file of a program: start the program in Run, Your program…");
        case Again::Imported:
            return tr("Result of another program: it contains no experiment to run again");
        }
        return tr("Starts the same experiment once more (F5)");
    };
    m_again->setToolTip(text(m_whatAgain));
}

void RunHeader::setPoints(const SweepDocument& sweep)
{
    const auto count = [&sweep](SweepCellState state) {
        return std::count_if(sweep.points.begin(), sweep.points.end(),
                             [state](const SweepPoint& point) { return point.state() == state; });
    };
    const auto all = std::ssize(sweep.points), finished = static_cast<std::ptrdiff_t>(sweep.finished());
    const auto impossible = count(SweepCellState::Impossible), foretold = count(SweepCellState::PredictedOverBudget);
    QStringList facts{
        tr("%1 of %2 points", "of a sweep: finished, all").arg(finished - impossible - foretold).arg(all)};
    if (impossible > 0)
        facts << tr("%1 left out: their values are incompatible").arg(impossible);
    if (foretold > 0)
        facts << tr("%1 left out: predicted to exceed the budget").arg(foretold);
    const auto busy = std::count_if(sweep.points.begin(), sweep.points.end(),
                                    [](const SweepPoint& point) { return tooBusy(roundsFromJson(point.other)); });
    if (busy > 0)
        facts << tr("times of %1 on a busy machine: not to be compared").arg(busy);
    setFacts(facts.join(QStringLiteral("  ·  ")));
    m_progress->setValue(all > 0 ? static_cast<int>(1000 * finished / all) : 0);
    m_progress->setToolTip(plainToolTip(m_facts->text()));
}

void RunHeader::setFacts(const QString& facts)
{
    m_facts->setText(facts);
    m_facts->setToolTip(plainToolTip(facts));
}

void RunHeader::setRanks(int ranks, bool shown)
{
    m_ranks->setText(tr("%1 ranks").arg(QLocale().toString(ranks)));
    m_ranks->setVisible(ranks > 1);
    m_ranks->setChecked(shown && ranks > 1);
}

void RunHeader::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitTitle();
}

bool RunHeader::event(QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest && m_facts)
        fitTitle();
    return QWidget::event(event);
}

// The title stands in the inspector and the library too: so it gives way before the numbers do, down to its own first
// part.
void RunHeader::fitTitle()
{
    // The layout counts the facts as nothing, for they yield, and the title as far as it may go.
    const int counted = std::min(m_title->sizeHint().width(), m_title->maximumWidth());
    const int room = width() - (layout()->sizeHint().width() - counted) - m_facts->firstFactWidth();
    const QString shown = m_title->shownIn(std::max(room, m_title->firstFactWidth()));
    m_title->setMaximumWidth(shown == m_title->text() ? QWIDGETSIZE_MAX
                                                      : m_title->fontMetrics().horizontalAdvance(shown));
    m_title->setToolTip(plainToolTip(m_title->text()));
}

void RunHeader::setBadges(const std::vector<std::pair<QString, Tone>>& badges)
{
    if (badges == m_badgeList)
        return;
    m_badgeList = badges;
    m_badgeTexts.clear();
    for (const auto& badge : badges)
        m_badgeTexts << badge.first;
    while (QLayoutItem* item = m_badges->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const auto& [text, tone] : m_badgeList)
        m_badges->addWidget(new Badge(text, tone));
}

} // namespace peakscope
