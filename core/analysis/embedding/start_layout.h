// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where the points of an embedding begin: eigenvectors of the graph, principal components, or chance. Used by Umap.
#pragma once

#include "core/analysis/embedding/fuzzy_graph.h"
#include "core/analysis/neighbors/neighbors.h"
#include "core/analysis/neighbors/thread_team.h"
#include "core/base/enum_words.h"

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

enum class UmapStart { Spectral, Random, Pca };
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<UmapStart>{"spectral", "random", "pca"};
inline constexpr auto& umapStartFromName = fromName<UmapStart>;

struct StartLayout {
    std::vector<float> coordinates; // rows x dimensions, each dimension from 0 to 10
    UmapStart used = UmapStart::Spectral;
    int parts = 1;    // connected parts of the graph (spectral start only)
    std::string note; // why it is not the start that was asked for; empty where it is
};

// Spectral: the eigenvectors of the normalised Laplacian after the trivial one, each connected part laid out for itself
// around its own place. Where they don't converge within a fixed number of steps principal components are used, and the
// note says so. Coordinates are undefined where the team was stopped.
StartLayout startLayout(const FeatureRows& features, const SparseGraph& graph, UmapStart start, int dimensions,
                        std::uint64_t seed, ThreadTeam& team);

// rows x dimensions principal components of the rows, largest first; zeros where there are fewer.
std::vector<double> principalComponents(const FeatureRows& features, int dimensions, ThreadTeam& team);

} // namespace peakscope
