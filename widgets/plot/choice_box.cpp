// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/choice_box.h"

#include <QAbstractItemView>
#include <QStylePainter>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kAir = 4; // pixels beside the text
constexpr int kLeastLetters = 12;

} // namespace

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent)
{
    connect(this, &QComboBox::currentTextChanged, this, &QWidget::updateGeometry);
}

QSize ChoiceBox::sizeHint() const
{
    const QSize widest = QComboBox::sizeHint();
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QSize text(fontMetrics().horizontalAdvance(currentText()) + kAir + 2, fontMetrics().height());
    return {style()->sizeFromContents(QStyle::CT_ComboBox, &option, text, this).width(), widest.height()};
}

QSize ChoiceBox::minimumSizeHint() const
{
    return {std::min(sizeHint().width(), kLeastLetters * fontMetrics().averageCharWidth()), sizeHint().height()};
}

// Its list has the room of its widest text.
void ChoiceBox::showPopup()
{
    view()->setMinimumWidth(view()->sizeHintForColumn(0) + 4 * kAir);
    QComboBox::showPopup();
}

void ChoiceBox::paintEvent(QPaintEvent*)
{
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    if (const int room = field.width() - kAir; fontMetrics().horizontalAdvance(option.currentText) > room)
        option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideMiddle, room);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace peakscope
