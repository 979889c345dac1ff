// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Run workspace: the set-up of the next run, the run under way, and the measured result in front. GUI thread.
#pragma once

#include "app/machines/form_machines.h"
#include "app/window/shell.h"
#include "app/window/workspace.h"

#include <nlohmann/json.hpp>

namespace peakscope {

class RunWorkspace;
struct Origin;

class RunDesk : public Workspace
{
    Q_OBJECT

public:
    RunDesk(const Bench& bench, QWidget* pages, QObject* parent);

    QString title() const override { return tr("Run"); }
    Glyph glyph() const override { return Glyph::Run; }
    QWidget* page() const override;
    QList<QDockWidget*> docks() const override;
    QByteArray saveLayout() const override;
    void restoreLayout(const QByteArray& state) override;
    void restoreDefaultLayout() override;
    MessageBar* messages() const override;
    void addToToolBar(QToolBar* bar) override;
    void prepare() override;
    void activated() override;
    void deactivated() override { m_machines.follow(false); }
    Claim showDocument(const RunDocument& document) override;
    Claim showRun(const RunInfo& info) override;
    void showNothing() override;
    bool showsFront() const override { return true; }
    bool search(const QString& text) override;
    void showRange(const QString& path, const std::optional<Range>& range) override;
    void showName(const QString& table, const QString& name) override;
    void note(Session& session) const override;
    void restoreFields(const Session& session) override;
    void restoreViews(const Session& session) override;

private:
    void addActions();
    void connectPage();
    void connectQueue();
    void newRun();
    void edit(const nlohmann::json& experiment, const Origin& origin);
    void runShownAgain();
    void stopShown();
    void showActions();
    void onRunChanged(int id);
    void onRunFinished(int id);
    static QString withPlace(const QString& message, const nlohmann::json& experiment);
    void tellOutcome(const RunInfo& info);
    void tellSaveError(const RunInfo& info);

    Bench m_bench;
    RunWorkspace* m_page;
    FormMachines m_machines;
};

} // namespace peakscope
