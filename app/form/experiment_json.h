// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment of the form as JSON, to be copied, changed and given back to the form. GUI thread.
#pragma once

#include <nlohmann/json.hpp>

#include <QWidget>

#include <string_view>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace peakscope {

class ExperimentJson : public QWidget
{
    Q_OBJECT

public:
    explicit ExperimentJson(QWidget* parent = nullptr);

    // What stands in the form; what was typed here and not applied stays.
    void setDocument(const nlohmann::json& document);
    // Back to what stands in the form.
    void discard();

    QPlainTextEdit* field() const { return m_field; }
    QPushButton* applyButton() const { return m_apply; }
    QString verdict() const; // what is wrong with what was typed, and at which line

signals:
    void applied(const nlohmann::json& document); // a valid experiment

private:
    void apply();
    void refuse(const QString& sentence, int line);
    void showEdited(bool edited);

    QPlainTextEdit* m_field = nullptr;
    QLabel* m_verdict = nullptr;
    QPushButton* m_discard = nullptr;
    QPushButton* m_apply = nullptr;
    nlohmann::json m_document;
    bool m_edited = false;
};

// The line, from 1, at which a key stands in a JSON text ("training.lr"); 0 where it does not, or within a list.
int lineOfJsonKey(std::string_view text, std::string_view key);

} // namespace peakscope
