"""Values that a call is given."""


def number(name, value):
    """A number as a float; text is none."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name}: must be a number, not {type(value).__name__}")
    try:
        return float(value)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name}: {error}") from None
