"""The catalogue on the target of an environment: pytest --lg-env board.yaml test_agpu.py"""
import os


def test_catalogue(strategy, record_property):
    """Passes if the run does; the reports are in the named directory."""
    strategy.transition("done")
    record_property("agpu_results", strategy.run.folder)
    with open(os.path.join(strategy.run.folder, "listen.log"), encoding="utf-8", errors="replace") as log:
        said = log.read()
    assert strategy.run.status == 0, "%s\n%s" % (strategy.run.folder, said)
