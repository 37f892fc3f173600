"""Plain text, no word of the domain: terms, values, masking."""
