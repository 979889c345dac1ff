// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Plan workspace: strategies for a model and a device, from which runs start. GUI thread.
#pragma once

#include "app/jobs/device_probe.h"
#include "app/plan/plan_prover.h"
#include "app/shell/workspace.h"

#include <nlohmann/json.hpp>

namespace peakscope {

class PlanPage;

class PlanWorkspace : public Workspace
{
    Q_OBJECT

public:
    PlanWorkspace(const WorkspaceServices& parts, QWidget* pages, QObject* parent);

    void prepare(const nlohmann::json& kept) override;
    void setInFront(bool inFront) override;
    void begin(const nlohmann::json& fields) override;
    Claim showDocument(const RunDocument& document) override;
    RunResults results(const std::shared_ptr<const RunResult>& shown) const override;
    std::optional<QStringList> shownFiles() const override;
    bool runAgain() override;
    bool busy() const override;
    nlohmann::json kept() const override;
    void restoreDocuments(const nlohmann::json& kept, const Documents& documents) override;
    void restoreViews(const nlohmann::json& kept) override;

private:
    // A strategy for a device that is not here says nothing of where it would run.
    void startPlanned(const nlohmann::json& experiment);
    void startDry(const nlohmann::json& experiment);
    void editPlanned(const nlohmann::json& experiment);

    PlanPage* m_page;
    PlanProver m_prover;
    nlohmann::json m_fields;      // before what is restored was put in front
    nlohmann::json m_shownFields; // as the plan in front left them
    QString m_path;               // of the plan in front; empty: it was made here
};

} // namespace peakscope
