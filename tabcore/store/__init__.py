"""Where runs, their tabs and all texts are kept: one DuckDB file, the owner's only.

schema.sql   the tables
store.py     the file: opened, made, locked, refused; salvage.py: what can be read of it whatever its state
records.py   what a load hands over
columns.py   runs, turn by turn -> Arrow tables
texts.py     any Python text <-> a text that DuckDB holds
writing.py   into the store
selects.py   out of the store
"""
