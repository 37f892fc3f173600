"""What pages are put together from. Text of a log goes only where nothing interprets it."""
