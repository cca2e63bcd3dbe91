"""From a question and passages to the probability that each is relevant: cross-encoders."""
