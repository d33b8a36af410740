"""Normalisations: operators that reduce over axes and give results along all of them."""
