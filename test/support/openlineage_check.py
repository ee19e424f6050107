"""Reads run events as JSON lines, and builds each with the official client, whose classes are generated from the JSON
Schemas of the specification: an unknown, missing or malformed field is an error. Prints the names that the client gives
to datasets, for comparison."""
import importlib
import json
import pkgutil
import sys

from openlineage.client import generated
from openlineage.client.generated import base
from openlineage.client.naming import dataset as naming

FACETS = {}
for module in pkgutil.iter_modules(generated.__path__):
    for name, one in vars(importlib.import_module(f"openlineage.client.generated.{module.name}")).items():
        if isinstance(one, type) and issubclass(one, base.BaseFacet):
            FACETS[one._get_schema()] = one


def facet(given):
    fields = dict(given)
    producer = fields.pop("_producer")
    kind = FACETS[fields.pop("_schemaURL")]
    if kind.__name__ == "ParentRunFacet":
        module = importlib.import_module("openlineage.client.generated.parent_run")
        fields["run"] = module.Run(**fields["run"])
        fields["job"] = module.Job(**fields["job"])
        root = fields["root"]
        fields["root"] = module.Root(run=module.RootRun(**root["run"]), job=module.RootJob(**root["job"]))
    return kind(producer=producer, **fields)


def facets(given):
    return {name: facet(one) for name, one in given.items()}


def check(event):
    fields = dict(event)
    schema = fields.pop("schemaURL")
    run, job = fields.pop("run"), fields.pop("job")
    built = base.RunEvent(
        eventType=base.EventType[fields.pop("eventType")],
        run=base.Run(runId=run["runId"], facets=facets(run["facets"])),
        job=base.Job(namespace=job["namespace"], name=job["name"], facets=facets(job["facets"])),
        inputs=[base.InputDataset(**one) for one in fields.pop("inputs")],
        outputs=[base.OutputDataset(**one) for one in fields.pop("outputs")],
        **fields,
    )
    assert built.schemaURL == schema, schema


for line in sys.stdin:
    check(json.loads(line))
NAMES = {
    "postgres": naming.Postgres(host="db.example.com", port="5433", database="shop", schema="public", table="orders"),
    "snowflake": naming.Snowflake(
        organization_name="org", account_name="acc", database="SHOP", schema="PUBLIC", table="ORDERS"
    ),
    "gcs": naming.GCS(bucket_name="b", object_key="in/x.csv"),
    "s3": naming.S3(bucket_name="b", object_key="x.parquet"),
}
print(json.dumps({kind: [one.get_namespace(), one.get_name()] for kind, one in NAMES.items()}))
