// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/inspector_content.h"

#include "app/jobs/result_loader.h"
#include "app/library/library_panel.h"
#include "app/parts/end_words.h"
#include "app/parts/launcher_presets.h"
#include "app/parts/session.h"
#include "app/shell/prediction_words.h"
#include "app/shell/setup_rows.h"
#include "core/analysis/comparison/joined_points.h"
#include "core/base/json/json_reader.h"
#include "core/base/units.h"
#include "core/import/read_any.h"
#include "core/results/dry_result.h"
#include "core/results/module_kind.h"
#include "core/results/prediction_bound.h"
#include "core/results/rank_balance.h"
#include "core/results/result_lines.h"
#include "core/results/sweeps/shared_config.h"
#include "core/results/sweeps/snapshot_course.h"
#include "core/results/sweeps/timed_round.h"
#include "widgets/look/component_palette.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/sweep/sweep_style.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/note_words.h"
#include "widgets/text/number_text.h"
#include "widgets/text/reading_text.h"
#include "widgets/timeline/ranks_view.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

namespace peakscope {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(peakscope::InspectorContent)
};

QString bytes(std::int64_t value)
{
    return QString::fromStdString(formatBytes(value));
}

QString seconds(double value)
{
    return QString::fromStdString(formatSeconds(value));
}

QString share(std::int64_t part, std::int64_t whole)
{
    if (whole <= 0)
        return {};
    return QLocale().toString(100.0 * static_cast<double>(part) / static_cast<double>(whole), 'f', 1) +
           QStringLiteral(" %");
}

QString number(double value)
{
    return compactNumber(value, 6);
}

QString percent(double part)
{
    return Words::tr("%1 %").arg(QLocale().toString(100 * part, 'f', 1));
}

// How uneven the ranks of a run are.
InspectorContent::Section rankRows(const std::vector<RankSection>& ranks)
{
    const RankBalance balance = rankBalance(ranks);
    InspectorContent::Section section{Words::tr("Ranks"), {}};
    section.add(Words::tr("Ranks"), QLocale().toString(static_cast<qlonglong>(ranks.size())));
    const auto add = [&section](const QString& title, const std::optional<double>& value, const QString& help) {
        if (value)
            section.add(title, percent(*value), help);
    };
    const auto rankOf = [&balance](std::size_t index) {
        return QLocale().toString(static_cast<qlonglong>(balance.ranks[index].rank));
    };
    add(Words::tr("Imbalance of peaks"), balance.peakImbalance, Words::tr("The largest peak over the mean, less one."));
    add(Words::tr("Imbalance of step times"), balance.timeImbalance,
        Words::tr("The longest step without communication over the mean, less one."));
    add(Words::tr("Communication"), balance.communicationShare,
        Words::tr("Share of the steps spent in collectives, waiting for other ranks included."));
    if (balance.fullest)
        section.add(Words::tr("Fullest rank"), rankOf(*balance.fullest));
    if (balance.slowest)
        section.add(Words::tr("Slowest rank"), Words::tr("%1, without communication").arg(rankOf(*balance.slowest)),
                    Words::tr("It spends the most time outside communication: the others wait for it."));
    return section;
}

// `imported`: of another program, whose file may hold the peak alone.
InspectorContent::Section memoryRows(const MemorySection& memory, bool imported)
{
    const bool counted = !imported || memory.timeline.size() > 0;
    InspectorContent::Section section{Words::tr("Memory"), {}};
    section.add(Words::tr("Peak"), bytes(memory.peakBytes),
                counted ? Words::tr("Most bytes alive at one time, counted at every allocation and free.")
                        : Words::tr("As recorded in the file, which holds no single allocations to count."));
    if (memory.peakReservedBytes > 0)
        section.add(Words::tr("Peak reserved"), bytes(memory.peakReservedBytes),
                    Words::tr("Most the allocator had taken from the device."));
    if (memory.peakResidentBytes > 0)
        section.add(Words::tr("Peak resident"), bytes(memory.peakResidentBytes),
                    Words::tr("Most physical memory of the whole worker process, its program included."));
    if (counted)
        section.add(Words::tr("Events"), QLocale().toString(static_cast<qulonglong>(memory.timeline.size())),
                    memory.timeline.merged ? Words::tr("Merged: exact at the stored times, the peak is kept.")
                                           : Words::tr("Every allocation, free and change of purpose."));
    return section;
}

