// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/message_bar.h"

#include "app/parts/icons.h"
#include "widgets/look/pieces.h"
#include "widgets/look/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QFontDatabase>
#include <QKeyEvent>
#include <QLayout>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTextDocument>
#include <QTimer>

#include <algorithm>
#include <chrono>

namespace peakscope {

namespace {

constexpr std::chrono::seconds kReadingTime{8};

QColor kindColor(MessageBar::Kind kind)
{
    switch (kind) {
    case MessageBar::Kind::Info:
        return QColor(0x00, 0x72, 0xb2);
    case MessageBar::Kind::Warning:
        return QColor(0xc7, 0x84, 0x00);
    case MessageBar::Kind::Error:
        return QColor(0xc9, 0x3a, 0x1e);
    }
    return {};
}

Glyph kindGlyph(MessageBar::Kind kind)
{
    switch (kind) {
    case MessageBar::Kind::Info:
        return Glyph::Info;
    case MessageBar::Kind::Warning:
        return Glyph::Warning;
    case MessageBar::Kind::Error:
        return Glyph::Failed;
    }
    return Glyph::Info;
}

} // namespace

MessageBar::MessageBar(QWidget* parent) : QFrame(parent)
{
    setFrameShape(QFrame::NoFrame);
    auto* layout = makeBox<QHBoxLayout>(this, {8, 4, 4, 4}, 8);
    m_icon = new QLabel(this);
    m_text = new QLabel(this);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setObjectName(QStringLiteral("messageText"));
    m_detail = new QPlainTextEdit(this);
    m_detail->setReadOnly(true);
    m_detail->setWordWrapMode(QTextOption::WrapAnywhere); // a long word would leave the window
    m_detail->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_detail->setTabChangesFocus(true);
    m_detail->setObjectName(QStringLiteral("messageDetail"));
    auto* column = new QVBoxLayout;
    column->addWidget(m_text);
    column->addWidget(m_detail);
    m_buttons = new QHBoxLayout;
    m_buttons->setSpacing(4);
    m_close = new QToolButton(this);
    m_close->setAutoRaise(true);
    m_close->setIcon(glyphIcon(Glyph::Close));
    connect(m_close, &QToolButton::clicked, this, &MessageBar::closeByUser);
    layout->addWidget(m_icon, 0, Qt::AlignTop);
    layout->addLayout(column, 1);
    layout->addLayout(m_buttons);
    layout->setAlignment(m_buttons, Qt::AlignTop);
    layout->addWidget(m_close, 0, Qt::AlignTop);
    inLanguage(this, [this] { say(); });
    hide();
}

void MessageBar::say()
{
    m_close->setToolTip(tr("Dismiss (Esc)"));
    m_close->setAccessibleName(tr("Dismiss the message"));
    m_text->setText(m_saying.say());
    for (const auto& [button, label] : m_labels)
        button->setText(label.say());
    const QString detail = m_detail->toPlainText();
    setAccessibleName(detail.isEmpty() ? m_text->text() : m_text->text() + u'\n' + detail);
}

int MessageBar::showMessage(Kind kind, LanguageText text, const std::vector<Action>& actions, const QString& detail)
{
    static quint64 shown = 0;
    m_kind = kind;
    m_outlastsPage = false;
    m_saying = std::move(text);
    m_labels.clear();
    showDetail(detail);
    while (QLayoutItem* item = m_buttons->takeAt(0)) {
        // The button whose click led here is still in its own event.
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (const auto& [label, action] : actions) {
        auto* button = new QPushButton(this);
        connect(button, &QPushButton::clicked, this, [run = action] { run(); });
        m_buttons->addWidget(button);
        m_labels.emplace_back(button, label);
    }
    recolor();
    say();
    if (isHidden())
        m_shownAt = ++shown;
    show();
    place();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
    const int message = ++m_message;
    // What only tells something leaves what lies below it free again.
    if (m_area && kind == Kind::Info && actions.empty()) {
        QTimer::singleShot(kReadingTime, this, [this, message] {
            if (shows(message) && !m_outlastsPage)
                dismiss();
        });
    }
    return message;
}

void MessageBar::endInTime()
{
    QTimer::singleShot(kReadingTime, this, [this, message = m_message] {
        if (shows(message))
            dismiss();
    });
}

// A few lines high; the rest is there by scrolling.
void MessageBar::showDetail(const QString& detail)
{
    constexpr qsizetype kUsualLine = 60; // characters, in a window of usual width
    constexpr int kMostLines = 8;
    m_detail->setVisible(!detail.isEmpty());
    m_detail->setPlainText(detail);
    m_detail->setAccessibleName(detail);
    int lines = 0;
    for (const QString& line : detail.split(u'\n'))
        lines = int(std::min<qsizetype>(lines + 1 + line.size() / kUsualLine, kMostLines));
    m_detail->setFixedHeight(lines * m_detail->fontMetrics().lineSpacing() +
                             2 * (m_detail->frameWidth() + qRound(m_detail->document()->documentMargin())));
}

QString MessageBar::detail() const
{
    return isHidden() ? QString() : m_detail->toPlainText();
}

QString MessageBar::text() const
{
    return isHidden() ? QString() : m_text->text();
}

void MessageBar::closeByUser()
{
    emit closedByUser(m_message);
    dismiss();
}

void MessageBar::dismiss()
{
    if (isHidden())
        return;
    hide();
    emit dismissed();
}

void MessageBar::layOver(QWidget* area)
{
    if (QWidget* parent = parentWidget(); parent && parent->layout())
        parent->layout()->removeWidget(this);
    m_area = area;
    setParent(area); // hidden now
    area->installEventFilter(this);
    if (auto* pages = qobject_cast<QStackedWidget*>(area)) // which raises the page that it shows
        connect(pages, &QStackedWidget::currentChanged, this, &MessageBar::place);
}

void MessageBar::layAbove(QWidget* foot)
{
    m_foot = foot;
    foot->installEventFilter(this);
}

void MessageBar::leavePage()
{
    if (!m_outlastsPage)
        dismiss();
}

QList<MessageBar*> MessageBar::shownBeside() const
{
    QList<MessageBar*> bars;
    for (MessageBar* bar : window()->findChildren<MessageBar*>()) {
        if (bar != this && bar->m_area && bar->isVisible())
            bars << bar;
    }
    return bars;
}

void MessageBar::place()
{
    constexpr int kMargin = 8, kGap = 4;
    if (!m_area || isHidden())
        return;
    const QList<MessageBar*> beside = shownBeside();
    QRect own(0, 0, std::max(m_area->width() - 2 * kMargin, 1), 0);
    const bool footed = m_foot && m_foot->isVisibleTo(m_area);
    const int floor = footed ? m_foot->mapTo(m_area, QPoint()).y() : m_area->height();
    own.setHeight(std::min(layout()->totalHeightForWidth(own.width()), floor));
    own.moveTopLeft(m_area->mapTo(window(), QPoint(kMargin, floor - kMargin - own.height())));
    for (bool moved = true; std::exchange(moved, false);) {
        for (const MessageBar* bar : beside) {
            const QRect other(bar->mapTo(window(), QPoint()), bar->size());
            if (bar->m_shownAt < m_shownAt && other.intersects(own)) {
                own.moveBottom(other.top() - kGap);
                moved = true;
            }
        }
    }
    const QPoint top = m_area->mapFrom(window(), own.topLeft());
    setGeometry(QRect(QPoint(top.x(), std::max(top.y(), 0)), own.size()));
    raise();
    for (MessageBar* bar : beside) {
        if (bar->m_shownAt > m_shownAt)
            bar->place();
    }
}

bool MessageBar::event(QEvent* event)
{
    const bool handled = QFrame::event(event);
    if (event->type() == QEvent::LayoutRequest)
        place();
    return handled;
}

bool MessageBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_area && (event->type() == QEvent::Resize || event->type() == QEvent::Show))
        place();
    if (watched == m_foot && (event->type() == QEvent::Move || event->type() == QEvent::Resize))
        place();
    return QFrame::eventFilter(watched, event);
}

void MessageBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange && m_icon)
        recolor();
    QFrame::changeEvent(event);
}

void MessageBar::hideEvent(QHideEvent* event)
{
    QFrame::hideEvent(event);
    if (m_area && !event->spontaneous()) {
        if (!isHidden()) // its area is
            leavePage();
        for (MessageBar* bar : shownBeside())
            bar->place();
    }
}

// In the colours of the moment. Over a page its edge tells it from what lies below.
void MessageBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ground = palette().color(QPalette::Window);
    painter.setPen(m_area ? QPen(mixed(ground, kindColor(m_kind), 0.7)) : QPen(Qt::NoPen));
    painter.setBrush(mixed(ground, kindColor(m_kind), 0.16));
    if (m_area)
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    else
        painter.drawRect(rect());
}

void MessageBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        closeByUser();
    else
        QFrame::keyPressEvent(event);
}

void MessageBar::recolor()
{
    const QColor color = kindColor(m_kind);
    const bool dark = palette().color(QPalette::Window).lightness() < 128;
    m_icon->setPixmap(
        glyphIcon(kindGlyph(m_kind), dark ? color.lighter(160) : color).pixmap(QSize(16, 16), devicePixelRatioF()));
    update();
}

} // namespace peakscope
