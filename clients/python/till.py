"""The scripted till that the conformance suite drives; proof/clients/README.md says what it does."""

import json
import os
import sqlite3
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Callable, Dict, List, Optional, Tuple

from tillseal import Answer, Client, OutboxError, SetAside, Signed, WebhookError, exact_json, tax_sums, verify_webhook
from tillseal.outbox import Outbox
from tillseal.verdict import judge

Options = Dict[str, str]
DONE, FAILED, NOT_UNDERSTOOD, HALTED, TOO_SLOW = range(5)


def say(value: Any) -> None:
    print(json.dumps(value, separators=(",", ":"), default=str), flush=True)


def moment(value: Optional[datetime]) -> Optional[str]:
    return None if value is None else value.strftime("%Y-%m-%dT%H:%M:%SZ")


def outbox_of(options: Options) -> Outbox:
    client = Client(options.get("url", "http://localhost"), options.get("token", ""))
    return client.open_outbox(options["outbox"], report=lambda report: print(report, file=sys.stderr))


def receipt(number: int, options: Options) -> Dict[str, Any]:
    def line(name: str, hs_code: str, percent: Any, cents: int) -> Dict[str, Any]:
        price = Decimal(f"{cents}E-2")
        more = {"UnitPrice": price, "Quantity": 1, "LineTotal": price, "TaxPercent": percent}
        return {"Type": "Sale", "Name": name, "HsCode": hs_code, **more}

    lines = [
        line("Coffee", "0901", Decimal("15.5"), (number % 997 + 1) * 7),
        line("Bread", "19059010", 0, number % 89 + 1),
        line("Stamps", "49070000", None, 50),
    ]
    sums = tax_sums(lines, is_tax_inclusive=True)
    refuse_every = int(options.get("refuse-every", "0"))
    is_wrong = refuse_every > 0 and number % refuse_every == 0
    ahead = timedelta(seconds=int(options.get("ahead-seconds", "0")))
    return {
        "AuthorityDeviceId": int(options["device"]),
        "Type": "FiscalInvoice",
        "Currency": "USD",
        "Reference": f"{options['prefix']}-{number}",
        "Date": moment(datetime.now(timezone.utc) + ahead),
        "ReceiptLinesTaxInclusive": True,
        "TotalAmount": sums.total_amount + (Decimal("0.01") if is_wrong else 0),
        "ReceiptLines": lines,
        "Taxes": sums.taxes,
        "Payments": [{"Type": "Cash", "Amount": sums.total_amount}],
    }


def sell(options: Options) -> int:
    outbox = outbox_of(options)
    state_file = f"{options['outbox']}.{options['prefix']}.state"
    number, again = 0, None
    if os.path.exists(state_file):
        with open(state_file, encoding="utf-8") as file:
            state = exact_json.read(file.read())
        number, again = state["Number"] - 1, state["Receipt"]
    while number < int(options["sales"]):
        number += 1
        sale, again = again or receipt(number, options), None
        with open(state_file + ".new", "w", encoding="utf-8") as file:
            file.write(exact_json.write({"Number": number, "Receipt": sale}))
            file.flush()
            os.fsync(file.fileno())
        os.replace(state_file + ".new", state_file)
        try:
            outcome = outbox.sell(sale, deadline_seconds=int(options.get("deadline-ms", "5000")) / 1000)
        except OutboxError as error:
            say({"Reference": sale["Reference"], "Outcome": "Failed", "Error": str(error)})
            return FAILED
        line: Dict[str, Any] = {"Reference": outcome.reference, "Outcome": type(outcome).__name__}
        if isinstance(outcome, Signed):
            line.update(Number=outcome.number, ClockAheadSeconds=outcome.clock_ahead_seconds)
        elif isinstance(outcome, SetAside):
            line["Status"] = outcome.problem.status
        say(line)
        time.sleep(int(options.get("every-ms", "0")) / 1000)
    return DONE


def status_of(outbox: Outbox) -> Dict[str, Any]:
    status = outbox.status()
    failure, halted = status.last_failure, status.halted
    return {
        "Queued": status.queued,
        "Oldest": moment(status.oldest),
        "LastFailure": failure
        and {"At": moment(failure.at), "Since": moment(failure.since), "Message": failure.message},
        "SetAside": [{"Reference": one.reference, "Status": one.problem.status} for one in status.set_aside],
        "Halted": halted and {"Since": moment(halted.since), "Status": halted.problem.status},
    }


def drain(options: Options) -> int:
    outbox = outbox_of(options)
    drained = outbox.drain(within_seconds=int(options.get("within-ms", "60000")) / 1000)
    say({"Signed": drained.signed, "SetAside": drained.set_aside, "Status": status_of(outbox)})
    return DONE if drained.status.queued == 0 else HALTED if drained.status.halted else TOO_SLOW


def find(options: Options) -> None:
    sale = outbox_of(options).find(options["reference"])
    found = sale and {"State": sale.state, "Attempts": sale.attempts, "Number": sale.number}
    say(found and {"Reference": options["reference"], **found})