// Of a program that ran dry: what stands beside the allocator, in none of its bytes.
InspectorContent::Section outsideRows(const RunResult& result)
{
    InspectorContent::Section section{Words::tr("Outside the allocator"), {}};
    if (const std::int64_t context = outsideBytes(result, "context_bytes"); context > 0)
        section.add(Words::tr("CUDA context"), bytes(context),
                    Words::tr("Includes the libraries' code; from the catalogue."));
    if (const std::int64_t margin = outsideBytes(result, "communicator_bytes"); margin > 0)
        section.add(
            Words::tr("NCCL, a margin"), bytes(margin),
            Words::tr(
                "Memory that NCCL may take, as reported by users of other cards; not part of any other number here."));
    return section;
}

InspectorContent::Section predictionRows(const RunResult& result)
{
    InspectorContent::Section section{Words::tr("Prediction"), {}};
    if (peakClaim(result) == PeakClaim::None)
        return section;
    const Prediction& prediction = *result.prediction;
    const bool bound = predictionIsBound(result);
    if (bound)
        section.add(Words::tr("Planned for at most"), bytes(prediction.peakBytes),
                    Words::tr("The most that the run could take; what it would take was not predicted."));
    else
        section.add(Words::tr("Predicted peak"), bytes(prediction.peakBytes),
                    Words::tr("Computed from the model's operators before the run began."));
    if (!result.memory || result.memory->peakBytes <= 0 || result.status != RunStatus::Complete)
        return section;
    const MemorySection& memory = *result.memory;
    const bool dry = isDry(result);
    if (dry)
        section.add(Words::tr("Dry-run peak"), bytes(memory.peakBytes),
                    Words::tr("From the allocator on the stand-in of the card; not measured."));
    else
        section.add(Words::tr("Measured peak"), bytes(memory.peakBytes));
    if (bound)
        return section;
    if (!dry)
        section.add(Words::tr("Prediction off by"), predictionError(prediction.peakBytes, memory.peakBytes),
                    Words::tr("Predicted less measured, as a part of what was measured."));
    for (const Component component : componentStackOrder()) {
        const auto index = static_cast<std::size_t>(component);
        const std::int64_t predicted = prediction.components[index];
        const std::int64_t measured = memory.peakComponents[index];
        if (predicted > 0 || measured > 0)
            section.rows.push_back({componentTitle(component), bytes(predicted),
                                    (dry ? Words::tr("dry run %1") : Words::tr("measured %1")).arg(bytes(measured))});
    }
    return section;
}

// What the step time is the median of. Several rounds are of a run each, in turns with those of other results.
QString stepWords(const RunResult& result)
{
    const std::size_t rounds = timedRounds(result).size();
    if (result.timing->traced)
        return Words::tr("Median of the measured steps, memory ledger included.");
    return rounds > 1 ? Words::tr("Median of the measured steps of %1 rounds, each a run without the memory ledger.")
                            .arg(rounds)
                      : Words::tr("Median of the measured steps, without the memory ledger.");
}

InspectorContent::Section trainingRows(const RunResult& result)
{
    InspectorContent::Section section{Words::tr("Training"), {}};
    if (result.timing && !result.timing->stepSeconds.empty())
        section.add(Words::tr("Step"), seconds(result.timing->medianStepSeconds), stepWords(result));
    else if (result.timing && result.timing->medianStepSeconds > 0)
        section.add(Words::tr("Step"), seconds(result.timing->medianStepSeconds),
                    Words::tr("As recorded in the file."));
    if (const double whole = lenient::number(result.other, "total_seconds"); whole > 0)
        section.add(Words::tr("Whole run"), seconds(whole), Words::tr("Loading the model included."));
    if (result.loss)
        section.rows.push_back(
            {Words::tr("Loss"), number(*result.loss), Words::tr("Of the last measured step, before its update.")});
    if (result.perplexity)
        section.add(Words::tr("Perplexity"), number(*result.perplexity));
    if (result.gradientNorm)
        section.rows.push_back(
            {Words::tr("Gradient norm"), number(*result.gradientNorm), Words::tr("Of all parameters together.")});
    if (const auto cost = privacyOf(result))
        section.add(Words::tr("Epsilon"), compactNumber(cost->epsilon, 4),
                    Words::tr("At delta %1.").arg(compactNumber(cost->delta, 4)));
    if (const auto norms = sampleNormRange(result))
        section.add(
            Words::tr("Per-sample gradient norm"), compactNumber(norms->median, 4),
            Words::tr("Median of the last step's rows (%1) before clipping; smallest %2, largest %3.")
                .arg(QString::number(norms->count), compactNumber(norms->least, 4), compactNumber(norms->most, 4)));
    return section;
}

