"""A DAG whose training task starts only when its image keeps the contract."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from imgcheck_gate import ImgcheckGate

try:
    from airflow.sdk import DAG
except ImportError:  # Airflow 2
    from airflow import DAG

try:
    from airflow.providers.standard.operators.bash import BashOperator
except ImportError:  # Airflow 2
    from airflow.operators.bash import BashOperator

with DAG("train", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc), schedule=None, catchup=False):
    gate = ImgcheckGate(
        task_id="image_keeps_its_contract",
        image="registry.example/team/train:1",
        contract="/opt/contracts/base.yaml",
        retries=3,
        retry_delay=timedelta(minutes=2),
    )
    train = BashOperator(task_id="train", bash_command="echo start the training job here")
    gate >> train
