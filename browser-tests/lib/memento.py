"""Asks a TimeGate and a TimeMap as memento_client does, and prints what it understood as JSON.

Usage: memento.py TIMEGATE TIMEMAP URL DATETIME...
DATETIME is like 2026-11-16T03:12:07; of none, the TimeGate is asked for now.
"""

import json
import sys
from datetime import datetime

import requests
from memento_client import MementoClient
from memento_client.memento_client import MementoClientException


def as_text(value):
    return value.isoformat() if isinstance(value, datetime) else str(value)


def main():
    timegate, timemap, url, *times = sys.argv[1:]
    # The site itself knows nothing of Memento, so that its own TimeGate need not be looked for.
    client = MementoClient(timegate_uri=timegate, check_native_timegate=False)
    answers = [client.get_memento_info(url, datetime.fromisoformat(time)) for time in times]
    is_timegate = MementoClient.is_timegate(timegate + url)
    response = requests.get(timemap + url, timeout=10)
    response.raise_for_status()
    links = MementoClient.parse_link_header(response.text)
    json.dump({"answers": answers, "is_timegate": is_timegate, "timemap": links}, sys.stdout, default=as_text)


try:
    main()
except MementoClientException as error:
    sys.exit(f"{error}: {error.data}")
