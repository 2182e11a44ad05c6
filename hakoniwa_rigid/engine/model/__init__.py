"""The world's memory: layout of the arrays, builder (validates), World (runs), snapshots.  No physics."""
