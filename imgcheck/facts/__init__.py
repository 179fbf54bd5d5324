"""Facts: what an image contains and does, as typed values. Collected inside the image, judged outside it."""
