// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"

#include <QFileInfo>

#include <cmath>

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

const json* member(const json& object, const char* key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? &*found : nullptr;
}

QString textOf(const json& object, const char* key)
{
    const json* value = member(object, key);
    return value && value->is_string() ? QString::fromStdString(value->get_ref<const std::string&>()) : QString();
}

QStringList textsOf(const json& object, const char* key)
{
    QStringList words;
    const json* list = member(object, key);
    if (!list || !list->is_array())
        return words;
    for (const json& word : *list) {
        if (word.is_string())
            words << QString::fromStdString(word.get_ref<const std::string&>());
    }
    return words;
}

int numberOf(const json& object, const char* key)
{
    const json* value = member(object, key);
    return value && value->is_number_integer() ? value->get<int>() : 0;
}

// All of them finite, else nothing.
template <std::size_t count>
std::optional<std::array<double, count>> realsOf(const json& object, const char* key)
{
    const json* list = member(object, key);
    if (!list || !list->is_array() || list->size() != count)
        return std::nullopt;
    std::array<double, count> values{};
    for (std::size_t i = 0; i < count; ++i) {
        if (!(*list)[i].is_number() || !std::isfinite((*list)[i].get<double>()))
            return std::nullopt;
        values[i] = (*list)[i].get<double>();
    }
    return values;
}

json objectOf(const json& object, const char* key)
{
    const json* value = member(object, key);
    return value && value->is_object() ? *value : json();
}

} // namespace

QByteArray toBytes(const Session& session)
{
    json views = json::object();
    for (const auto& [name, view] : session.views) {
        json& entry = views[name.toStdString()] = {{"visible", {view.lower, view.upper}}};
        if (view.selection)
            entry["selected"] = {view.selection->first, view.selection->second};
        if (!view.hidden.isEmpty())
            entry["hidden"] = listOf(view.hidden);
    }
    json document = {{"version", 1},
                     {"files", listOf(session.files)},
                     {"shown", session.shown.toStdString()},
                     {"page", session.page.toStdString()},
                     {"compared", listOf(session.compared)},
                     {"base", session.base.toStdString()},
                     {"rule", session.rule.toStdString()},
                     {"alignment", session.alignment},
                     {"views", views},
                     {"form", session.form},
                     {"form_origin", toJson(session.formOrigin)},
                     {"plan", session.plan},
                     {"filter", session.filter.toStdString()},
                     {"sort", session.sort},
                     {"group", session.group}};
    if (session.thresholds)
        document["thresholds"] = *session.thresholds;
    return QByteArray::fromStdString(document.dump(-1, ' ', false, json::error_handler_t::replace));
}

Session sessionFromBytes(const QByteArray& bytes)
{
    const json document = json::parse(bytes.constData(), bytes.constData() + bytes.size(), nullptr, false);
    Session session;
    if (!document.is_object() || numberOf(document, "version") != 1)
        return session;
    session.files = textsOf(document, "files").mid(0, Session::kMostFiles);
    session.shown = textOf(document, "shown");
    session.page = textOf(document, "page");
    session.compared = textsOf(document, "compared");
    session.base = textOf(document, "base");
    session.rule = textOf(document, "rule");
    session.alignment = numberOf(document, "alignment");
    session.thresholds = realsOf<4>(document, "thresholds");
    session.form = objectOf(document, "form");
    session.formOrigin = originFromJson(objectOf(document, "form_origin"));
    session.plan = objectOf(document, "plan");
    session.filter = textOf(document, "filter");
    session.sort = numberOf(document, "sort");
    session.group = numberOf(document, "group");
    const json views = objectOf(document, "views");
    for (const auto& [name, entry] : views.items()) {
        const auto visible = realsOf<2>(entry, "visible");
        if (!visible || !((*visible)[0] < (*visible)[1]))
            continue;
        SessionView view{(*visible)[0], (*visible)[1], {}, textsOf(entry, "hidden")};
        if (const auto selected = realsOf<2>(entry, "selected"))
            view.selection = std::pair((*selected)[0], (*selected)[1]);
        session.views[QString::fromStdString(name)] = view;
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

} // namespace peakscope
