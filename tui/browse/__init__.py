"""The explorer without a screen: what is open, where one looks, and what every line of it shows."""
