"""What runs inside an image: standard library only, Python 3.8 to 3.14. It gathers facts and decides nothing."""
