// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/setup_rows.h"

#include "app/parts/launcher_presets.h"
#include "core/base/json/json_reader.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/key_words.h"

#include <QCoreApplication>
#include <QLocale>

#include <string_view>
#include <utility>

namespace peakscope {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(peakscope::InspectorContent)
};

// Of the machine that a run was made on. What else a file has there stays as it has it.
QString environmentTitle(const std::string& key)
{
    static constexpr std::pair<std::string_view, const char*> kTitles[] = {
        {"device", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Device")},
        {"device_name", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Device name")},
        {"host", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Host")},
        {"hosts", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Hosts")},
        {"rank", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Rank")},
        {"ranks", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Ranks")},
        {"processor", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Processor")},
        {"cores", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Cores")},
        {"threads", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Threads")},
        {"memory_total_bytes", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Memory of the machine")},
        {"memory_available_bytes", QT_TRANSLATE_NOOP("peakscope::InspectorContent", "Free at the start")},
        {"libtorch", "LibTorch"},
        {"peakscope", "Peakscope"}};
    for (const auto& [word, title] : kTitles) {
        if (word == key)
            return Words::tr(title);
    }
    return plainKey(key);
}

} // namespace

QString plainKey(const std::string& key)
{
    return QString::fromStdString(key);
}

InspectorContent::Section objectRows(const QString& title, const nlohmann::json& object, const KeyWords& label)
{
    InspectorContent::Section section{title, {}};
    if (!object.is_object())
        return section;
    for (const auto& [key, value] : object.items()) {
        if (const auto size = jsonInteger(value); size && key.ends_with("_bytes")) {
            const bool rounded = std::abs(*size) >= 1024;
            section.add(label(key), bytesText(*size), rounded ? exactBytesText(*size) : QString());
            continue;
        }
        QStringList texts;
        for (const nlohmann::json& item : value.is_array() ? value : nlohmann::json::array({value})) {
            if (!item.is_structured())
                texts << valueText(item);
        }
        if (!texts.isEmpty())
            section.add(label(key), texts.join(QStringLiteral(", ")));
    }
    return section;
}

InspectorContent::Section programRows(const nlohmann::json& config, const nlohmann::json& environment)
{
    const nlohmann::json& program = lenient::object(config, "program");
    QStringList command;
    for (const nlohmann::json& word : lenient::array(program, "command"))
        command << valueText(word);
    InspectorContent::Section section{Words::tr("Program"), {}};
    section.add(Words::tr("Command"), {}, commandLine(command));
    const auto add = [&section](const QString& title, const nlohmann::json& object, const char* key) {
        if (const std::string text = lenient::text(object, key); !text.empty())
            section.add(title, QString::fromStdString(text));
    };
    add(Words::tr("Folder"), program, "folder");
    add(Words::tr("Device"), environment.contains("device_name") ? environment : config,
        environment.contains("device_name") ? "device_name" : "device");
    if (const std::int64_t steps = lenient::integer(program, "steps"); steps > 0)
        section.add(Words::tr("Steps"), QLocale().toString(static_cast<qlonglong>(steps)));
    add(QStringLiteral("Python"), program, "python");
    add(QStringLiteral("PyTorch"), program, "torch");
    return section;
}

void addExperiment(InspectorContent& content, const nlohmann::json& experiment)
{
    const std::pair<const char*, QString> sections[] = {{"model", Words::tr("Model")},
                                                        {"data", Words::tr("Data")},
                                                        {"training", Words::tr("Training set-up")},
                                                        {"training.privacy", Words::tr("Privacy")},
                                                        {"training.lora", Words::tr("Adapters")},
                                                        {"curvature", Words::tr("Curvature set-up")},
                                                        {"prm", Words::tr("Noise and attacks")},
                                                        {"cuda_allocator", Words::tr("CUDA allocator")}};
    for (const auto& [section, title] : sections) {
        if (const nlohmann::json* part = lenient::findPath(experiment, section))
            content.sections.push_back(
                objectRows(title, *part, [prefix = std::string(section) + '.'](const std::string& key) {
                    return experimentKeyTitle(prefix + key);
                }));
    }
    content.sections.push_back(objectRows(Words::tr("Set-up"), experiment, experimentKeyTitle));
}

InspectorContent::Section environmentRows(const nlohmann::json& environment)
{
    return objectRows(Words::tr("Environment"), environment, environmentTitle);
}

QString valueText(const nlohmann::json& value)
{
    if (value.is_string())
        return QString::fromStdString(value.get_ref<const std::string&>());
    if (value.is_boolean())
        return value.get<bool>() ? Words::tr("yes") : Words::tr("no");
    return QString::fromStdString(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace peakscope
