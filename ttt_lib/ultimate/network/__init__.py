"""Networks that judge positions: the table net and the document's residual network."""
