"""The catalogues of the screens' words, and the script that brings them up to the code."""
