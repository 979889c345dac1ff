// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare workspace: results side by side, read together where they are not open yet. GUI thread.
#pragma once

#include "app/result_loader.h"
#include "app/window/shell.h"
#include "app/window/workspace.h"

#include <QSet>
#include <QStringList>

namespace peakscope {

class CompareWorkspace;

class CompareDesk : public Workspace
{
    Q_OBJECT

public:
    CompareDesk(const Bench& bench, QWidget* pages, QObject* parent);

    QString title() const override { return tr("Compare"); }
    Glyph glyph() const override { return Glyph::Compare; }
    QWidget* page() const override;
    QList<QDockWidget*> docks() const override;
    QByteArray saveLayout() const override;
    void restoreLayout(const QByteArray& state) override;
    void restoreDefaultLayout() override;
    bool openTogether(const QStringList& paths) override;
    RunResults results(const std::shared_ptr<const RunResult>& shown) const override;
    void note(Session& session) const override;
    void restoreDocuments(const Session& session, const Documents& documents) override;
    void restoreViews(const Session& session) override;
    bool busy() const override;
    void showRange(const QString& path, const std::optional<Range>& range) override;
    void showName(const QString& table, const QString& name) override;

private:
    void compareSelected();
    void gathered(const QString& file);
    void showGathered();

    Bench m_bench;
    CompareWorkspace* m_page;
    QStringList m_wanted;    // files of the comparison that is being read, in their order
    QSet<QString> m_pending; // those not read yet
};

} // namespace peakscope
