"""Inline PTX as C++: a parser of ``asm`` templates, a table of instructions, and what writes the port's statements."""
