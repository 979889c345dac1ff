// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/screenshot.h"

#include "app/panels/range_offer.h"
#include "app/parts/message_bar.h"
#include "app/parts/theme_controller.h"
#include "app/window/main_window.h"
#include "core/base/file.h"
#include "core/base/terminal.h"

#include <QApplication>
#include <QBuffer>
#include <QEventLoop>
#include <QTimer>
#include <QFileInfo>
#include <QImageWriter>
#include <QPixmap>
#include <QTemporaryDir>

namespace peakscope {

namespace {

void settle(int milliseconds)
{
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    loop.exec();
}

int endWith(const Error& error)
{
    standardError().line("peakscope: " + error.text());
    return exitStatus(error.code);
}

int savePicture(const QImage& picture, const QString& path)
{
    QBuffer buffer;
    const QByteArray ending = QFileInfo(path).suffix().toLower().toLatin1();
    QImageWriter writer(&buffer, ending.isEmpty() ? QByteArray("png") : ending);
    if (!writer.write(picture))
        return endWith(badInput(path.toStdString(), "no picture of this kind can be made; end the name in .png"));
    const QByteArray& bytes = buffer.data();
    const Status written =
        writeFileAtomically(path.toStdString(), std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size())));
    return written ? 0 : endWith(written.error());
}

} // namespace

int takeScreenshot(const CommandLine& line)
{
    // The user's own layout, library and recent files stay out of the picture and as they are.
    const QTemporaryDir home;
    qputenv("XDG_CONFIG_HOME", home.filePath(QStringLiteral("config")).toLocal8Bit());
    qputenv("XDG_DATA_HOME", home.filePath(QStringLiteral("data")).toLocal8Bit());
    applyTheme(line.theme == QLatin1String("dark") ? Theme::Dark : Theme::Light);
    MainWindow window;
    window.findChild<RangeOffer*>()->setAsks(false);
    window.resize(line.size);
    window.show();
    settle(100);
    if (line.compare)
        window.compareFiles(line.files);
    else
        window.openFiles(line.files);
    const auto finish = [&window] {
        while (window.busy())
            settle(20);
    };
    finish();
    if (line.demo)
        window.startDemo();
    finish();
    if (!line.page.isEmpty())
        window.showWorkspace(line.page);
    settle(400); // coalesced redraws
    finish();
    settle(100);
    // An experiment stands in the form, which is a picture too.
    if (!line.files.isEmpty() && !window.showsResult() && window.messages()->kind() == MessageBar::Kind::Error) {
        standardError().line("peakscope: " + window.messages()->text().toStdString());
        return 2;
    }
    return savePicture(window.grab().toImage(), line.out);
}

} // namespace peakscope
