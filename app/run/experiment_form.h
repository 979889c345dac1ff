// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of an experiment: model, data, training, device. Every change is checked against the experiment's own
// rules (core/experiment), and what is wrong stands under the field it is about. GUI thread.
#pragma once

#include "app/run/command_consent.h"
#include "app/run/form_costs.h"
#include "widgets/text/language_texts.h"

#include <nlohmann/json.hpp>

#include <QString>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace peakscope {

enum class ExperimentKind;
class DeviceChoice;
class FormSection;
struct ExperimentKey;

// One line: "opt-125m · 125.2 M parameters · batch 4 × 128 · adam · float32 · cpu".
QString experimentSummary(const nlohmann::json& experiment);

class ExperimentForm : public QWidget
{
    Q_OBJECT

public:
    enum class ModelSource { Catalogue, Folder, Shape };

    explicit ExperimentForm(QWidget* parent = nullptr);

    // Fills the fields; keys that have no field are kept and handed back by document(). `origin`: where it came from.
    void setDocument(const nlohmann::json& experiment, const Origin& origin = {});
    nlohmann::json document() const;
    // Where that came from, with the launcher that was typed since.
    Origin origin() const;

    // Checks at once rather than when the user pauses.
    void validate();
    bool isValid() const { return m_valid; }

    static QString parametersText(std::int64_t count); // "125.2 M parameters"
    // Whether it stands for this experiment, whatever is spelled out.
    bool holds(const nlohmann::json& experiment) const;
    // Whether a curvature run goes on from what an interrupted one had finished.
    bool resumeWanted() const;

    // Local devices in addition to auto and cpu: (id, title).
    void setDevices(const std::vector<std::pair<QString, QString>>& devices);
    // The cards that can be acted out, those chosen lately first.
    void offerCards();
    // Ways to run elsewhere: (name, the launcher's words). The choice and the words follow one another.
    void setLaunchers(const std::vector<std::pair<QString, QStringList>>& launchers);
    QComboBox* machineField() const { return m_machine; }
    // The words as they stand in the field.
    QStringList launcher() const;
    // Fills the model list from the catalogue; done at the first show, so that the window opens at once.
    void loadCatalogue();

    // Lays itself out for so many pixels: the third column goes below the first where it does not fit beside the
    // second.
    void fit(int width);

    // The field of a dotted key, for keyboard focus and tests; null where there is none.
    QWidget* field(const std::string& key) const;
    // What is said under a field; empty where it is right.
    QString problem(const std::string& key) const;

signals:
    void documentChanged();
    void validated(bool valid);
    void predicted(const QString& peak); // "predicted peak 1.02 GiB" of what stands there; empty: not known
    // Another machine was chosen, or the words were changed and left.
    void launcherChosen(const QStringList& words);
    void launcherReplaced(); // with the document
    void manageLaunchersRequested();

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Field {
        enum class Kind { Choice, Number, Text, Bytes, Truth, Words, Checks, Entries, Numbers, Json } kind = Kind::Text;
        std::string key;
        QLabel* label = nullptr;
        QWidget* editor = nullptr; // QComboBox, QLineEdit or WordChecks
        QWidget* holder = nullptr; // the editor with what stands beside it
        QLabel* reason = nullptr;
        const ExperimentKey* row = nullptr;
        LanguageText hint; // what a line shows while it is empty; empty: the default
        QString title;
        QString usual;                  // the default, as an item of a choice has it
        FormSection* section = nullptr; // that it stands in, where it is one that closes
    };
    struct Section {
        FormSection* widget = nullptr;
        std::vector<std::string> keys;
    };

