// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// prm_run.h: noise into the weights, group by group, and what perplexity and attacks answer.
#include "core/analysis/response/response_document.h"
#include "core/engine/prm/prm_run.h"
#include "core/engine/prm/unit_noise.h"

#include "core/base/json/json_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Weights come back whatever ends the measurement.
class NoiseGuard
{
public:
    explicit NoiseGuard(UnitNoise& noise) : m_noise(noise) {}
    ~NoiseGuard()
    {
        if (!m_restored)
            (void)m_noise.restore();
    }
    NoiseGuard(const NoiseGuard&) = delete;
    NoiseGuard& operator=(const NoiseGuard&) = delete;
    Status restore()
    {
        m_restored = true;
        return m_noise.restore();
    }

private:
    UnitNoise& m_noise;
    bool m_restored = false;
};

class ResponseMeasurement
{
public:
    ResponseMeasurement(PrmRun& run, const ParameterSpace& space, const ParameterUnits& units)
        : m_run(run), m_noise(space, units), m_units(units)
    {}

    Status run(const UnitPartition& partition)
    {
        const MeasurementEnd end(*this);
        makeGroups(partition);
        m_run.section["weights_checksum"] = hexadecimal(m_noise.originalChecksum());
        const PrmOptions& options = m_run.options;
        for (std::size_t level = 0; level < options.sigmas.size(); ++level) {
            for (int repeat = 0; repeat < options.repeats; ++repeat) {
                for (std::size_t group = 0; group < m_groups.size(); ++group) {
                    if (Status measured = point(level, group, repeat); !measured)
                        return measured;
                }
            }
        }
        noteLost();
        return restored() ? Status(Done{}) : Status(failed("", "the weights did not come back bit by bit"));
    }

private:
    void noteLost()
    {
        const std::vector<NoiseResponse>& all = m_run.responses;
        const auto lost = std::count_if(all.begin(), all.end(),
                                        [](const NoiseResponse& one) { return !std::isfinite(one.perplexity); });
        if (lost > 0)
            m_run.notes.push_back("prm: noise left " + std::to_string(lost) + " of " + std::to_string(all.size()) +
                                  " points a perplexity that is not finite; they are in the results without one, and "
                                  "their means are left out");
    }

    // However the measurement ends, the section says what was found until then and whether the weights are back.
    class MeasurementEnd
    {
    public:
        explicit MeasurementEnd(ResponseMeasurement& measurement) : m_measurement(measurement) {}
        ~MeasurementEnd()
        {
            try {
                m_measurement.m_run.section["weights_restored"] = m_measurement.restored();
                m_measurement.m_run.sendSection(true);
            } catch (...) { // what ended the measurement is what is told
            }
        }
        MeasurementEnd(const MeasurementEnd&) = delete;
        MeasurementEnd& operator=(const MeasurementEnd&) = delete;

    private:
        ResponseMeasurement& m_measurement;
    };

    bool restored() const { return m_noise.checksum() == m_noise.originalChecksum(); }

    static std::string hexadecimal(std::uint64_t value)
    {
        char text[17];
        std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
        return text;
    }

    void makeGroups(const UnitPartition& partition)
    {
        Json rows = Json::array();
        for (const UnitClass unitClass : kUnitClasses) {
            m_groups.push_back(m_noise.group(unitClass, false, partition.members(unitClass)));
            const std::uint64_t seed = m_run.experiment.seed + static_cast<std::uint64_t>(unitClass);
            m_groups.push_back(
                m_noise.group(unitClass, true, controlUnits(m_units.units(), m_groups.back().entries, seed)));
        }
        for (const NoiseGroup& group : m_groups) {
            rows.push_back({{"param_type", group.control ? "control" : name(group.unitClass)},
                            {"units", group.units.size()},
                            {"parameters", group.entries},
                            {"rms", group.rms}});
            if (group.control)
                rows.back()["control_of"] = name(group.unitClass);
        }
        m_run.section["groups"] = std::move(rows);
    }

