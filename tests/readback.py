#!/usr/bin/env python3
"""Reads the tables that urisieve writes back with DuckDB and pyarrow.

Usage: tests/readback.py URISIEVE [FINDINGS]

Writes FINDINGS (default a million) URIs to a file, has URISIEVE find every
occurrence as JSON Lines, ECS, CSV, TSV and Parquet, plain and compressed, and
compares row by row what DuckDB and pyarrow read with what the JSON says.
Needs the packages duckdb and pyarrow. Exit code 1 when anything differs.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

# What a name of a file may hold, and readers of tables trip over.
NAME = 'odd "name", a\\b\tc\nd.txt'


def write_input(path, findings):
    """Writes URIs of every kind, one or two a line."""
    with open(path, "wb") as out:
        for i in range(findings):
            match i % 10:
                case 0:
                    out.write(b"<http://a%d.example/one,two;%d?x=%d,y#f>\n" % (i % 97, i, i))
                case 1:
                    out.write(b"HTTPS://User:pw@WWW.B%d.Co.UK:8443/%%7e%d \n" % (i % 13, i))
                case 2:
                    out.write(b"URN:ISBN:%010d and " % i)
                case 3:
                    out.write("http://bücher.example/straße/{} ".format(i).encode())
                case 4:
                    out.write(b"http://c.example/\xe9/%d \n" % i)
                case 5:
                    out.write(b"http://d.example/100%%/%d? \n" % i)
                case 6:
                    out.write(b"<URL:http://e.example/wrapped-\n  %d>\n" % i)
                case 7:
                    out.write(b"http://[2001:db8::%x]:99999/ \n" % (i % 65536))
                case 8:
                    out.write(b"mailto:joe%d@f.example file-less text\n" % i)
                case 9:
                    out.write(b'"file:///srv/%d.tar.gz" \n' % i)


def sieve(program, folder, *args):
    """Runs the program; 0 is the only good end."""
    subprocess.run([program, *args, NAME], cwd=folder, check=True)


def strings(table):
    """A table with every column as text, as JSON spells its values."""
    columns = [pc.cast(column, pa.string()).combine_chunks() for column in table.columns]
    return pa.table(columns, names=table.column_names)


def flat(record):
    """A record with the keys of its objects after a dot."""
    values = {}
    for key, value in record.items():
        if isinstance(value, dict):
            values.update({f"{key}.{inner}": part for inner, part in value.items()})
        else:
            values[key] = value
    return values


def truth_of(folder, columns):
    """The records of the JSON Lines as columns of text."""
    values = {name: [] for name in columns}
    with open(folder / "out.jsonl", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            record = flat(record)
            for name in columns:
                value = record.pop(name, None)
                if isinstance(value, list):
                    value = ";".join(value)
                elif value is True:
                    value = "true"
                elif value is not None:
                    value = str(value)
                values[name].append(value)
            assert not record, f"no columns for {record}"
    return pa.table({name: pa.array(column, pa.string()) for name, column in values.items()})


def parquet_truth(truth, folder):
    """What the Parquet file must hold, by the JSON and the ECS records."""
    domains = []
    with open(folder / "out.ecs", encoding="utf-8") as lines:
        domains.extend(json.loads(line)["url"].get("registered_domain") for line in lines)
    ports = [
        port if port and int(port) < 65536 else None for port in truth["port"].to_pylist()
    ]
    renamed = {
        "uri": "url",
        "host": "url_host_name",
        "scheme": "url_protocol",
        "path": "url_path",
        "query": "url_query",
        "nid": "urn_nid",
    }
    columns = {
        renamed.get(name, name): truth[name] for name in truth.column_names if name != "port"
    }
    columns["url_host_registered_domain"] = pa.array(domains, pa.string())
    columns["url_port"] = pa.array(ports, pa.string())
    return columns


def unescaped(table):
    """The values of a TSV without their backslashes."""
    columns = []
    for column in table.columns:
        # NUL replaces an escaped backslash.
        for escaped, plain in [("\\\\", "\0"), ("\\t", "\t"), ("\\n", "\n"), ("\\r", "\r"), ("\0", "\\")]:
            column = pc.replace_substring(column, escaped, plain)
        columns.append(column.combine_chunks())
    return pa.table(columns, names=table.column_names)


def null_where_empty(table):
    """A TSV cannot distinguish absent from empty values."""
    columns = [
        pc.if_else(pc.equal(column, ""), None, column).combine_chunks() for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def with_pyarrow(path, delimiter):
    comma = delimiter == ","
    return pyarrow.csv.read_csv(
        path,
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=delimiter, quote_char='"' if comma else False, newlines_in_values=comma
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(header(path, delimiter), pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def header(path, delimiter):
    with open(path, encoding="utf-8") as lines:
        return next(lines).rstrip("\n").split(delimiter)


def with_duckdb(path, delimiter):
    quote = '"' if delimiter == "," else ""
    query = (
        "select * from read_csv(?, header=true, all_varchar=true, auto_detect=false, nullstr='',"
        " allow_quoted_nulls=false, strict_mode=true, new_line='\\n', delim=?, quote=?, escape=?, columns=?)"
    )
    columns = dict.fromkeys(header(path, delimiter), "VARCHAR")
    # A quoted line break stands in the way of reading in parts.
    duckdb.execute("set threads to 1")
    values = [str(path), delimiter, quote, quote, columns]
    return duckdb.sql(query, params=values).to_arrow_table()


def compare(what, table, truth):
    """Says which column differs first, and where."""
    for name in truth:
        wanted = truth[name]
        actual = table[name]
        wanted = wanted.combine_chunks() if isinstance(wanted, pa.ChunkedArray) else wanted
        actual = actual.combine_chunks() if isinstance(actual, pa.ChunkedArray) else actual
        actual = pc.cast(actual, pa.string())
        if not actual.equals(wanted):
            print(f"{what}: column {name} differs")
            for row, (a, b) in enumerate(zip(actual.to_pylist(), wanted.to_pylist())):
                if a != b:
                    print(f"  row {row}: {a!r}, JSON has {b!r}")
                    break
            else:
                print(f"  {len(actual)} rows, JSON has {len(wanted)}")
            return False
    print(f"{what}: {len(table):,} rows agree in {len(truth)} columns")
    return True


def main():
    program = str(Path(sys.argv[1]).resolve())
    findings = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    good = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_input(folder / NAME, findings)
        for file in ["jsonl", "csv", "tsv", "parquet", "csv.gz", "tsv.zst"]:
            sieve(program, folder, "--all", "-o", f"out.{file}")
        sieve(program, folder, "--all", "-f", "ecs", "-o", "out.ecs")
        truth = truth_of(folder, header(folder / "out.csv", ","))
        assert len(truth) == findings, f"{len(truth)} findings"
        wanted = {column: truth[column] for column in truth.column_names}
        less = null_where_empty(truth)
        less = {column: less[column] for column in truth.column_names}
        for reader in [with_pyarrow, with_duckdb]:
            by = reader.__name__.removeprefix("with_")
            good &= compare(f"csv by {by}", reader(folder / "out.csv", ","), wanted)
            tsv = unescaped(reader(folder / "out.tsv", "\t"))
            good &= compare(f"tsv by {by}", tsv, less)
        parquet = parquet_truth(truth, folder)
        file = pyarrow.parquet.ParquetFile(folder / "out.parquet")
        print(f"parquet: {file.num_row_groups} groups of rows")
        good &= compare("parquet by pyarrow", file.read(), parquet)
        query = "select * from read_parquet(?)"
        table = duckdb.sql(query, params=[str(folder / "out.parquet")]).to_arrow_table()
        good &= compare("parquet by duckdb", table, parquet)
        for packed, tool in [("csv.gz", "gzip"), ("tsv.zst", "zstd")]:
            try:
                plain = subprocess.run(
                    [tool, "-dc", folder / f"out.{packed}"], check=True, capture_output=True
                ).stdout
            except FileNotFoundError:
                print(f"{packed}: no {tool} here")
                continue
            same = plain == (folder / f"out.{packed.split('.')[0]}").read_bytes()
            print(f"{packed}: {'the same' if same else 'differs'}")
            good &= same
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
