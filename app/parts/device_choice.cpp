// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/device_choice.h"

#include "app/parts/settings.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/model/dry_device.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/plain_text.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QSignalBlocker>

#include <algorithm>

namespace peakscope {

namespace {

const QString kAuto = QStringLiteral("auto");
constexpr int kInSight = 14; // entries of the open list; the others scroll

QString dryName(const std::string& card)
{
    return QString::fromStdString(std::string(kDryPrefix) + card);
}

} // namespace

bool isDryExperiment(const nlohmann::json& experiment)
{
    return isDryDevice(lenient::text(experiment, "device"));
}

QString deviceTitle(const std::string& device)
{
    const auto dry = isDryDevice(device) ? dryDevice(device) : Result<DryDevice>(badInput("", ""));
    if (!dry)
        return QString::fromStdString(device);
    const QString card = QString::fromStdString(dry->card.name);
    return dry->bytes == dry->card.usableBytes
               ? DeviceChoice::tr("dry run on %1").arg(card)
               : DeviceChoice::tr("dry run on %1 of %2", "card, its bytes").arg(card, bytesText(dry->bytes));
}

DeviceChoice::DeviceChoice(QComboBox* field) : QObject(field), m_field(field)
{
    field->setEditable(true);
    field->setInsertPolicy(QComboBox::NoInsert);
    field->setMaxVisibleItems(kInSight);
    field->completer()->setCompletionMode(QCompleter::PopupCompletion);
    field->completer()->setFilterMode(Qt::MatchContains);
    m_devices = {{QStringLiteral("cpu"), {}}, {QStringLiteral("cuda:0"), {}}};
    fill();
    inLanguage(field, [this] { sayTitles(); });
}

void DeviceChoice::setDevices(const std::vector<std::pair<QString, QString>>& devices)
{
    m_devices = devices;
    fill();
}

void DeviceChoice::offerCards()
{
    const auto catalogue = m_cards.empty() ? loadDeviceCatalogue() : std::vector<CatalogueDevice>();
    for (const CatalogueDevice& card : catalogue ? *catalogue : std::vector<CatalogueDevice>()) {
        if (card.cuda) // another can't be acted out
            m_cards.emplace_back(dryName(card.id), bytesText(card.usableBytes));
    }
    QStringList lately;
    for (const QString& card : settings::recentDryCards())
        lately << dryName(card.toStdString());
    const auto place = [&lately](const auto& card) {
        const qsizetype found = lately.indexOf(card.first);
        return found < 0 ? lately.size() : found;
    };
    std::ranges::stable_sort(m_cards, {}, place);
    fill();
}

void DeviceChoice::fill()
{
    QSignalBlocker blocker(m_field); // what is chosen stays
    const bool typed = m_field->currentText() != m_field->itemText(m_field->currentIndex());
    const QString chosen = typed ? m_field->currentText() : m_field->currentData().toString();
    m_field->clear();
    m_field->addItem(kAuto, kAuto);
    const auto add = [this](const QString& device, const QString& tip) {
        m_field->addItem(deviceTitle(device.toStdString()), device);
        m_field->setItemData(m_field->count() - 1, plainToolTip(tip), Qt::ToolTipRole);
    };
    for (const auto& [device, title] : m_devices)
        add(device, title);
    if (!m_cards.empty())
        m_field->insertSeparator(m_field->count());
    for (const auto& [device, size] : m_cards)
        add(device, size);
    const int index = m_field->findData(chosen.isEmpty() ? kAuto : chosen);
    if (index < 0)
        add(chosen, {});
    m_field->setCurrentIndex(index < 0 ? m_field->count() - 1 : index);
    QAbstractItemView* list = m_field->view();
    list->setMinimumWidth(list->sizeHintForColumn(0) + 2 * list->fontMetrics().height()); // a scroll bar beside it
    blocker.unblock();
    emit filled();
}

void DeviceChoice::sayTitles()
{
    const QSignalBlocker blocker(m_field);
    for (int i = 0; i < m_field->count(); ++i) {
        const std::string device = m_field->itemData(i).toString().toStdString();
        if (isDryDevice(device))
            m_field->setItemText(i, deviceTitle(device));
    }
}

} // namespace peakscope
