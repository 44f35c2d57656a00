"""The command line: one thin function a use case, options and help beside it.

files.py works on files alone; store.py on the database.
"""
