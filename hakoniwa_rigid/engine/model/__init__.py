"""The world's memory: layout of the arrays, tables of shapes and materials, settings by name.  No physics, no steps."""
