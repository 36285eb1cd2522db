"""The questions of the paper on attribute clustering (section 6): single tuples, caches, attributes, intersections."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import datasets
from benchmarks.pages import seconds
from benchmarks.papers.page import Sizes, cpu, figures, once, questions, yes
from profiling_core.algorithms.inclusions.attribute_clustering import attributes_of, counted_in, coverage
from profiling_core.algorithms.inclusions.combined_values import coded
from profiling_core.algorithms.inclusions.row_parts import CELLS_PER_PART, MemorySpool, TableParts, clusters_of_parts
from profiling_core.algorithms.inclusions.value_generator import attribute_entries, joined, numpy_column, value_hashes
from profiling_core.ingest.infer import schema_of
from profiling_core.spark.generator_files import LOG, find_entries, write_entries
from profiling_core.state.proof import StoredFile

TITLE = "The questions on attribute clustering"
WORDS = (
    "The questions of section 6 of Shaabani and Meinel, SSDBM 2017, asked on TPC-H, which is the one of its five"
    " datasets at hand. The generator lies in files as the product keeps them, mapped once. Tuples wait in a queue of"
    " 1,000, whose values are looked up together and stay in a cache, as the paper's tuple queue and caches do; then"
    " each tuple by itself changes the clusters, and all inclusions are current after each. The product takes deltas,"
    " not tuples: what a delta costs as a whole is on [deltas](../ind-deltas.md). CPU time of one process."
)
NOT_ASKED = (
    "MusicBrainz, Plista and the genome are not at hand.",
    "The version for inserts only, which leaves frequencies out: what follows are partial inclusions, which need them.",
)
QUEUE = 1_000
SIDES = ("inserts", "deletes")


class OpenClustering:
    """The clusters of a generator in a file; what was looked up stays here, and what changes.

    ``values``: int64[a, a], per pair of attributes the values that they share; ``holds``: bool[a, a], A ⊆ B.
    """

    def __init__(self, file: StoredFile, values: np.ndarray) -> None:
        self.file, self.values = file, values
        self.held: dict[tuple, dict[int, int]] = {}
        self.looked_up = self.asked = 0
        self.holds = values == np.diagonal(values)[:, None]

    def take(self, rows: pa.Table, first: int, sign: int) -> None:
        """Takes tuples of a table whose columns are attributes from ``first`` on, one by one."""
        for start in range(0, rows.num_rows, QUEUE):
            queue = rows.slice(start, QUEUE)
            keys = self.known(queue, first)
            for row in range(queue.num_rows):
                for attribute, (own, places) in enumerate(keys, first):
                    if places[row] >= 0:
                        self.change(own[places[row]], attribute, sign)

    def known(self, queue: pa.Table, first: int) -> list[tuple[list[tuple], list[int]]]:
        """Per column its distinct values, which are held from now on, and each tuple's place among them."""
        found, missing = [], dict[tuple, tuple[int, int]]()
        tables = []
        for number, column in enumerate(queue.columns):
            rows = coded([column], "typed")
            entries = attribute_entries([pa.chunked_array([column.combine_chunks()])], first + number, "typed")
            own = keys_of(entries)
            self.asked += len(rows.places)
            places = np.full(len(rows.present), -1)
            # both number distinct values in the order in which they come
            places[rows.present] = rows.places
            found.append((own, places.tolist()))
            missing |= {key: (number, at) for at, key in enumerate(own) if key not in self.held}
            tables.append(entries)
        self.look_up(missing, tables)
        return found

    def look_up(self, missing: Mapping[tuple, tuple[int, int]], tables: Sequence[pa.Table]) -> None:
        self.held |= {key: {} for key in missing}
        self.looked_up += len(missing)
        places: dict[int, list[int]] = {}
        for number, at in missing.values():
            places.setdefault(number, []).append(at)
        wanted = joined(tables[number].take(pa.array(own)) for number, own in places.items())
        entries = find_entries([self.file], np.unique(value_hashes(wanted)))
        for key, attribute, frequency in zip(keys_of(entries), *columns_of(entries), strict=True):
            if key in missing:
                self.held[key][attribute] = frequency

    def change(self, key: tuple, attribute: int, sign: int) -> None:
        """One more row, or one less, holds a value; where its cluster changes, so does what attributes share."""
        cluster = self.held[key]
        before = cluster.get(attribute, 0)
        after = cluster[attribute] = before + sign
        if (before == 0) == (after == 0):
            return
        if not after:
            del cluster[attribute]
        values, others = self.values, [other for other in cluster if other != attribute]
        values[attribute, others] += sign
        values[others, attribute] += sign
        values[attribute, attribute] += sign
        self.holds[attribute] = values[attribute] == values[attribute, attribute]
        self.holds[others, attribute] = values[others, attribute] == values[others, others]


def keys_of(entries: pa.Table) -> list[tuple]:
    return list(zip(*(entries[name].to_pylist() for name in ("form", "number", "bytes")), strict=True))


def columns_of(entries: pa.Table) -> tuple[list[int], list[int]]:
    return tuple(numpy_column(entries, name).tolist() for name in ("attribute", "frequency"))


