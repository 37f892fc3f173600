"""The pages. They import tabcore, never the reverse.

app.py        frame and navigation; started by `streamlit run dashboard/app.py`
headers.py    what the server says to browsers with each answer
views/        one page a file, one `render()` each
parts/        what two or more pages draw, or what a page is put together from
data.py       the one door to the store, and its caches
uploads.py    dropped files -> a private folder
selection.py  page address <-> what is chosen; pure
"""
