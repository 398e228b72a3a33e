"""Networks that judge positions: the table net and the document's residual network.

``tablenet`` trains and compiles the table net, which ``tablenet_kernels`` evaluates; ``resnet`` is
the document's.  ``evaluator`` is what a search asks of either.
"""
