-- torch.results - the list of the values that the prompt has shown: trepl's _RESULTS.
return {}
