// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What an experiment is predicted to take, and what parts of it add to that; computed beside the window, the newest
// question first. GUI thread.
#pragma once

#include "core/planning/inputs/privacy_accountant.h"
#include "widgets/plan/peak_bar.h"

#include <nlohmann/json.hpp>

#include <QObject>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

class FormCosts : public QObject
{
    Q_OBJECT

public:
    struct Question {
        nlohmann::json document;
        std::vector<std::vector<std::string>> parts; // keys of each
    };
    struct Answer {
        std::optional<PredictedPeak> peak;               // nothing where it cannot be predicted
        nlohmann::json fitted; // the experiment with the sizes that it takes; null: as it stands
        std::vector<std::optional<std::int64_t>> adding; // of each part, against its keys' defaults
        std::optional<PrivacyCost> privacy;              // after all steps, where noise is asked for
        std::string dataProblem;                         // why the data can't be read; empty: they can, or are too long
        bool vocabularyTooSmall = false;                 // and that is the reason
    };

    explicit FormCosts(QObject* parent) : QObject(parent) {}

    void ask(const Question& question);
    void forget(); // the last question: its answer does not come

signals:
    void answered(const peakscope::FormCosts::Answer& answer);

private:
    void begin();

    std::optional<Question> m_next;
    bool m_busy = false;
    bool m_wanted = false;
};

} // namespace peakscope
