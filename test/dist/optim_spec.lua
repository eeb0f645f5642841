-- test/dist/optim_spec.lua - dist.optim: the guarantees of each scheme, on one host.
-- runs once
require 'test.dist.optim_cases'(describe, it, '', require 'test.dist.ranks'.ok)

teardown(require 'test.temporary'.remove)
