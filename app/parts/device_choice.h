// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The devices that an experiment's form offers: those of the machine, and under them the catalogue's cards that can be
// acted out, the ones chosen lately first. What is typed finds a card by any part of its name. GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <utility>
#include <vector>

class QComboBox;

namespace peakscope {

bool isDryExperiment(const nlohmann::json& experiment);
// "dry run on NVIDIA A800 SXM 80GB"; a device of a machine, and a card that the catalogue lacks, as it is written.
QString deviceTitle(const std::string& device);

class DeviceChoice : public QObject
{
    Q_OBJECT

public:
    // An entry's data is what the experiment says, its text what a person reads.
    explicit DeviceChoice(QComboBox* field);

    // (id, title), in addition to auto. What is chosen stays.
    void setDevices(const std::vector<std::pair<QString, QString>>& devices);
    // Reads the catalogue the first time; later the cards chosen lately come first anew.
    void offerCards();

signals:
    void filled(); // the field's model was emptied for it; the field itself says nothing of that

private:
    void fill();
    void sayTitles();

    QComboBox* m_field;
    std::vector<std::pair<QString, QString>> m_devices;
    std::vector<std::pair<QString, QString>> m_cards; // (device, tool tip), as the catalogue has them
};

} // namespace peakscope
