"""The scripted till that the conformance suite drives; clients/README.md says what it does."""

import base64
import json
import os
import sys
import tempfile
import time
from decimal import Decimal
from typing import Any, Dict, List, Tuple

from tillseal import Client, Outbox, OutboxError, Queued, Refused, Signed, WebhookError, tax_sums, verify_webhook
from tillseal import exact_json
from tillseal.journal import Journal, now

Options = Dict[str, str]
DONE, FAILED, NOT_UNDERSTOOD, HALTED, TOO_SLOW = range(5)


def say(value: Any) -> None:
    print(json.dumps(value, separators=(",", ":"), default=str), flush=True)


def outbox_of(options: Options) -> Outbox:
    client = Client(options.get("url", "http://localhost"), options.get("token", ""))
    return Outbox(options["journal"], client, report=lambda event: print(event, file=sys.stderr))


def receipt(number: int, options: Options) -> Dict[str, Any]:
    def line(name: str, hs_code: str, percent: Any, cents: int) -> Dict[str, Any]:
        price = Decimal(f"{cents}E-2")
        return {
            "Type": "Sale",
            "Name": name,
            "HsCode": hs_code,
            "UnitPrice": price,
            "Quantity": 1,
            "LineTotal": price,
            "TaxPercent": percent,
        }

    lines = [
        line("Coffee", "0901", Decimal("15.5"), (number % 997 + 1) * 7),
        line("Bread", "19059010", 0, number % 89 + 1),
        line("Stamps", "49070000", None, 50),
    ]
    sums = tax_sums(lines, tax_inclusive=True)
    refuse_every = int(options.get("refuse-every", "0"))
    is_wrong = refuse_every > 0 and number % refuse_every == 0
    return {
        "AuthorityDeviceId": int(options["device"]),
        "Type": "FiscalInvoice",
        "Currency": "USD",
        "Reference": f"{options['prefix']}-{number}",
        "Date": now(),
        "ReceiptLinesTaxInclusive": True,
        "TotalAmount": sums.total_amount + (Decimal("0.01") if is_wrong else 0),
        "ReceiptLines": lines,
        "Taxes": sums.taxes,
        "Payments": [{"Type": "Cash", "Amount": sums.total_amount}],
    }


def sell(options: Options) -> int:
    outbox = outbox_of(options)
    state_file = f"{options['journal']}.{options['prefix']}.state"
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
            outcome = outbox.sell(sale, deadline=int(options.get("deadline-ms", "5000")) / 1000)
        except OutboxError as error:
            say({"Reference": sale["Reference"], "Outcome": "Failed", "Error": str(error)})
            return FAILED
        line: Dict[str, Any] = {"Reference": outcome.reference, "Outcome": type(outcome).__name__}
        if isinstance(outcome, Signed):
            line["GlobalCounter"] = outcome.receipt["GlobalCounter"]
        elif isinstance(outcome, Refused):
            line["Status"] = outcome.problem.status
        else:
            assert isinstance(outcome, Queued)
        say(line)
        time.sleep(int(options.get("every-ms", "0")) / 1000)
    return DONE


def status_of(outbox: Outbox) -> Dict[str, Any]:
    status = outbox.status()
    return {
        "Open": status.open,
        "Oldest": status.oldest,
        "Parked": [
            {"Reference": parked.reference, "Status": parked.problem.status, "Answer": parked.problem.text}
            for parked in status.parked
        ],
        "Halted": status.halted
        and {"Status": status.halted.problem.status, "Answer": status.halted.problem.text},
    }


def drain(options: Options) -> int:
    outbox = outbox_of(options)
    until = time.monotonic() + int(options.get("within-ms", "60000")) / 1000
    while True:
        status = outbox.drain()
        is_over = time.monotonic() >= until
        if status.open == 0 or status.halted or is_over:
            say(status_of(outbox))
            return DONE if status.open == 0 else HALTED if status.halted else TOO_SLOW
        time.sleep(0.05)


def status(options: Options) -> int:
    say(status_of(outbox_of(options)))
    return DONE


def retry(options: Options) -> int:
    outbox_of(options).retry(options["reference"])
    return DONE


def discard(options: Options) -> int:
    outbox_of(options).discard(options["reference"])
    return DONE


def resume(options: Options) -> int:
    outbox_of(options).resume()
    return DONE


def stress(options: Options) -> int:
    journal = Journal(options["journal"])
    for number in range(1, int(options["count"]) + 1):
        reference, old = f"{options['prefix']}-{number}", f"{options['prefix']}-old-{number}"
        device = int(options["device"])
        journal.append(lambda: {"Kind": "Sale", "Reference": reference, "AuthorityDeviceId": device, "Body": "{}"})
        say({"Reference": reference})
        past = now(-3600)
        journal.append(
            lambda: {"Kind": "Sale", "At": past, "Reference": old, "AuthorityDeviceId": device, "Body": "{}"}
        )
        journal.append(lambda: {"Kind": "Signed", "At": past, "Reference": old, "Answer": "{}"})
        held = journal.drain_lock.try_take() if number % 10 == 0 else None
        if held is not None:
            journal.compact(held)
            held.release()
    return DONE


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


def journals_case(case: Dict[str, Any]) -> Tuple[Any, Any]:
    text = base64.b64decode(case["Text"])
    expected = case.get("Status", "an error")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "till.journal")
        with open(path, "wb") as file:
            file.write(text)
        try:
            return expected, status_of(outbox_of({"journal": path}))
        except OutboxError:
            with open(path, "rb") as file:
                return expected, "an error" if file.read() == text else "an error, and a changed file"


def vectors(options: Options) -> int:
    with open(options["file"], encoding="utf-8") as file:
        document = exact_json.read(file.read())
    cases: List[Dict[str, Any]] = document.get("Cases") or document["Vectors"]
    run = {"tax-sums.json": tax_sums_case, "webhooks.json": webhooks_case, "journals.json": journals_case}[
        os.path.basename(options["file"])
    ]
    failed = []
    for case in cases:
        expected, got = run(case)
        if expected != got:
            failed.append({"Name": case["Name"], "Expected": expected, "Got": got})
    say({"Passed": len(cases) - len(failed), "Failed": failed})
    return FAILED if failed else DONE


def main(words: List[str]) -> int:
    commands = {
        command.__name__: command for command in (sell, drain, status, retry, discard, resume, stress, vectors)
    }
    if not words or words[0] not in commands:
        print(f"Usage: till.py {' | '.join(commands)} [--name value …]", file=sys.stderr)
        return NOT_UNDERSTOOD
    rest = ["--file", *words[1:]] if words[0] == "vectors" else words[1:]
    options = {name[2:]: value for name, value in zip(rest[::2], rest[1::2])}
    try:
        return commands[words[0]](options)
    except KeyError as error:
        print(f"--{error.args[0]} is missing", file=sys.stderr)
        return NOT_UNDERSTOOD
    except OutboxError as error:
        print(error, file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
