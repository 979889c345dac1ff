// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every key of an experiment, once: where its value is kept, what may stand there, who reads it, what it is called and
// what it does. Reader, writer, the window's form, help and docs/experiment.md are made from this list. Any thread.
#pragma once

#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace peakscope {

enum class KeyType { Truth, Integer, Number, Text, Texts, Numbers, Word, Words, Marks, Entries };

// One of some words, whatever the program keeps for it.
struct WordSlot {
    const std::vector<std::string>* words;
    std::function<std::size_t()> get;
    std::function<void(std::size_t)> set;
};
// Some of some words, at least one.
struct WordsSlot {
    const std::vector<std::string>* words;
    std::function<std::vector<std::string>()> get;
    std::function<void(const std::vector<std::string>&)> set; // known ones alone
};
// A key of the model's shape: resolveModel() reads those, by the model's family.
struct ShapeSlot {
    KeyType type;
    std::vector<std::string> words; // of a Word
};
// Where an experiment keeps the value of a key; its type is the key's.
using KeySlot = std::variant<bool*, std::int64_t*, std::uint64_t*, double*, std::string*, std::vector<std::string>*,
                             std::vector<double>*, std::vector<MarkOptions>*, std::vector<EntryChoice>*, WordSlot,
                             WordsSlot, ShapeSlot>;

// What std::visit calls for each of them.
template <typename... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

// A bit a kind of experiment, in their order.
enum KeyReaders : unsigned { kMemory = 1, kCurvature = 2, kPrm = 4, kEveryKind = 7 };

struct KeyRange {
    double least = 0;
    double most = kMostNumber;
};

// What few keys need.
struct KeyTraits {
    KeyRange range = {};
    const char* unit = "";
    const char* fallback = ""; // what holds where nothing is written, where that is no value of its own
    // The value that holds where none is written, where it follows from other keys.
    void (*follow)(Experiment& experiment) = nullptr;
    // Looks at the value once it is read: what is wrong with it, or nothing. It may put another spelling right.
    std::string (*check)(Experiment& experiment) = nullptr;
    bool rare = false; // documents have it only where it is not the default
};

struct ExperimentKey {
    std::string_view path; // "training.lr"
    KeySlot (*slot)(Experiment& experiment);
    unsigned kinds;    // of experiments that read it
    const char* title; // in English; translated in the window's context ExperimentForm
    const char* words; // a sentence or two: what it means, what a special value does
    KeyTraits more = {};

    bool isOfModel() const { return path.starts_with("model."); }
};

// In the order in which they are read.
std::span<const ExperimentKey> experimentKeys();
const ExperimentKey* findExperimentKey(std::string_view path);

KeyType typeOf(const ExperimentKey& key);
std::vector<std::string> wordsOf(const ExperimentKey& key); // that it chooses from; empty for other types
std::string typeText(const ExperimentKey& key);             // "an integer", "one of auto, naive and chunked"
std::string rangeText(const ExperimentKey& key);            // "≥ 0", "1 … 16777216"; empty where there is none
std::string kindsText(const ExperimentKey& key);            // "memory and curvature"
std::string defaultText(const ExperimentKey& key);          // "128", "whole batch"; empty where there is none

// The value of one key as a document has it; null for keys of the model.
nlohmann::json keyValue(const ExperimentKey& key, const Experiment& experiment);

// An experiment with every block, as the defaults are.
const Experiment& defaultExperiment();

} // namespace peakscope
