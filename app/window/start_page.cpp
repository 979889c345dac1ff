// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start_page.h"

#include "widgets/look/pieces.h"
#include "widgets/look/theme.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/plain_text.h"

#include <QCommandLinkButton>
#include <QEnterEvent>
#include <QFileInfo>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStyleOptionFocusRect>

namespace peakscope {

namespace {

constexpr int kPadding = 12;
constexpr int kCardIcon = 28;
constexpr int kPageWidth = 800;

} // namespace

StartCard::StartCard(LanguageText title, LanguageText sentence, Glyph glyph, QWidget* parent)
    : QAbstractButton(parent), m_glyph(glyph)
{
    inLanguage(this, [this, title = std::move(title), sentence = std::move(sentence)] {
        m_sentence = sentence.say();
        setText(title.say());
        setAccessibleDescription(m_sentence);
        updateGeometry();
    });
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

QSize StartCard::sizeHint() const
{
    constexpr int kWidth = 240;
    return {kWidth, heightForWidth(kWidth)};
}

QSize StartCard::minimumSizeHint() const
{
    constexpr int kWidth = 160;
    return {kWidth, heightForWidth(kWidth)};
}

int StartCard::heightForWidth(int width) const
{
    const QRect text =
        fontMetrics().boundingRect(QRect(0, 0, width - 2 * kPadding, 1000), Qt::TextWordWrap, m_sentence);
    return kPadding + kCardIcon + 8 + fontMetrics().height() + 4 + text.height() + kPadding;
}

void StartCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ChartTheme theme = chartTheme(palette());
    const bool hot = (underMouse() || hasFocus()) && isEnabled();
    QColor fill = palette().color(QPalette::Base);
    if (isDown())
        fill = mixed(fill, theme.accent, 0.2);
    else if (underMouse())
        fill = mixed(fill, theme.accent, 0.08);
    painter.setBrush(fill);
    painter.setPen(QPen(hot ? theme.accent : theme.grid, hot ? 1.5 : 1));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);

    const QRect area = rect().adjusted(kPadding, kPadding, -kPadding, -kPadding);
    drawGlyph(painter, m_glyph, QRectF(area.left(), area.top(), kCardIcon, kCardIcon), theme.accent);
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::Text));
    const int lineHeight = fontMetrics().height();
    QRect line(area.left(), area.top() + kCardIcon + 8, area.width(), lineHeight);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, text());
    painter.setFont(font());
    painter.setPen(theme.mutedText);
    line = QRect(area.left(), line.bottom() + 4, area.width(), area.bottom() - line.bottom());
    painter.drawText(line, Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop, m_sentence);
}

void StartCard::enterEvent(QEnterEvent* event)
{
    QAbstractButton::enterEvent(event);
    update();
}

void StartCard::leaveEvent(QEvent* event)
{
    QAbstractButton::leaveEvent(event);
    update();
}

StartPage::StartPage(QWidget* parent) : QWidget(parent)
{
    auto* outer = makeBox<QHBoxLayout>(this, {24, 24, 24, 24});
    auto* page = new QWidget(this);
    page->setMaximumWidth(kPageWidth);
    outer->addStretch(1);
    outer->addWidget(page, 100);
    outer->addStretch(1);
    auto* layout = new QVBoxLayout(page);
    layout->setSpacing(8);
    layout->addStretch(1);
    auto* heading = new QLabel(QStringLiteral("Peakscope"), page);
    QFont large = heading->font();
    large.setPointSizeF(large.pointSizeF() * 1.8);
    large.setBold(true);
    heading->setFont(large);
    layout->addWidget(heading);
    auto* sentence = new QLabel(page);
    sentence->setWordWrap(true);
    layout->addWidget(sentence);
    layout->addSpacing(8);

    auto* doors = new QHBoxLayout;
    doors->setSpacing(12);
    auto* plan =
        new StartCard([] { return tr("Plan for my GPU"); },
                      [] { return tr("What fits a device, and which strategy to run on it."); }, Glyph::Plan, page);
    auto* profile =
        new StartCard([] { return tr("Profile a run"); },
                      [] { return tr("Train a few real steps and watch their memory, live."); }, Glyph::Run, page);
    auto* open = new StartCard([] { return tr("Open results"); },
                               [] { return tr("Look at saved runs. Files can also be dropped on the window."); },
                               Glyph::Open, page);
    plan->setObjectName(QStringLiteral("planDoor"));
    profile->setObjectName(QStringLiteral("profileDoor"));
    open->setObjectName(QStringLiteral("openDoor"));
    for (StartCard* door : {plan, profile, open})
        doors->addWidget(door, 1);
    layout->addLayout(doors);

    auto* demo = new QHBoxLayout;
    demo->setSpacing(8);
    auto* demoLabel = new QLabel(page);
    m_demoResult = new QPushButton(glyphIcon(Glyph::Run), {}, page);
    auto* demoRun = new QPushButton(glyphIcon(Glyph::NewRun), {}, page);
    m_demoResult->setObjectName(QStringLiteral("demoResult"));
    demoRun->setObjectName(QStringLiteral("demoRun"));
    demo->addWidget(demoLabel);
    demo->addWidget(m_demoResult);
    demo->addWidget(demoRun);
    demo->addStretch(1);
    layout->addSpacing(8);
    layout->addLayout(demo);

    m_recentTitle = new QLabel(page);
    makeBold(m_recentTitle);
    layout->addSpacing(8);
    layout->addWidget(m_recentTitle);
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(0);
    layout->addLayout(m_recent);
    layout->addStretch(2);
    setRecentFiles({});

    connect(plan, &QAbstractButton::clicked, this, &StartPage::planRequested);
    connect(profile, &QAbstractButton::clicked, this, &StartPage::profileRequested);
    connect(open, &QAbstractButton::clicked, this, &StartPage::openRequested);
    connect(m_demoResult, &QAbstractButton::clicked, this, &StartPage::demoResultRequested);
    connect(demoRun, &QAbstractButton::clicked, this, &StartPage::demoRunRequested);
    inLanguage(this, [this, sentence, demoLabel, demoRun] {
        sentence->setText(tr("Where does the memory of a training step go? See every byte by component, phase, "
                             "module and operator, live."));
        demoLabel->setText(tr("New here?"));
        m_demoResult->setText(tr("Look at the demo's results"));
        m_demoResult->setToolTip(
            tr("Two finished runs that come with the program: training steps, and noise in weights"));
        demoRun->setText(tr("Run the demo now"));
        demoRun->setToolTip(tr("A few training steps of a model on built-in data. Then noise is added to classes of "
                               "weights of a smaller one. Takes a minute or two."));
        m_recentTitle->setText(tr("Recent files"));
    });
}

void StartPage::setDemoAvailable(bool available)
{
    m_demoResult->setVisible(available);
}

void StartPage::setRecentFiles(const QStringList& files)
{
    constexpr int kShown = 6;
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (const QString& path : files.mid(0, kShown)) {
        auto* button = new QToolButton(this);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIcon(glyphIcon(Glyph::Run));
        button->setText(QFileInfo(path).fileName());
        button->setToolTip(plainToolTip(path));
        connect(button, &QToolButton::clicked, this, [this, path] { emit fileRequested(path); });
        m_recent->addWidget(button, 0, Qt::AlignLeft);
    }
    m_recentTitle->setVisible(!files.isEmpty());
}

} // namespace peakscope
