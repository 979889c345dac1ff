// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the config.json of Hugging Face's library; what only one family has is read by its own file, through this
// class. Used within this folder only; any thread.
#pragma once

#include "core/base/json/json_reader.h"
#include "core/model/model_config.h"
#include "core/model/model_shape.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// One model type of Hugging Face's library, and what it takes where an optional key is missing (its configuration
// classes, release 5).
struct CheckpointType {
    std::string_view type;
    std::int64_t maxPositions = 0; // 0: the key is required, its table is learned
    std::int64_t kvHeads = 0;      // 0: as many as heads
    double normEps = 1e-5;
    bool tied = false;
    std::string_view activation;
    double ropeTheta = 10000;
    std::int64_t heads = 0; // 0: the key is required, as for the vocabulary
    std::int64_t vocab = 0;
    std::int64_t originalMaxPositions = 0; // 0: what the scaling says, or the most positions
};

// The shortest list that gives these kinds of layers when it is repeated.
std::vector<bool> shortestPeriod(const std::vector<bool>& kinds);

// The names of keys beside those of the shape.
struct CheckpointKeys {
    ShapeKeys shape;
    std::string activation = "hidden_act";
    std::string initStd = "initializer_range";
    bool ffnRequired = true; // optional in the library, but no saved configuration leaves it out
};

class CheckpointReader
{
public:
    CheckpointReader(const nlohmann::json& document, Family family, const CheckpointType& type, Problems& problems);

    ModelConfig read();

    // ---- for the families
    const CheckpointType& type() const { return m_type; }
    const nlohmann::json& document() const { return m_document; }
    ObjectReader& reader() { return m_reader; }
    ModelConfig& config() { return m_config; }
    CheckpointKeys& keys() { return m_keys; }
    // Two names that mean the same to the library: the family's own unless only the common one is there.
    std::string keyOr(const std::string& own, const std::string& common) const;
    // A key that must not be true, or not hold anything.
    void refuseTrue(const std::string& key);
    void refuseSet(const std::string& key);
    // A key that changes the mathematics, and that the family reads.
    void takes(std::string_view key) { m_taken.push_back(key); }
    // "layer_types" may name full attention and, where `sliding`, windows.
    void refuseOtherLayerTypes(bool sliding);
    // Windows of the layers that "layer_types" names, or of the `usual` ones where it is missing; a `window` of 0:
    // none.
    void readLayerTypes(std::int64_t window, const std::vector<bool>& usual);
    // Of models whose layers have windows but for some: "sliding_window", which is `usual` where it is missing and must
    // not be none, of the layers that "layer_types" names, or of `layers`.
    void readWindowsByLayer(std::int64_t usual, const std::vector<bool>& layers);
    // A soft cap, which is `usual` where the key is missing and 0 where it holds nothing.
    double softCap(std::string_view key, double usual);
    // How many experts there are, and how many a token goes through, and whether routers have a loss of their own.
    void readExperts(std::int64_t experts, std::int64_t perToken);
    // As Qwen's configurations say it: "use_sliding_window" and "max_window_layers".
    void readLateWindows();
    // Rotary positions. `partial`: the share of a head that turns where the family has a key for it.
    void readRope(std::optional<double> partial = {});
    // Those of full layers and of layers with windows, by names of layer kinds; or as older releases say it, in
    // "rope_theta", "rope_scaling" and `localKey`, whose value is `localTheta` where it is missing.
    void readRopeByKind(const std::string& localKey, double localTheta);

private:
    void readSizes();
    void readHeads();
    void refuseNull(const std::string& key);
    void readCommon();
    void requireSame(const std::string& key, double used, const std::string& means);
    void readRopeOf(const nlohmann::json& object, const std::string& path, std::optional<double> partial);
    void readScaling(ObjectReader& rope);
    void readScalingNumbers(ObjectReader& rope, RopeScaling& scaling);
    void readYarn(ObjectReader& rope, RopeScaling& scaling);
    void readLongRope(ObjectReader& rope, RopeScaling& scaling);

    const nlohmann::json& m_document;
    const CheckpointType& m_type;
    Problems& m_problems;
    ObjectReader m_reader;
    CheckpointKeys m_keys;
    ModelConfig m_config;
    std::vector<std::string_view> m_taken;
};

} // namespace peakscope
