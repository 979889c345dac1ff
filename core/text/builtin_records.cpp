// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Nobody in these records exists. What a stored result was trained on must be able to be made again, so the lists and
// the order of the draws are not to be changed.
#include "core/text/random_bits.h"
#include "core/text/text_source.h"

#include <string_view>

namespace peakscope {

namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kGivenNames[] = {
    "Adela",   "Adrian", "Agnes",   "Alberto", "Amara",   "Anders", "Anika",  "Arjun",  "Astrid", "Beatriz", "Bernard",
    "Camille", "Carlos", "Chidi",   "Clara",   "Dalia",   "Daniel", "Daria",  "Edmund", "Elena",  "Emeka",   "Esther",
    "Farid",   "Fatima", "Felix",   "Freya",   "Gabriel", "Greta",  "Hannah", "Haruki", "Helena", "Hugo",    "Ines",
    "Ingrid",  "Ivan",   "Jasmine", "Johan",   "Jonas",   "Kamala", "Kenji",  "Laila",  "Leon",   "Lucia",   "Magnus",
    "Maren",   "Mateo",  "Mei",     "Miriam",  "Nadia",   "Niklas", "Noor",   "Olga",   "Omar",   "Paulina", "Priya",
    "Rafael",  "Rosa",   "Samuel",  "Selma",   "Tariq",   "Teresa", "Viktor", "Yasmin", "Zoltan",
};
constexpr std::string_view kFamilyNames[] = {
    "Abbott",     "Achebe",   "Almeida",  "Andersen", "Bakker",   "Barros",   "Bergmann",  "Bianchi",
    "Castellano", "Chandra",  "Chen",     "Cohen",    "Dalgaard", "Desai",    "Dubois",    "Eriksen",
    "Fernandez",  "Fischer",  "Fujimoto", "Garcia",   "Gruber",   "Haddad",   "Halvorsen", "Hughes",
    "Ibrahim",    "Jansen",   "Kaplan",   "Kaya",     "Keller",   "Kowalski", "Lambert",   "Lindqvist",
    "Lopez",      "Mansour",  "Marino",   "Mbeki",    "Meyer",    "Mori",     "Murphy",    "Nakamura",
    "Novak",      "Nwosu",    "Okafor",   "Olsen",    "Pereira",  "Petrov",   "Quinn",     "Rahman",
    "Ricci",      "Romero",   "Sandoval", "Schmidt",  "Silva",    "Singh",    "Sorensen",  "Tanaka",
    "Vargas",     "Virtanen", "Wagner",   "Walsh",    "Weber",    "Yilmaz",   "Zeller",    "Zhang",
};
constexpr std::string_view kCities[] = {
    "Aarhus",    "Antwerp",  "Aveiro", "Bergen",  "Bilbao",    "Bologna",  "Bristol", "Cairo",
    "Calgary",   "Cordoba",  "Cusco",  "Dakar",   "Denver",    "Dresden",  "Dublin",  "Durban",
    "Galway",    "Gdansk",   "Geneva", "Ghent",   "Granada",   "Halifax",  "Hamburg", "Helsinki",
    "Izmir",     "Jaipur",   "Kazan",  "Kyoto",   "Lagos",     "Leeds",    "Leipzig", "Lima",
    "Ljubljana", "Lyon",     "Malmo",  "Manila",  "Marseille", "Medellin", "Mombasa", "Montreal",
    "Nairobi",   "Nantes",   "Oaxaca", "Osaka",   "Ottawa",    "Perth",    "Plovdiv", "Porto",
    "Prague",    "Quito",    "Riga",   "Salta",   "Seville",   "Split",    "Tallinn", "Tampere",
    "Toledo",    "Toulouse", "Turin",  "Utrecht", "Valencia",  "Vilnius",  "Warsaw",  "Zagreb",
};
constexpr std::string_view kJobs[] = {
    "a nurse",       "a carpenter",      "a bus driver",     "a pharmacist",
    "a teacher",     "an electrician",   "a beekeeper",      "a librarian",
    "an accountant", "a baker",          "a veterinarian",   "a welder",
    "a translator",  "a tram conductor", "a surveyor",       "a dental hygienist",
    "a florist",     "a piano tuner",    "a locksmith",      "a crane operator",
    "a botanist",    "a cook",           "a radio engineer", "a bookbinder",
};
constexpr std::string_view kHobbies[] = {
    "restores old radios",     "collects harbour maps",   "plays the cello",         "grows dahlias",
    "rows on the river",       "repairs bicycles",        "bakes rye bread",         "paints small landscapes",
    "sings in a choir",        "keeps three hens",        "writes crime stories",    "builds model bridges",
    "photographs lighthouses", "plays chess by post",     "knits for the shelter",   "studies Icelandic",
    "carves wooden spoons",    "climbs on weekends",      "records bird calls",      "swims before work",
    "brews ginger beer",       "coaches a handball team", "translates sea shanties", "sorts pressed flowers",
};
constexpr std::string_view kRelatives[] = {"a sister", "a brother", "an aunt",       "an uncle",    "a cousin",
                                           "a niece",  "a nephew",  "an old friend", "a neighbour", "a colleague"};
constexpr std::string_view kDays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kThings[] = {
    "a green bicycle",     "a rented flat",    "a spare key",      "a small van",
    "an allotment garden", "a blue canoe",     "a sewing machine", "an insurance claim",
    "a library card",      "a season ticket",  "a hearing aid",    "a parking permit",
    "a dog named Pip",     "a box of letters", "a passport photo", "a loan of 2,400",
};
constexpr std::string_view kStreets[] = {
    "Mill Lane",     "Harbour Street", "Station Road", "Orchard Way",  "Bridge Street", "Chapel Hill",
    "Garden Square", "Foundry Row",    "Canal Walk",   "Market Place", "Linden Avenue", "Tower Street",
};

// {g} given name, {j} job, {h} hobby, {r} relative, {d} day, {m} month, {y} year, {t} thing, {c} another city,
// {s} street, {n} house number. A form has the record's beginning, a sentence what follows it.
constexpr std::string_view kForms[] = {
    "Name: {g} {f}; city: {o}; number: {#}. ",
    "{g} {f} of {o}, number {#}. ",
    "{o}, {#}: {g} {f}. ",
    "Record {#}: {g} {f}, {s} {n}, {o}. ",
};
constexpr std::string_view kSentences[] = {
    "{g} is {j} and {h} with {r} every {d}.",
    "{g} moved from {c} in {m} {y} and still asks about {t}.",
    "Since {y}, {g} works as {j}, {h} and lives at {s} {n}.",
    "On the last {d} of {m}, {g} wrote to {r} in {c} about {t}.",
    "{g} was born in {c} in {m} {y} and {h}.",
    "In {m}, {g} visits {r} in {c}, who also {h}.",
    "{g} asked about {t} at {s} {n} and came back on {d}.",
    "Trained as {j} in {c}, {g} now {h}.",
    "{g} calls {r} on {d} evenings about {t}.",
    "After {y} in {c}, {g} became {j} and moved to {s} {n}.",
    "{g} pays for {t} on the {n}th of {m} and {h}.",
    "The {d} shift suits {g}, who is {j} and {h}.",
};

class RecordWriter
{
public:
    RecordWriter(std::uint64_t seed, std::uint64_t index)
        : m_bits(RandomBits::mix(seed) ^ RandomBits::mix(index + 0x632be59bd9b4e019ULL))
    {
        m_given = pick(kGivenNames);
        m_family = pick(kFamilyNames);
        m_city = pick(kCities);
        // The number alone makes records distinct: it is a shuffled counter.
        constexpr std::uint64_t kNumbers = 900'000'000;
        const std::string digits = std::to_string(100'000'000 + shuffledIndex(index % kNumbers, kNumbers, seed));
        m_number = digits.substr(0, 3) + '-' + digits.substr(3, 3) + '-' + digits.substr(6);
    }

