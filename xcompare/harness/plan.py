"""Plans: the methods, engines and runs of a comparison, each run with its seed and key."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

from xcompare.bagging import parameters
from xcompare.core.checks import check_choice, check_integer
from xcompare.core.errors import DataError, UnknownNameError
from xcompare.core.names import hint
from xcompare.core.seeds import derive_seed
from xcompare.harness.hashing import as_text, digest
from xcompare.harness.versions import computed_by
from xcompare.methods import MEASURES, METHODS, Engine, Method, get_method
from xcompare.methods.base import WIDE, Kind
from xcompare.methods.cluster_tests import CLUSTER_TESTS
from xcompare.methods.clusterings import CLUSTERINGS
from xcompare.methods.number_of_clusters import HOW_MANY

PartKind = Literal["sweep", "explanation", "choice"]
Swept = Literal["max_features", "n_clusters"]
EngineChoice = Literal["auto", "python", "r", "both"]
ENGINE_CHOICES = ("auto", "python", "r", "both")
MOST_RUNS = 100_000  # per method, so that the plan fits in memory


@dataclass(frozen=True)
class Row:
    """One method with one engine and its options, repeated ``n_runs`` times.

    ``version`` is that of the implementation: see `xcompare.harness.versions.computed_by`.
    """

    method: str
    engine: Engine
    options: dict[str, Any] = field(default_factory=dict)
    n_runs: int = 1
    version: str = ""
    kind: Kind = "importance"

    @classmethod
    def of(cls, method: Method, engine: Engine, options: dict[str, Any], n_runs: int) -> "Row":
        """The row of a method, with one run if it is deterministic."""
        version = computed_by(method, engine, options)
        n_runs = n_runs if method.stochastic else 1
        return cls(method.name, engine, options, n_runs, version, method.kind)


@dataclass(frozen=True)
class Unit:
    """One run of a row: the unit of work that is stored, resumed and retried."""

    method: str
    engine: Engine
    options: dict[str, Any]
    version: str
    run: int
    seed: int
    key: str
    kind: Kind = "importance"


@dataclass(frozen=True)
class Part:
    """Membership of a comparison in a sweep, an explanation or a choice of K."""

    kind: PartKind
    whole: str  # hash of what the parts have in common
    at: int  # features drawn, or K; or the cluster, ALL of them, RESAMPLED rows of all; then contrasts
    left_out: dict[str, int] = field(default_factory=dict)  # number of excluded rows, by reason
    option: Swept = "max_features"  # parameter that a sweep varies


ALL, RESAMPLED = -1, -2  # parts of an explanation other than single clusters


@dataclass(frozen=True)
class Plan:
    """The plan of a comparison."""

    fingerprint: str  # fingerprint of the data
    n_clusters: int
    random_state: int  # base seed
    rows: tuple[Row, ...]  # rows of the table
    clusterings: tuple[Row, ...] = ()  # baseline clusterings, without scores
    part: Part | None = None  # the sweep or explanation it belongs to, if any
    tests: tuple[Row, ...] = ()  # tests of whether there are clusters, and which features differ between them
    chosen: str = ""  # how the number of clusters was chosen, if automatically
    weighted: bool = False  # whether the rows have weights
    described: str = ""  # hash of the columns that only describe clusters
    as_needed: bool = False  # whether rows get more runs until their Monte Carlo error is small

    @property
    def n_drawn(self) -> int | None:
        """Features drawn per replicate, if that is what a sweep varies that it is part of."""
        part = self.part
        varies = part is not None and part.kind == "sweep" and part.option == "max_features"
        return part.at if part is not None and varies else None

    @property
    def all_rows(self) -> tuple[Row, ...]:
        """All rows: of the table, baseline clusterings and tests."""
        return (*self.rows, *self.clusterings, *self.tests)

    def units(self) -> list[Unit]:
        """Every unit, row by row."""
        return [unit for runs in self._runs for unit in runs]

    def units_of(self, row: Row) -> list[Unit]:
        """The runs of one row."""
        return self._runs[self.all_rows.index(row)]

    @cached_property
    def _runs(self) -> list[list[Unit]]:
        return [[self._unit(row, run) for run in range(row.n_runs)] for row in self.all_rows]

    def to_json(self) -> str:
        """The plan as JSON; inverse of `from_json`."""
        return as_text(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """Read a plan written by `to_json`."""
        fields = json.loads(text)
        for name in ("rows", "clusterings", "tests"):
            fields[name] = tuple(Row(**row) for row in fields[name])
        fields["part"] = None if fields["part"] is None else Part(**fields["part"])
        return cls(**fields)

    def _unit(self, row: Row, run: int) -> Unit:
        # Both engines get the same seed, so that methods that use R's generator agree in each run.
        seed = derive_seed(self.random_state, self.fingerprint, row.method, run)
        what = [row.method, row.engine, row.options, row.version]
        key = digest(as_text([self.fingerprint, self.n_clusters, *what, run, seed]))
        return Unit(row.method, row.engine, row.options, row.version, run, seed, key, row.kind)


def plan_rows(
    methods: str | Iterable[str],
    engine: EngineChoice,
    n_runs: int,
    options: Mapping[str, Any],
    n_features: int = 0,
) -> tuple[Row, ...]:
    """Rows for the requested methods and engines, as `compare` describes them.

    ``options``: either an option for every method that has it, or a method's name with a mapping of options.
    """
    check_choice("engine", engine, ENGINE_CHOICES)
    check_integer("n_runs", n_runs, 1, MOST_RUNS)
    chosen = chosen_methods(methods, n_features=n_features)
    _check_options(options)
    return tuple(
        Row.of(method, language, _options_of(method, options), int(n_runs))
        for method in chosen
        for language in _engines_of(method, engine)
    )


def clustering_rows(n_runs: int, n_samples: int, weighted: bool = False) -> tuple[Row, ...]:
    """Rows of the plain clusterings that can be run on so many rows."""
    rows = CLUSTERINGS.values()
    return tuple(
        Row.of(method, "python", {}, int(n_runs))
        for method in rows
        if method.why_unavailable("python", n_samples, weighted) is None
    )


def clusterings_left_out(n_samples: int, weighted: bool = False) -> list[str]:
    """Why plain clusterings are not run on so many rows, a sentence each."""
    reasons = (method.why_unavailable("python", n_samples, weighted) for method in CLUSTERINGS.values())
    return [reason for reason in reasons if reason is not None]


def rows_of_tests() -> tuple[Row, ...]:
    """Rows of the tests behind the answer."""
    return (Row.of(CLUSTER_TESTS, "python", {}, 1),)


def registered(name: str) -> Method:
    """Registry row of a method, clustering, measure, test or criterion."""
    others = {**CLUSTERINGS, **MEASURES, **{row.name: row for row in (CLUSTER_TESTS, HOW_MANY)}}
    return others[name] if name in others else get_method(name)


def subspace_size(max_features: Any, n_features: int) -> int | None:
    """``max_features`` as a number of features, the same for both engines; None stays None."""
    return None if max_features is None else parameters.subspace_size(max_features, n_features)


def default_methods(n_features: int = 0, registry: Mapping[str, Method] = METHODS) -> list[str]:
    """Names of the methods that are run on data of so many features unless others are asked for."""
    wide = n_features > WIDE
    return [name for name, row in registry.items() if (row.wide if wide else row.default)]


def wide_default(plan: Plan, n_features: int) -> list[str]:
    """A note on which methods are the default for so many features, if the plan has these."""
    if n_features <= WIDE:
        return []
    names = default_methods(n_features)
    if {row.method for row in plan.rows} != set(names):
        return []
    return [
        f"{n_features:,} features: above {WIDE} the default methods are {', '.join(names)}; few others find"
        " relevant features among so many. Name methods to run others"
    ]


def chosen_methods(
    methods: str | Iterable[str], registry: Mapping[str, Method] = METHODS, n_features: int = 0
) -> list[Method]:
    """The methods that names, or names separated by commas, stand for; "default" and "all" are several."""
    if isinstance(methods, Mapping):
        raise DataError(
            "methods are given by name, their options as options={'efron': {'n_replicas': 50}}; got a mapping"
        )
    names = [name.strip() for name in methods.split(",")] if isinstance(methods, str) else methods
    wanted: list[str] = []
    for name in names:
        if name == "default":
            wanted += default_methods(n_features, registry)
        else:
            wanted += list(registry) if name == "all" else [name]
    chosen = [get_method(name, registry) for name in dict.fromkeys(wanted)]
    if not chosen:
        raise DataError(f"at least one method must be selected, of {', '.join(registry)}; got none")
    return chosen


def _engines_of(method: Method, engine: EngineChoice) -> Sequence[Engine]:
    if engine == "auto":
        return method.engines[:1]
    return method.engines if engine == "both" else (engine,)


def _check_options(options: Mapping[str, Any]) -> None:
    """Raise on options that no method has; one for methods that are not asked for plays no part."""
    for name, value in options.items():
        if isinstance(value, Mapping):
            method = get_method(name)
            unknown, known = [key for key in value if key not in method.options], tuple(method.options)
        else:
            known = tuple(dict.fromkeys(option for method in METHODS.values() for option in method.options))
            unknown = [] if name in known else [name]
        if unknown:
            near = hint(unknown[0], known).strip() or f"known: {', '.join(known) or 'none'}"
            raise UnknownNameError(f"no option named {unknown[0]!r}; {near}")


def _options_of(method: Method, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of this method; its own take precedence over those for all methods."""
    general = {name: value for name, value in options.items() if name in method.options}
    own = {**general, **options.get(method.name, {})}
    method.check_options(own)
    return own
