"""An auth manager as companies have them: each user may read one DAG, named after ``@`` in the user's name."""

from airflow.api_fastapi.auth.managers.simple.simple_auth_manager import SimpleAuthManager


class OneDag(SimpleAuthManager):
    """Airflow's simple auth manager, whose users read one DAG each."""

    def is_authorized_dag(self, *, method, user, access_entity=None, details=None):
        known = super().is_authorized_dag(method=method, user=user, access_entity=access_entity, details=details)
        return known and details is not None and details.id == user.username.partition("@")[2]
