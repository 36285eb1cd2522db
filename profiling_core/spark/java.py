"""The Java runtime that Spark needs: found, checked, and started faster from an archive of its loaded classes.

Stands apart from the session because all of this happens before a JVM runs.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from profiling_core.model.errors import ConfigurationError

OLDEST_JAVA = 17
ARCHIVE_VARIABLE = "HOLDFAST_CLASS_ARCHIVE"
_REMEDY = (
    f"install Java {OLDEST_JAVA} or newer (on Debian and Ubuntu: apt-get install openjdk-17-jre-headless), "
    "or set JAVA_HOME to one"
)


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """A Java program, its major version, and what it says of itself (the line that ``java -version`` begins with)."""

    program: Path
    major: int
    description: str


def find_java() -> JavaRuntime:
    """The Java runtime that Spark will start: that of ``JAVA_HOME``, or the first one on the path.

    Raises:
        ConfigurationError: there is none, it does not run, or it is older than Java 17.
    """
    home = os.environ.get("JAVA_HOME")
    found = Path(home, "bin", "java") if home else shutil.which("java")
    where = f"JAVA_HOME={home}" if home else "the path of programs"
    if found is None or not Path(found).is_file():
        raise ConfigurationError("Spark needs a Java runtime, and there is none", where=where, remedy=_REMEDY)
    try:
        # -version is answered from the JVM's own default archive in some 50 ms.
        answer = subprocess.run([found, "-version"], capture_output=True, text=True, timeout=60, check=True)  # noqa: S603  # the program that Spark itself would start
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigurationError(f"the Java runtime does not run: {error}", where=where, remedy=_REMEDY) from error
    version = re.search(r'version "(\d+)(?:\.(\d+))?[^"]*"', answer.stderr)
    if version is None:
        raise ConfigurationError("the Java runtime does not say its version", where=str(found), remedy=_REMEDY)
    major = int(version[2] if version[1] == "1" and version[2] else version[1])  # Java 8 calls itself 1.8
    if major < OLDEST_JAVA:
        raise ConfigurationError(
            f"Spark needs Java {OLDEST_JAVA} or newer, but this is Java {major}", where=str(found), remedy=_REMEDY
        )
    return JavaRuntime(Path(found), major, answer.stderr.strip())


def archive_path(java: JavaRuntime) -> Path:
    """Where the class-data archive for this Java, Spark and environment belongs; it need not exist.

    It lies in the environment whose jars it was made from, unless ``HOLDFAST_CLASS_ARCHIVE`` names another file. The
    JVM compares the archive with itself and the jars, and starts without it where they differ.
    """
    override = os.environ.get(ARCHIVE_VARIABLE)
    if override:
        return Path(override)
    import pyspark

    identity = f"{java.description}\n{pyspark.__version__}\n{pyspark.__file__}"
    digest = hashlib.sha256(identity.encode()).hexdigest()[:12]
    return Path(sys.prefix, "share", "holdfast", f"spark-{pyspark.__version__}-{digest}.jsa")


def driver_options(java: JavaRuntime) -> str:
    """JVM options for a driver that lives for seconds to minutes on a few cores.

    Most of what such a JVM does is start: measured on two cores, start and first query took 12.7 s of processor time by
    default, 6 s with the quick compiler alone and one garbage collector thread, 2.7 s with the archive as well.
    """
    options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    archive = archive_path(java)
    if archive.is_file():
        options += [f"-XX:SharedArchiveFile={archive}", "-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    return " ".join(options)
