// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan/plan_workspace.h"

#include "app/export/figure_export.h"
#include "app/form/model_folder.h"
#include "app/form/run_starter.h"
#include "app/jobs/device_probe.h"
#include "app/jobs/result_loader.h"
#include "app/jobs/run_places.h"
#include "app/jobs/run_queue.h"
#include "app/library/documents.h"
#include "app/parts/message_bar.h"
#include "app/parts/session.h"
#include "app/parts/settings.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_page.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"
#include "core/base/json/json_reader.h"
#include "widgets/text/bytes_text.h"

namespace peakscope {

namespace {

bool namesItsPlace(const nlohmann::json& experiment)
{
    return experiment.contains("launcher") || experiment.contains("device");
}

} // namespace

PlanWorkspace::PlanWorkspace(const WorkspaceServices& parts, QWidget* pages, QObject* parent)
    : Workspace([] { return tr("Plan"); }, Glyph::Plan, Shows::Own, new PlanPage(planFunctions(), pages), parts,
                parent),
      m_page(static_cast<PlanPage*>(page()))
{
    m_page->setLibraryFolder(settings::libraryFolder());
    connect(m_page, &PlanPage::runRequested, this, &PlanWorkspace::startPlanned);
    connect(m_page, &PlanPage::dryRequested, this, &PlanWorkspace::startDry);
    connect(m_page, &PlanPage::editRequested, this, &PlanWorkspace::editPlanned);
    connect(m_page, &PlanPage::figureRequested, &m_services.figures, &FigureExport::showFigure);
    connect(m_page, &PlanPage::saveRequested, &m_services.figures, &FigureExport::saveCopy);
    connect(m_page, &PlanPage::resultChanged, this, &Workspace::resultChanged);
    connect(m_page, &PlanPage::inspected, this, &Workspace::inspected);
    connect(m_page, &PlanPage::proofsWanted, this,
            [this](const std::vector<nlohmann::json>& experiments, const QString& device) {
                if (qgetenv("PEAKSCOPE_PLAN_PROOFS") == "off")
                    return;
                m_prover.prove(experiments, device);
                if (m_prover.proving())
                    m_page->awaitProof();
            });
    connect(&m_prover, &PlanProver::proved, m_page, &PlanPage::takeProof);
    connect(&m_prover, &PlanProver::failed, m_page, &PlanPage::takeProofFailure);
    connect(m_page, &PlanPage::becameIdle, this, &Workspace::becameIdle);
    connect(&m_services.devices, &DeviceProbe::measured, m_page->inputs(), &PlanInputs::setMachineDevices);
    connect(&m_services.queue, &RunQueue::runFinished, m_page, &PlanPage::refreshMeasured);
    connect(&m_services.documents, &Documents::folderChanged, m_page, &PlanPage::setLibraryFolder);
}

Workspace::Claim PlanWorkspace::showDocument(const RunDocument& document)
{
    if (!holdsPlan(*document.result))
        return Claim::None;
    m_path = document.path;
    m_page->showDocument(document);
    m_shownFields = m_page->inputs()->fields();
    return Claim::Subject;
}

void PlanWorkspace::begin(const nlohmann::json& fields)
{
    m_page->inputs()->setFields(fields);
    m_page->plan();
}

void PlanWorkspace::setInFront(bool inFront)
{
    if (inFront)
        m_services.devices.ask();
}

RunResults PlanWorkspace::results(const std::shared_ptr<const RunResult>&) const
{
    return Workspace::results(m_page->result());
}

std::optional<QStringList> PlanWorkspace::shownFiles() const
{
    return QStringList{m_services.front.path() == m_path ? m_path : QString()};
}

bool PlanWorkspace::runAgain()
{
    m_page->plan();
    return true;
}

void PlanWorkspace::startPlanned(const nlohmann::json& experiment)
{
    const PlannedDevice device = m_page->device();
    const Origin origin = originIn(fileOfDocument(m_path), experiment);
    if (!experiment.is_object() || device.id.empty() || isOfThisMachine(device) || namesItsPlace(experiment)) {
        m_services.starter.start(withFolderWeights(experiment), origin);
        return;
    }
    const nlohmann::json budgeted = withPlannedBudget(withFolderWeights(experiment), device);
    std::vector<MessageBar::Action> actions;
    std::vector<RunPlace> places =
        runPlaces(m_services.devices.machineDevices(), launchersFromBytes(settings::launchers()));
    if (auto dry = dryPlace(device, budgeted))
        places.insert(places.begin(), std::move(*dry));
    for (const RunPlace& place : places) {
        actions.emplace_back(place.title, [this, budgeted, place, origin] {
            m_page->messages()->dismiss();
            m_services.starter.start(placedAt(budgeted, place), origin);
        });
    }
    actions.emplace_back([] { return tr("Open in set-up"); }, [this, experiment] { editPlanned(experiment); });
    const std::int64_t budget = jsonInteger(lenient::member(budgeted, "budget_bytes")).value_or(0);
    const QString name = QString::fromStdString(device.name.empty() ? device.id : device.name);
    m_page->ask(
        [budget, name, experiment] {
            const QString what = experimentTitle(experiment);
            return budget > 0
                       ? tr("%1 is planned for %2. Where shall it run? It keeps to the %3 that the plan counts on.")
                             .arg(what, name, bytesText(budget))
                       : tr("%1 is planned for %2. Where shall it run?").arg(what, name);
        },
        actions);
}

void PlanWorkspace::startDry(const nlohmann::json& experiment)
{
    const nlohmann::json budgeted = withPlannedBudget(withFolderWeights(experiment), m_page->device());
    if (const auto dry = dryPlace(m_page->device(), budgeted))
        m_services.starter.start(placedAt(budgeted, *dry), originIn(fileOfDocument(m_path), experiment));
}

void PlanWorkspace::editPlanned(const nlohmann::json& experiment)
{
    const PlannedDevice& device = m_page->device();
    nlohmann::json own = withFolderWeights(experiment);
    if (!isOfThisMachine(device)) {
        own = withPlannedBudget(own, device);
        if (const auto dry = namesItsPlace(own)
                                 ? std::nullopt
                                 : dryPlace(device, own)) // a card that isn't here stays the one that was planned for
            own = placedAt(own, *dry);
    }
    m_services.starter.edit(own, originIn(fileOfDocument(m_path), experiment));
}

bool PlanWorkspace::busy() const
{
    return m_page->busy();
}

nlohmann::json PlanWorkspace::kept() const
{
    return {{"fields", m_page->inputs()->fields()}};
}

void PlanWorkspace::prepare(const nlohmann::json& kept)
{
    const nlohmann::json& fields = lenient::member(kept, "fields");
    if (fields.is_object())
        m_page->inputs()->setFields(fields);
}

void PlanWorkspace::restoreDocuments(const nlohmann::json&, const Documents&)
{
    m_fields = m_shownFields = m_page->inputs()->fields();
}

// A plan in front was saved before the fields were last written in.
void PlanWorkspace::restoreViews(const nlohmann::json& kept)
{
    // Whoever wrote into them meanwhile wants what stands there.
    if (lenient::member(kept, "fields").is_object() && m_shownFields == m_page->inputs()->fields() &&
        m_page->restoreFields(m_fields))
        m_page->plan();
}

} // namespace peakscope
