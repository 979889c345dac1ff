// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace of the window: a page, and what connects it to runs, files and the other workspaces. The rail, the menus,
// sessions, screenshots and the command line know workspaces by this and by their place in workspaceKinds() alone. GUI
// thread.
#pragma once

#include "app/parts/icons.h"
#include "app/shell/shell.h"
#include "widgets/figures/page/figure.h"
#include "widgets/text/language_texts.h"

#include <nlohmann/json.hpp>

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace peakscope {

class WorkspacePage;
struct InspectorContent;
struct RunDocument;
struct RunInfo;
struct RunResult;

// Work of an earlier window that was interrupted and that nothing in the library stands for.
struct LeftWork {
    QString name;
    std::function<void()> goOn;
    std::function<void()> discard; // with what is finished of it
};

class Workspace : public QObject
{
    Q_OBJECT

public:
    // How much of what is brought to the front is a workspace's own; the one that says most comes to the front.
    enum class Claim { None, Part, Home, Subject };
    // What a workspace shows: what the window has in front, or something of its own. The inspector may say in one of
    // the first kind what another one says of that.
    enum class Shows { Front, Own };
    // In the time of the run that a range is selected in, in seconds.
    using Range = std::pair<double, double>;

    ~Workspace() override = default;

    QString title() const { return m_title.say(); } // in the language in force
    Glyph glyph() const { return m_glyph; }
    WorkspacePage* page() const { return m_page; }
    bool showsFront() const { return m_shows == Shows::Front; }

    // Once, before it is used and after the window's first picture. `kept`: what kept() gave at the last end; null
    // where nothing comes back.
    virtual void prepare(const nlohmann::json& kept) { (void)kept; }
    // Once, when the window stands there: what an earlier one left.
    virtual std::vector<LeftWork> lookBack() { return {}; }
    // It has come to the front, or another one has.
    virtual void setInFront(bool) {}
    virtual Claim showDocument(const RunDocument&) { return Claim::None; }
    virtual Claim showRun(const RunInfo&) { return Claim::None; }
    virtual void showNothing() {}
    // What figures are made of while it is in front; `shown`: what the window shows, null for nothing. Of a single one
    // copies are saved.
    virtual RunResults results(const std::shared_ptr<const RunResult>& shown) const;
    // The file that it shows, or those side by side, which the library marks, where that is not the window's; nothing:
    // no other than before.
    virtual std::optional<QStringList> shownFiles() const { return {}; }
    // Begins with what was typed elsewhere: of a plan its fields, of a program its "command", and where it
    // runs as a search found it the "device" and what to "vary".
    virtual void begin(const nlohmann::json&) {}
    virtual bool runAgain() { return false; } // F5, where it is its own; false: not here
    // Whether the field for searching finds in its tables by now.
    virtual bool searches() const { return false; }
    virtual void search(const QString&) {}
    // What is selected in one workspace is selected in the others. No range in the run of that file, or of no run where
    // the path is empty, too.
    virtual void showRange(const QString&, const std::optional<Range>&) {}
    virtual void showName(const QString&, const QString&) {}

    // What it remembers, an object that only it can read but for two members: "files", documents it shows, which are
    // read again at the next start, and "views", which restoreViews() needs. Null: nothing.
    virtual nlohmann::json kept() const { return {}; }
    // Its documents are read again; what was in front is about to be shown.
    virtual void restoreDocuments(const nlohmann::json&, const Documents&) {}
    // All is shown, and nothing is busy any more.
    virtual void restoreViews(const nlohmann::json&) {}
    virtual bool busy() const { return false; }

signals:
    void inspected(const peakscope::InspectorContent& content);
    void nothingInspected();
    void resultChanged();
    void rangeSelected(const QString& path, const std::optional<std::pair<double, double>>& range);
    void nameSelected(const QString& table, const QString& name);
    void becameIdle(); // busy() may have ended

protected:
    Workspace(LanguageText title, Glyph glyph, Shows shows, WorkspacePage* page, const WorkspaceServices& parts,
              QObject* parent)
        : QObject(parent), m_services(parts), m_page(page), m_title(std::move(title)), m_glyph(glyph), m_shows(shows)
    {}

    const WorkspaceServices m_services;

private:
    WorkspacePage* m_page;
    LanguageText m_title;
    Glyph m_glyph;
    Shows m_shows;
};

// In the order of the rail.
struct WorkspaceKind {
    const char* id; // of sessions and the command line
    Workspace* (*make)(const WorkspaceServices& parts, QWidget* pages, QObject* parent);
};
const std::vector<WorkspaceKind>& workspaceKinds();

} // namespace peakscope
