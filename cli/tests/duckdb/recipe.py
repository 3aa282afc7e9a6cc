"""Runs the recipe for DuckDB in docs/SQL.md on a store that `recrawl demo` made.

usage: recipe.py RECRAWL, the command; the packages in requirements.txt must be there.
"""

import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import duckdb
import duckdb_extension_sqlite_scanner

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]


def statements():
    """Returns the statements of the recipe."""
    document = (REPOSITORY / "docs" / "SQL.md").read_text()
    blocks = re.findall(r"^```duckdb\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    return [statement.strip() for block in blocks for statement in block.split(";") if statement.strip()]


def main():
    recrawl = str(pathlib.Path(sys.argv[1]).resolve())
    os.chdir(tempfile.mkdtemp())
    subprocess.run([recrawl, "demo", "--store", "recrawl.db"], check=True, capture_output=True)
    connection = duckdb.connect()
    # Nothing is loaded from the internet: INSTALL and LOAD name the file of the package.
    package = pathlib.Path(duckdb_extension_sqlite_scanner.__file__).parent
    [extension] = package.glob("extensions/*/sqlite_scanner.duckdb_extension")
    answers = {}
    for statement in statements():
        if statement == "INSTALL sqlite":
            continue
        if statement == "LOAD sqlite":
            statement = f"LOAD '{extension}'"
        answers[statement] = connection.execute(statement).fetchall()
        print(statement, *answers[statement], sep="\n    ")
    assert len(answers) >= 5, "the recipe was not found"
    with sqlite3.connect("recrawl.db") as store:
        expected = store.execute("SELECT kind, count(*) FROM changes GROUP BY kind ORDER BY kind").fetchall()
        pages = store.execute("SELECT domain, count(*) FROM pages GROUP BY domain").fetchall()
    assert expected and list(answers.values())[-1] == expected, expected
    assert pages in list(answers.values()), pages
    assert connection.execute("SELECT count(*) FROM crawled.hosts").fetchone()[0] > 0


main()
