// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/ts_translator.h"

#include <QXmlStreamReader>

namespace peakscope {

namespace {

QByteArray messageKey(const QByteArray& context, const QByteArray& source, const QByteArray& comment)
{
    return context + '\n' + source + '\x1f' + comment;
}

struct Message {
    QByteArray source;
    QByteArray comment;
    QString translation;
};

// Plural forms are children, of which Chinese has one; white space around them is none of it. The reader stands on
// <translation> and is left on its end.
QString readTranslation(QXmlStreamReader& xml)
{
    QString text;
    QString form;
    while (!xml.atEnd() && xml.readNext() != QXmlStreamReader::EndElement) {
        if (xml.isStartElement()) {
            const QString child = xml.readElementText(QXmlStreamReader::IncludeChildElements);
            form = form.isEmpty() ? child : form;
        } else if (xml.isCharacters()) {
            text += xml.text();
        }
    }
    return form.isEmpty() ? text : form;
}

// The reader stands on <message> and is left on </message>.
Message readMessage(QXmlStreamReader& xml)
{
    Message message;
    while (xml.readNextStartElement()) {
        if (xml.name() == QLatin1String("source")) {
            message.source = xml.readElementText().toUtf8();
        } else if (xml.name() == QLatin1String("comment")) {
            message.comment = xml.readElementText().toUtf8();
        } else if (xml.name() == QLatin1String("translation")) {
            const bool finished = !xml.attributes().hasAttribute(QLatin1String("type"));
            const QString text = readTranslation(xml);
            if (finished)
                message.translation = text.trimmed().isEmpty() ? QString() : text;
        } else {
            xml.skipCurrentElement();
        }
    }
    return message;
}

} // namespace

bool TsTranslator::loadTs(QIODevice& device)
{
    m_messages.clear();
    QXmlStreamReader xml(&device);
    if (!xml.readNextStartElement() || xml.name() != QLatin1String("TS"))
        return false;
    while (xml.readNextStartElement()) {
        if (xml.name() != QLatin1String("context")) {
            xml.skipCurrentElement();
            continue;
        }
        QByteArray context;
        while (xml.readNextStartElement()) {
            if (xml.name() == QLatin1String("name")) {
                context = xml.readElementText().toUtf8();
            } else if (xml.name() == QLatin1String("message")) {
                const Message message = readMessage(xml);
                if (message.translation.isEmpty())
                    continue;
                m_messages.insert(messageKey(context, message.source, message.comment), message.translation);
                // lupdate does not always see which namespace a class is in; the words alone are a good second guess.
                const QByteArray anywhere = messageKey({}, message.source, message.comment);
                if (!m_messages.contains(anywhere))
                    m_messages.insert(anywhere, message.translation);
            } else {
                xml.skipCurrentElement();
            }
        }
    }
    return !xml.hasError();
}

QString TsTranslator::translate(const char* context, const char* source, const char* disambiguation, int) const
{
    // An empty string lets Qt show the source text; Qt puts in the number of a plural as well.
    const auto found = m_messages.constFind(messageKey(context, source, disambiguation));
    return found != m_messages.constEnd() ? *found : m_messages.value(messageKey({}, source, disambiguation));
}

} // namespace peakscope
