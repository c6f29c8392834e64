"""A shop whose orders and payments a language model may work with."""
