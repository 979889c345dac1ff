// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/save_file.h"

#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "core/base/input_file.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include <filesystem>

namespace peakscope {

namespace {

struct SaveFile {
    Q_DECLARE_TR_FUNCTIONS(peakscope::SaveFile)
};

} // namespace

QString saveFile(const QString& path, std::string_view bytes)
{
    // A pipe would make the window wait for its reader.
    if (std::error_code error; std::filesystem::exists(path.toStdString(), error) && !isRegularFile(path.toStdString()))
        return QStringLiteral("not a regular file");
    const Status written = writeFileAtomically(path.toStdString(), bytes);
    if (written)
        return {};
    constexpr std::string_view kSaid = "cannot write: "; // as callers say it, in the user's language
    std::string_view reason = written.error().message;
    if (reason.starts_with(kSaid))
        reason.remove_prefix(kSaid.size());
    return QString::fromUtf8(reason.data(), static_cast<qsizetype>(reason.size()));
}

void saveTable(QWidget* asker, MessageBar* messages, const QString& name, bool hasLatex,
               const std::function<std::string(const QString& path)>& text)
{
    const QString proposal = QDir(settings::exportFolder()).filePath(name + QStringLiteral(".csv"));
    const QString kinds = hasLatex ? SaveFile::tr("Tables (*.csv);;LaTeX (*.tex)") : SaveFile::tr("Tables (*.csv)");
    const QString path = QFileDialog::getSaveFileName(asker, SaveFile::tr("Save the table"), proposal, kinds);
    if (!path.isEmpty() && saveTableTo(messages, path, text(path)))
        settings::setExportFolder(QFileInfo(path).absolutePath());
}

bool saveTableTo(MessageBar* messages, const QString& path, const std::string& text)
{
    if (const QString fault = saveFile(path, text); !fault.isEmpty()) {
        messages->showMessage(MessageBar::Kind::Error,
                              [path, fault] { return SaveFile::tr("%1 can't be written: %2").arg(path, fault); });
        return false;
    }
    messages->showMessage(MessageBar::Kind::Info, [path] { return SaveFile::tr("Saved to %1").arg(path); });
    return true;
}

} // namespace peakscope
