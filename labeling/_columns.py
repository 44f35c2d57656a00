"""The pieces that tables are made of: the naming of constraints, moments in time, keys, lists of known values.

Knows no table.
"""

from datetime import UTC, datetime

from sqlalchemy import CheckConstraint, Column, DateTime, Dialect, ForeignKey, Integer, MetaData
from sqlalchemy.types import TypeDecorator

__all__ = ["Moment", "a_moment", "a_row_number", "metadata", "one_of", "refers_to"]

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


class Moment(TypeDecorator[datetime]):
    """A point in time: UTC in the database, with its zone in the program."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Store UTC without a zone, as SQLite knows none."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Give the zone back."""
        return None if value is None else value.replace(tzinfo=UTC)


def a_row_number() -> Column[int]:
    """The key of a table."""
    return Column("id", Integer, primary_key=True)


def a_moment(name: str, *, nullable: bool = False) -> Column[datetime]:
    """A column that says when."""
    return Column(name, Moment, nullable=nullable)


def one_of(column: str, *values: str) -> CheckConstraint:
    """A column holds one of these texts."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def refers_to(column: str, target: str, *, nullable: bool = False, index: bool = False) -> Column[int]:
    """A column that names a row of another table."""
    return Column(column, Integer, ForeignKey(target), nullable=nullable, index=index)
