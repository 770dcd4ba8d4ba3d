"""Virtual devices. C++ for what a program loads, Python for the translators; imports nothing else of ours."""
