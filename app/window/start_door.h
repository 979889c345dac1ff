// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A card of the start page: a picture, what one can do there, and the fields to begin with. GUI thread.
#pragma once

#include "widgets/look/theme.h"
#include "widgets/text/language_texts.h"

#include <QRectF>
#include <QWidget>

#include <functional>

class QHBoxLayout;
class QPainter;

namespace peakscope {

class StartDoor : public QWidget
{
    Q_OBJECT

public:
    using Picture = std::function<void(QPainter& painter, const QRectF& area, const ChartTheme& theme)>;

    StartDoor(LanguageText title, LanguageText sentence, QWidget* parent);

    // Where its fields and buttons go.
    QHBoxLayout* row() const { return m_row; }
    // Empty until it is known.
    void setPicture(Picture picture);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Picture m_picture;
    QWidget* m_place = nullptr; // of the picture
    QHBoxLayout* m_row = nullptr;
};

} // namespace peakscope