def script(options: Options) -> None:
    """Does what it is told line by line, and says what came of it."""
    client = Client(options["url"], options["token"])
    outbox: Any = None
    for line in sys.stdin:
        told = exact_json.read(line)
        seconds, reference = float(told["Seconds"]), told["Reference"]
        try:
            if told["Do"] == "open":
                outbox, result = client.open_outbox(told["Outbox"], report=lambda one: say({"Report": f"{one.kind} {one.reference}"})), None
            elif told["Do"] == "sell":
                result = sold_as(outbox.sell(told["Receipt"], deadline_seconds=seconds))
            elif told["Do"] == "drain":
                drained = outbox.drain(within_seconds=seconds)
                result = {"Signed": drained.signed, "SetAside": drained.set_aside, "Status": script_status(drained.status)}
            elif told["Do"] == "status":
                result = script_status(outbox.status())
            elif told["Do"] == "find":
                result = found_as(outbox.find(reference))
            else:
                result = getattr(outbox, told["Do"])(*([] if reference is None else [reference]))
            say({"Result": result})
        except OutboxError as error:
            say({"Error": str(error)})


def message_of(failure: Any) -> Optional[str]:
    return failure and failure.message


def sold_as(sold: Any) -> Dict[str, Any]:
    said = {"Reference": sold.reference, "Outcome": type(sold).__name__}
    if isinstance(sold, Signed):
        return {**said, "Number": sold.number, "ClockAheadSeconds": sold.clock_ahead_seconds, "HasReceipt": sold.receipt is not None}
    if isinstance(sold, SetAside):
        return {**said, "Status": sold.problem.status, "Codes": [error.code for error in sold.problem.errors]}
    return {**said, "LastFailure": message_of(sold.last_failure)}


def script_status(status: Any) -> Dict[str, Any]:
    return {
        "Queued": status.queued,
        "LastFailure": message_of(status.last_failure),
        "SetAside": [f"{one.reference} {one.problem.status}" for one in status.set_aside],
        "Halted": status.halted and status.halted.problem.status,
    }


def found_as(sale: Any) -> Optional[Dict[str, Any]]:
    return sale and {
        "Reference": sale.reference,
        "State": sale.state,
        "Attempts": sale.attempts,
        "Number": sale.number,
        "HasReceipt": sale.receipt is not None,
        "Status": sale.problem and sale.problem.status,
        "LastFailure": message_of(sale.last_failure),
    }


def tax_sums_case(case: Dict[str, Any]) -> Tuple[Any, Any]:
    sums = tax_sums(case["ReceiptLines"], case["ReceiptLinesTaxInclusive"])
    expected = [
        {name: value if value is None else Decimal(value) for name, value in tax.items()} for tax in case["Taxes"]
    ]
    return [*expected, Decimal(case["TotalAmount"])], [*sums.taxes, sums.total_amount]


def webhooks_case(case: Dict[str, Any]) -> Tuple[Any, Any]:
    try:
        verify_webhook(case["Secret"], case["Headers"], case["Body"], now=case["Now"])
    except WebhookError:
        return case["IsGood"], False
    return case["IsGood"], True


def verdicts_case(case: Dict[str, Any]) -> Tuple[Any, Any]:
    headers = {name.lower(): value for name, value in case["Headers"].items()}
    verdict = judge(case["Reference"], Answer(case["Status"], headers, case["Body"].encode()))
    return [case["Verdict"], case["AfterSeconds"]], [verdict.kind, verdict.after_seconds]


def tables_case(case: Dict[str, Any]) -> Tuple[Any, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "till.outbox")
        outbox_of({"outbox": path})
        db = sqlite3.connect(path)
        try:
            rows = db.execute("select sql from sqlite_master where name not like 'sqlite_%' order by rowid").fetchall()
        finally:
            db.close()
    return case["Text"], "".join(f"{sql};\n" for (sql,) in rows)


def vectors(options: Options) -> int:
    name = os.path.basename(options["file"])
    with open(options["file"], encoding="utf-8") as file:
        text = file.read()
    document = {"Cases": [{"Name": name, "Text": text}]} if name == "outbox.sql" else exact_json.read(text)
    cases: List[Dict[str, Any]] = document.get("Cases") or document["Vectors"]
    run = {
        "tax-sums.json": tax_sums_case,
        "webhooks.json": webhooks_case,
        "verdicts.json": verdicts_case,
        "outbox.sql": tables_case,
    }[name]
    failed = []
    for case in cases:
        expected, got = run(case)
        if expected != got:
            failed.append({"Name": case["Name"], "Expected": expected, "Got": got})
    say({"Passed": len(cases) - len(failed), "Failed": failed})
    return FAILED if failed else DONE


def main(words: List[str]) -> int:
    commands: Dict[str, Callable[[Options], Optional[int]]] = {
        "sell": sell,
        "drain": drain,
        "status": lambda options: say(status_of(outbox_of(options))),
        "find": find,
        "retry": lambda options: outbox_of(options).retry(options.get("reference")),
        "discard": lambda options: outbox_of(options).discard(options["reference"]),
        "resume": lambda options: outbox_of(options).resume(),
        "vectors": vectors,
        "script": script,
    }
    if not words or words[0] not in commands:
        print(f"Usage: till.py {' | '.join(commands)} [--name value …]", file=sys.stderr)
        return NOT_UNDERSTOOD
    rest = ["--file", *words[1:]] if words[0] == "vectors" else words[1:]
    options = {name[2:]: value for name, value in zip(rest[::2], rest[1::2])}
    try:
        return commands[words[0]](options) or DONE
    except KeyError as error:
        print(f"--{error.args[0]} is missing", file=sys.stderr)
        return NOT_UNDERSTOOD
    except OutboxError as error:
        print(error, file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
