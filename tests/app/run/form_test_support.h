// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of an experiment's form by their keys.
#pragma once

#include "app/form/experiment_form.h"

#include <QComboBox>
#include <QLineEdit>

namespace peakscope::testing {

inline QLineEdit* line(const ExperimentForm& form, const char* key)
{
    return static_cast<QLineEdit*>(form.field(key));
}

inline QComboBox* choice(const ExperimentForm& form, const char* key)
{
    return static_cast<QComboBox*>(form.field(key));
}

} // namespace peakscope::testing
