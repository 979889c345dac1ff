// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of an experiment: model, data, training, device. Every change is checked against the experiment's own
// rules (core/experiment), and what is wrong stands under the field it is about. GUI thread.
#pragma once

#include "app/form/curvature_fields.h"
#include "app/form/form_costs.h"
#include "app/form/form_fields.h"
#include "app/form/form_sections.h"
#include "app/form/launcher_fields.h"
#include "app/form/model_fields.h"
#include "app/form/perturbation_fields.h"
#include "app/jobs/command_consent.h"

#include <nlohmann/json.hpp>

#include <QString>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QComboBox;
class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace peakscope {

class DeviceChoice;

// One line: "opt-125m · 125.2 M parameters · batch 4 × 128 · adam · float32 · cpu".
QString experimentSummary(const nlohmann::json& experiment);

class ExperimentForm : public QWidget
{
    Q_OBJECT

public:
    explicit ExperimentForm(QWidget* parent = nullptr);

    // Fills the fields; keys that have no field are kept and handed back by document(). `origin`: where it came from.
    void setDocument(const nlohmann::json& experiment, const Origin& origin = {});
    nlohmann::json document() const;
    // Where that came from, with the launcher that was typed since.
    Origin origin() const { return m_launcher.origin(); }

    // Checks at once rather than when the user pauses.
    void validate();
    bool isValid() const { return m_valid; }

    // Whether it stands for this experiment, whatever is spelled out.
    bool holds(const nlohmann::json& experiment) const;
    // Whether a curvature run goes on from what an interrupted one had finished.
    bool resumeWanted() const { return m_curvature.resumeWanted(); }

    // Local devices in addition to auto and cpu: (id, title).
    void setDevices(const std::vector<std::pair<QString, QString>>& devices);
    // The cards that can be acted out, those chosen lately first.
    void offerCards();
    // Ways to run elsewhere: (name, the launcher's words). The choice and the words follow one another.
    void setLaunchers(const std::vector<std::pair<QString, QStringList>>& launchers)
    {
        m_launcher.setLaunchers(launchers);
    }
    QComboBox* machineField() const { return m_launcher.machine(); }
    // The words as they stand in the field.
    QStringList launcher() const { return m_launcher.words(); }
    // Fills the model list from the catalogue; done at the first show, so that the window opens at once.
    void loadCatalogue();

    // Lays itself out for so many pixels: the third column goes below the first where it does not fit beside the
    // second.
    void fit(int width);

    // The field of a dotted key, for keyboard focus and tests; null where there is none.
    QWidget* field(const std::string& key) const;
    // What is said under a field; empty where it is right.
    QString problem(const std::string& key) const;

signals:
    void documentChanged();
    void validated(bool valid);
    void predicting(); // what was predicted is of something else by now
    // Of what stands there; nothing: not known. `fitted`: with the sizes that it takes; null: as it stands.
    void predicted(const std::optional<peakscope::PredictedPeak>& peak, const nlohmann::json& fitted);
    // Another machine was chosen, or the words were changed and left.
    void launcherChosen(const QStringList& words);
    void launcherReplaced(); // with the document
    void manageLaunchersRequested();

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void buildKind(QVBoxLayout* column);
    void buildData(QVBoxLayout* column);
    void buildTraining(QVBoxLayout* column);
    void buildDevice(QVBoxLayout* column);
    void onKindChosen();
    void onEdited();
    void updateVisibleFields();
    void showCosts(const FormCosts::Answer& answer);
    FormField* fieldForProblem(const std::string& key);

    QGridLayout* m_columns = nullptr;
    std::array<QVBoxLayout*, 3> m_column{};
    FormFields m_fields;
    ModelFields m_model;
    LauncherFields m_launcher;
    CurvatureFields m_curvature;
    PerturbationFields m_perturbation;
    FormSections m_sections;
    FormCosts m_costs;
    DeviceChoice* m_devices = nullptr;
    QWidget* m_trainingBox = nullptr;
    QWidget* m_curvatureBox = nullptr;    // in place of the training where the kind is curvature
    QWidget* m_perturbationBox = nullptr; // below the training where the kind is prm
    QLabel* m_general = nullptr;          // problems that belong to no field
    QTimer m_validation;
    nlohmann::json m_base = nlohmann::json::object(); // what was given, for keys without a field
    bool m_valid = false;
    bool m_catalogueLoaded = false;
};

} // namespace peakscope
