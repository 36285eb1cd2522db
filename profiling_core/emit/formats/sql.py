"""SQL views of violating rows: one per rule, called by its fingerprint, with what it asks as a comment."""

from sqlglot import exp

from profiling_core.emit.comparison import name
from profiling_core.emit.dialects import Dialect
from profiling_core.emit.formats.contract import Contract, ContractRule, Export

PREFIX = "holdfast_"


def export(contract: Contract) -> Export:
    """One script that makes or replaces all views."""
    statements = [statement for rule in contract.rules for statement in _statements(rule)]
    script = "".join(f"{statement};\n\n" for statement in statements)
    return Export({f"{contract.dataset}.{contract.dialect.value}.sql": script.rstrip("\n") + "\n"}, contract.left_out)


def _statements(rule: ContractRule) -> list[str]:
    dialect = rule.setting.dialect
    view = exp.Table(this=name(f"{PREFIX}{rule.name}"))
    named, said = view.sql(dialect.value), exp.Literal.string(rule.description).sql(dialect.value)
    if dialect in (Dialect.SPARK, Dialect.SNOWFLAKE):
        comment = f"COMMENT {said}" if dialect is Dialect.SPARK else f"COMMENT = {said}"
        return [f"CREATE OR REPLACE VIEW {named}\n{comment} AS\n{rule.rows()}"]
    return [f"CREATE OR REPLACE VIEW {named} AS\n{rule.rows()}", f"COMMENT ON VIEW {named} IS {said}"]
