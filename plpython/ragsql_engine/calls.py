"""What every method that SQL functions call has: the only module that knows PL/Python's `plpy`."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from ragsql_engine.errors import PackageMissing, RagError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Self = TypeVar("Self", bound="Calls")
Row = Mapping[str, Any]

# What PL/Python reads from an exception besides sqlstate, detail and hint.
_ERROR_FIELDS = (
    "schema_name",
    "table_name",
    "column_name",
    "datatype_name",
    "constraint_name",
)


class Plpy(Protocol):
    """What the engine uses of PL/Python's `plpy`."""

    @property
    def Error(self) -> type[Exception]: ...

    def execute(self, query: Any, arguments: Sequence[Any] = ...) -> Any: ...

    def prepare(self, query: str, types: Sequence[str]) -> Any: ...

    def warning(self, message: str) -> Any: ...


def translated(
    method: Callable[Concatenate[Self, Arguments], Result],
) -> Callable[Concatenate[Self, Arguments], Result]:
    """Raise a method's expected failures as SQL errors with SQLSTATE, detail and hint."""

    @functools.wraps(method)
    def wrapper(engine: Self, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return method(engine, *args, **kwargs)
        except RagError as error:
            raise engine.sql_error(error) from None
        except ImportError as error:
            raise engine.sql_error(PackageMissing(error)) from None

    return wrapper


class Calls:
    """The server, as PL/Python shows it to one session."""

    def __init__(self, plpy: Plpy) -> None:
        self._plpy = plpy
        self._plans: dict[tuple[str, tuple[str, ...]], Any] = {}

    def sql_error(self, error: RagError) -> Exception:
        """What plpy.error would raise for `error`.

        PL/Python puts the name of the exception's class before the message. A class of our own
        makes that "ragsql: ..." where plpy.error itself would say "plpy.Error: ...".
        """
        fields = dict.fromkeys(_ERROR_FIELDS) | {
            "sqlstate": error.sqlstate,
            "detail": error.detail,
            "hint": error.hint,
        }
        named = type("ragsql", (self._plpy.Error,), {"__module__": "builtins"} | fields)
        raised: Exception = named(error.message)
        return raised

    def _pause(self) -> None:
        """PL/Python notices a cancel or a statement timeout only when it calls the server."""
        self._plpy.execute("select 1")

    def _rows(self, sql: str, types: Sequence[str], *values: Any) -> Any:
        """Rows of a statement whose plan is kept."""
        key = sql, tuple(types)
        if key not in self._plans:
            self._plans[key] = self._plpy.prepare(sql, list(types))
        return self._plpy.execute(self._plans[key], list(values))
