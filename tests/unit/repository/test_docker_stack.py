"""The compose stack, held to its schema, to the image, to Airflow and to the code, without an engine to run it."""

import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from stack.files import DOCKER, REPOSITORY, compose, env_file, instructions, variables

BIN = Path(sys.executable).parent
SERVICES = compose()["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"].startswith("holdfast")}
EXAMPLE = env_file(DOCKER / ".env.example")


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def test_compose_file_obeys_the_compose_schema():
    done = run(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", DOCKER / "compose.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_shell_scripts_pass_shellcheck():
    if not (BIN / "shellcheck").exists():
        pytest.skip("shellcheck has no wheel for this processor")
    scripts = [path for folder in (DOCKER, REPOSITORY / ".ci") for path in folder.iterdir() if is_bash(path)]
    assert {"setup", "run", "initialise", "make-env"} <= {path.name for path in scripts}
    done = run(BIN / "shellcheck", *scripts)
    assert done.returncode == 0, done.stdout


def is_bash(path: Path) -> bool:
    return path.is_file() and path.read_text("utf-8").startswith("#!/usr/bin/env bash")


def test_the_stack_has_every_part():
    assert set(SERVICES) == {
        "postgres", "initialise", "api-server", "scheduler", "dag-processor", "triggerer", "tasks",
        "spark-connect", "spark-master", "spark-worker-1", "spark-worker-2",
    }  # fmt: skip
    assert set(SERVICES) - set(OURS) == {"postgres"}
    assert len({service["image"] for service in OURS.values()}) == 1, "one image, so one Python and one set of packages"


def test_every_published_port_is_bound_to_the_loopback_interface():
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


@pytest.mark.parametrize("name", OURS)
def test_our_services_give_up_privileges(name):
    assert OURS[name]["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in OURS[name]["security_opt"]
    assert not {"privileged", "user", "cap_add", "pid"} & set(OURS[name])
    assert OURS[name].get("network_mode", "service:tasks") == "service:tasks"


def test_every_secret_comes_from_the_environment():
    assert variables() == set(EXAMPLE)
    secret = ("PASSWORD", "SECRET", "KEY")
    assert all(value == "" for name, value in EXAMPLE.items() if name.endswith(secret))
    text = (DOCKER / "compose.yaml").read_text("utf-8")
    for name in EXAMPLE:
        if name.endswith(secret):
            assert f"${{{name}:?" in text, f"without {name} the stack must refuse to start"


def test_make_env_fills_in_secrets_once_and_for_the_owner_alone(tmp_path):
    from cryptography.fernet import Fernet

    for name in ("make-env", ".env.example"):
        (tmp_path / name).write_bytes((DOCKER / name).read_bytes())
    done = run("bash", tmp_path / "make-env")
    assert done.returncode == 0, done.stderr
    written = tmp_path / ".env"
    first = env_file(written)
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert set(first) == set(EXAMPLE)
    assert len(set(first.values())) == len(first), "each secret its own"
    assert all(len(value) >= 44 for name, value in first.items() if EXAMPLE[name] == "")
    Fernet(first["AIRFLOW__CORE__FERNET_KEY"])
    assert len(first["AIRFLOW__API_AUTH__JWT_SECRET"]) >= 64
    assert run("bash", tmp_path / "make-env").returncode == 0
    assert env_file(written) == first
    assert sorted(path.name for path in tmp_path.iterdir()) == [".env", ".env.example", "make-env"]


def test_git_and_the_image_never_see_the_secrets():
    assert run("git", "check-ignore", "docker/.env", cwd=REPOSITORY).returncode == 0
    assert run("git", "check-ignore", "docker/.env.example", cwd=REPOSITORY).returncode == 1
    allowed = (DOCKER / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    assert "!docker" not in allowed
    assert not [line for line in allowed if ".env" in line]


@pytest.mark.airflow
def test_airflow_knows_every_command_and_setting():
    from airflow.cli.cli_parser import get_parser
    from airflow.configuration import conf

    commands = [service["command"] for service in OURS.values() if service["command"][0] == "airflow"]
    assert len(commands) == 4
    for command in commands:
        get_parser().parse_args(command[1:])
    known = conf.configuration_description
    names = {name for service in OURS.values() for name in service.get("environment", {}) if "__" in name}
    assert names
    for name in names:
        _, section, option = name.lower().split("__")
        # The asynchronous address and the passwords' file are options that Airflow reads but does not list.
        if option not in ("sql_alchemy_conn_async", "simple_auth_manager_passwords_file"):
            assert option in known[section]["options"], name


def test_spark_services_start_classes_that_pyspark_brings():
    import pyspark

    jars = list(Path(pyspark.__file__).parent.glob("jars/spark-core_*.jar"))
    classes = set(zipfile.ZipFile(jars[0]).namelist())
    started = [service["command"] for service in OURS.values() if service["command"][0] == "spark-class"]
    assert len(started) == 3
    for command in started:
        assert f"{command[1].replace('.', '/')}.class" in classes
    assert os.access(BIN / "spark-class", os.X_OK)


def test_commands_of_our_own_are_in_the_image():
    copied = " ".join(arguments for name, arguments in instructions() if name == "COPY")
    tests = [service["healthcheck"].get("test", ["", "healthy"])[1] for service in OURS.values()]
    for name in {"initialise", *tests}:
        assert f"docker/{name}" in copied
        assert os.access(DOCKER / name, os.X_OK), f"{name} is not executable"


def test_tasks_reach_a_server_that_nobody_else_reaches():
    from profiling_core.spark.server import command

    server, scheduler = SERVICES["spark-connect"], SERVICES["scheduler"]
    assert server["network_mode"] == scheduler["network_mode"] == "service:tasks"
    port = int(server["command"][-1])
    for service in (server, scheduler):
        assert service["environment"]["HOLDFAST_SPARK_REMOTE"] == f"sc://localhost:{port}"
        assert service["environment"]["SPARK_CONNECT_AUTHENTICATE_TOKEN"] == "spark_secret"
    assert server["healthcheck"]["test"][-1] == f"tcp://127.0.0.1:{port}"
    assert "spark.connect.grpc.binding.address=127.0.0.1" in command(port, "spark://spark-master:7077")
    assert "ports" not in SERVICES["tasks"]


def test_what_lands_on_this_machine_is_read_by_tasks_and_workers():
    for name in ("spark-connect", "scheduler", "spark-worker-1", "spark-worker-2"):
        assert "holdfast_landing:/app/landing:ro" in SERVICES[name]["volumes"]


def test_driver_and_workers_share_state_master_and_secret():
    driver = SERVICES["spark-connect"]
    master = SERVICES["spark-master"]["command"]
    address = f"spark://{master[master.index('--host') + 1]}:{master[master.index('--port') + 1]}"
    assert driver["environment"]["HOLDFAST_SPARK_MASTER"] == address
    assert driver["environment"]["SPARK_LOCAL_HOSTNAME"] == "tasks"
    assert "spark.authenticate.secret=spark_secret" in driver["environment"]["HOLDFAST_SPARK_CONF"]
    for name in ("spark-worker-1", "spark-worker-2"):
        assert SERVICES[name]["command"][-1] == address
        assert SERVICES[name]["volumes"] == driver["volumes"]
    for name in ("spark-master", "spark-worker-1", "spark-worker-2"):
        assert "spark.authenticate.secret=spark_secret" in SERVICES[name]["environment"]["SPARK_DAEMON_JAVA_OPTS"]


def test_the_server_fits_the_workers():
    from profiling_core.spark.session import session_settings

    environment = SERVICES["spark-connect"]["environment"]
    settings = session_settings(environment["HOLDFAST_SPARK_MASTER"], environment)
    command = SERVICES["spark-worker-1"]["command"]
    cores = 2 * int(command[command.index("--cores") + 1])
    memory = int(command[command.index("--memory") + 1].removesuffix("g"))
    per_worker = int(settings["spark.cores.max"]) // int(settings["spark.executor.cores"]) // 2
    assert int(settings["spark.cores.max"]) == cores
    assert per_worker * int(settings["spark.executor.memory"].removesuffix("g")) <= memory


def test_our_settings_for_the_session_are_read_as_they_are_meant():
    from profiling_core.spark.session import session_settings

    environment = SERVICES["scheduler"]["environment"]
    settings = session_settings(environment["HOLDFAST_SPARK_MASTER"], environment)
    assert settings["spark.authenticate"] == "true"
    assert settings["spark.authenticate.secret"] == "spark_secret"
    assert "spark.driver.host" not in settings, "the loopback address would not reach the workers"


@pytest.mark.parametrize("name", OURS)
def test_services_wait_for_what_they_need(name):
    def needs(service: str) -> set[str]:
        direct = set(SERVICES[service].get("depends_on", {}))
        return direct.union(*(needs(other) for other in direct))

    if name in ("api-server", "scheduler", "dag-processor", "triggerer"):
        assert {"initialise", "postgres"} <= needs(name)
    assert name not in needs(name)


def manifests() -> list[dict[str, Any]]:
    files = sorted((DOCKER / "kubernetes").glob("*.yaml"))
    return [document for file in files for document in yaml.safe_load_all(file.read_text("utf-8"))]


def secrets(tmp_path: Path) -> list[dict[str, Any]]:
    (tmp_path / "kubernetes").mkdir()
    shutil.copy(DOCKER / "kubernetes" / "make-secret", tmp_path / "kubernetes")
    (tmp_path / ".env").write_text("".join(f"{name}={name.lower()}\n" for name in EXAMPLE))
    done = run(tmp_path / "kubernetes" / "make-secret", "db:5432")
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def test_kubernetes_manifests_obey_its_schemas(tmp_path):
    from kubernetes_validate import latest_version, validate

    for document in (*manifests(), *secrets(tmp_path)):
        validate(document, latest_version(), strict=True)


def test_kubernetes_pods_have_what_the_compose_services_have(tmp_path):
    given = {name for document in secrets(tmp_path) for name in document["stringData"]}
    given |= {name for document in manifests() if document["kind"] == "ConfigMap" for name in document["data"]}
    pods = [d["spec"]["template"]["spec"] for d in manifests() if d["kind"] == "Deployment"]
    containers = {c["name"]: c for pod in pods for c in (*pod.get("initContainers", ()), *pod["containers"])}
    given |= {entry["name"] for c in containers.values() for entry in c.get("env", ())}
    assert set(containers) == (set(OURS) - {"tasks", "spark-worker-1", "spark-worker-2"}) | {"spark-worker"}
    wanted = {name for service in OURS.values() for name in service.get("environment", {})}
    assert wanted - {"SPARK_WORKER_OPTS"} == given
    for name, container in containers.items():
        assert container["image"] == SERVICES["scheduler"]["image"]
        assert container["args"] == OURS["spark-worker-1" if name == "spark-worker" else name]["command"]
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    (scheduler,) = (pod for pod in pods if pod["containers"][0]["name"] == "scheduler")
    assert [c["name"] for c in scheduler["containers"]] == ["scheduler", "spark-connect"], "one network for both"
