// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests about commands of files share: files of every kind that name a command which leaves a mark, and a
// window that opens them.
#pragma once

#include "app/form/run_panel.h"
#include "app/parts/launcher_presets.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/parts/theme_controller.h"
#include "app/run/run_page.h"
#include "app/session/unfinished_runs.h"
#include "core/experiment/sweep_plan.h"
#include "core/results/plans/plan_document.h"
#include "tests/app/plan/fake_plan_search.h"
#include "tests/app/window/window_parts.h"

#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include <memory>

namespace peakscope::testing {

class ConsentTest : public QObject
{
protected:
    void prepareHome()
    {
        isolate(m_home);
        applyTheme(Theme::Light);
    }
    void clearHome()
    {
        QDir(path("config")).removeRecursively();
        QDir(path("data")).removeRecursively();
        QFile::remove(mark());
        settings::setLibraryFolder(path("library"));
        QDir(path("library")).removeRecursively();
        useFakeWorker("complete");
    }
    std::unique_ptr<MainWindow> window(bool restore = false)
    {
        auto made = std::make_unique<MainWindow>();
        made->setSessionKept(restore);
        if (restore)
            made->restoreSession();
        made->show();
        if (!QTest::qWaitForWindowExposed(made.get()))
            qWarning("the window does not show");
        return made;
    }
    QString path(const char* name) const { return m_home.filePath(QString::fromUtf8(name)); }
    QString mark() const { return path("mark"); }
    bool marked() const { return QFileInfo::exists(mark()); }
    // Says that it was started, then starts what it is to start.
    nlohmann::json evil() const { return {"sh", "-c", "touch '" + mark().toStdString() + "'; exec \"$@\"", "x"}; }
    nlohmann::json theirs() const
    {
        nlohmann::json experiment = smallExperiment();
        experiment["launcher"] = evil();
        return experiment;
    }
    QString write(const char* name, const nlohmann::json& document) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(document.dump())) < 0)
            qWarning("can't write the file");
        return file.fileName();
    }
    QString writeResult(const char* name) const
    {
        RunResult result = smallResult();
        result.config = theirs();
        if (!saveRunResult(result, path(name).toStdString()))
            qWarning("can't write the result");
        return path(name);
    }
    // Interrupted before its first point.
    QString writeSweep(const nlohmann::json& base, const nlohmann::json& grid) const
    {
        QDir(path("sweep")).removeRecursively();
        QDir(m_home.path()).mkpath(QStringLiteral("sweep"));
        std::vector<std::string> order;
        for (const auto& [key, values] : grid.items())
            order.push_back(key);
        const auto plan = sweepPlanFromJson({{"base", base}, {"grid", grid}}, order);
        if (!plan || !saveSweep(emptySweep(*plan), path("sweep/sweep.json").toStdString()))
            qWarning("can't write the sweep");
        return path("sweep/sweep.json");
    }
    QString writePlan() const
    {
        RecommendOptions options;
        options.modelText = "opt-125m";
        PlanDevice device;
        device.id = device.name = "a100-40gb";
        device.totalBytes = device.usableBytes = 16 << 20;
        options.device = device;
        nlohmann::json plan = toJson(FakePlanSearch().answer(options));
        for (nlohmann::json& strategy : plan["strategies"])
            strategy["experiment"]["launcher"] = evil();
        if (!saveRunResult(planResult(plan), path("plan.json").toStdString()))
            qWarning("can't write the plan");
        return path("plan.json");
    }
    static void leaveRun(const char* title, const nlohmann::json& experiment)
    {
        QStringList parts = newWindowKey().split(u'.');
        parts[1] = QStringLiteral("1"); // of a process that is not there
        keepUnfinished(parts.join(u'.'), {{QString::fromLatin1(title), experiment}}, false);
    }
    static void open(MainWindow& window, const QString& file)
    {
        window.openFiles({file});
        QTRY_VERIFY(!reading(window));
    }
    static MessageBar* question(MainWindow& window)
    {
        for (MessageBar* bar : window.findChildren<MessageBar*>()) {
            if (!bar->detail().isEmpty() && bar->isVisible())
                return bar;
        }
        return nullptr;
    }
    static void press(QWidget& place, const QString& title)
    {
        QVERIFY2(testing::press(place, title), qPrintable(QStringLiteral("no button ") + title));
    }
    static void typeLauncher(MainWindow& window, const QString& line)
    {
        auto* field = static_cast<QLineEdit*>(part<RunPage>(window)->panel()->form()->field("launcher"));
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, line);
    }
    // No run is under way, nor is a finished one's result still on its way into the window.
    static bool quiet(MainWindow& window)
    {
        return !part<RunQueue>(window)->busy() && !part<SweepRunner>(window)->running() && !reading(window);
    }

    QTemporaryDir m_home;
};

} // namespace peakscope::testing
