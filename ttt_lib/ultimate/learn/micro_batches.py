"""Learn a batch in parts, for a device that can't hold all of it at once."""

from __future__ import annotations

import numpy as np
import torch

from ttt_lib.ultimate.learn.replay import Samples
from ttt_lib.ultimate.learn.trainer import Trainer, losses


class MicroBatchTrainer(Trainer):
    """A trainer that adds up the gradients of a batch's parts before the optimiser's one step.

    A table net learns the same but for rounding.  A residual net's batch normalisation takes its
    means and variances from each part.  The size is no part of the configuration, so a run may
    resume with another one.

    Attributes
    ----------
    micro_batch : int or None
        Number of samples on the device at once; None: the whole batch.
    """

    micro_batch: int | None = None

    def limit(self, size: int) -> None:
        """Set the number of samples on the device at once.

        Raises
        ------
        ValueError
            If it is < 1 or larger than the batch.
        """
        whole = self.config.training.batch_size
        if not 1 <= size <= whole:
            raise ValueError(f"micro_batch must be in 1 to the batch_size, {whole}, not {size}")
        self.micro_batch = size

    def _step(self, batch: Samples) -> tuple[float, float]:
        """One step of the optimiser; returns the mean losses of policy and value.

        The losses of a part are means over it, so they count by its share of the batch.  The
        gradients of all parts are scaled alike, as mixed precision demands.
        """
        count, total = len(batch.states), np.zeros(2)
        size = self.micro_batch or count
        self.optimizer.zero_grad()
        for begin in range(0, count, size):
            part = batch.take(slice(begin, begin + size))
            share = len(part.states) / count
            with torch.autocast(torch.device(self.device).type, enabled=self.amp):
                policy, value = losses(self.learner, part)
            self.scaler.scale(share * (policy + value)).backward()  # type: ignore[no-untyped-call]
            total += share * np.array([policy.item(), value.item()])
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return float(total[0]), float(total[1])
