"""The identifiers of a catalogue, as they are listed in Python: pymarc reads the records, csv
writes a row for each ISBN, ISSN, other number and link, with its field, its notes and the
title. Nothing is checked or canonicalized."""

import csv
import sys

from pymarc import MARCReader

# The subfields of each field that are listed; of every field those that hold a URI as a whole.
LISTED = {"020": "az", "022": "almyz", "024": "az", "856": "ugh"}
COLUMNS = "record_no record_id title tag ind1 ind2 subfield occurrence original note link_text materials".split()


def rows(path):
    with open(path, "rb") as catalogue:
        for number, record in enumerate(MARCReader(catalogue), 1):
            title = " ".join(record["245"].get_subfields("a", "b"))
            seen = {}
            for field in record.fields:
                seen[field.tag] = seen.get(field.tag, 0) + 1
                if field.is_control_field():
                    continue
                codes = LISTED.get(field.tag, "")
                texts = ["; ".join(field.get_subfields(code)) if field.tag == "856" else "" for code in "zy3"]
                for code, value in field.subfields:
                    if code in codes or code in "01" and "://" in value:
                        place = [field.tag, field.indicator1, field.indicator2, code, seen[field.tag]]
                        yield [number, record["001"].data, title, *place, value, *texts]


def main(path):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    out.writerows(rows(path))


if __name__ == "__main__":
    main(sys.argv[1])
