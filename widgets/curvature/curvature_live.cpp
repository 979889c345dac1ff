// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/curvature_live.h"

#include "core/results/section_readers.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace peakscope {

void CurvatureNews::take(CurvatureNews&& later)
{
    std::move(later.moments.begin(), later.moments.end(), std::back_inserter(moments));
    if (later.section)
        section = std::move(later.section);
}

void CurvatureFollower::note(CurvatureNews& news, const std::string& name, const CurvatureMoment& moment)
{
    m_course.add(name, moment);
    news.moments.emplace_back(name, moment);
}

CurvatureNews CurvatureFollower::add(const Event& event, double seconds)
{
    CurvatureNews news;
    if (!std::isfinite(m_start))
        m_start = seconds;
    const double time = seconds - m_start;
    if (const auto* estimate = std::get_if<EstimateEvent>(&event)) {
        if (estimate->name == "top_eigenvalue")
            m_eigenProducts = estimate->samples;
        note(news, estimate->name, {estimate->samples, estimate->mean, estimate->standardError, time});
        return news;
    }
    const auto* stage = std::get_if<StageEvent>(&event);
    if (!stage || !stage->data.is_object() || !stage->data.contains("curvature"))
        return news;
    auto section = std::make_shared<CurvatureData>(curvatureFromJson(stage->data["curvature"]));
    for (const CurvatureDiagonal& diagonal : section->diagonals) {
        if (diagonal.name == "diagonal")
            note(news, "diagonal_mean", {diagonal.count, diagonal.mean.mean, diagonal.mean.standardError, time});
    }
    // The first one's own estimates come far more often.
    const std::int64_t products = std::max(section->eigenProducts, m_eigenProducts);
    for (std::size_t i = 1; i < section->eigenvalues.size() && products > 0; ++i)
        note(news, "eigenvalue." + std::to_string(i + 1),
             {products, section->eigenvalues[i].value, section->eigenvalues[i].residual, time});
    news.section = std::move(section);
    return news;
}

} // namespace peakscope
