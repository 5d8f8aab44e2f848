"""Tells whether a reinforcement fine-tuning run should start, and whether it should go on."""
