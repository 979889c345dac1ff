// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a tokeniser does to text before it cuts it: Unicode normal forms, a text put in front, texts replaced. Used by
// the byte-pair tokeniser; safe from any thread once filled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

class Normalizer
{
public:
    void addForm(NormalForm form) { m_steps.push_back({Step::Form, form, {}, {}}); }
    // `text` in front of every text that is not empty.
    void addPrepend(std::string text) { m_steps.push_back({Step::Prepend, {}, {}, std::move(text)}); }
    // Every `from` (not empty) becomes `to`.
    void addReplace(std::string from, std::string to)
    {
        m_steps.push_back({Step::Replace, {}, std::move(from), std::move(to)});
    }
    bool isEmpty() const { return m_steps.empty(); }

    // `text` is valid UTF-8.
    std::string apply(std::string_view text) const;

private:
    struct Step {
        enum Kind { Form, Prepend, Replace };
        Kind kind = Form;
        NormalForm form = NormalForm::Nfc;
        std::string from;
        std::string to;
    };
    std::vector<Step> m_steps;
};

// `text` with every `from` (not empty) replaced by `to`.
std::string replacedText(std::string_view text, std::string_view from, std::string_view to);

} // namespace peakscope
