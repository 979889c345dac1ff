// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan/plan_desk.h"

#include "app/device_probe.h"
#include "app/export/figure_export.h"
#include "app/library/documents.h"
#include "app/message_bar.h"
#include "app/model_folder.h"
#include "app/plan_inputs.h"
#include "app/plan_workspace.h"
#include "app/run/run_starter.h"
#include "app/run_places.h"
#include "app/run_queue.h"
#include "app/session.h"
#include "app/settings.h"
#include "app/window/front.h"
#include "core/base/json_reader.h"
#include "widgets/bytes_text.h"

namespace peakscope {

PlanDesk::PlanDesk(const Bench& bench, QWidget* pages, QObject* parent)
    : Workspace(parent), m_bench(bench), m_page(new PlanWorkspace(planFunctions(), pages))
{
    m_page->setLibraryFolder(settings::libraryFolder());
    connect(m_page, &PlanWorkspace::runRequested, this, &PlanDesk::startPlanned);
    connect(m_page, &PlanWorkspace::editRequested, this, &PlanDesk::editPlanned);
    connect(m_page, &PlanWorkspace::figureRequested, &m_bench.figures, &FigureExport::showFigure);
    connect(m_page, &PlanWorkspace::saveRequested, &m_bench.figures, &FigureExport::saveCopy);
    connect(m_page, &PlanWorkspace::resultChanged, this, &Workspace::resultChanged);
    connect(m_page, &PlanWorkspace::inspected, this, &Workspace::inspected);
    connect(&m_bench.devices, &DeviceProbe::measured, m_page->inputs(), &PlanInputs::setMachineDevices);
    connect(&m_bench.queue, &RunQueue::runFinished, m_page, &PlanWorkspace::refreshMeasured);
    connect(&m_bench.documents, &Documents::folderChanged, m_page, &PlanWorkspace::setLibraryFolder);
}

QWidget* PlanDesk::page() const
{
    return m_page;
}

QList<QDockWidget*> PlanDesk::docks() const
{
    return m_page->docks();
}

QByteArray PlanDesk::saveLayout() const
{
    return m_page->saveLayout();
}

void PlanDesk::restoreLayout(const QByteArray& state)
{
    m_page->restoreLayout(state);
}

void PlanDesk::restoreDefaultLayout()
{
    m_page->restoreDefaultLayout();
}

MessageBar* PlanDesk::messages() const
{
    return m_page->messages();
}

Workspace::Claim PlanDesk::showDocument(const RunDocument& document)
{
    if (!holdsPlan(*document.result))
        return Claim::None;
    m_path = document.path;
    m_page->showDocument(document);
    return Claim::Subject;
}

std::shared_ptr<const RunResult> PlanDesk::result(const std::shared_ptr<const RunResult>&) const
{
    return m_page->result();
}

std::optional<QString> PlanDesk::shownFile() const
{
    return m_bench.front.path() == m_path ? m_path : QString();
}

bool PlanDesk::runAgain()
{
    m_page->plan();
    return true;
}

void PlanDesk::startPlanned(const nlohmann::json& experiment)
{
    const PlannedDevice device = m_page->device();
    const Origin origin = originIn(fileOfDocument(m_path), experiment);
    if (!experiment.is_object() || device.id.empty() || isOfThisMachine(device) || experiment.contains("launcher") ||
        experiment.contains("device")) {
        m_bench.starter.start(withFolderWeights(experiment), origin);
        return;
    }
    const nlohmann::json budgeted = withPlannedBudget(withFolderWeights(experiment), device);
    std::vector<MessageBar::Action> actions;
    for (const RunPlace& place :
         runPlaces(m_bench.devices.machineDevices(), launchersFromBytes(settings::launchers()))) {
        actions.emplace_back(place.title, [this, budgeted, place, origin] {
            m_page->messages()->dismiss();
            m_bench.starter.start(placedAt(budgeted, place), origin);
        });
    }
    actions.emplace_back(tr("Open in set-up"),
                         [this, budgeted, origin] { m_bench.starter.edit(budgeted, origin); });
    const std::int64_t budget = jsonInteger(lenient::member(budgeted, "budget_bytes")).value_or(0);
    const QString name = QString::fromStdString(device.name.empty() ? device.id : device.name);
    m_page->messages()->showMessage(
        MessageBar::Kind::Info,
        budget > 0 ? tr("This is planned for %1. Where shall it run? It keeps to the %2 that the plan counts on.")
                         .arg(name, bytesText(budget))
                   : tr("This is planned for %1. Where shall it run?").arg(name),
        actions);
}

void PlanDesk::editPlanned(const nlohmann::json& experiment)
{
    const PlannedDevice& device = m_page->device();
    const nlohmann::json own = withFolderWeights(experiment);
    m_bench.starter.edit(isOfThisMachine(device) ? own : withPlannedBudget(own, device),
                         originIn(fileOfDocument(m_path), experiment));
}

void PlanDesk::note(Session& session) const
{
    session.plan = m_page->inputs()->fields();
}

void PlanDesk::restoreFields(const Session& session)
{
    if (session.plan.is_object())
        m_page->inputs()->setFields(session.plan);
}

void PlanDesk::restoreDocuments(const Session&, const Documents&)
{
    m_fields = m_page->inputs()->fields();
}

// A plan in front was saved before the fields were last written in.
void PlanDesk::restoreShown(const Session& session)
{
    if (session.plan.is_object() && m_page->restoreFields(m_fields))
        m_page->plan();
}

} // namespace peakscope
