// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_head.h"

#include "app/parts/elided_label.h"
#include "app/parts/icons.h"
#include "app/shell/next_actions.h"
#include "widgets/analysis/analysis_style.h"
#include "widgets/look/badge.h"
#include "widgets/look/pieces.h"
#include "widgets/plan/answer_label.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/plain_text.h"

#include <QProgressBar>
#include <QToolButton>

namespace peakscope {

namespace {

constexpr int kWhole = 1000; // of the progress bar

} // namespace

AnalyseHead::AnalyseHead(QWidget* parent) : QWidget(parent)
{
    auto* says = new QWidget(this);
    auto* column = makeBox<QVBoxLayout>(says, {}, 0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 4, 8, 0);
    row->setSpacing(8);
    column->addLayout(row);
    m_answer = new AnswerLabel(this);
    column->addWidget(m_answer);
    m_title = new QLabel(this);
    m_title->setTextFormat(Qt::PlainText);
    makeBold(m_title);
    m_badges = new Badge;
    m_badges->setObjectName(QStringLiteral("analyseBadges"));
    m_status = makeYielding(new ElidedLabel(this), "analyseStatus");
    m_stop = new QToolButton(this);
    m_stop->setIcon(glyphIcon(Glyph::Stop));
    m_stop->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_stop->setAutoRaise(true);
    m_progress = new QProgressBar(this);
    m_progress->setRange(0, kWhole);
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(110, 8);
    m_progress->hide(); // only the status gives way when they come
    m_stop->hide();
    row->addWidget(m_title);
    row->addWidget(m_badges);
    row->addWidget(m_status, 1);
    row->addWidget(m_progress);
    row->addWidget(m_stop);
    row->addStrut(m_stop->sizeHint().height() + 2); // as high without it
    m_next = new NextActions(this);
    m_next->addForResult();
    setLayout(m_next->rowWith(says));
    connect(m_next, &NextActions::actionRequested, this, &AnalyseHead::actionRequested);
    connect(m_stop, &QToolButton::clicked, this, &AnalyseHead::stopRequested);
    inLanguage(this, [this] {
        m_stop->setText(tr("Stop"));
        m_progress->setAccessibleName(tr("Progress of the embedding"));
    });
}

void AnalyseHead::setTitle(const QString& title, bool isResult)
{
    m_title->setText(title);
    m_next->setVisible(isResult);
}

void AnalyseHead::setBadges(const QStringList& words, bool warns)
{
    m_badges->setText(words.join(QStringLiteral(" · ")));
    m_badges->setVisible(!words.isEmpty());
    m_badges->setTone(warns ? Tone::Warning : Tone::Neutral);
}

void AnalyseHead::setStatus(const QString& text, const std::shared_ptr<const AnalysisData>& data)
{
    setAnswer(data);
    m_status->setText(text);
    m_status->setToolTip(plainToolTip(text));
}

void AnalyseHead::setAnswer(const std::shared_ptr<const AnalysisData>& data)
{
    if (!data || data->synthetic || data->conclusions.empty()) {
        m_answer->setAnswer(LanguageText());
        return;
    }
    m_answer->setAnswer([data] {
        QStringList parts;
        for (const ConclusionRow& row : data->conclusions) {
            const QString claim = row.group == "Wfunc"   ? tr("Wfunc carries function: %1")
                                  : row.group == "Wsens" ? tr("Wsens carries what was memorised: %1")
                                                         : tr("Wboth carries both: %1");
            parts << claim.arg(verdictTitle(row.verdict));
        }
        return parts.join(QStringLiteral("  ·  "));
    });
}

QString AnalyseHead::answer() const
{
    return m_answer->text();
}

void AnalyseHead::setBusy(bool busy)
{
    m_progress->setVisible(busy);
    m_stop->setVisible(busy);
}

void AnalyseHead::setProgress(double share)
{
    m_progress->setValue(static_cast<int>(share * kWhole));
}

QString AnalyseHead::badges() const
{
    return m_badges->text();
}

QString AnalyseHead::status() const
{
    return m_status->text();
}

} // namespace peakscope
