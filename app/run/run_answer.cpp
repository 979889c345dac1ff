// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/run_answer.h"

#include "app/parts/end_words.h"
#include "core/base/json/json_access.h"
#include "core/import/read_any.h"
#include "core/model/dry_device.h"
#include "core/planning/recommend/result_advice.h"
#include "core/results/component_reading.h"
#include "core/results/curvature_section.h"
#include "widgets/look/component_palette.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/capacity_text.h"
#include "widgets/text/number_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <optional>

namespace peakscope {

namespace {

struct AnswerWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::RunAnswer)
};

QString numbersOf(const CurvatureData& curvature)
{
    QStringList parts;
    if (!curvature.eigenvalues.empty()) {
        const CurvatureEigenvalue& first = curvature.eigenvalues.front();
        parts << (std::isfinite(first.residual)
                      ? AnswerWords::tr("Largest λ by magnitude: %1, residual %2")
                            .arg(compactNumber(first.value, 4), compactNumber(first.residual, 2))
                      : AnswerWords::tr("Largest λ by magnitude: %1").arg(compactNumber(first.value, 4)));
    }
    if (curvature.trace && std::isfinite(curvature.trace->mean)) {
        const CurvatureInterval& trace = *curvature.trace;
        parts << (trace.hasInterval() && !trace.exact()
                      ? AnswerWords::tr("Trace: %1, 95 % from %2 to %3")
                            .arg(compactNumber(trace.mean, 4), compactNumber(trace.low), compactNumber(trace.high))
                      : AnswerWords::tr("Trace: %1").arg(compactNumber(trace.mean, 4)));
    }
    return parts.join(QStringLiteral("  ·  "));
}

// The phase of the peak; nothing before the first.
const PhaseMark* peakPhase(const MemorySection& memory)
{
    const auto after = std::ranges::upper_bound(memory.phases, memory.peakTimeSeconds, {}, &PhaseMark::timeSeconds);
    return after == memory.phases.begin() ? nullptr : &*(after - 1);
}

QString peakAnswer(const RunResult& result)
{
    const MemorySection& memory = *result.memory;
    const QString peak = bytesText(memory.peakBytes);
    const PhaseMark* phase = memory.has("peak_time_seconds") ? peakPhase(memory) : nullptr;
    if (!phase)
        return AnswerWords::tr("Peak %1").arg(peak);
    const QString name = phaseTitle(phase->phase);
    return phase->step < 0 ? AnswerWords::tr("Peak %1, %2", "bytes, phase").arg(peak, name)
                           : AnswerWords::tr("Peak %1 in step %2, %3", "bytes, number, phase")
                                 .arg(peak, QLocale().toString(static_cast<qlonglong>(phase->step)), name);
}

// That was acted out; nothing where what was reserved of it is not known.
std::optional<CatalogueDevice> cardOf(const RunResult& result)
{
    const auto card = dryDevice(lenient::text(result.config, "device"));
    return card && result.memory->peakReservedBytes > 0 ? std::optional(card->card) : std::nullopt;
}

// Of a budget or of a card that was acted out, whose bytes are known. Of a run that ended for memory what was asked for
// then: what it held is within the limit by as much as says nothing.
QString roomAnswer(const RunResult& result)
{
    if (endedForMemory(result)) {
        const QString asked = askedText(result.message);
        return asked.isEmpty() ? QString() : AnswerWords::tr("%1 more requested at the end").arg(asked);
    }
    if (const std::int64_t budget = lenient::integer(result.config, "budget_bytes"); budget > 0) {
        const std::int64_t left = budget - result.memory->peakBytes;
        return left < 0 ? AnswerWords::tr("%1 over the budget").arg(bytesText(-left))
                        : AnswerWords::tr("%1 below the budget").arg(bytesText(left));
    }
    const auto card = cardOf(result);
    if (!card)
        return {};
    const std::int64_t capacity = card->capacityBytes();
    return AnswerWords::tr("%1 of %2 left on the card")
        .arg(bytesText(std::max<std::int64_t>(0, capacity - result.memory->peakReservedBytes)), bytesText(capacity));
}

QString memoryAnswer(const RunResult& result)
{
    constexpr qsizetype kNamed = 2;
    QStringList holders;
    for (const auto& [component, bytes] : peakHolders(result)) {
        if (componentsAreAtPeak(result) && holders.size() < kNamed)
            holders << AnswerWords::tr("%1 %2", "component, bytes").arg(componentTitle(component), bytesText(bytes));
    }
    QString answer = peakAnswer(result);
    if (!holders.isEmpty())
        answer = AnswerWords::tr("%1: %2", "peak, who holds it").arg(answer, holders.join(QStringLiteral(", ")));
    const QString room = roomAnswer(result);
    return room.isEmpty() ? answer : answer + QStringLiteral("  ·  ") + room;
}

} // namespace

QString runAnswer(const RunResult& result)
{
    return !result.curvature && result.memory && result.memory->peakBytes > 0 ? memoryAnswer(result) : QString();
}

QString runCapacity(const RunResult& result)
{
    const bool named = result.memory && !endedForMemory(result) && lenient::integer(result.config, "budget_bytes") <= 0;
    const auto card = named ? cardOf(result) : std::nullopt;
    return card ? capacityText(card->totalBytes, card->usableBytes, card->contextBytes) : QString();
}

nlohmann::json planFields(const RunResult& result)
{
    const nlohmann::json& model = lenient::object(result.config, "model");
    const std::string name = lenient::text(model, "id");
    const std::string planned = name.empty() ? lenient::text(model, "dir") : name;
    if (importedFormat(result) || !endedForMemory(result) || planned.empty())
        return nullptr;
    nlohmann::json fields = {{"model", planned},
                             {"devices", std::max<std::int64_t>(1, lenient::integer(result.config, "ranks", 1))},
                             {"batch", ""}}; // whichever fits
    if (const std::int64_t seq = lenient::integer(lenient::object(result.config, "data"), "seq"); seq > 0)
        fields["sequence"] = std::to_string(seq);
    const std::int64_t budget = lenient::integer(result.config, "budget_bytes");
    const auto card = dryDevice(lenient::text(result.config, "device"));
    const PlanDevice device = deviceOfResult(result);
    if (card && budget <= 0)
        fields["device"] = card->card.id;
    else if (budget > 0 || device.cuda || lenient::integer(result.environment, "memory_total_bytes") > 0)
        fields["device"] = std::to_string(device.usableBytes >> 20) + " MiB";
    return fields;
}

QString curvatureAnswer(const RunResult& result)
{
    return result.curvature ? numbersOf(*result.curvature) : QString();
}

} // namespace peakscope
