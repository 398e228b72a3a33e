"""Learning from self-play: games, replay buffer, training loop, checkpoints."""