    QGridLayout* addSection(QVBoxLayout* column, LanguageText title);
    // Title, tool tip, kind and choices are those of the key's row (core/experiment/schema.h).
    Field& addField(QGridLayout* grid, const std::string& key);
    Field& addField(QGridLayout* grid, const ExperimentKey& row, Field::Kind kind);
    static Field::Kind kindOf(const ExperimentKey& key);
    // Whether its value counts: it is on the page, or would be if its section were open.
    bool isAsked(const Field& field) const;
    // Of the row's words, or of `values` in their place.
    QComboBox* addChoice(QGridLayout* grid, const std::string& key, QStringList values = {});
    // `hint` shows what may stand there; the default where it is left out.
    QLineEdit* addLine(QGridLayout* grid, const std::string& key, LanguageText hint = {});
    void say(Field& field);
    void addBrowse(Field& field, bool folder);
    void buildModel(QVBoxLayout* column);
    void buildData(QVBoxLayout* column);
    void buildTraining(QVBoxLayout* column);
    void buildDevice(QVBoxLayout* column);
    void buildKind(QVBoxLayout* column);
    // experiment_form_sections.cpp
    void addClosing(QVBoxLayout* column, const char* name, LanguageText title, const std::vector<std::string>& keys);
    std::vector<std::string> keysWithoutField() const;
    void addAny(QGridLayout* grid, const std::string& key);
    bool differs(const Field& field) const;
    QString differing(const Section& section) const;
    bool isRead(const std::string& key) const; // by this kind of experiment
    void updateSections();
    void openSections();
    void showCosts(const FormCosts::Answer& answer);
    // curvature_fields.cpp
    void buildCurvature(QVBoxLayout* column);
    void addMachine(QGridLayout* grid);
    void addRanks(QGridLayout* grid);
    void showMachine();
    void noteTypedLauncher();
    void addQuantities(QGridLayout* grid);
    void onKindChosen();
    void updateCurvatureFields();
    void fillUsualCurvature();
    ExperimentKind kind() const;
    // perturbation_fields.cpp
    void addTruth(QGridLayout* grid, const std::string& key, const std::vector<std::pair<LanguageText, bool>>& values);
    void addAttacks(QGridLayout* grid);
    void buildPerturbation(QVBoxLayout* column);
    void updatePerturbationFields();

    Field* find(const std::string& key);
    const Field* find(const std::string& key) const;
    void setValue(Field& field, const nlohmann::json* value);
    // False where the text can't be a value of its kind; `problem` says why.
    bool readValue(const Field& field, nlohmann::json& value, QString& problem) const;
    ModelSource modelSource() const;
    // The user chose where the model comes from, or its folder: weights, tokenizer and rows are what goes with it.
    void adoptModel();
    void updateVisibleFields();
    void showField(const std::string& key, bool visible);
    void onEdited();
    void setReason(Field& field, const QString& reason);
    Field* fieldForProblem(const std::string& key);

    QGridLayout* m_columns = nullptr;
    std::array<QVBoxLayout*, 3> m_column{};
    std::map<std::string, Field> m_fields;
    std::vector<Section> m_sections;
    FormCosts m_costs;
    DeviceChoice* m_devices = nullptr;
    QComboBox* m_source = nullptr;
    QComboBox* m_machine = nullptr; // this machine, the presets, then "as written" where the words are no preset's
    QWidget* m_trainingBox = nullptr;
    QWidget* m_curvatureBox = nullptr;    // in place of the training where the kind is curvature
    QWidget* m_perturbationBox = nullptr; // below the training where the kind is prm
    QCheckBox* m_resume = nullptr;
    QLabel* m_general = nullptr; // problems that belong to no field
    QTimer m_validation;
    nlohmann::json m_base = nlohmann::json::object(); // what was given, for keys without a field
    nlohmann::json m_unseenShape =
        nlohmann::json::object(); // of an own shape: its keys without a field, and its family
    Origin m_origin;
    QStringList m_givenLauncher, m_typedLauncher; // as it came with the document; as it was last typed
    bool m_ownLauncher = true;                    // nothing is left in the field of what came with the document
    bool m_launcherSelected = false;              // all of it: what is typed next takes its place
    bool m_filling = false;
    bool m_valid = false;
    bool m_catalogueLoaded = false;
};

} // namespace peakscope
