"""Text in, tables out, and back: queries, documents, judgments.

Pure: bytes and tables only, no database, no page; paths are for the names in messages.
"""
