"""One page a file; each is run by `st.navigation` and draws itself with `render()`."""
