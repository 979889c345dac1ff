# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a line for each of the documents that the JSON Schema refuses: validate_schema.py SCHEMA DOCUMENT…

The status is 77 where Python's jsonschema is not installed.
"""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def main(schema_file, *documents):
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name in documents:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        for error in validator.iter_errors(document):
            print(f"{name}: {error.json_path}: {error.message[:200]}")


main(*sys.argv[1:])
