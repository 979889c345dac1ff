// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/form_costs.h"

#include "core/model/dry_device.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/inputs/data_rows.h"
#include "core/planning/inputs/memory_estimate.h"

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

// Against the budget or what a card that is acted out can give, whichever is less.
std::optional<PredictedPeak> foretell(const nlohmann::json& document)
{
    const Result<Experiment> experiment = experimentFromJson(document);
    const auto estimate = experiment ? estimateOf(*experiment) : std::nullopt;
    if (!estimate)
        return std::nullopt;
    PredictedPeak peak;
    peak.components = estimate->components;
    peak.bytes = estimate->peakBytes;
    peak.reservedBytes = estimate->peakReservedBytes;
    peak.exact = estimate->verified;
    if (isDryDevice(experiment->device)) {
        if (const auto card = dryDevice(experiment->device)) {
            peak.limit = PredictedPeak::Limit::Card;
            peak.limitBytes = std::max<std::int64_t>(card->bytes - card->card.contextBytes, 0);
        }
    }
    const std::int64_t budget = experiment->budgetBytes;
    if (budget > 0 && (peak.limit == PredictedPeak::Limit::None || budget < peak.limitBytes)) {
        peak.limit = PredictedPeak::Limit::Budget;
        peak.limitBytes = budget;
        peak.fitted = experiment->fit;
    }
    return peak;
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

// How many rows there are is in the data: not of what a pipe gives, which is the run's, nor of what takes long to read.
bool mayRead(const DataOptions& data)
{
    constexpr qint64 kMostBytes = 16 << 20;
    const QFileInfo file(QString::fromStdString(data.path));
    return data.source == DataSource::Builtin || (file.isFile() && file.size() <= kMostBytes);
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
    answer.peak = foretell(question.document);
    const auto peakBytes = answer.peak ? std::optional(answer.peak->bytes) : std::nullopt;
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
