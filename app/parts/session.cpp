// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/session.h"

#include "widgets/text/json_words.h"

#include <QFileInfo>

namespace peakscope {

namespace {

using nlohmann::json;

json listOf(const QStringList& words)
{
    json list = json::array();
    for (const QString& word : words)
        list.push_back(word.toStdString());
    return list;
}

int intOf(const json& object, const char* key)
{
    return static_cast<int>(lenient::integer(object, key));
}

// Version 1 had them beside the window's own.
std::map<std::string, json> workspacesOfVersion1(const json& document)
{
    const auto move = [&document](json& object, const char* to, const char* from) {
        if (const json& value = lenient::member(document, from); !value.is_null())
            object[to] = value;
    };
    json run, plan, compare, analyse;
    move(run, "form", "form");
    move(run, "origin", "form_origin");
    move(plan, "fields", "plan");
    move(compare, "files", "compared");
    move(compare, "base", "base");
    move(compare, "alignment", "alignment");
    move(analyse["views"], "thresholds", "thresholds");
    move(analyse["views"], "rule", "rule");
    const json& views = lenient::member(document, "views");
    if (const json& view = lenient::member(views, "timeline"); view.is_object())
        run["views"]["timeline"] = view;
    if (const json& view = lenient::member(views, "compare"); view.is_object())
        compare["views"]["timelines"] = view;
    return {{"run", run}, {"plan", plan}, {"compare", compare}, {"analyse", analyse}};
}

} // namespace

const json& Session::of(const std::string& workspace) const
{
    static const json kNothing;
    const auto found = workspaces.find(workspace);
    return found == workspaces.end() ? kNothing : found->second;
}

QByteArray toBytes(const Session& session)
{
    const json document = {{"version", 2},
                           {"files", listOf(session.files)},
                           {"shown", session.shown.toStdString()},
                           {"page", session.page.toStdString()},
                           {"filter", session.filter.toStdString()},
                           {"sort", session.sort},
                           {"group", session.group},
                           {"workspaces", session.workspaces}};
    return QByteArray::fromStdString(document.dump(-1, ' ', false, json::error_handler_t::replace));
}

Session sessionFromBytes(const QByteArray& bytes)
{
    const json document = json::parse(bytes.constData(), bytes.constData() + bytes.size(), nullptr, false);
    const int version = document.is_object() ? intOf(document, "version") : 0;
    Session session;
    if (version != 1 && version != 2)
        return session;
    session.files = jsonTexts(lenient::member(document, "files")).mid(0, Session::kMostFiles);
    session.shown = jsonText(document, "shown");
    session.page = jsonText(document, "page");
    session.filter = jsonText(document, "filter");
    session.sort = intOf(document, "sort");
    session.group = intOf(document, "group");
    if (version == 1) {
        session.workspaces = workspacesOfVersion1(document);
        return session;
    }
    for (const auto& [id, kept] : lenient::member(document, "workspaces").items()) {
        if (kept.is_object())
            session.workspaces[id] = kept;
    }
    return session;
}

QString fileOfDocument(const QString& path)
{
    const qsizetype mark = path.lastIndexOf(u'#');
    if (mark <= 0 || QFileInfo::exists(path))
        return path;
    bool isNumber = false;
    path.mid(mark + 1).toInt(&isNumber);
    return isNumber ? path.left(mark) : path;
}

QString shownPath(const QString& path)
{
    const QString file = fileOfDocument(path);
    return path.startsWith(file + QLatin1String("#-")) ? file : path;
}

} // namespace peakscope
