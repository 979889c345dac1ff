// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare workspace: results side by side, read together where they are not open yet. GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/shell/workspace.h"

#include <QSet>
#include <QStringList>

namespace peakscope {

class ComparePage;

class CompareWorkspace : public Workspace
{
    Q_OBJECT

public:
    CompareWorkspace(const WorkspaceServices& parts, QWidget* pages, QObject* parent);

    RunResults results(const std::shared_ptr<const RunResult>& shown) const override;
    nlohmann::json kept() const override;
    void restoreDocuments(const nlohmann::json& kept, const Documents& documents) override;
    void restoreViews(const nlohmann::json& kept) override;
    bool busy() const override;
    std::optional<QStringList> shownFiles() const override;
    void showRange(const QString& path, const std::optional<Range>& range) override;
    void showName(const QString& table, const QString& name) override;

private:
    void openTogether(const QStringList& paths);
    void compareSelected();
    void compareShown(); // with files that are chosen
    void showJoined(const std::vector<RunDocument>& points);
    void gathered(const QString& file);
    void showGathered();

    ComparePage* m_page;
    nlohmann::json m_restored; // the files of the comparison that came back
    bool m_joins = false;      // points of one sweep are shown as it, for nobody asked to see them side by side
    std::optional<LanguageText> m_leftOut; // of the folders opened last
    QStringList m_wanted;                  // files of the comparison that is being read, in their order
    QSet<QString> m_pending;               // those not read yet
};

} // namespace peakscope
