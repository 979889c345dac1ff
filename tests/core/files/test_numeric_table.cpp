// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of numbers: every shape of CSV that people have, and the line they get for what is none.
#include "core/analysis/statistics/numeric_table.h"
#include "tests/test_room.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace peakscope;

class TestNumericTable : public QObject
{
    Q_OBJECT
private slots:
    void reads_data();
    void reads();
    void labels();
    void ignoredColumns();
    void textColumnsAreLeftOut();
    void missingValues();
    void refuses_data();
    void refuses();
    void files();
    void headerOfNumbers();
    void commentsBeforeTheHeader_data();
    void commentsBeforeTheHeader();
    void decimalCommas();
    void manyRows();
    void wordsForMissing_data();
    void wordsForMissing();
    void columnsApartByBlanks_data();
    void columnsApartByBlanks();
    void indexColumns();
    void rowNames_data();
    void rowNames();
    void standardized();
    void dominantColumn();
};

void TestNumericTable::reads_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* what, const QByteArray& text) { QTest::newRow(what) << text; };
    row("plain", "a,b\n1,2\n-3,4.5\n");
    row("no last line end", "a,b\n1,2\n-3,4.5");
    row("CRLF", "a,b\r\n1,2\r\n-3,4.5\r\n");
    row("CR only", "a,b\r1,2\r-3,4.5\r");
    row("byte order mark", "\xEF\xBB\xBF"
                           "a,b\n1,2\n-3,4.5\n");
    row("spaces", " a , b \n 1 , 2\n-3 ,4.5 \n");
    row("empty lines", "\n\na,b\n\n1,2\n\n\n-3,4.5\n\n");
    row("blanks behind quotes", "\"a\" ,\"b\"  \n\"1\" ,2\n-3,\"4.5\" \n");
    row("quoted fields", "\"a\",\"b\"\n\"1\",2\n-3,\"4.5\"\n");
    row("semicolons", "a;b\n1;2\n-3;4.5\n");
    row("tabs", "a\tb\n1\t2\n-3\t4.5\n");
    row("Excel's separator", "sep=;\r\na;b\r\n1;2\r\n-3;4.5\r\n");
    row("a separator in quotes", "\"sep=|\"\na|b\n1|2\n-3|4.5\n");
    row("a separator that the header alone does not tell", "SEP=\t\na\tb\n1\t2\n-3\t4.5\n");
    row("plus signs and exponents", "a,b\n+1,2e0\n-0.3E1,45e-1\n");
}

void TestNumericTable::reads()
{
    QFETCH(QByteArray, text);
    const auto table = parseNumericTable(text.toStdString(), "t", {});
    QVERIFY2(table.ok(), table.ok() ? "" : table.error().text().c_str());
    QCOMPARE(table->rows, std::int64_t(2));
    QCOMPARE(table->columns, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(table->values, (std::vector<double>{1, 2, -3, 4.5}));
    QVERIFY(table->notes.empty());
}

void TestNumericTable::commentsBeforeTheHeader_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("lines");
    const auto row = [](const char* what, const QByteArray& text, int lines) { QTest::newRow(what) << text << lines; };
    row("one", "# made by a program\na,b\n1,2\n-3,4.5\n", 1);
    row("two, and an empty line", "# made, on Monday, by a program\r\n#\r\n\r\na;b\r\n1;2\r\n-3;4.5\r\n", 2);
    row("behind a named separator", "sep=;\n# unit: mm\na;b\n1;2\n-3;4.5\n", 1);
    row("of savetxt, its header the last", "# seed 42 of three\n# a b\n1 2\n-3 4.5\n", 1);
    row("columns apart by blanks", "# seed 42 of three\na b\n1 2\n-3 4.5\n", 1);
}

