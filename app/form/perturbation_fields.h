// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a perturbation experiment within its form. GUI thread.
#pragma once

#include <QObject>

class QGridLayout;
class QVBoxLayout;

namespace peakscope {

class FormFields;

class PerturbationFields : public QObject
{
    Q_OBJECT

public:
    PerturbationFields(FormFields& fields, QObject* parent) : QObject(parent), m_fields(fields) {}

    void build(QVBoxLayout* column);
    void update(); // which fields of the training are there

private:
    void addAttacks(QGridLayout* grid);

    FormFields& m_fields;
};

} // namespace peakscope
