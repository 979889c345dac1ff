// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_head.h"

#include "app/parts/elided_label.h"
#include "app/parts/icons.h"
#include "widgets/look/pieces.h"
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
    auto* row = makeBox<QHBoxLayout>(this, {8, 4, 8, 0}, 8);
    m_title = new QLabel(this);
    m_title->setTextFormat(Qt::PlainText);
    makeBold(m_title);
    m_badges = new QLabel(this);
    m_badges->setObjectName(QStringLiteral("analyseBadges"));
    m_badges->setTextFormat(Qt::PlainText);
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
    setMinimumHeight(m_stop->sizeHint().height() + 6);
    connect(m_stop, &QToolButton::clicked, this, &AnalyseHead::stopRequested);
    inLanguage(this, [this] {
        m_stop->setText(tr("Stop"));
        m_progress->setAccessibleName(tr("Progress of the embedding"));
    });
}

void AnalyseHead::setTitle(const QString& title)
{
    m_title->setText(title);
}

void AnalyseHead::setBadges(const QStringList& words, bool warns)
{
    m_badges->setText(words.isEmpty() ? QString() : QStringLiteral(" %1 ").arg(words.join(QStringLiteral(" · "))));
    m_badges->setVisible(!words.isEmpty());
    m_badges->setStyleSheet(warns ? QStringLiteral("background:#fff0e6;color:#a83200;border:1px solid #a83200;"
                                                   "border-radius:3px;padding:1px 4px;font-weight:bold")
                                  : QStringLiteral("border:1px solid palette(mid);border-radius:3px;padding:1px 4px"));
}

void AnalyseHead::setStatus(const QString& text)
{
    m_status->setText(text);
    m_status->setToolTip(plainToolTip(text));
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