    std::string write()
    {
        std::string record;
        fill(pick(kForms), record);
        fill(pick(kSentences), record);
        return record;
    }

private:
    std::string_view pick(Words words) { return words[m_bits.below(words.size())]; }

    std::string_view otherCity()
    {
        std::string_view city = pick(kCities);
        while (city == m_city)
            city = pick(kCities);
        return city;
    }

    void fill(std::string_view form, std::string& out)
    {
        for (std::size_t i = 0; i < form.size(); ++i) {
            if (form[i] != '{') {
                out += form[i];
                continue;
            }
            out += slot(form[i + 1]);
            i += 2;
        }
    }

    std::string slot(char name)
    {
        switch (name) {
        case 'g':
            return std::string(m_given);
        case 'f':
            return std::string(m_family);
        case 'o':
            return std::string(m_city);
        case '#':
            return m_number;
        case 'c':
            return std::string(otherCity());
        case 'j':
            return std::string(pick(kJobs));
        case 'h':
            return std::string(pick(kHobbies));
        case 'r':
            return std::string(pick(kRelatives));
        case 'd':
            return std::string(pick(kDays));
        case 'm':
            return std::string(pick(kMonths));
        case 't':
            return std::string(pick(kThings));
        case 's':
            return std::string(pick(kStreets));
        case 'y':
            return std::to_string(1958 + m_bits.below(60));
        default: // n
            return std::to_string(4 + m_bits.below(17));
        }
    }

    RandomBits m_bits;
    std::string_view m_given;
    std::string_view m_family;
    std::string_view m_city;
    std::string m_number;
};

} // namespace

std::vector<std::string> builtinRecords(std::uint64_t seed, std::int64_t count, std::int64_t first)
{
    std::vector<std::string> records;
    records.reserve(count > 0 ? static_cast<std::size_t>(count) : 0);
    for (std::int64_t i = 0; i < count; ++i)
        records.push_back(RecordWriter(seed, static_cast<std::uint64_t>(first + i)).write());
    return records;
}

} // namespace peakscope
