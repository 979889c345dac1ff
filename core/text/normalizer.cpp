// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

namespace peakscope {

namespace {

utf8proc_option_t optionsOf(NormalForm form)
{
    switch (form) {
    case NormalForm::Nfc:
        return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    case NormalForm::Nfd:
        return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
    case NormalForm::Nfkc:
        return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
    case NormalForm::Nfkd:
        return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
    }
    return UTF8PROC_STABLE;
}

std::string normalForm(std::string_view text, NormalForm form)
{
    const bool isAscii =
        std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (isAscii)
        return std::string(text);
    utf8proc_uint8_t* made = nullptr;
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                     static_cast<utf8proc_ssize_t>(text.size()), &made, optionsOf(form));
    if (length < 0) // out of memory: the text is valid
        return std::string(text);
    std::string result(reinterpret_cast<const char*>(made), static_cast<std::size_t>(length));
    std::free(made);
    return result;
}

} // namespace

std::string replacedText(std::string_view text, std::string_view from, std::string_view to)
{
    std::string result;
    result.reserve(text.size());
    std::size_t position = 0;
    for (std::size_t found = text.find(from); found != std::string_view::npos; found = text.find(from, position)) {
        result += text.substr(position, found - position);
        result += to;
        position = found + from.size();
    }
    result += text.substr(position);
    return result;
}

std::string Normalizer::apply(std::string_view text) const
{
    std::string result(text);
    for (const Step& step : m_steps) {
        if (step.kind == Step::Form)
            result = normalForm(result, step.form);
        else if (step.kind == Step::Replace)
            result = replacedText(result, step.from, step.to);
        else if (!result.empty())
            result = step.to + result;
    }
    return result;
}

} // namespace peakscope
