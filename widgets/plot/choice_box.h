// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A choice above a plot: as wide as what is chosen, not as the widest that could be; where it has to give way its text
// gives up the middle. GUI thread.
#pragma once

#include <QComboBox>

namespace peakscope {

class ChoiceBox : public QComboBox
{
    Q_OBJECT

public:
    explicit ChoiceBox(QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    void showPopup() override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace peakscope