void TestNumericTable::commentsBeforeTheHeader()
{
    QFETCH(QByteArray, text);
    QFETCH(int, lines);
    const auto table = parseNumericTable(text.toStdString(), "t", {});
    QVERIFY2(table.ok(), table.ok() ? "" : table.error().text().c_str());
    QCOMPARE(table->columns, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(table->values, (std::vector<double>{1, 2, -3, 4.5}));
    QCOMPARE(table->notes,
             std::vector<std::string>{lines == 1 ? "1 line before the header, which begins with #, was skipped"
                                                 : "2 lines before the header, which begin with #, were skipped"});
    // A header may begin with the mark, too.
    QCOMPARE(parseNumericTable("#id,x\n1,2\n3,4\n", "t", {})->columns, (std::vector<std::string>{"#id", "x"}));
}

void TestNumericTable::decimalCommas()
{
    const auto table = parseNumericTable("a;b\n1,5;2\n-3;4,25e1\n", "t", {});
    QVERIFY2(table.ok(), table.ok() ? "" : table.error().text().c_str());
    QCOMPARE(table->values, (std::vector<double>{1.5, 2, -3, 42.5}));
    QCOMPARE(table->notes.size(), std::size_t(1));
    QCOMPARE(table->notes.front(), std::string("commas in numbers were read as decimal commas: a, b"));
    // A column with both marks: a comma may stand between thousands.
    const auto both = parseNumericTable("a;b\n1;12.5\n2;1,234\n", "t", {});
    QVERIFY(!both.ok());
    QVERIFY2(both.error().text().find("line 3, column \"b\": a comma in a number, a point in that of line 2") !=
                 std::string::npos,
             both.error().text().c_str());
    // Where tabs separate, a comma may as well stand between thousands: that column is text.
    const auto tabs = parseNumericTable("a\tb\n1,500\t2\n3,000\t4\n", "t", {});
    QVERIFY(tabs.ok());
    QCOMPARE(tabs->columns, (std::vector<std::string>{"b"}));
}

void TestNumericTable::labels()
{
    NumericTableOptions options;
    options.labelsColumn = "kind, \"of\"\nflower";
    const auto table =
        parseNumericTable("x,\"kind, \"\"of\"\"\nflower\",y\n1,rose,2\n3,\"a, b\",4\n5,rose,6\n", "t", options);
    QVERIFY2(table.ok(), table.ok() ? "" : table.error().text().c_str());
    QCOMPARE(table->columns, (std::vector<std::string>{"x", "y"}));
    QCOMPARE(table->values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    QCOMPARE(table->labels, (std::vector<int>{0, 1, 0}));
    QCOMPARE(table->labelNames, (std::vector<std::string>{"rose", "a, b"}));
}

void TestNumericTable::ignoredColumns()
{
    NumericTableOptions options;
    options.ignored = {"a", "c"};
    const auto table = parseNumericTable("a,b,c\nx,1,2\ny,3,4\n", "t", options);
    QVERIFY(table.ok());
    QCOMPARE(table->values, (std::vector<double>{1, 3}));
}

void TestNumericTable::textColumnsAreLeftOut()
{
    const auto table = parseNumericTable("name,x,empty,flag\nanna,1,,True\nbert,2,,False\n17,3,,True\n", "t", {});
    QVERIFY2(table.ok(), table.ok() ? "" : table.error().text().c_str());
    QCOMPARE(table->columns, (std::vector<std::string>{"x", "flag"}));
    QCOMPARE(table->values, (std::vector<double>{1, 1, 2, 0, 3, 1}));
    QCOMPARE(table->notes.size(), std::size_t(2));
    QCOMPARE(table->notes[0], std::string("left out, being text: name (line 2: \"anna\")"));
    QCOMPARE(table->notes[1], std::string("left out, having no values: empty"));
    // As pandas has them: numbers with marks of their own are text, unless they are told apart.
    const auto marks = parseNumericTable("x,big,share\n1,\"10,125.73\",0.5%\n2,\"9,000.10\",1%\n", "t", {});
    QVERIFY2(marks.ok(), marks.ok() ? "" : marks.error().text().c_str());
    QCOMPARE(marks->columns, std::vector<std::string>{"x"});
    QCOMPARE(marks->notes, std::vector<std::string>{"left out, being text: big (line 2: \"10,125.73\"), share (line 2: "
                                                    "\"0.5%\")"});
}

void TestNumericTable::missingValues()
{
    NumericTableOptions options;
    options.missing = MissingValues::ColumnMean;
    const auto table = parseNumericTable("a,b\n1,NaN\n,4\nNA,8\n3,nan\n", "t", options);
    QVERIFY2(table.ok(), table.ok() ? "" : table.error().text().c_str());
    QCOMPARE(table->values, (std::vector<double>{1, 6, 2, 4, 2, 8, 3, 6}));
    QCOMPARE(table->notes.size(), std::size_t(1));
}

void TestNumericTable::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* what, const QByteArray& text, const char* message) {
        QTest::newRow(what) << text << QString(message);
    };
    row("nothing", "", "the file is empty");
    row("only line ends", "\n\r\n\n", "the file is empty");
    row("a header only", "a,b\n", "no rows");
    row("binary", QByteArray("PK\x03\x04\x00\x00", 6), "not a table");
    row("a short row", "a,b\n1,2\n3\n", "line 3 has 1 field, the header has 2");
    row("a long row", "a,b\n1,2\n\n3,4,5\n", "line 4 has 3 fields, the header has 2");
    row("a stray word", "a,b\n1,2\n3,oops\n5,6\n", "line 3, column \"b\": \"oops\" is not a number");
    row("a missing value", "a,b\n1,2\n3,\n5,6\n", "line 3, column \"b\": the value is missing");
    row("an infinite value", "a,b\n1,inf\n3,4\n", "line 2, column \"b\": an infinite value");
    row("a number beyond all", "a,b\n1,1e999\n3,4\n", "line 2, column \"b\": an infinite value");
    row("text only", "a,b\nx,y\nz,w\n", "no column of numbers is left for features: line 2, column \"a\" holds \"x\"");
    row("a short row behind comments", "# one\n# two\na,b\n1,2\n3\n", "line 5 has 1 field, the header has 2");
    row("a short row behind a separator", "sep=,\r\na,b\r\n1,2\r\n3\r\n", "line 4 has 1 field, the header has 2");
    row("an open quote", "a,b\n1,\"2\n3,4\n", "line 2, field 2: a quote is never closed");
    row("text behind a quote", "a,b\n1,2\n\"1\"000,4\n", "line 3, field 1: \"000\" follows a closing quote");
    row("a sign behind a quote", "a b\n1 2\n3 \"4\"%\n", "line 3, field 2: \"%\" follows a closing quote");
    row("text behind a quote in the header", "a,\"b\" x\n1,2\n", "line 1, field 2: \"x\" follows a closing quote");
    row("a decimal comma in a column of numbers", "a,b\n1,2\n\"1,5\",3\n4,5\n",
        "line 3, column \"a\": \"1,5\" is not a number");
    row("a comma too many", "a,b\n1,2,\n3,4,\n", "line 2 has 3 fields, the header has 2");
    row("two fields more than the header", "\"a\" \"b\"\n\"1\" 1 2 3\n", "line 2 has 4 fields, the header has 2");
    row("a row without its name", "a,b\nx,1,2\n3,4\n", "line 3 has 2 fields, the lines before it have 3");
    row("records of JSON", "[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4}]", "it is JSON; write the table as CSV");
    row("columns of JSON, indented", "{\n  \"a\": {\"0\": 1}\n}\n", "it is JSON; write the table as CSV");
    row("lines of JSON", "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}\n", "it is JSON; write the table as CSV");
    row("UTF-16",
        QByteArray("\xff\xfe"
                   "a\0,\0b\0\n\0",
                   10),
        "it is text in UTF-16");
    row("UTF-16, the other way", QByteArray("\xfe\xff\0a\0,\0b\0\n", 10), "save it as CSV in UTF-8");
    row("gzip", QByteArray("\x1f\x8b\x08\x00", 4), "it is packed by gzip; unpack it first");
    row("a workbook", QByteArray("PK\x03\x04\x14\x00", 6), "save the table as CSV");
}