class Tables:
    """TPC-H's tables; some rows of lineitem, its last ones, stand apart."""

    def __init__(self, scale: str, apart: int, only: int = 0) -> None:
        paths = sorted(datasets.tpch(scale, "parquet"), key=lambda path: path.stem != "lineitem")[: only or None]
        self.tables = {path.stem: _plain(pq.read_table(path)) for path in paths}
        self.schemas = {path.stem: schema_of(path.stem, pq.read_schema(path), str(path)) for path in paths}
        self.attributes = [a for schema in self.schemas.values() for a in attributes_of(schema, "typed")]
        whole = self.tables["lineitem"]
        rest = min(apart, whole.num_rows // 2)
        self.apart, self.tables["lineitem"] = whole.slice(whole.num_rows - rest), whole.slice(0, whole.num_rows - rest)
        self.whole = {**self.tables, "lineitem": whole}

    def clusters(self, tables: Mapping[str, pa.Table]):
        rows = {name: TableParts(table) for name, table in tables.items()}
        cells = sum(table.num_rows * table.num_columns for table in tables.values())
        spool = MemorySpool(1 + cells // CELLS_PER_PART)
        return clusters_of_parts(rows, counted_in(self.attributes), "typed", spool)[0]

    def values(self, tables: Mapping[str, pa.Table]) -> np.ndarray:
        return coverage(self.clusters(tables), len(self.attributes)).values

    def begun(self, folder: Path) -> OpenClustering:
        """The clustering of the tables without the rows that stand apart."""
        columns = [(a, self.tables[a.table][a.columns[0]]) for a in self.attributes]
        write_entries(joined(attribute_entries([c], i, "typed") for i, (_, c) in enumerate(columns)), folder, LOG)
        path = folder / LOG
        file = StoredFile(path=str(path), size=path.stat().st_size, sha256="")
        return OpenClustering(file, self.values(self.tables).copy())


def _plain(rows: pa.Table) -> pa.Table:
    views = [pa.field(f.name, pa.string() if pa.types.is_string_view(f.type) else f.type) for f in rows.schema]
    return rows.cast(pa.schema(views))


def tuples(sizes: Sizes) -> Iterator[Sequence[str]]:
    """Inserts one by one, then the same number of deletes of rows drawn at random."""
    tables = Tables(sizes.scale, sizes.tuples)
    with tempfile.TemporaryDirectory() as folder:
        opened = tables.begun(Path(folder))
        static, took_static = once(tables.values, tables.whole)
        gone = np.random.default_rng(0).permutation(tables.whole["lineitem"].num_rows)[: tables.apart.num_rows]
        left = np.ones(tables.whole["lineitem"].num_rows, np.bool_)
        left[gone] = False
        changes = (tables.apart, tables.whole["lineitem"].take(pa.array(gone)))
        published = (("34 ms, 99.992 %", "99.987 %"), ("54 ms, 99.987 %", "99.984 %"))
        for side, rows, sign, known in zip(SIDES, changes, (1, -1), published, strict=True):
            opened.held, opened.looked_up, opened.asked = {} if sign > 0 else opened.held, 0, 0
            took = once(opened.take, rows, 0, sign)[1]
            after = (
                tables.whole
                if sign > 0
                else {**tables.whole, "lineitem": tables.whole["lineitem"].filter(pa.array(left))}
            )
            expected = static if sign > 0 else tables.values(after)
            each = took / rows.num_rows
            cells = [f"{1e3 * each:.3f} ms", f"{1 - each / took_static:.4%}", known[0]]
            cells += [
                f"{opened.asked:,}",
                f"{opened.looked_up:,}",
                f"{1 - opened.looked_up / opened.asked:.3%}",
                known[1],
            ]
            same = bool(
                (expected == opened.values).all()
                and (opened.holds == (expected == np.diagonal(expected)[:, None])).all()
            )
            yield [sizes.scale, side, f"{rows.num_rows:,}", seconds(took_static), *cells, yes(same)]


def widths(sizes: Sizes) -> Iterator[Sequence[str]]:
    for only in (1, 3, 5, 8):
        tables = Tables("0.1", min(sizes.tuples, 10_000), only)
        with tempfile.TemporaryDirectory() as folder:
            opened = tables.begun(Path(folder))
            took = [1e3 * once(opened.take, tables.apart, 0, sign)[1] for sign in (1, -1)]
        cells = [f"{each / tables.apart.num_rows:.3f}" for each in took]
        yield [f"{len(tables.attributes)}", f"{tables.apart.num_rows:,}", *cells]


def intersections(sizes: Sizes) -> Iterator[Sequence[str]]:
    tables = Tables("0.1", 0)
    clusters, took = cpu(tables.clusters, tables.whole)
    by_values = sum(len(key) * count for key, (count, _) in clusters.counts.items())
    by_clusters = sum(len(key) for key in clusters.counts)
    cells = figures([len(tables.attributes), by_values, by_clusters, f"{1 - by_clusters / by_values:.3%}", took])
    yield ["TPC-H 0.1", *cells, seconds(cpu(coverage, clusters, len(tables.attributes))[1])]


QUESTIONS = questions(tuples, widths, intersections)