// A table of Hessian sizes that another program wrote: a section a model, with its estimates as they came.
void addHessianSizes(InspectorContent& content, const RunResult& result)
{
    for (const nlohmann::json& model : lenient::array(lenient::member(result.other, "hessian_memory"), "models")) {
        if (!model.is_object())
            continue;
        InspectorContent::Section section{model.contains("model") ? valueText(model.at("model")) : QString(), {}};
        for (const char* group : {"memory_breakdown", "strategies"}) {
            for (const auto& [key, value] : lenient::object(model, group).items()) {
                constexpr double kMost = 9e18; // a full Hessian may be beyond any integer
                QString name = QString::fromStdString(key);
                if (name.endsWith(QLatin1String("_bytes")))
                    name.chop(6);
                if (value.is_number())
                    section.add(name.replace(u'_', u' '), value.get<double>() < kMost
                                                              ? bytes(static_cast<std::int64_t>(value.get<double>()))
                                                              : valueText(value) + QStringLiteral(" B"));
            }
        }
        content.sections.push_back(std::move(section));
    }
}

// What another program wrote that no plot and no table has a place for.
void addFurtherFields(InspectorContent& content, const RunResult& result)
{
    const nlohmann::json& memory = lenient::object(result.other, "memory");
    InspectorContent::Section stages{Words::tr("Stages"), {}};
    const RecordedStages recorded = recordedStages(result);
    for (const RecordedStage& stage : recorded.sizes)
        stages.add(QString::fromStdString(stage.name), bytes(stage.bytes));
    if (recorded.sizes.size() > 1 && !recorded.timed)
        stages.add(Words::tr("Order"), Words::tr("by name"), Words::tr("The file does not record which came first."));
    content.sections.push_back(std::move(stages));
    InspectorContent::Section estimates{Words::tr("Estimates of the file"), {}};
    for (const auto& [key, title] : {std::pair("gradient_estimate_bytes", Words::tr("Gradients")),
                                     {"activation_estimate_bytes", Words::tr("Activations")}}) {
        if (const auto size = jsonInteger(lenient::member(memory, key)))
            estimates.add(title, bytes(*size));
    }
    content.sections.push_back(std::move(estimates));
    InspectorContent::Section units{Words::tr("Units"), {}};
    if (const auto clusters = jsonInteger(lenient::member(lenient::member(result.other, "embedding"), "cluster_count")))
        units.add(Words::tr("Clusters"), QLocale().toString(static_cast<qlonglong>(*clusters)));
    const nlohmann::json& baseline = lenient::member(lenient::member(result.other, "prm"), "baseline");
    if (const double perplexity = lenient::number(baseline, "perplexity"); perplexity > 0)
        units.add(Words::tr("Perplexity"), number(perplexity), Words::tr("Without noise."));
    content.sections.push_back(std::move(units));
    content.sections.push_back(
        objectRows(Words::tr("Other fields"), flattened(lenient::object(result.other, "other_fields")), plainKey));
}

} // namespace

InspectorContent inspectExperiment(const QString& title, const nlohmann::json& experiment)
{
    InspectorContent content;
    content.title = title;
    content.definition =
        Words::tr("The final numbers appear here when it is done; those so far are in the plots and tables.");
    if (experiment.contains("program"))
        content.sections.push_back(programRows(experiment, nlohmann::json::object()));
    else
        addExperiment(content, experiment);
    return content;
}

