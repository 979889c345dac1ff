// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The model of an experiment in its form: from the catalogue, a folder or by its shape, with its weights. GUI thread.
#pragma once

#include <nlohmann/json.hpp>

#include <QObject>
#include <QString>

class QComboBox;
class QVBoxLayout;
class QWidget;

namespace peakscope {

class FormFields;

class ModelFields : public QObject
{
    Q_OBJECT

public:
    enum class Source { Catalogue, Folder, Shape };

    ModelFields(FormFields& fields, QWidget* page) : QObject(page), m_fields(fields), m_page(page) {}

    void build(QVBoxLayout* column);
    // Fills the list; what is wrong with the catalogue.
    QString loadCatalogue();

    // Of an experiment's document: where its model comes from, and what no field shows of it; before its fields.
    void begin(const nlohmann::json& document);
    // The usual weights, which depend on where the model comes from.
    void setUsualWeights();
    void update(); // which fields are there
    // Whether a document of this source has the key.
    bool isOfSource(const std::string& key) const;
    // What no field shows.
    void complete(nlohmann::json& model) const;
    // The field that stands for the whole model.
    const char* mainKey() const;

    static QString parametersText(std::int64_t count); // "125.2 M parameters"

private:
    Source source() const;
    void adopt();

    FormFields& m_fields;
    QWidget* m_page;
    QComboBox* m_source = nullptr;
    nlohmann::json m_unseenShape =
        nlohmann::json::object(); // of an own shape: its keys without a field, and its family
};

} // namespace peakscope
