// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan is made for: model, device, how many of it, goal, and what the user fixed. Two rows of fields on top of
// the Plan workspace. GUI thread.
#pragma once

#include "app/jobs/device_probe.h"
#include "app/plan/plan_worker.h"
#include "widgets/text/language_texts.h"

#include <QWidget>

#include <optional>
#include <string>
#include <utility>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QLineEdit;
class QSpinBox;

namespace peakscope {

// Equal for equal wishes.
std::string keyOf(const PlanRequest& request);

class PlanInputs : public QWidget
{
    Q_OBJECT

public:
    explicit PlanInputs(QWidget* parent = nullptr);

    // What stands in the fields, or the sentence that says which of them is wrong.
    Result<PlanRequest> request() const;
    // What stands in the fields of model and device.
    std::pair<std::string, std::string> modelAndDevice() const;
    // Fills the fields with what a plan was made for; does not emit.
    void setPlan(const PlanDocument& plan);
    // What stands in the fields, as they are, and the same back again; what is missing stays. Does not emit.
    nlohmann::json fields() const;
    void setFields(const nlohmann::json& fields);
    // Devices of this machine, offered before those of the catalogue.
    void setMachineDevices(const std::vector<MachineDevice>& devices);
    // A model or a device is being typed or chosen from its list: it may become another one yet.
    bool unfinished() const;
    // Fills the lists; done at the first show. An error is shown by the workspace.
    Status loadCatalogues();

    QComboBox* modelField() const { return m_model; }
    QComboBox* deviceField() const { return m_device; }
    QSpinBox* devicesField() const { return m_devices; }
    QComboBox* goalField() const { return m_goal; }
    QLineEdit* batchField() const { return m_batch; }
    QLineEdit* sequenceField() const { return m_sequence; }
    QComboBox* dtypeField() const { return m_dtype; }

signals:
    void edited();    // with every key
    void confirmed(); // Enter, or a choice made: no need to wait for more keys

private:
    void buildFields();
    QComboBox* addSearchable(int characters);
    void addField(LanguageText title, LanguageText tip, QWidget* field);
    void sayTips();
    void fillDevices();
    void chooseFolder();

    QHBoxLayout* m_row = nullptr; // the one being filled
    QComboBox* m_model = nullptr;
    QComboBox* m_device = nullptr;
    QSpinBox* m_devices = nullptr;
    QComboBox* m_goal = nullptr;
    QLineEdit* m_batch = nullptr;
    QLineEdit* m_sequence = nullptr;
    QComboBox* m_dtype = nullptr;
    std::vector<QComboBox*> m_searchable; // m_model and m_device
    std::vector<MachineDevice> m_machine;
    std::vector<std::pair<QString, LanguageText>> m_catalogue; // id, what it is
    std::vector<LanguageText> m_modelTips;                     // of the catalogue, in its order
    bool m_filling = false;
};

} // namespace peakscope
