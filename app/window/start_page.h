// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The first page: a training step as the program shows it, four doors that take what they need in place, samples, and
// files opened lately. GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/library/documents.h"

#include <nlohmann/json.hpp>

#include <QWidget>

#include <map>

class QComboBox;
class QGridLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace peakscope {

class MemoryTimelineView;
class StartDoor;

class StartPage : public QWidget
{
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);

    // With what `index` knows of them.
    void setRecentFiles(const QStringList& files, const LibraryIndex& index);
    QComboBox* modelField() const { return m_model; }
    QComboBox* cardField() const { return m_card; }
    QLineEdit* commandField() const { return m_command; }
    QComboBox* familyField() const { return m_family; }
    MemoryTimelineView* timeline() const { return m_timeline; } // null until its sample is read

signals:
    void actionRequested(const char* id);                                     // of the window
    void workspaceRequested(const QString& id, const nlohmann::json& wanted); // to begin with that
    void runRequested(const nlohmann::json& experiment);
    void fileRequested(const QString& path);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeHero();
    void addDoors(QGridLayout* doors);
    StartDoor* addOpening(QWidget* parent);
    StartDoor* addPlanning(QWidget* parent);
    StartDoor* addProgram(QWidget* parent);
    StartDoor* addRunning(QWidget* parent);
    QWidget* makeSamples();
    void readSamples();
    void take(const RunDocument& document);
    void say();

    ResultLoader m_loader;
    bool m_read = false; // the samples are, or will be
    std::map<Sample, RunDocument> m_samples;
    QWidget* m_hero = nullptr;
    QLabel* m_sentence = nullptr;
    MemoryTimelineView* m_timeline = nullptr;
    std::map<Sample, StartDoor*> m_doors; // by the picture on them
    QComboBox* m_model = nullptr;
    QComboBox* m_card = nullptr;
    QLineEdit* m_command = nullptr;
    QComboBox* m_family = nullptr;
    QWidget* m_lastSample = nullptr; // of the page's tab order
    QLabel* m_recentTitle = nullptr;
    QVBoxLayout* m_recent = nullptr;
};

} // namespace peakscope
