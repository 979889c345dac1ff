// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a curvature experiment within its form. GUI thread.
#pragma once

#include <QCheckBox>
#include <QObject>

class QGridLayout;
class QVBoxLayout;

namespace peakscope {

class FormFields;

class CurvatureFields : public QObject
{
    Q_OBJECT

public:
    CurvatureFields(FormFields& fields, QWidget* page) : QObject(page), m_fields(fields), m_page(page) {}

    void build(QVBoxLayout* column);
    void update(); // which fields are there
    void fillUsual();
    // Whether a run goes on from what an interrupted one had finished.
    bool resumeWanted() const { return m_resume->isChecked(); }

private:
    void addQuantities(QGridLayout* grid);

    FormFields& m_fields;
    QWidget* m_page;
    QCheckBox* m_resume = nullptr;
};

} // namespace peakscope
