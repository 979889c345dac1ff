// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs planned experiments dry on their card, the first ones first, to say what they reserve. Each is a question to
// peakscope-cli, which keeps the answers. GUI thread.
#pragma once

#include "core/results/plans/dry_proof.h"

#include <nlohmann/json.hpp>

#include <QObject>
#include <QString>

#include <deque>
#include <vector>

namespace peakscope {

class JobProcess;
struct JobEnd;

class PlanProver : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;
    ~PlanProver() override;

    // In place of what was asked for before. `device` is an id of the catalogue. proved() follows for each that could
    // run; after a failure the others are not tried.
    void prove(const std::vector<nlohmann::json>& experiments, const QString& device);
    void stop();
    bool proving() const { return !m_running.empty(); }

signals:
    void proved(const nlohmann::json& experiment, const peakscope::DryProof& proof);
    void failed(const QString& sentence); // why nothing runs dry here

private:
    void startNext();
    void take(JobProcess* process, const nlohmann::json& experiment, const JobEnd& end);

    std::deque<nlohmann::json> m_waiting;
    std::vector<JobProcess*> m_running; // children
    QString m_device;
};

} // namespace peakscope
