// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a recorded curvature run (two layers, 11 232 parameters, float32), and the result they make; and a
// section "full" of a made-up matrix.
#pragma once

#include "core/protocol/result_assembler.h"
#include "widgets/curvature/curvature_live.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace peakscope::test {

inline std::vector<Event> curvatureEvents()
{
    std::vector<Event> events;
    std::ifstream file(PEAKSCOPE_SOURCE_DIR "/tests/widgets/data/curvature_events.jsonl");
    EventReader reader;
    for (std::string line; std::getline(file, line);) {
        if (auto event = reader.read(line))
            events.push_back(std::move(*event));
    }
    return events;
}

// With the course of its estimates where `withCourse`: files of older versions have none.
inline RunResult curvatureResult(bool withCourse = false)
{
    ResultAssembler assembler;
    for (const Event& event : curvatureEvents())
        assembler.add(event);
    RunResult result = assembler.result();
    result.kind = ResultKind::Curvature;
    if (!withCourse)
        result.other.erase("estimates");
    return result;
}

// Of a row and a column: blocks of different weight and both signs, heavy on the diagonal, over five decades.
inline double matrixEntry(std::int64_t row, std::int64_t column)
{
    const double distance = std::abs(static_cast<double>(row - column));
    const double sign = (row / 40 + column / 40) % 2 == 0 ? 1 : -1;
    return (row == column ? 2.0 : 0.3) * sign * std::exp(-distance / 30) /
           (1 + 0.02 * static_cast<double>(row + column));
}

struct MatrixPart {
    const char* name;
    std::int64_t count;
};

inline const std::vector<MatrixPart>& matrixParts()
{
    static const std::vector<MatrixPart> kParts{{"model.decoder.embed_tokens.weight", 90},
                                                {"model.decoder.layers.0.self_attn.q_proj.weight", 60},
                                                {"model.decoder.layers.0.self_attn.q_proj.bias", 5},
                                                {"model.decoder.layers.0.fc1.weight", 70},
                                                {"model.decoder.layers.1.self_attn.q_proj.weight", 60},
                                                {"model.decoder.layers.1.self_attn.q_proj.bias", 5},
                                                {"model.decoder.layers.1.fc1.weight", 70},
                                                {"model.decoder.final_layer_norm.weight", 20}};
    return kParts;
}

// What the engine writes of that matrix: a grid of `cells` a side, norms of tensors, no list of entries.
inline nlohmann::json matrixSection(std::int64_t cells = 95)
{
    using nlohmann::json;
    std::int64_t size = 0;
    json tensors = json::array(), norms = json::array(), values = json::array(), extremes = json::array();
    for (const MatrixPart& part : matrixParts()) {
        tensors.push_back({{"parameter", part.name}, {"begin", size}, {"count", part.count}});
        size += part.count;
    }
    const auto over = [](std::int64_t r0, std::int64_t r1, std::int64_t c0, std::int64_t c1, double& extreme) {
        double squares = 0;
        extreme = 0;
        for (std::int64_t r = r0; r < r1; ++r) {
            for (std::int64_t c = c0; c < c1; ++c) {
                const double value = (matrixEntry(r, c) + matrixEntry(c, r)) / 2;
                squares += value * value;
                extreme = std::abs(value) > std::abs(extreme) ? value : extreme;
            }
        }
        return squares;
    };
    double unused = 0;
    for (const json& down : tensors) {
        json line = json::array();
        for (const json& across : tensors) {
            const std::int64_t r = down["begin"], c = across["begin"];
            line.push_back(std::sqrt(over(r, r + down["count"].get<int>(), c, c + across["count"].get<int>(), unused)));
        }
        norms.push_back(line);
    }
    for (std::int64_t row = 0; row < cells; ++row) {
        json rms = json::array(), signs = json::array();
        for (std::int64_t column = 0; column < cells; ++column) {
            const std::int64_t r0 = row * size / cells, r1 = (row + 1) * size / cells;
            const std::int64_t c0 = column * size / cells, c1 = (column + 1) * size / cells;
            double extreme = 0;
            const double squares = over(r0, r1, c0, c1, extreme);
            rms.push_back(std::sqrt(squares / static_cast<double>((r1 - r0) * (c1 - c0))));
            signs.push_back(extreme);
        }
        values.push_back(rms);
        extremes.push_back(signs);
    }
    return {{"size", size},
            {"frobenius", std::sqrt(over(0, size, 0, size, unused))},
            {"heat_map",
             {{"cells", cells},
              {"size", size},
              {"values", values},
              {"extremes", extremes},
              {"tensors", tensors},
              {"norms", norms}}}};
}

inline RunResult matrixResult()
{
    RunResult result = curvatureResult(true);
    result.other["curvature"]["full"] = matrixSection();
    return result;
}

} // namespace peakscope::test
