// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The panel at the right: values of what is selected, with what each is and how it was measured. GUI thread.
#pragma once

#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

class QTextBrowser;

namespace peakscope {

// Plain text throughout; the panel escapes it.
struct InspectorContent {
    struct Row {
        QString label;
        QString value;
        QString explanation; // what it is and how it was measured; may be empty
    };
    struct Section {
        QString title;
        std::vector<Row> rows;

        void add(const QString& label, const QString& value, const QString& explanation = {})
        {
            rows.push_back({label, value, explanation});
        }
    };

    QString title;
    QString definition{}; // one or two sentences under the title
    std::vector<Section> sections{};
};

// Said now and at each change of the language.
using InspectorWords = std::function<InspectorContent()>;

class InspectorPanel : public QWidget
{
    Q_OBJECT

public:
    explicit InspectorPanel(QWidget* parent = nullptr);

    void show(InspectorWords say);
    void showContent(const InspectorContent& content);
    using QWidget::show;
    void clear();
    QString plainText() const;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QString html(double width) const; // of a line, pixels
    void render();

    QTextBrowser* m_text = nullptr;
    InspectorContent m_content;
    QString m_html; // that stands there
    InspectorWords m_say; // empty where whoever showed it says it anew
};

} // namespace peakscope
