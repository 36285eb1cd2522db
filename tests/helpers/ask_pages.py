"""Asks Airflow's API server, in this process: ``python ask_pages.py USER:ROLE…``; what each route answers, as JSON.

The routes are those that the mounted app has, with their methods; their parameters are filled from ``WITH``.
"""

import json
import re
import sys

from fastapi.testclient import TestClient

WITH = {"dataset": "nycflights13", "version": "3", "number": "1", "run_id:path": "r"}
QUERIES = {
    "/dag": "?dag_id=holdfast.nycflights13",
    "/dag-run": "?dag_id=holdfast.nycflights13&run_id=r",
    "/datasets/nycflights13/quarantine.csv": "?table=flights",
    "/datasets/nycflights13/table": "?name=flights",
    "/datasets/nycflights13/column": "?table=flights&name=carrier",
}


def main(users: list[str]) -> None:
    from airflow.api_fastapi.app import create_app, get_auth_manager
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser

    from helpers.catalog import DISTANCE

    app = create_app()
    assert any(getattr(route, "path", "") == "/holdfast" for route in app.routes)
    client = TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)
    client.get("/holdfast/")  # which builds the app
    from profiling_core.airflow.ui.lazy import _app

    parameters = WITH | {"fingerprint": DISTANCE.fingerprint}
    found = {}
    for user in users:
        name, _, role = user.partition(":")
        token = get_auth_manager().generate_jwt(SimpleAuthManagerUser(username=name, role=role)) if role else None
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answers = {}
        for route in _app().routes:
            path = re.sub("{([^}]+)}", lambda part: parameters[part[1]], route.path)
            for method in route.methods:
                query = QUERIES.get(path.removeprefix("/api/v1"), "")
                answer = client.request(method, f"/holdfast{path}{query}", headers=headers)
                answers[f"{method} {route.path}"] = [answer.status_code, answer.text]
        found[user] = answers
    sys.stdout.write(f"answers {json.dumps(found)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