InspectorContent inspectRun(const RunResult& result, const QString& path, bool waits)
{
    InspectorContent content{resultTitle(result), endText(result.message), {}};
    InspectorContent::Section run{Words::tr("Run"), {}};
    run.add(Words::tr("Status"), stateTitle(result, waits ? RunState::Queued : runState(result, path)));
    if (result.synthetic)
        run.rows.push_back(
            {Words::tr("Values"), Words::tr("synthetic"), Words::tr("Made up for a demonstration, not measured.")});
    const QDateTime started = QDateTime::fromString(QString::fromStdString(result.created), Qt::ISODate);
    if (started.isValid())
        run.add(Words::tr("Started"), QLocale().toString(started.toLocalTime(), QLocale::ShortFormat));
    if (!path.isEmpty())
        run.add(Words::tr("File"), {}, shownPath(path));
    for (const std::string& note : result.notes)
        run.add(Words::tr("Note"), {}, noteText(note));
    content.sections.push_back(std::move(run));
    if (result.memory)
        content.sections.push_back(memoryRows(*result.memory, importedFormat(result).has_value()));
    content.sections.push_back(outsideRows(result));
    if (result.ranks.size() > 1)
        content.sections.push_back(rankRows(result.ranks));
    addHessianSizes(content, result);
    content.sections.push_back(predictionRows(result));
    content.sections.push_back(trainingRows(result));
    if (importedFormat(result))
        addFurtherFields(content, result);
    InspectorContent::Section varied{Words::tr("Varied"), {}};
    for (const auto& axis : lenient::array(lenient::member(result.other, "sweep"), "grid")) {
        const std::string key = lenient::text(axis, "key");
        QStringList values;
        for (const auto& value : lenient::array(axis, "values"))
            values << sweepValueText(value, key);
        varied.add(sweepKeyTitle(key), values.join(QStringLiteral(", ")));
    }
    content.sections.push_back(std::move(varied));
    const nlohmann::json experiment = sharedConfig(result);
    const bool program = experiment.is_object() && experiment.contains("program");
    if (program)
        content.sections.push_back(programRows(experiment, result.environment));
    else
        addExperiment(content, experiment);
    nlohmann::json environment = result.environment;
    for (const auto& [key, value] : result.environment.items()) {
        if (lenient::member(experiment, key) == value) // stands under "Set-up"
            environment.erase(key);
    }
    for (const char* key : {"device", "device_name", "torch"}) {
        if (program) // stands under "Program"
            environment.erase(key);
    }
    content.sections.push_back(environmentRows(environment));
    return content;
}

InspectorContent inspectComponent(Component component, const MemorySection& memory, ComponentReading reading)
{
    const auto index = static_cast<std::size_t>(component);
    InspectorContent content{componentTitle(component), componentDefinition(component), {}};
    const std::int64_t read = memory.peakComponents[index];
    InspectorContent::Section section{Words::tr("Bytes"), {}};
    if (reading == ComponentReading::AtPeak) {
        section.rows = {
            {Words::tr("At the peak"), bytes(read), Words::tr("Alive at the moment when the total was highest.")},
            {Words::tr("Share of the peak"), share(read, memory.peakBytes), {}}};
    } else {
        section.rows = {{readingText(reading), bytes(read), readingCaveat(reading)}};
    }
    if (reading == ComponentReading::AtPeak || memory.has("max_components"))
        section.add(Words::tr("Own maximum"), bytes(memory.maxComponents[index]),
                    Words::tr("The most this component ever had, at any time."));
    section.rows.push_back(
        {Words::tr("Exactly"), QLocale().toString(static_cast<qlonglong>(read)) + QStringLiteral(" B"), {}});
    content.sections.push_back(std::move(section));
    return content;
}

InspectorContent inspectModule(const ModuleUsage& module, bool timed)
{
    InspectorContent content;
    content.title = QString::fromStdString(module.name);
    if (const auto kind = kindOf(module))
        content.definition = moduleKindTitle(*kind);
    content.sections.push_back({Words::tr("Bytes"),
                                {{Words::tr("Parameters"), bytes(module.parameterBytes), {}},
                                 {Words::tr("Gradients"), bytes(module.gradientBytes), {}},
                                 {Words::tr("Activations"), bytes(module.activationBytes),
                                  Words::tr("Largest sum alive at one time that this module made.")},
                                 {Words::tr("Peak"), bytes(module.peakBytes),
                                  Words::tr("Largest sum of all live bytes that belong to this module.")}}});
    if (timed)
        content.sections.push_back({Words::tr("Time of the last measured step"),
                                    {{Words::tr("Forward"), seconds(module.forwardSeconds), {}},
                                     {Words::tr("Backward"), seconds(module.backwardSeconds), {}}}});
    return content;
}

