"""Runs the migrations on the address that labeling.settings gives."""

from alembic import context

from labeling.database import get_engine
from labeling.schema import metadata
from labeling.settings import database_url

url = context.config.attributes.get("url") or database_url()

with get_engine(url).execution_options(writes=True).connect() as connection:
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True, compare_type=True)
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
