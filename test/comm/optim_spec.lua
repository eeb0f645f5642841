-- test/comm/optim_spec.lua - dist.optim: the guarantees of each scheme, on one host.
-- runs once
require 'test.support.comm.optim_cases'(describe, it, '', require 'test.support.comm.ranks'.ok)

teardown(require 'test.support.temporary'.remove)
