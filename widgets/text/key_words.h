// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of an experiment in words, as the schema has them, in the language of the window. Pure functions.
#pragma once

#include <QString>

#include <string>

namespace peakscope {

// What a row of the schema says in English; empty stays empty.
QString translatedRow(const char* text);
// "training.lr": "Learning rate". Of what the schema does not know the last word: "data.shuffle_seed": "Shuffle seed".
QString experimentKeyTitle(const std::string& path);

} // namespace peakscope
