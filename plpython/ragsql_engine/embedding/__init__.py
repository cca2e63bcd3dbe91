"""From texts to unit vectors: providers of models, and what goes wrong with them."""
