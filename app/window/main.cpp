// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop program. What it is asked for is decided before any QApplication exists.
#include "app/parts/fonts.h"
#include "app/parts/icons.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "app/shell/command_line.h"
#include "app/window/export_command.h"
#include "app/window/main_window.h"
#include "app/window/screenshot.h"
#include "core/base/terminal.h"

#include <QApplication>
#include <QFontInfo>
#include <QGuiApplication>

#include <csignal>
#include <cstdlib>

namespace {

QStringList wordsOf(int argc, char** argv)
{
    QStringList words;
    for (int i = 1; i < argc; ++i)
        words << QString::fromLocal8Bit(argv[i]);
    return words;
}

void setIdentity()
{
    QCoreApplication::setApplicationName(QStringLiteral("peakscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(PEAKSCOPE_VERSION));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Peakscope"));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.peakscope.Peakscope"));
}

void complain(const QString& sentence)
{
    peakscope::standardError().line("peakscope: " + sentence.toStdString());
}

constexpr const char* kNoDisplay =
    "there is no display to open a window on. Without one, `peakscope export FILE --figure NAME --out PATH` draws "
    "figures and `peakscope-cli` runs experiments; from another machine, `ssh -X` brings its display along";

// What Qt says of a window quotes names from files as well. A display that does not answer ends Qt with a core dump and
// the advice to install it again.
void asItComes(QtMsgType type, const QMessageLogContext&, const QString& message)
{
    if (message.contains(QLatin1String("connect to display")) ||
        message.startsWith(QLatin1String("Could not load the Qt platform plugin")))
        return; // the end that follows says it
    if (type == QtFatalMsg && message.contains(QLatin1String("platform plugin"))) {
        complain(QString::fromLatin1(kNoDisplay));
        std::_Exit(1);
    }
    peakscope::standardError().line(message.toStdString());
}

// Without a display Qt's remarks about the missing one would stand between the lines that scripts read.
void onlyWhatIsSerious(QtMsgType type, const QMessageLogContext&, const QString& message)
{
    if (type == QtCriticalMsg || type == QtFatalMsg)
        complain(message);
}

int showWindow(QApplication& application, const peakscope::CommandLine& line)
{
    using peakscope::Theme;
    peakscope::applyTheme(line.theme.isEmpty()                  ? peakscope::settings::theme()
                          : line.theme == QLatin1String("dark") ? Theme::Dark
                                                                : Theme::Light);
    QGuiApplication::setWindowIcon(peakscope::programIcon());
    peakscope::MainWindow window;
    window.setSessionKept(line.session);
    if (line.session && line.files.isEmpty() && !line.demo)
        window.restoreSession();
    window.show();
    if (line.compare)
        window.compareFiles(line.files);
    else if (!line.files.isEmpty())
        window.openFiles(line.files);
    if (line.demo)
        window.startDemo();
    return application.exec();
}

} // namespace

int main(int argc, char** argv)
{
    using Mode = peakscope::CommandLine::Mode;
    const peakscope::CommandLine line = peakscope::parseCommandLine(wordsOf(argc, argv));
    setIdentity();
    if (line.mode == Mode::Help) {
        peakscope::standardOutput().text(line.help.toStdString());
        return 0;
    }
    if (line.mode == Mode::Version) {
        peakscope::standardOutput().line("peakscope " PEAKSCOPE_VERSION);
        return 0;
    }
    if (line.mode == Mode::Unusable) {
        complain(line.error);
        return 2;
    }
    // A worker that went away must not take the window along.
    std::signal(SIGPIPE, SIG_IGN);
    qInstallMessageHandler(asItComes);
    std::signal(SIGXFSZ, SIG_IGN); // a file past the shell's limit is a failed write, which is told
    // Only the window itself needs a display.
    if (line.mode != Mode::Window) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qInstallMessageHandler(onlyWhatIsSerious);
    }
    if (line.mode == Mode::Window && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM") &&
        qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")) {
        complain(QString::fromLatin1(kNoDisplay));
        return 1;
    }
    QApplication application(argc, argv);
    if (!peakscope::provideFonts()) {
        complain(
            QStringLiteral("there is no font on this machine, so no text could be read; install fonts-dejavu-core"));
        return 1;
    }
    if (line.mode == Mode::Check) {
        const QString chinese = QLatin1String(peakscope::canWriteChinese() ? "with" : "without");
        peakscope::standardOutput().line(
            QStringLiteral("Qt %1, words in %2, %3 Chinese characters")
                .arg(QLatin1String(qVersion()), QFontInfo(QApplication::font()).family(), chinese)
                .toStdString());
        return 0;
    }
    const bool scripted = (line.mode == Mode::Export || line.mode == Mode::Report) && line.language.isEmpty();
    const QString language = scripted                  ? QStringLiteral("en")
                             : line.language.isEmpty() ? peakscope::settings::language()
                                                       : line.language;
    if (!peakscope::installTranslation(language) && language == QLatin1String("zh") && line.mode != Mode::Export)
        complain(QString::fromLatin1(peakscope::kNoChineseFont));
    if (line.mode == Mode::Export)
        return peakscope::runExport(line);
    if (line.mode == Mode::Report)
        return peakscope::runReport(line);
    if (line.mode == Mode::Screenshot)
        return peakscope::takeScreenshot(line);
    return showWindow(application, line);
}
