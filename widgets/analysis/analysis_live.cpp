// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/analysis/analysis_live.h"

#include "core/analysis/response/finished_result.h"
#include "core/analysis/response/response_summary.h"
#include "core/base/json/json_reader.h"
#include "core/results/section_readers.h"

#include <algorithm>
#include <utility>

namespace peakscope {
namespace {

using Clock = std::chrono::steady_clock;

bool sameDrawing(const ResponseRow& a, const ResponseRow& b)
{
    return a.group == b.group && a.sigma == b.sigma && a.repeat == b.repeat && a.attack == b.attack;
}

} // namespace

void AnalysisFollower::add(const Event& event)
{
    if (std::holds_alternative<StartEvent>(event)) {
        *this = {};
    } else if (const auto* stage = std::get_if<StageEvent>(&event)) {
        takeStage(stage->data);
    } else if (const auto* point = std::get_if<PointEvent>(&event)) {
        if (addRow(point->values))
            m_fresh = m_rowsSinceSection = true;
    }
}

// A section that cannot be read leaves what was there: the finished result says what is wrong with it.
void AnalysisFollower::takeStage(const nlohmann::json& data)
{
    if (!data.is_object())
        return;
    m_known.synthetic = lenient::flag(data, "synthetic", m_known.synthetic);
    takeUnits(data);
    if (const auto prm = data.find("prm"); prm != data.end()) {
        if (Result<AnalysisData> read = analysisOf({{"prm", *prm}}, m_known.synthetic))
            takeResponses(std::move(*read));
    }
}

// Features may be of a hundred thousand units: they are read when they come, not again with every later section.
void AnalysisFollower::takeUnits(const nlohmann::json& data)
{
    nlohmann::json next = m_units;
    bool any = false;
    for (const char* key : {"features", "embedding", "partition"}) {
        if (const auto found = data.find(key); found != data.end()) {
            next[key] = *found;
            any = true;
        }
    }
    if (!any)
        return;
    Result<AnalysisData> read = analysisOf(next, m_known.synthetic);
    if (!read)
        return;
    m_units = std::move(next);
    AnalysisData before = std::exchange(m_known, std::move(*read));
    m_known.baselinePerplexity = before.baselinePerplexity;
    m_known.rows = std::move(before.rows);
    m_known.points = std::move(before.points);
    m_known.effects = std::move(before.effects);
    m_known.hasControl = before.hasControl;
    m_known.hypotheses = std::move(before.hypotheses);
    m_known.conclusions = std::move(before.conclusions);
    m_fresh = true;
}

// The section is sent every few seconds, so points may have come that it does not hold.
void AnalysisFollower::takeResponses(AnalysisData&& read)
{
    std::vector<ResponseRow> later;
    for (const ResponseRow& row : m_known.rows) {
        if (std::none_of(read.rows.begin(), read.rows.end(),
                         [&row](const ResponseRow& known) { return sameDrawing(row, known); }))
            later.push_back(row);
    }
    m_known.baselinePerplexity = read.baselinePerplexity;
    m_known.rows = std::move(read.rows);
    m_known.rows.insert(m_known.rows.end(), later.begin(), later.end());
    m_known.points = std::move(read.points);
    m_known.effects = std::move(read.effects);
    m_known.hasControl = read.hasControl;
    m_known.hypotheses = std::move(read.hypotheses);
    m_known.conclusions = std::move(read.conclusions);
    m_rowsSinceSection = !later.empty();
    m_fresh = true;
}

bool AnalysisFollower::addRow(const nlohmann::json& values)
{
    const nlohmann::json section = {{"results", nlohmann::json::array({values})},
                                    {"baseline", {{"perplexity", m_known.baselinePerplexity}}}};
    const Result<AnalysisData> read = analysisFromJson({{"prm", section}});
    if (!read || read->rows.empty())
        return false; // a point of something else
    const ResponseRow& row = read->rows.front();
    if (std::any_of(m_known.rows.begin(), m_known.rows.end(),
                    [&row](const ResponseRow& known) { return sameDrawing(row, known); }))
        return false;
    m_known.rows.push_back(row);
    return true;
}

std::shared_ptr<const AnalysisData> AnalysisFollower::news(bool force)
{
    const Clock::time_point begin = Clock::now();
    if (!m_fresh || (!force && begin < m_next))
        return nullptr;
    if (m_rowsSinceSection) {
        m_known.points = summarizeRows(m_known.rows);
        m_known.effects = effectsOf(m_known.rows, m_known.hasControl);
    }
    auto data = std::make_shared<const AnalysisData>(m_known);
    m_fresh = false;
    // Many units or points take long to gather: then they come less often, not the rest of the window's news later.
    constexpr int kMostShare = 10;
    m_next =
        Clock::now() + std::max<Clock::duration>(std::chrono::milliseconds(200), kMostShare * (Clock::now() - begin));
    return data;
}

} // namespace peakscope