    // Perplexity and the attacks' scores with the weights as they are; a number of a sample that overflowed is none.
    Result<Json> answers(std::size_t level, const NoiseGroup& group, int repeat)
    {
        NoiseGuard guard(m_noise);
        m_noise.add(group, m_run.options.sigmas[level], m_run.options.relative, m_run.experiment.seed,
                    DrawPurpose::WeightNoise, static_cast<std::uint64_t>(repeat));
        Ledger& ledger = m_run.monitor.ledger();
        const auto judged = scoreSamples(m_run.model, m_run.judged, m_run.scoring, ledger);
        if (!judged)
            return judged.error();
        const auto evaluated = scoreSamples(m_run.model, m_run.samples.evaluation, m_run.scoring, ledger);
        if (!evaluated)
            return evaluated.error();
        if (Status restored = guard.restore(); !restored)
            return restored.error();
        Json found = {{"loss", meanLossOf(*evaluated)}, {"attacks", Json::array()}};
        for (const std::string& attack : m_run.options.attacks) {
            const std::vector<double> scores = attackScores(attack, *judged, m_run.reference, m_run.packedBytes);
            const auto auc = aucDeLong(scores, m_run.labels);
            const auto change = aucDifference(scores, m_run.baseline.scores[attack], m_run.labels);
            if (auc && change)
                found["attacks"].push_back({auc->auc, auc->low, auc->high, change->difference, change->standardError});
            else
                found["attacks"].push_back({kUnknown, kUnknown, kUnknown, kUnknown, kUnknown});
        }
        return found;
    }

    Status point(std::size_t level, std::size_t number, int repeat)
    {
        const NoiseGroup& group = m_groups[number];
        // Without noise every group and seed is the same; it is measured once.
        const bool still = m_run.options.sigmas[level] == 0;
        const std::string key =
            still ? std::string("point.0")
                  : "point." + std::to_string(level) + "." + std::to_string(number) + "." + std::to_string(repeat);
        Json found;
        if (still && !m_still.is_null()) {
            found = m_still;
        } else if (const Json* known = m_run.log.recall(key)) {
            found = *known;
            m_run.skip(scoringWork(m_run));
        } else {
            auto measured = answers(level, group, repeat);
            if (!measured)
                return measured.error();
            found = std::move(*measured);
            m_run.log.note(key, found);
            m_run.advance(scoringWork(m_run), progressText(level, group, repeat));
        }
        if (still)
            m_still = found;
        take(found, level, group, repeat);
        return Done{};
    }

    std::string progressText(std::size_t level, const NoiseGroup& group, int repeat) const
    {
        char text[120];
        std::snprintf(text, sizeof text, "noise %.3g in %s%s, seed %d of %lld", m_run.options.sigmas[level],
                      group.control ? "the control of " : "", std::string(name(group.unitClass)).c_str(), repeat + 1,
                      static_cast<long long>(m_run.options.repeats));
        return text;
    }

    void take(const Json& found, std::size_t level, const NoiseGroup& group, int repeat)
    {
        NoiseResponse response;
        response.sigma = m_run.options.sigmas[level];
        response.unitClass = group.unitClass;
        response.control = group.control;
        response.repeat = repeat;
        const double loss = lenient::number(found["loss"]);
        response.perplexity = std::exp(loss);
        response.deltaPerplexity = response.perplexity - std::exp(m_run.baseline.loss);
        response.deltaLogPerplexity = loss - m_run.baseline.loss;
        for (std::size_t i = 0; i < m_run.options.attacks.size(); ++i) {
            const Json& row = found["attacks"][i];
            response.attacks.push_back({m_run.options.attacks[i], lenient::number(row[0]), lenient::number(row[1]),
                                        lenient::number(row[2]), lenient::number(row[3]), lenient::number(row[4])});
        }
        for (Json& row : toRows(response))
            m_run.monitor.sink().send(PointEvent{std::move(row)});
        m_run.responses.push_back(std::move(response));
        m_run.sendSection(false);
    }

    PrmRun& m_run;
    UnitNoise m_noise;
    const ParameterUnits& m_units;
    std::vector<NoiseGroup> m_groups;
    Json m_still; // the answers without noise
};

} // namespace

Status measureResponses(PrmRun& run, const ParameterSpace& space, const ParameterUnits& units,
                        const UnitPartition& partition)
{
    return ResponseMeasurement(run, space, units).run(partition);
}

} // namespace peakscope