void TestNumericTable::refuses()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    const auto table = parseNumericTable(text.toStdString(), "file.csv", {});
    QVERIFY(!table.ok());
    QVERIFY(table.error().code == ErrorCode::BadInput);
    QCOMPARE(table.error().context, std::string("file.csv"));
    QVERIFY2(QString::fromStdString(table.error().message).contains(message), table.error().message.c_str());
    QVERIFY(table.error().message.find('\n') == std::string::npos);
}

void TestNumericTable::files()
{
    const QTemporaryDir dir;
    QFile file(dir.filePath("t.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("a,b\n1,2\n");
    file.close();
    QVERIFY(readNumericTable(file.fileName().toStdString(), {}).ok());
    QVERIFY(!readNumericTable(dir.filePath("absent.csv").toStdString(), {}).ok());
    QVERIFY(!readNumericTable(dir.path().toStdString(), {}).ok());
    QFile empty(dir.filePath("empty.csv"));
    QVERIFY(empty.open(QIODevice::WriteOnly));
    empty.close();
    QVERIFY(!readNumericTable(empty.fileName().toStdString(), {}).ok());
    NumericTableOptions options;
    options.labelsColumn = "c";
    const auto table = readNumericTable(file.fileName().toStdString(), options);
    QVERIFY(!table.ok());
    QVERIFY(QString::fromStdString(table.error().message).contains("there is no column \"c\"; there are a, b"));
}

void TestNumericTable::headerOfNumbers()
{
    const auto table = parseNumericTable("1,2\n3,4\n", "t", {});
    QVERIFY(table.ok());
    QCOMPARE(table->rows, std::int64_t(1));
    QCOMPARE(table->notes.size(), std::size_t(1));
}

void TestNumericTable::manyRows()
{
    std::string text = "a,b,c\n";
    for (int i = 0; i < 50'000; ++i)
        text += std::to_string(i) + ",0.5," + std::to_string(-i) + "\n";
    const auto table = parseNumericTable(text, "t", {});
    QVERIFY(table.ok());
    QCOMPARE(table->rows, std::int64_t(50'000));
    QCOMPARE(table->values[3 * 49'999], 49'999.0);
}

void TestNumericTable::wordsForMissing_data()
{
    QTest::addColumn<QString>("word");
    for (const char* word : {"", "NA", "<NA>", "#N/A", "n/a", "N/A", "?", "-", "NaN", "nan", "-nan", "null", "NULL",
                             "None", "NaT", "--", "nan(ind)", "1.#QNAN"})
        QTest::addRow("'%s'", word) << word;
}

void TestNumericTable::wordsForMissing()
{
    QFETCH(QString, word);
    const std::string text = "a,b\n1,2\n3," + word.toStdString() + "\n5,6\n";
    const auto refused = parseNumericTable(text, "t", {});
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().text().find("line 3, column \"b\": the value is missing") != std::string::npos,
             refused.error().text().c_str());
    NumericTableOptions options;
    options.missing = MissingValues::ColumnMean;
    const auto table = parseNumericTable(text, "t", options);
    QVERIFY2(table.ok(), table.ok() ? "" : table.error().text().c_str());
    QCOMPARE(table->values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

void TestNumericTable::columnsApartByBlanks_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("savetxt") << QByteArray("# a b\n1 2\n-3 4.5\n");
    QTest::newRow("no blank behind the mark") << QByteArray("#a b\n1 2\n-3 4.5\n");
    QTest::newRow("a plain header") << QByteArray("a b\n1 2\n-3 4.5\n");
    QTest::newRow("runs of blanks") << QByteArray("  a    b  \n   1.0  2.0 \n  -3    4.5\n\n");
    QTest::newRow("CRLF") << QByteArray("a  b\r\n1  2\r\n-3 4.5\r\n");
    QTest::newRow("quoted") << QByteArray("\"a\" \"b\"\n1 \"2\"\n-3 4.5\n");
    QTest::newRow("one of the names quoted") << QByteArray("a \"b\"\n1 \"2\"\n-3 4.5\n");
}

void TestNumericTable::columnsApartByBlanks()
{
    QFETCH(QByteArray, text);
    const auto table = parseNumericTable(text.toStdString(), "t", {});
    QVERIFY2(table.ok(), table.ok() ? "" : table.error().text().c_str());
    QCOMPARE(table->columns, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(table->values, (std::vector<double>{1, 2, -3, 4.5}));
}

void TestNumericTable::indexColumns()
{
    for (const char* name : {"", "Unnamed: 0", "index", "\"\""}) {
        for (const int first : {0, 1, 17}) {
            std::string text = std::string(name) + ",a\n";
            for (int i = 0; i < 5; ++i)
                text += std::to_string(first + i) + "," + std::to_string(i * i) + "\n";
            const auto table = parseNumericTable(text, "t", {});
            QVERIFY2(table.ok(), table.ok() ? "" : table.error().text().c_str());
            QCOMPARE(table->columns, (std::vector<std::string>{"a"}));
            QVERIFY(table->notes.size() == 1 && table->notes[0].starts_with("left out, being the rows' numbers: "));
        }
    }
    // A column of a name, or one that does not count, is a feature.
    QCOMPARE(parseNumericTable("day,a\n0,5\n1,7\n2,9\n", "t", {})->columns.size(), std::size_t(2));
    QCOMPARE(parseNumericTable(",a\n0,5\n2,7\n3,9\n", "t", {})->columns.size(), std::size_t(2));
    QCOMPARE(parseNumericTable(",a\n0,5\n1,7\n3,9\n", "t", {})->columns.size(), std::size_t(2));
}

void TestNumericTable::rowNames_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("blanks") << QByteArray("\"a\" \"b\"\n\"1\" 1 2\n\"2\" -3 4.5\n");
    QTest::newRow("blanks, nothing quoted") << QByteArray("a b\n1 1 2\n2 -3 4.5\n");
    QTest::newRow("tabs") << QByteArray("\"a\"\t\"b\"\n\"1\"\t1\t2\n\"2\"\t-3\t4.5\n");
    QTest::newRow("commas") << QByteArray("\"a\",\"b\"\n\"Mazda, RX4\",1,2\n\"Fiat\",-3,4.5\n");
    QTest::newRow("semicolons") << QByteArray("a;b\none;1;2\ntwo;-3;4.5\n");
}

void TestNumericTable::rowNames()
{
    QFETCH(QByteArray, text);
    const auto table = parseNumericTable(text.toStdString(), "t", {});
    QVERIFY2(table.ok(), table.ok() ? "" : table.error().text().c_str());
    QCOMPARE(table->columns, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(table->values, (std::vector<double>{1, 2, -3, 4.5}));
    QCOMPARE(table->notes, std::vector<std::string>{"left out, being the rows' names: the first column, which the "
                                                    "header does not name"});
    const auto single = parseNumericTable("\"a, b\"\n\"1\" 0.5\n\"2\" 0.75\n", "t", {});
    QVERIFY2(single.ok(), single.ok() ? "" : single.error().text().c_str());
    QCOMPARE(single->values, (std::vector<double>{0.5, 0.75}));
    QVERIFY(!parseNumericTable("a\n1 000\n2 000\n", "t", {}).ok()); // a blank between thousands
}

void TestNumericTable::standardized()
{
    auto table = parseNumericTable("a,b,c\n1,1000000,7\n3,1000002,7\n5,1000004,7\n", "t", {});
    QVERIFY(table.ok());
    standardize(*table);
    const double one = std::sqrt(1.5); // 2 over the deviation of 1, 3, 5
    const std::vector<double> right{-one, -one, 0, 0, 0, 0, one, one, 0};
    for (std::size_t i = 0; i < right.size(); ++i)
        QVERIFY2(std::abs(table->values[i] - right[i]) < 1e-12, qPrintable(QString::number(table->values[i])));
}

void TestNumericTable::dominantColumn()
{
    auto table = parseNumericTable("a,time,b\n1,1700000000,5\n2,1700004000,3\n9,1700009000,4\n", "t", {});
    QVERIFY(table.ok());
    noteDominantColumn(*table);
    QCOMPARE(table->notes.size(), std::size_t(1));
    QVERIFY2(table->notes[0].find("column \"time\" alone makes the distances") == 0, table->notes[0].c_str());
    standardize(*table);
    table->notes.clear();
    noteDominantColumn(*table);
    QVERIFY(table->notes.empty());
}

PEAKSCOPE_GUILESS_TEST(TestNumericTable)
#include "test_numeric_table.moc"
