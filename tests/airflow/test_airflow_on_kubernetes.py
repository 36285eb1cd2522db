"""A dataset's DAG on Airflow's Kubernetes executor: each task is a pod with a disk of its own, which goes with it.

One pod is deleted in the middle of its task: Airflow repeats the task in another one. The test needs Airflow's provider
(apache-airflow-providers-cncf-kubernetes), etcd, and kube-apiserver, which Debian has as source.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from databases.bucket import bucket  # noqa: F401 - fixture
from databases.catalogs import server
from helpers.airflow_site import DAY, Site, site
from helpers.cluster import PROGRAMS, Server, api_server, node

pytestmark = [pytest.mark.airflow, pytest.mark.spark, pytest.mark.postgres, pytest.mark.long]
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a-task}
spec:
  restartPolicy: Never
  containers:
    - {name: base, image: "holdfast:0.1.0"}
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Server]:
    pytest.importorskip("airflow.providers.cncf.kubernetes", reason="needs apache-airflow-providers-cncf-kubernetes")
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        pytest.skip(f"{', '.join(missing)}: not on the path; Debian has etcd-server, and Kubernetes as source")
    with api_server(tmp_path / "cluster") as made:
        yield made


@pytest.fixture
def pods(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    cluster: Server,
    bucket: str,  # noqa: F811
) -> Iterator[Site]:
    metadata, catalog, shop = (server(request.config).new_database() for _ in range(3))
    (tmp_path / "pod.yaml").write_text(POD)
    options = {
        "CORE__EXECUTOR": "KubernetesExecutor",
        "KUBERNETES_EXECUTOR__IN_CLUSTER": "False",
        "KUBERNETES_EXECUTOR__CONFIG_FILE": str(cluster.config),
        "KUBERNETES_EXECUTOR__NAMESPACE": "default",
        "KUBERNETES_EXECUTOR__VERIFY_SSL": "False",
        "KUBERNETES_EXECUTOR__POD_TEMPLATE_FILE": str(tmp_path / "pod.yaml"),
    }
    with (
        site(tmp_path, (metadata, catalog, shop), f"{bucket}/home", options) as made,
        node(cluster, lambda name: made.place(name) | {"AIRFLOW__CORE__EXECUTOR": "LocalExecutor"}, tmp_path),
    ):
        made.begin()
        yield made


def pod_of(cluster: Server, task: str, place: int) -> str:
    """The pod of a task, by its place among its like."""
    for pod in cluster.pods():
        said = pod["metadata"]["annotations"]
        if (said["task_id"], said.get("map_index")) == (task, str(place)):
            return str(pod["metadata"]["name"])
    raise AssertionError(f"{task} {place} has no pod")


def test_a_run_ends_well_though_a_pod_is_deleted(pods: Site, cluster: Server, bucket: str) -> None:  # noqa: F811
    pods.run("first")
    pods.ends_well("first")
    pods.change(DAY)
    pods.run("second")
    cluster.delete(pod_of(cluster, "maintain_table", pods.maintaining("second")))
    pods.ends_well("second")
    assert pods.tries("second") == 2, "else nothing was deleted"
    pods.is_at_the_second_version(f"{bucket}/home")