InspectorContent inspectOperator(const OperatorUsage& operation, bool timed)
{
    InspectorContent content;
    content.title = QString::fromStdString(operation.name);
    if (operation.phase)
        content.definition = phaseTitle(*operation.phase);
    content.sections.push_back(
        {Words::tr("Of all its calls in this phase"),
         {{Words::tr("Allocated"), bytes(operation.allocatedBytes), Words::tr("Sum of what its calls allocated.")},
          {Words::tr("Peak"), bytes(operation.peakBytes),
           Words::tr("Largest sum of its allocations alive at one time.")}}});
    if (operation.count > 0) // 0: not counted
        content.sections.back().add(Words::tr("Calls"), QLocale().toString(static_cast<qlonglong>(operation.count)));
    if (timed && operation.seconds > 0)
        content.sections.back().add(Words::tr("Time"), seconds(operation.seconds),
                                    Words::tr("Its own, operators it calls excluded."));
    return content;
}

InspectorContent inspectSnapshot(const Snapshot& snapshot)
{
    InspectorContent content;
    content.title = QString::fromStdString(snapshot.name);
    if (snapshot.phase)
        content.definition = phaseTitle(*snapshot.phase);
    content.sections.push_back(
        {Words::tr("At this moment"),
         {{Words::tr("Time"), seconds(snapshot.timeSeconds), Words::tr("Since the start of the run.")},
          {Words::tr("Step"), QLocale().toString(static_cast<qlonglong>(snapshot.step)), {}},
          {Words::tr("Allocated"), bytes(snapshot.allocatedBytes), {}},
          {Words::tr("Reserved"), bytes(snapshot.reservedBytes), {}}}});
    if (snapshot.maxAllocatedBytes)
        content.sections.back().rows.push_back({Words::tr("Highest until then"), bytes(*snapshot.maxAllocatedBytes),
                                                Words::tr("As the snapshot recorded it.")});
    return content;
}

InspectorContent inspectRank(const std::vector<RankSection>& ranks, std::size_t index)
{
    const RankSection& rank = measuredSection(ranks, index);
    const RankBalance balance = rankBalance(ranks);
    const RankFigures& figures = balance.ranks[index];
    InspectorContent content{
        Words::tr("Rank %1").arg(QLocale().toString(static_cast<qlonglong>(figures.rank))), endText(rank.message), {}};
    InspectorContent::Section run{Words::tr("Run"), {}};
    run.add(Words::tr("Status"), stateTitle(runState(rank.status)));
    if (!rank.host.empty())
        run.add(Words::tr("Host"), QString::fromStdString(rank.host));
    if (!rank.device.empty())
        run.add(Words::tr("Device"), QString::fromStdString(rank.device));
    if (const auto& same = ranks[index].sameAs)
        run.add(Words::tr("Memory"), Words::tr("as rank %1").arg(QLocale().toString(static_cast<qlonglong>(*same))));
    if (balance.fullest == index)
        run.add(Words::tr("Memory"), Words::tr("the fullest rank"));
    if (balance.slowest == index)
        run.add(Words::tr("Time"), Words::tr("the slowest rank without communication"),
                Words::tr("It spends the most time outside communication: the others wait for it."));
    content.sections.push_back(std::move(run));
    if (rank.memory)
        content.sections.push_back(memoryRows(*rank.memory, false));
    InspectorContent::Section time{Words::tr("Step"), {}};
    if (figures.stepSeconds)
        time.rows.push_back(
            {Words::tr("Step"), seconds(*figures.stepSeconds), Words::tr("Median of the measured steps.")});
    if (figures.ownSeconds)
        time.add(Words::tr("Without communication"), seconds(*figures.ownSeconds));
    if (figures.communicationShare)
        time.add(Words::tr("Communication"), percent(*figures.communicationShare),
                 Words::tr("Share of the steps spent in collectives, waiting for other ranks included."));
    content.sections.push_back(std::move(time));
    if (rank.communication && !rank.communication->collectives.empty()) {
        InspectorContent::Section section{Words::tr("Collectives"), {}};
        for (const CollectiveUsage& usage : rank.communication->collectives) {
            const QString count = QLocale().toString(static_cast<qlonglong>(usage.count));
            section.add(QString::fromStdString(usage.name),
                        usage.seconds > 0 ? Words::tr("%1 ×, %2, %3", "count, bytes, seconds")
                                                .arg(count, bytes(usage.bytes), seconds(usage.seconds))
                                          : Words::tr("%1 ×, %2", "count, bytes").arg(count, bytes(usage.bytes)),
                        Words::tr("Calls in the measured steps, their payload, and the time in them."));
        }
        content.sections.push_back(std::move(section));
    }
    return content;
}

