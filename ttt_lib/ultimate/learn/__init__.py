"""Learning from self-play: networks, replay buffer, self-play and the training loop."""
