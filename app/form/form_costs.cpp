// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/form_costs.h"

#include "core/base/machine.h"
#include "core/model/dry_device.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/inputs/data_rows.h"
#include "core/planning/inputs/memory_estimate.h"
#include "core/planning/recommend/fit_places.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>
#include <limits>
#include <utility>

namespace peakscope {

namespace {

std::optional<MemoryEstimate> estimateOf(const Experiment& experiment)
{
    EstimateOptions options;
    options.cuda = experiment.device.starts_with("cuda") || isDryDevice(experiment.device);
    options.modules = false;
    const auto estimate = estimateMemory(experiment, options);
    return estimate ? std::optional(*estimate) : std::nullopt;
}

std::optional<std::int64_t> peakOf(const nlohmann::json& document)
{
    const Result<Experiment> experiment = experimentFromJson(document);
    const auto estimate = experiment ? estimateOf(*experiment) : std::nullopt;
    return estimate ? std::optional(estimate->peakBytes) : std::nullopt;
}

// How many rows there are is in the data: not of what a pipe gives, which is the run's, nor of what takes long to read.
bool mayRead(const DataOptions& data)
{
    constexpr qint64 kMostBytes = 16 << 20;
    const QFileInfo file(QString::fromStdString(data.path));
    return data.source == DataSource::Builtin || (file.isFile() && file.size() <= kMostBytes);
}

PredictedPeak peakFrom(const MemoryEstimate& estimate)
{
    PredictedPeak peak;
    peak.components = estimate.components;
    peak.bytes = estimate.peakBytes;
    peak.reservedBytes = estimate.peakReservedBytes;
    peak.exact = estimate.verified;
    return peak;
}

int ranksHere(const Experiment& experiment)
{
    return static_cast<int>(std::max<std::int64_t>(1, experiment.ranks));
}

// Where the experiment runs, as far as that is known before a worker looks: what is free is known of the main memory
// alone. Nothing: behind a launcher, or where a CUDA device would be taken and which is not known.
std::optional<LocalDevice> deviceOf(const Experiment& experiment)
{
    if (!experiment.launcher.empty() || isDryDevice(experiment.device))
        return std::nullopt;
    const bool cuda = experiment.device != "cpu" && (experiment.device != "auto" || hasNvidiaDriver());
    const auto memory = cuda ? std::nullopt : machineMemory();
    LocalDevice device;
    device.id = cuda ? "cuda" : "cpu";
    device.freeBytes = memory ? memory->availableBytes : 0;
    return device;
}

// Against the budget or what a card that is acted out can give, whichever is less; of one that is fitted without a
// budget what is free.
void setLimit(PredictedPeak& peak, const Experiment& experiment, const std::optional<LocalDevice>& device)
{
    if (isDryDevice(experiment.device)) {
        if (const auto card = dryDevice(experiment.device)) {
            peak.limit = PredictedPeak::Limit::Card;
            peak.limitBytes = std::max<std::int64_t>(card->bytes - card->card.contextBytes, 0);
        }
    }
    const std::int64_t budget = experiment.budgetBytes;
    if (budget > 0 && (peak.limit == PredictedPeak::Limit::None || budget < peak.limitBytes)) {
        peak.limit = PredictedPeak::Limit::Budget;
        peak.limitBytes = budget;
    } else if (experiment.fit && device && device->freeBytes > 0) {
        peak.limit = PredictedPeak::Limit::Free;
        peak.limitBytes = roomToFit(*device, ranksHere(experiment));
    }
}

// Of an experiment that takes the sizes that suit its limit: the peak of those, or of the smallest where none do.
void fit(FormCosts::Answer& answer, const Experiment& asked, const std::optional<LocalDevice>& device)
{
    answer.peak->fitted = true;
    const bool dry = isDryDevice(asked.device) && asked.launcher.empty();
    const bool known = dry || (device && answer.peak->limit != PredictedPeak::Limit::None);
    if (!known || !mayRead(asked.data))
        return; // that it is fitted is all there is to say
    const auto fitted = dry ? fitToCard(asked, 0) : fitToDevice(asked, *device, 0, ranksHere(asked));
    const auto take = [&answer, &asked, &device](const MemoryEstimate& estimate) {
        answer.peak = peakFrom(estimate);
        setLimit(*answer.peak, asked, device);
    };
    if (fitted) {
        take(fitted->estimate);
        answer.peak->fitted = true;
        answer.fitted = fitted->experiment;
    } else if (fitted.error().code == ErrorCode::OverBudget) {
        Experiment least = asked;
        least.data.batch = least.data.maxPhysicalBatch = 1;
        if (const auto estimate = estimateOf(least))
            take(*estimate);
        answer.peak->fitted = false;
        answer.peak->least = true;
    }
}

void foretell(FormCosts::Answer& answer, const nlohmann::json& document)
{
    const Result<Experiment> experiment = experimentFromJson(document);
    const auto estimate = experiment ? estimateOf(*experiment) : std::nullopt;
    if (!estimate)
        return;
    const auto device = deviceOf(*experiment);
    answer.peak = peakFrom(*estimate);
    setLimit(*answer.peak, *experiment, device);
    if (experiment->fit)
        fit(answer, *experiment, device);
}

nlohmann::json without(nlohmann::json document, const std::vector<std::string>& keys)
{
    for (std::string key : keys) {
        std::replace(key.begin(), key.end(), '.', '/');
        const nlohmann::json::json_pointer place("/" + key);
        if (document.contains(place))
            document[place.parent_pointer()].erase(place.back());
    }
    return document;
}

std::optional<PrivacyCost> privacyOf(const nlohmann::json& document)
{
    const Result<Experiment> experiment = experimentFromJson(document);
    if (!experiment || !mayRead(experiment->data) || experiment->training.clipping == Clipping::None ||
        experiment->training.noiseMultiplier <= 0)
        return std::nullopt;
    const auto data = openBatches(*experiment);
    if (!data)
        return std::nullopt;
    const auto cost =
        privacyCost(*experiment, data->rows(), experiment->training.warmupSteps + experiment->training.steps);
    return cost ? std::optional(*cost) : std::nullopt;
}

// What only the data themselves tell.
void checkData(const nlohmann::json& document, FormCosts::Answer& answer)
{
    const Result<Experiment> experiment = experimentFromJson(document);
    const bool here = experiment && experiment->launcher.empty();
    if (!here || experiment->data.source == DataSource::Builtin || !mayRead(experiment->data))
        return;
    const auto data = openBatches(*experiment);
    if (data)
        return;
    answer.dataProblem = data.error().message;
    Experiment large = *experiment;
    large.model.config.vocab = std::numeric_limits<std::int32_t>::max();
    answer.vocabularyTooSmall = openBatches(large).ok();
}

FormCosts::Answer answerTo(const FormCosts::Question& question)
{
    FormCosts::Answer answer;
    foretell(answer, question.document);
    const auto peakBytes = question.parts.empty() ? std::nullopt : peakOf(question.document);
    for (const std::vector<std::string>& keys : question.parts) {
        const nlohmann::json rest = without(question.document, keys);
        const auto usual = rest == question.document ? peakBytes : peakOf(rest);
        answer.adding.push_back(peakBytes && usual ? std::optional(*peakBytes - *usual) : std::nullopt);
    }
    answer.privacy = privacyOf(question.document);
    checkData(question.document, answer);
    return answer;
}

} // namespace

void FormCosts::ask(const Question& question)
{
    m_next = question;
    if (!m_busy)
        begin();
}

void FormCosts::forget()
{
    m_next.reset();
    m_wanted = false;
}

void FormCosts::begin()
{
    m_busy = m_wanted = true;
    const QPointer<FormCosts> self(this);
    QThreadPool::globalInstance()->start([self, question = *std::exchange(m_next, std::nullopt)] {
        Answer answer = answerTo(question);
        QMetaObject::invokeMethod(
            qApp,
            [self, answer = std::move(answer)] {
                if (!self)
                    return;
                self->m_busy = false;
                if (self->m_next)
                    self->begin();
                else if (self->m_wanted)
                    emit self->answered(answer);
            },
            Qt::QueuedConnection);
    });
}

} // namespace peakscope
