// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What ended a program or a run for lack of memory, or would make it smaller: a sentence, and remedies with what each
// saves. What they would save is computed in a thread of its own. GUI thread.
#pragma once

#include "app/parts/background_thread.h"
#include "core/results/tables.h"
#include "widgets/text/language_texts.h"

#include <nlohmann/json.hpp>

#include <QWidget>

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

class QLabel;
class QToolButton;

namespace peakscope {

class DataTableView;
class RemedyCards;

struct DoctorAnswer {
    Table remedies;
    std::vector<nlohmann::json> experiments; // of each row, where it is one that can be run
    std::string fault;                       // why there are none, where that could not be computed
};

// What the doctor is shown: words for the GUI thread, and the work for the doctor's own.
struct DoctorCase {
    bool opens = false; // by itself
    LanguageText sentence;
    LanguageText working;
    LanguageText nothing; // where no remedy was found
    std::function<DoctorAnswer(const std::stop_token&)> ask;
};

class Doctor : public QWidget
{
    Q_OBJECT
public:
    explicit Doctor(QWidget* parent = nullptr);
    ~Doctor() override;

    // Nothing: no case.
    void setCase(std::optional<DoctorCase> shown);
    bool hasCase() const { return m_case.has_value(); }
    DataTableView* remedies() const { return m_remedies; }
    QString sentence() const;
    bool isOpen() const;
    bool isBusy() const { return m_busy; }
    // Closed a line; open a third of the page that it is a row of, nearly, but no more than the other rows leave.
    void fitInto(const QWidget& page);

signals:
    void toggled(bool open);
    void experimentChosen(const nlohmann::json& experiment);

private:
    void buildHead();
    void ask();
    void showAnswer(const DoctorAnswer& answer);
    void sayState();
    void choose(std::size_t row);
    int leastHeight() const;

    std::optional<DoctorCase> m_case;
    std::vector<nlohmann::json> m_experiments;
    QToolButton* m_button = nullptr;
    QLabel* m_sentence = nullptr;
    QToolButton* m_asTable = nullptr;
    RemedyCards* m_cards = nullptr;
    DataTableView* m_remedies = nullptr;
    bool m_asked = false, m_busy = false;
    std::stop_source m_stop;
    BackgroundThread m_thread;
};

} // namespace peakscope
