// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Run workspace: the set-up of the next run, the run under way, and the measured result in front. GUI thread.
#pragma once

#include "app/form/form_machines.h"
#include "app/shell/workspace.h"

#include <nlohmann/json.hpp>

namespace peakscope {

class MethodsRunner;
class ProgramDialog;
class ProgramRuns;
class RunPage;
struct HistorySoFar;
struct ProgramHere;
struct Origin;

class RunWorkspace : public Workspace
{
    Q_OBJECT

public:
    RunWorkspace(const WorkspaceServices& parts, QWidget* pages, QObject* parent);

    void prepare(const nlohmann::json& kept) override;
    void setInFront(bool inFront) override;
    void begin(const nlohmann::json& wanted) override;
    Claim showDocument(const RunDocument& document) override;
    Claim showRun(const RunInfo& info) override;
    void showNothing() override;
    bool searches() const override;
    void search(const QString& text) override;
    void showRange(const QString& path, const std::optional<Range>& range) override;
    void showName(const QString& table, const QString& name) override;
    nlohmann::json kept() const override;
    void restoreViews(const nlohmann::json& kept) override;

private:
    void addActions();
    void askForDevices();
    std::vector<LeftWork> lookBack() override;
    void showProgramDialog(ProgramRuns& runs);
    void record(const ProgramHere& program);
    void connectPage();
    void connectQueue();
    void openPoint(int point);
    void showReading(const QString& path, const std::shared_ptr<const HistorySoFar>& soFar);
    void newRun();
    void plan(const nlohmann::json& fields);
    void edit(const nlohmann::json& experiment, const Origin& origin);
    void runShownAgain();
    void tellNoExperiment(const nlohmann::json& config);
    void stopShown();
    bool showsRunning() const;
    void showActions();
    void onRunChanged(int id);
    void onRunFinished(int id);
    static LanguageText withPlace(const QString& message, const nlohmann::json& experiment);
    void tellOutcome(const RunInfo& info);
    void tellSaveError(const RunInfo& info);

    RunPage* m_page;
    MethodsRunner* m_methods;
    ProgramDialog* m_programDialog = nullptr; // once it was asked for
    FormMachines m_machines;
    bool m_inFront = false;
    int m_untold = 0; // a run that is over and comes to the front
};

} // namespace peakscope
