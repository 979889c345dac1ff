// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session.h"

#include "widgets/text/json_words.h"

#include <QFileInfo>

#include <algorithm>
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

int intOf(const json& object, const char* key)
{
    return static_cast<int>(lenient::integer(object, key));
}

// All of them finite, else nothing.
template <std::size_t count>
std::optional<std::array<double, count>> realsOf(const json& object, const char* key)
{
    const std::vector<double> list = lenient::numbers(lenient::member(object, key));
    const auto isFinite = [](double value) { return std::isfinite(value); };
    if (list.size() != count || !std::all_of(list.begin(), list.end(), isFinite))
        return std::nullopt;
    std::array<double, count> values{};
    std::copy(list.begin(), list.end(), values.begin());
    return values;
}

json objectOf(const json& object, const char* key)
{
    const json& value = lenient::member(object, key);
    return value.is_object() ? value : json();
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
    if (!document.is_object() || intOf(document, "version") != 1)
        return session;
    session.files = jsonTexts(lenient::member(document, "files")).mid(0, Session::kMostFiles);
    session.shown = jsonText(document, "shown");
    session.page = jsonText(document, "page");
    session.compared = jsonTexts(lenient::member(document, "compared"));
    session.base = jsonText(document, "base");
    session.rule = jsonText(document, "rule");
    session.alignment = intOf(document, "alignment");
    session.thresholds = realsOf<4>(document, "thresholds");
    session.form = objectOf(document, "form");
    session.formOrigin = originFromJson(objectOf(document, "form_origin"));
    session.plan = objectOf(document, "plan");
    session.filter = jsonText(document, "filter");
    session.sort = intOf(document, "sort");
    session.group = intOf(document, "group");
    const json views = objectOf(document, "views");
    for (const auto& [name, entry] : views.items()) {
        const auto visible = realsOf<2>(entry, "visible");
        if (!visible || !((*visible)[0] < (*visible)[1]))
            continue;
        SessionView view{(*visible)[0], (*visible)[1], {}, jsonTexts(lenient::member(entry, "hidden"))};
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
