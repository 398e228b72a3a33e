"""The kernels of ``make play``: they tell the terminal of errors only."""

from __future__ import annotations

from functools import partialmethod

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager


class QuietKernels(AsyncMappingKernelManager):
    """Begins kernels without their note on local transport, one for each visitor."""

    start_kernel = partialmethod(
        AsyncMappingKernelManager.start_kernel, extra_arguments=["--log-level=ERROR"]
    )
