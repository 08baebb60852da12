import unittest
from decimal import Decimal

from scripted_service import Reply, ScriptedService, refused

from tillseal import AccessDeniedError, Client, ConflictError, InvalidRequestError, NoAnswerError, NotFoundError
from tillseal import ProblemError, UnavailableError, WebhookError, exact_json, tax_sums, verify_webhook


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.service = ScriptedService().__enter__()
        self.addCleanup(self.service.__exit__)

    def test_sign_check_and_calculate_send_the_receipt(self) -> None:
        self.service.script = lambda asked: Reply(200, '{"TotalAmount":0.30}')
        client = self.service.client
        total = Decimal("0.1") * 3
        for call in (client.sign, client.check, client.calculate, lambda it: client.sign(it, late=True)):
            self.assertEqual(call({"TotalAmount": total})["TotalAmount"], total)
        self.assertEqual(
            [(asked.path, asked.text, asked.headers.get("late-receipt")) for asked in self.service.asked],
            [
                ("/api/receipt/sign", '{"TotalAmount":0.3}', None),
                ("/api/receipt/check", '{"TotalAmount":0.3}', None),
                ("/api/receipt/calculate", '{"TotalAmount":0.3}', None),
                ("/api/receipt/sign", '{"TotalAmount":0.3}', "true"),
            ],
        )

    def test_call_reaches_everything_else(self) -> None:
        client = Client(self.service.url + "/behind/", "t")
        self.service.script = lambda asked: Reply(200, "%PDF", {"Content-Type": "application/pdf"})
        self.assertEqual(client.call("GET", "/api/receipt/A%2F1/print", query={"format": "pdf", "no": None}), b"%PDF")
        self.assertEqual(self.service.asked[0].path, "/behind/api/receipt/A%2F1/print?format=pdf")
        self.service.script = lambda asked: Reply(204)
        self.assertIsNone(client.call("POST", "/api/x"))

    def test_errors_have_types(self) -> None:
        kinds = {400: InvalidRequestError, 403: AccessDeniedError, 404: NotFoundError, 409: ConflictError}
        kinds.update({413: InvalidRequestError, 418: ProblemError, 429: UnavailableError, 502: UnavailableError})
        for status, kind in kinds.items():
            self.service.script = lambda asked: refused(status, "SomeCode", "RCPT026", then="Again", Retry_After="70")
            with self.assertRaises(ProblemError) as caught:
                self.service.client.call("GET", "/api/x")
            problem = caught.exception
            self.assertIs(type(problem), kind)
            self.assertEqual((problem.status, problem.code, problem.then), (status, "SomeCode", "Again"))
            self.assertEqual((problem.retry_after_seconds, problem.errors[0].code), (70, "RCPT026"))

    def test_what_is_not_tillseals_is_no_answer(self) -> None:
        page = {"Content-Type": "text/html"}
        for reply in (Reply(200, "<html>", page), Reply(403, "<html>", page), Reply(200, "{"), Reply(200, "[" * 10**5)):
            self.service.script = lambda asked: reply
            with self.assertRaises(NoAnswerError):
                self.service.client.sign({})
        with self.assertRaises(NoAnswerError):
            Client("http://127.0.0.1:1", "").call("GET", "/")
        with self.assertRaises(ValueError):
            Client("tillseal.example", "")
        with self.assertRaises(ValueError):
            Client("http://tillseal.example", "tsk_1\n")

    def test_an_answer_that_is_torn_or_longer_than_16_mib_is_none(self) -> None:
        longest = 16 * 1024 * 1024
        self.service.script = lambda asked: Reply(200, b"x" * longest, {"Content-Type": "text/plain"})
        self.assertEqual(len(self.service.client.call("GET", "/api/x")), longest)
        self.service.script = lambda asked: Reply(200, b"x" * (longest + 1), {"Content-Type": "text/plain"})
        with self.assertRaisesRegex(NoAnswerError, "longer than 16777216 bytes"):
            self.service.client.call("GET", "/api/x")
        self.service.script = lambda asked: Reply(200, "{}", {"Content-Length": "9"})
        with self.assertRaisesRegex(NoAnswerError, "IncompleteRead"):
            self.service.client.call("GET", "/api/x")

    def test_events_come_in_order_once_and_survive_an_outage(self) -> None:
        numbers = list(range(1, 8))
        failures = iter([Reply(is_lost=True), None, refused(503, "Unavailable")])

        def script(asked):
            failure = next(failures, None)
            after = int(asked.path.split("After=")[1].split("&")[0])
            page = [{"Number": number, "Type": "receipt.signed", "Data": {}} for number in numbers if number > after][:3]
            return failure or Reply(200, {"Events": page, "LastNumber": after})

        self.service.script = script
        waiting = self.service.client.events(after=1)
        self.assertEqual([next(waiting)["Number"] for _ in range(6)], numbers[1:])
        self.assertIn("Wait=30", self.service.asked[0].path)
        self.assertEqual([event["Number"] for event in self.service.client.events(wait_seconds=0)], numbers)

    def test_decimals_are_exact_both_ways_and_floats_are_refused(self) -> None:
        text = '{"a":9999999999999999.99,"b":[12.50,-0.000001,100],"c":null,"d":"ü\\n"}'
        self.assertEqual(exact_json.write(exact_json.read(text)), text)
        self.assertEqual(exact_json.write([Decimal("1E+2"), Decimal("1E-7"), (True, 2)]), "[100,0.0000001,[true,2]]")
        for wrong_text in ("[1E99999999999999999999]", "[" * 10**5):
            with self.assertRaises(ValueError):
                exact_json.read(wrong_text)
        for wrong in (0.1, Decimal("NaN"), Decimal("Infinity")):
            with self.assertRaises(TypeError):
                exact_json.write({"a": [wrong]})

    def test_tax_sums_of_the_guide(self) -> None:
        lines = [
            {"LineTotal": Decimal("3.50"), "TaxPercent": Decimal("15.5")},
            {"LineTotal": "2.00", "TaxPercent": 0},
            {"LineTotal": 1, "TaxPercent": None},
        ]
        sums = tax_sums(lines, is_tax_inclusive=True)
        self.assertEqual(sums.total_amount, Decimal("6.50"))
        self.assertEqual([tax["TaxAmount"] for tax in sums.taxes], [Decimal("0.47"), 0, 0])
        with self.assertRaises(ValueError):
            tax_sums([{"LineTotal": "0.001", "TaxPercent": None}], is_tax_inclusive=True)

    def test_webhooks_agree_with_the_example_of_the_specification(self) -> None:
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        body = '{"test": 2432232314}'
        headers = {
            "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "Webhook-Timestamp": "1614265330",
            "Webhook-Signature": "v1,bm90IHRoaXM= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        self.assertEqual(verify_webhook(secret, headers, body, now=1614265330), {"test": 2432232314})
        for wrong, text, now in (
            (headers, body + " ", 1614265330),
            (headers, body, 1614265330 + 301),
            ({**headers, "Webhook-Id": "msg_other"}, body, 1614265330),
            ({**headers, "Webhook-Timestamp": "soon"}, body, 1614265330),
            ({**headers, "Webhook-Timestamp": "1" * 400}, body, 1614265330),
            ({**headers, "Webhook-Signature": "v1,\udc80"}, body, 1614265330),
            ({"Webhook-Id": "x"}, body, 1614265330),
        ):
            with self.assertRaises(WebhookError):
                verify_webhook(secret, wrong, text, now=now)
        with self.assertRaises(WebhookError):
            verify_webhook(secret, headers, body)
