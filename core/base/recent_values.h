// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What was made of the last few keys, for what is asked about the same few thousands of times. One thread.
#pragma once

#include <cstddef>
#include <map>

namespace peakscope {

template <typename Key, typename Value>
class RecentValues
{
public:
    // The value stands until the next call; make() gives it where it is not known.
    template <typename Make>
    const Value& of(const Key& key, Make make)
    {
        if (const auto found = m_values.find(key); found != m_values.end())
            return found->second;
        if (m_values.size() == kMost)
            m_values.clear();
        return m_values.emplace(key, make()).first->second;
    }

private:
    static constexpr std::size_t kMost = 8;
    std::map<Key, Value> m_values;
};

} // namespace peakscope
