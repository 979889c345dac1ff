// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start_door.h"

#include "widgets/look/pieces.h"

#include <QLabel>
#include <QPainter>

namespace peakscope {

namespace {

constexpr int kDoorPadding = 10;
constexpr QSize kPictureSize(128, 72);

} // namespace

StartDoor::StartDoor(LanguageText title, LanguageText sentence, QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this, {kDoorPadding, kDoorPadding, kDoorPadding, kDoorPadding}, 8);
    auto* top = new QHBoxLayout;
    top->setSpacing(10);
    m_place = new QWidget(this);
    m_place->setFixedSize(kPictureSize);
    m_place->setAttribute(Qt::WA_TransparentForMouseEvents);
    top->addWidget(m_place, 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    auto* heading = new QLabel(this);
    makeBold(heading);
    auto* text = new QLabel(this);
    text->setWordWrap(true);
    text->setForegroundRole(QPalette::PlaceholderText);
    words->addWidget(heading);
    words->addWidget(text);
    words->addStretch(1);
    top->addLayout(words, 1);
    layout->addLayout(top, 1);
    m_row = new QHBoxLayout;
    m_row->setSpacing(6);
    layout->addLayout(m_row);
    inLanguage(this, [heading, text, title = std::move(title), sentence = std::move(sentence)] {
        heading->setText(title.say());
        text->setText(sentence.say());
    });
}

void StartDoor::setPicture(Picture picture)
{
    m_picture = std::move(picture);
    update();
}

void StartDoor::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ChartTheme theme = chartTheme(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(palette().color(QPalette::Base));
    painter.setPen(theme.grid);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QRectF area = m_place->geometry();
    painter.setClipRect(area);
    if (m_picture)
        m_picture(painter, area, theme);
}

} // namespace peakscope
