// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a sweep varies: any keys of the present set-up and their values; the last row is always free for another.
// Checked at every change by the sweep's own rules (core/experiment). GUI thread.
#pragma once

#include "app/jobs/sweep_machines.h"

#include <nlohmann/json.hpp>

#include <QDialog>
#include <QStringList>

#include <vector>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace peakscope {

struct SweepPlan;

class SweepDialog : public QDialog
{
    Q_OBJECT

public:
    // `base`: the experiment that the grid changes; `summary`: it in a line.
    SweepDialog(const nlohmann::json& base, const QString& summary, QWidget* parent = nullptr);

    // The rows and choices of a sweep that stands in a file, in place of the proposals; `base` is the constructor's.
    void fill(const SweepPlan& plan);

    // As a SWEEP.json; whole only where isValid().
    nlohmann::ordered_json document() const;
    SweepMachines machines() const;
    bool isValid() const { return m_valid; }

    QComboBox* keyField(std::size_t axis) const { return m_axes.at(axis).key; }
    QLineEdit* valuesField(std::size_t axis) const { return m_axes.at(axis).values; }
    QSpinBox* workersField() const { return m_workers; }
    QLineEdit* hostsField() const { return m_hosts; }
    QString verdict() const; // what is said under the fields
    QPushButton* runButton() const { return m_run; }

private:
    struct Axis {
        QComboBox* key = nullptr;
        QLineEdit* values = nullptr;
    };

    QWidget* axesBox();
    void addAxis(const QString& key, const QString& values);
    QWidget* optionsBox();
    void addHands(QFormLayout* form);
    bool hasLauncher() const; // the experiment is started through a command of its own
    void check();

    nlohmann::json m_base;
    QGridLayout* m_grid = nullptr; // of the axes
    std::vector<Axis> m_axes;
    QSpinBox* m_repeats = nullptr;
    QCheckBox* m_timing = nullptr;
    QCheckBox* m_predict = nullptr;
    QSpinBox* m_workers = nullptr;
    QLineEdit* m_hosts = nullptr;
    QLabel* m_verdict = nullptr;
    QPushButton* m_run = nullptr;
    bool m_valid = false;
};

// "128, 256" as numbers, "none, flash" as words, "true" and "[1, 2]" as JSON has them; empty parts are left out.
nlohmann::json sweepValuesFromText(const QString& text);
// The text that says these values.
QString sweepValuesText(const std::vector<nlohmann::json>& values);

} // namespace peakscope
