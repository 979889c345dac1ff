// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/curvature_tables.h"

#include "core/analysis/statistics/statistics.h"

namespace peakscope {

CurvatureInterval intervalOf(const CurvatureMoment& moment)
{
    CurvatureInterval interval;
    interval.mean = moment.mean;
    interval.standardError = moment.standardError;
    interval.samples = moment.samples;
    if (moment.standardError == 0) {
        interval.low = interval.high = moment.mean;
    } else if (moment.samples > 1 && moment.standardError > 0) {
        const double half = studentQuantile(0.975, static_cast<double>(moment.samples - 1)) * moment.standardError;
        interval.low = moment.mean - half;
        interval.high = moment.mean + half;
    }
    return interval;
}

Table curvatureCourseTable(const CurvatureData& data)
{
    Table table{"estimates",
                {{"estimate", ""},
                 {"samples", ""},
                 {"mean", ""},
                 {"standard_error", ""},
                 {"low", ""},
                 {"high", ""},
                 {"time_seconds", "seconds"}},
                {}};
    for (const auto& [name, series] : data.course.series()) {
        const bool eigenvalue = name.find("eigenvalue") != std::string::npos;
        for (const CurvatureMoment& moment : series) {
            const CurvatureInterval interval = intervalOf(moment);
            const double error = moment.standardError;
            table.rows.push_back({name, moment.samples, moment.mean, error,
                                  eigenvalue ? moment.mean - error : interval.low,
                                  eigenvalue ? moment.mean + error : interval.high, moment.seconds});
        }
    }
    return table;
}

} // namespace peakscope