InspectorContent inspectStrategy(const PlanDocument& plan, const PlannedStrategy& strategy)
{
    InspectorContent content{strategyTitleText(strategy.title),
                             verdictText(strategy.verdict, strategy.devicesNeeded) + QStringLiteral(". ") +
                                 verdictDefinition(strategy.verdict) +
                                 (strategy.tier ? QStringLiteral(" ") + tierDefinition(*strategy.tier) : QString()),
                             {}};
    InspectorContent::Section why{Words::tr("Why it ranks here, and what it costs"), {}};
    for (const std::string& reason : strategy.reasons)
        why.add(noteText(reason), {});
    content.sections.push_back(std::move(why));
    InspectorContent::Section predicted{Words::tr("Predicted, for one device"), {}};
    if (strategy.proved)
        predicted.rows = {{Words::tr("Reserved in a dry run"), bytes(strategy.proved->reservedBytes), {}}};
    predicted.rows.insert(
        predicted.rows.end(),
        {{Words::tr("Peak"), bytes(strategy.peakBytes), Words::tr("Most that is allocated at one time.")},
         {Words::tr("Reserved"), bytes(strategy.reservedBytes),
          Words::tr("What the allocator holds then, its unused blocks included.")},
         {Words::tr("Context"), bytes(plan.device.contextBytes),
          Words::tr("Device memory of a process besides its tensors.")},
         {Words::tr("Usable"), bytes(plan.device.usableBytes), {}},
         {strategy.marginBytes < 0 ? Words::tr("Missing") : Words::tr("Left"),
          bytes(std::abs(strategy.marginBytes)),
          {}}});
    if (strategy.stepSeconds > 0)
        predicted.add(Words::tr("Step"), seconds(strategy.stepSeconds),
                      Words::tr("A roofline: from the device's bandwidth and peak rates."));
    if (!strategy.verified)
        predicted.rows.push_back(
            {Words::tr("Note"), {}, Words::tr("A closed form that has not been checked against measurements.")});
    for (const std::string& note : strategy.notes)
        predicted.add(Words::tr("Note"), {}, noteText(note));
    content.sections.push_back(std::move(predicted));
    InspectorContent::Section parts{Words::tr("At the predicted peak"), {}};
    for (const Component component : componentStackOrder()) {
        const std::int64_t value = strategy.components[static_cast<std::size_t>(component)];
        if (value > 0)
            parts.add(componentTitle(component), bytes(value), share(value, strategy.peakBytes));
    }
    content.sections.push_back(std::move(parts));
    addExperiment(content, strategy.experiment);
    return content;
}

InspectorContent inspectRange(const MemoryTimeline& timeline, double lower, double upper)
{
    InspectorContent content{Words::tr("Range of time"), Words::tr("%1 to %2").arg(seconds(lower), seconds(upper)), {}};
    const std::vector<MemoryTimeline::Column> columns = timeline.sample(lower, upper, 1);
    InspectorContent::Section section{Words::tr("Within it"), {}};
    section.add(Words::tr("Length"), seconds(upper - lower));
    if (!columns.empty()) {
        section.add(Words::tr("Highest total"), bytes(columns.front().totalBytes));
        section.add(Words::tr("Lowest total"), bytes(columns.front().minBytes));
    }
    section.add(Words::tr("Change"), bytes(timeline.totalAt(upper) - timeline.totalAt(lower)),
                Words::tr("Live bytes at its end less those at its start."));
    content.sections.push_back(std::move(section));
    if (columns.empty())
        return content;
    InspectorContent::Section parts{Words::tr("At its highest total"), {}};
    for (const Component component : componentStackOrder()) {
        const std::int64_t value = columns.front().components[static_cast<std::size_t>(component)];
        if (value > 0)
            parts.add(componentTitle(component), bytes(value));
    }
    content.sections.push_back(std::move(parts));
    return content;
}

} // namespace peakscope
