// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/run_places.h"

#include "core/base/json/json_reader.h"
#include "core/model/dry_device.h"
#include "widgets/text/bytes_text.h"

#include <QCoreApplication>

namespace peakscope {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("peakscope::RunPlaces", text);
}

} // namespace

bool isOfThisMachine(const PlannedDevice& device)
{
    return device.id == "cpu" || device.id.starts_with("cuda:");
}

std::vector<RunPlace> runPlaces(const std::vector<MachineDevice>& devices, const std::vector<LauncherPreset>& machines)
{
    std::vector<RunPlace> places;
    RunPlace processor{[] { return tr("Here, on the processor"); }, QStringLiteral("cpu"), {}};
    for (const MachineDevice& device : devices) {
        const QString size = bytesText(device.usableBytes);
        if (device.id == processor.device)
            processor.title = [size] { return tr("Here, on the processor (%1)").arg(size); };
        else
            places.push_back({[id = device.id, size] { return tr("Here, on %1 (%2)").arg(id, size); }, device.id, {}});
    }
    for (const LauncherPreset& machine : machines) {
        const QStringList words = launcherWords(machine);
        if (launcherProblem(machine).isEmpty() && !words.isEmpty())
            places.push_back({[name = machine.name] { return tr("On %1").arg(name); }, QStringLiteral("auto"), words});
    }
    places.push_back(std::move(processor));
    return places;
}

std::optional<RunPlace> dryPlace(const PlannedDevice& device, const nlohmann::json& experiment)
{
    auto card = dryDevice(std::string(kDryPrefix) + device.id);
    if (!card)
        return std::nullopt;
    if (device.usableBytes > 0)
        card->bytes = device.usableBytes; // a plan may be for another size of it
    const std::int64_t ranks = lenient::integer(experiment, "ranks", 1);
    QString name = QString::fromStdString(device.name.empty() ? card->card.name : device.name);
    if (ranks > 1)
        name.prepend(QStringLiteral("%1 × ").arg(ranks));
    return RunPlace{[name] { return tr("Dry run on %1").arg(name); }, QString::fromStdString(card->name()), {}};
}

nlohmann::json withPlannedBudget(nlohmann::json experiment, const PlannedDevice& device)
{
    if (!experiment.is_object())
        return experiment;
    const auto budget = experiment.find("budget_bytes");
    const bool own = budget != experiment.end() && *budget != 0;
    if (!own && device.usableBytes > 0 && device.capacityBytes() > 0)
        experiment["budget_bytes"] = device.capacityBytes();
    return experiment;
}

nlohmann::json placedAt(nlohmann::json experiment, const RunPlace& place)
{
    experiment["device"] = place.device.toStdString();
    experiment.erase("launcher");
    for (const QString& word : place.launcher)
        experiment["launcher"].push_back(word.toStdString());
    return experiment;
}

} // namespace peakscope
