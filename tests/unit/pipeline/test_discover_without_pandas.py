"""What a short command does without."""

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_discover_imports_no_pandas_and_leaves_it_to_others(tmp_path):
    file = tmp_path / "places.csv"
    file.write_text("id,zip,city,since\n1,10,a,2024-01-01\n2,11,b,\n3,10,a,2024-01-03\n", "utf-8")
    program = (
        "import sys; from profiling_core.cli.main import main; "
        f"sys.argv = ['holdfast', 'discover', {str(file)!r}]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "assert 'profiling_core.pipeline.arrow_alone' in sys.modules; assert 'pandas' not in sys.modules; "
        "import pandas; print(pandas.DataFrame({'a': [1]}).a.sum())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("1\n")
