// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace of the window: a page with its docks, and what connects it to runs, files and the other workspaces. The
// rail, the menus, sessions, screenshots and the command line know workspaces by this and by their place in
// workspaceKinds() alone. GUI thread.
#pragma once

#include "app/icons.h"
#include "widgets/figures/figure.h"

#include <QDockWidget>
#include <QList>
#include <QObject>
#include <QStringList>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QToolBar;

namespace peakscope {

class Documents;
class MessageBar;
struct InspectorContent;
struct RunDocument;
struct RunInfo;
struct RunResult;
struct Session;
struct Bench;

class Workspace : public QObject
{
    Q_OBJECT

public:
    // How much of what is brought to the front is a workspace's own; the one that says most comes to the front.
    enum class Claim { None, Part, Home, Subject };

    ~Workspace() override = default;

    virtual QString title() const = 0; // in the language in force
    virtual Glyph glyph() const = 0;
    virtual QWidget* page() const = 0;
    virtual QList<QDockWidget*> docks() const { return {}; }
    virtual QByteArray saveLayout() const = 0;
    virtual void restoreLayout(const QByteArray& state) = 0;
    virtual void restoreDefaultLayout() = 0;
    // Where it says what concerns it; null: over all workspaces.
    virtual MessageBar* messages() const { return nullptr; }

    // What it needs once it is used, and not for the window's first picture.
    virtual void prepare() {}
    // Its own fields at the end of the window's tool bar.
    virtual void addToToolBar(QToolBar*) {}
    // It has come to the front, or another one has.
    virtual void activated() {}
    virtual void deactivated() {}
    virtual Claim showDocument(const RunDocument&) { return Claim::None; }
    virtual Claim showRun(const RunInfo&) { return Claim::None; }
    virtual void showNothing() {}
    // What a copy and figures are made of while it is in front; `shown`: what the window shows.
    virtual std::shared_ptr<const RunResult> result(const std::shared_ptr<const RunResult>& shown) const
    {
        return shown;
    }
    virtual RunResults results(const std::shared_ptr<const RunResult>& shown) const;
    // It shows what the window shows; the inspector may then say what another one says of that.
    virtual bool showsFront() const { return false; }
    // Else the file that it shows, which the library marks; nothing: no other than before.
    virtual std::optional<QString> shownFile() const { return {}; }
    // F5 and the field for searching, where they are its own; false: not here.
    virtual bool runAgain() { return false; }
    virtual bool search(const QString&) { return false; }

    // Results side by side; false: that is another one's.
    virtual bool openTogether(const QStringList&) { return false; }
    // What is selected in one workspace is selected in the others, each in its own time. A range is in the time of the
    // run of that file, in seconds; none of any run where both are empty.
    using Range = std::pair<double, double>;
    virtual void showRange(const QString&, const std::optional<Range>&) {}
    virtual void showName(const QString&, const QString&) {}

    // Its part of what the window remembers. Fields come back at once; documents when all files are read, then what
    // was in front, and what follows from it; ranges and lines when nothing is busy any more.
    virtual void note(Session&) const {}
    virtual void restoreFields(const Session&) {}
    virtual void restoreDocuments(const Session&, const Documents&) {}
    virtual void restoreShown(const Session&) {}
    virtual void restoreViews(const Session&) {}
    virtual bool busy() const { return false; }

signals:
    void inspected(const peakscope::InspectorContent& content);
    void nothingInspected();
    void resultChanged();
    void rangeSelected(const QString& path, const std::optional<std::pair<double, double>>& range);
    void nameSelected(const QString& table, const QString& name);
    void becameIdle(); // busy() may have ended

protected:
    explicit Workspace(QObject* parent) : QObject(parent) {}
};

// In the order of the rail.
struct WorkspaceKind {
    const char* id; // of sessions and the command line
    Workspace* (*make)(const Bench& bench, QWidget* pages, QObject* parent);
};
const std::vector<WorkspaceKind>& workspaceKinds();

} // namespace peakscope
