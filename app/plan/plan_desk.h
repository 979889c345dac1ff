// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Plan workspace: strategies for a model and a device, from which runs start. GUI thread.
#pragma once

#include "app/device_probe.h"
#include "app/window/shell.h"
#include "app/window/workspace.h"

#include <nlohmann/json.hpp>

namespace peakscope {

class PlanWorkspace;

class PlanDesk : public Workspace
{
    Q_OBJECT

public:
    PlanDesk(const Bench& bench, QWidget* pages, QObject* parent);

    QString title() const override { return tr("Plan"); }
    Glyph glyph() const override { return Glyph::Plan; }
    QWidget* page() const override;
    QList<QDockWidget*> docks() const override;
    QByteArray saveLayout() const override;
    void restoreLayout(const QByteArray& state) override;
    void restoreDefaultLayout() override;
    MessageBar* messages() const override;
    void activated() override { m_bench.devices.ask(); }
    Claim showDocument(const RunDocument& document) override;
    std::shared_ptr<const RunResult> result(const std::shared_ptr<const RunResult>& shown) const override;
    std::optional<QString> shownFile() const override;
    bool runAgain() override;
    void note(Session& session) const override;
    void restoreFields(const Session& session) override;
    void restoreDocuments(const Session& session, const Documents& documents) override;
    void restoreShown(const Session& session) override;

private:
    // A strategy for a device that is not here says nothing of where it would run.
    void startPlanned(const nlohmann::json& experiment);
    void editPlanned(const nlohmann::json& experiment);

    Bench m_bench;
    PlanWorkspace* m_page;
    nlohmann::json m_fields; // before what is restored was put in front
    QString m_path;          // of the plan in front; empty: it was made here
};

} // namespace peakscope
