// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a run was made of, as rows of the inspector: the keys of its experiment in words, its program, its machine. GUI
// thread for translations.
#pragma once

#include "app/parts/inspector_panel.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace peakscope {

using KeyWords = std::function<QString(const std::string& key)>;
QString plainKey(const std::string& key); // as the file has it

QString valueText(const nlohmann::json& value);

// The values of an object that are no objects themselves; `label` puts a key into words.
InspectorContent::Section objectRows(const QString& title, const nlohmann::json& object, const KeyWords& label);
// A program of the user's, in place of the keys of an experiment.
InspectorContent::Section programRows(const nlohmann::json& config, const nlohmann::json& environment);
void addExperiment(InspectorContent& content, const nlohmann::json& experiment);
InspectorContent::Section environmentRows(const nlohmann::json& environment);

} // namespace peakscope
