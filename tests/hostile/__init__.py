"""Images that mean harm, on a real engine: what they try, and what must come of it."""
