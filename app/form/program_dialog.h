// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A program of the user's, on this machine or on cards that aren't here: what is run where, and a row for each such
// card with what came of it. Stands beside the window, one a window. GUI thread.
#pragma once

#include "app/jobs/program_runs.h"
#include "app/jobs/run_queue.h"

#include <QDialog>

class QCheckBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace peakscope {

class ElidedLabel;
class MessageBar;
class ProgramPicture;
class ProgramTable;
class PythonProbe;
class RankFields;

class ProgramDialog : public QDialog
{
    Q_OBJECT

public:
    ProgramDialog(ProgramRuns& runs, QWidget* parent);

    // Sets up that command for that card alone, and to search `vary` ("batch=64..512") where it is not empty.
    void propose(const QString& command, const QString& card, const QString& vary);

    QLineEdit* commandField() const { return m_command; }
    QLabel* pythonLine() const { return m_python; }
    QLineEdit* folderField() const { return m_folder; }
    QLineEdit* searchField() const { return m_search; }
    RankFields* world() const { return m_world; }
    QListWidget* cardList() const { return m_cards; }
    QCheckBox* hereBox() const { return m_here; }
    QSpinBox* stepsField() const { return m_steps; }
    QCheckBox* savesBox() const { return m_saves; }
    QCheckBox* ringBox() const { return m_ring; }
    QCheckBox* varyBox() const { return m_vary; }
    QLineEdit* nameField() const { return m_name; }
    QLineEdit* valuesField() const { return m_values; }
    ProgramTable* table() const { return m_table; }
    QLabel* verdict() const { return m_verdict; }
    QLabel* largest() const { return m_largest; }
    QPushButton* copyButton() const { return m_copy; }
    QPushButton* startButton() const { return m_start; }
    QPushButton* stopButton() const { return m_stop; }
    QPushButton* openButton() const { return m_open; }
    QPushButton* openAllButton() const { return m_openAll; }
    MessageBar* messages() const { return m_messages; }

signals:
    void opened(const QString& file);
    void openedTogether(const QStringList& files);
    void startedHere(const peakscope::ProgramHere& program); // on this machine, live in Run

private:
    void buildFields(QFormLayout* form);
    void buildCards();
    QWidget* buildResults();
    QWidget* buildButtons();
    void connectParts();
    QString program() const; // the command's first word
    void filterCards(const QString& text);
    std::vector<CatalogueDevice> chosenCards() const;
    // What is set up, or nothing and why in the line above the buttons.
    std::optional<ProgramSetUp> setUp();
    QString problemOf(const ProgramSetUp& setUp) const; // empty: it can start
    void check();
    void placeValues();
    void offerFields(bool dry); // those that only cards have a use for
    void sayTicked(const std::vector<CatalogueDevice>& cards);
    QString planOf(const ProgramSetUp& setUp) const; // what a start would do
    void untickAll();
    void start(bool sizes); // or at each of several numbers of GPUs
    void showRows();
    ProgramRow rowAt(int row) const; // of the table; empty where there is none
    void showChoice();               // what the row that is chosen offers
    void openRow(int row);
    void copyCommand();
    void searchOn();

    ProgramRuns& m_runs;
    std::vector<CatalogueDevice> m_catalogue; // those that can be acted out, as the list has them
    MessageBar* m_messages = nullptr;
    QLineEdit* m_command = nullptr;
    PythonProbe* m_probe = nullptr;
    QLabel* m_python = nullptr; // that the command will run with
    QString m_typed;            // the program that somebody typed, not one that a document proposes
    QLineEdit* m_folder = nullptr;
    QPushButton* m_browse = nullptr;
    RankFields* m_world = nullptr;
    QSpinBox* m_steps = nullptr;
    QCheckBox* m_saves = nullptr;
    QCheckBox* m_ring = nullptr;
    QCheckBox* m_vary = nullptr;
    QLineEdit* m_name = nullptr;
    QLineEdit* m_values = nullptr;
    QLineEdit* m_search = nullptr;
    QCheckBox* m_here = nullptr;
    QListWidget* m_cards = nullptr;
    ElidedLabel* m_ticked = nullptr; // which they are: those of last time may be out of sight
    QToolButton* m_untick = nullptr;
    bool m_ownSteps = false, m_hereChosen = false; // by somebody
    QLabel* m_heading = nullptr;
    QLabel* m_largest = nullptr;
    QPushButton* m_further = nullptr; // where the largest is only the end of the range
    QPushButton* m_copy = nullptr;
    ProgramTable* m_table = nullptr;
    ProgramPicture* m_picture = nullptr; // of its current row, while that runs
    QLabel* m_verdict = nullptr;
    QPushButton* m_open = nullptr;
    QPushButton* m_openAll = nullptr;
    QPushButton* m_stop = nullptr;
    QPushButton* m_start = nullptr;
    QPushButton* m_close = nullptr;
};

} // namespace peakscope
