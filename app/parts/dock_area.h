// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a workspace that the user arranges: one view in the middle and docks around it. GUI thread.
// Each kind of result is arranged by itself: what another kind left never comes back. Rows of docks that have no room
// one above another become tabs of the lowest row until there is room again.
#pragma once

#include "widgets/text/language_texts.h"

#include <QByteArray>
#include <QMainWindow>
#include <QMap>
#include <QPointer>
#include <QSet>
#include <QTimer>

#include <functional>

namespace peakscope {

class DockArea : public QMainWindow
{
    Q_OBJECT

public:
    explicit DockArea(QWidget* parent);

    // Below the middle; `name` is what a saved layout calls it.
    QDockWidget* addDock(const QString& name, QWidget* content, LanguageText title);
    QList<QDockWidget*> docks() const;

    // The default: as the docks stand now, with the sizes that `sizes` gives them whenever the area's size is quite
    // another, until somebody moves a separator or a dock.
    void setDefaultLayout(std::function<void()> sizes);
    void restoreDefaultLayout();
    // The tab in front; also once the docks are where the kind just given has them.
    void bringToFront(QDockWidget* dock);
    // Of what is shown from now on; before its panels are shown or hidden.
    void setKind(const QString& kind);
    // Of all kinds.
    QByteArray saveLayouts() const;
    // False where they are none of these docks.
    bool restoreLayouts(const QByteArray& saved);
    // While one panel has all of the area, nothing is arranged; after it, all is as before.
    void beginWhole();
    void endWhole();
    bool isWhole() const { return !m_beforeWhole.isEmpty(); }
    // With all docks as tabs of one place.
    QSize minimumSizeHint() const override;

signals:
    void kindGiven();                      // something else is about to be shown
    void wholeRequested(QWidget* content); // or taken back
    void arranged(); // the docks are where this kind has them

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    int version() const; // of a state, another one for other docks
    bool restorePlaces(const QByteArray& state);
    QByteArray places() const; // as the user has them
    void settle();
    void arrange();
    void fitRows();
    QList<QDockWidget*> rowsFromBelow() const; // those in front
    void foldRows();

    std::function<void()> m_defaultSizes;
    QByteArray m_default;
    QMap<QString, QByteArray> m_layouts; // by kind
    QString m_kind;
    bool m_arranged = false; // for that kind
    bool m_isDefault = false;      // and nobody has moved a separator or a dock since
    QSize m_sizedFor;              // the area's size that the default's sizes were given for
    QPointer<QDockWidget> m_front; // to be raised after that
    QTimer m_later;          // the layout must have its size first
    QByteArray m_unfolded;   // the docks' places while rows are tabs of the lowest; empty: they are not
    int m_unfoldedHeight = 0;
    QByteArray m_beforeWhole;
    QSet<QDockWidget*> m_folded; // the docks that were shown then
};

} // namespace peakscope
