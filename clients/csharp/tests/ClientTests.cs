using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal.Tests
{
    public sealed class ClientTests
    {
        internal static Receipt Sale(string reference, int device = 1)
        {
            var receipt = new Receipt
            {
                AuthorityDeviceId = device, Currency = "USD", Reference = reference, Date = new DateTimeOffset(2026, 11, 16, 9, 30, 0, TimeSpan.Zero), ReceiptLinesTaxInclusive = true,
                ReceiptLines = { new ReceiptLine { Name = "Coffee", HsCode = "0901", LineTotal = 3.50m, TaxPercent = 15.5m } },
                Payments = { new Payment { Type = PaymentType.Cash } },
            };
            TaxSums.Complete(receipt);
            return receipt;
        }

        public async Task Sign_gives_the_seal_and_what_is_said_beside_it()
        {
            using (var server = new ScriptedServer(request => Reply.Seal(request).With("Idempotent-Replay", "true")))
            {
                var signed = await server.Client().SignAsync(Sale("A"), late: true);
                Check.Same("0000-0000-0000-0000", signed.VerificationCode);
                Check.Same(true, signed.IsReplay);
                Check.Same("90 BuyerName", $"{signed.DateAdvanced} {string.Join(",", signed.NotSent)}");
                Check.Same("/api/receipt/sign A* Bearer tsk_test", string.Join("|", server.Requests.Select(request => $"{request.Path} {request.Mark} {request.Headers["Authorization"]}")));
            }
        }

        public async Task Check_and_calculate_give_the_receipt_back()
        {
            using (var server = new ScriptedServer(request => new Reply { Text = Json.Write(Sale("A")) }))
            {
                Check.Same(3.50m, (await server.Client().CheckAsync(Sale("A"))).TotalAmount);
                Check.Same(0.47m, (await server.Client().CalculateAsync(new Receipt { Reference = "A" })).Taxes.Single().TaxAmount);
                Check.SameList("/api/receipt/check /api/receipt/calculate", server.Requests.Select(request => request.Path));
                Check.True(!server.Requests.Last().Body.Contains("Taxes"), "what is to be calculated is left out");
            }
        }

        public async Task Every_problem_has_its_exception()
        {
            using (var server = new ScriptedServer(Reply.Problem(400, "InvalidRequest", then: "SetAside"), Reply.Problem(413, "BodyTooLarge"), Reply.Problem(401, "Unauthorized"), Reply.Problem(404, "NotFound"),
                Reply.Problem(409, "ReferenceConflict"), Reply.Problem(503, "MaintenanceWindow").With("Retry-After", "7200"), Reply.Problem(405, "MethodNotAllowed"), Reply.Cut, new Reply { Text = "<html>" },
                new Reply { Status = 503, Text = "<html>" }, new Reply { Text = "{\"Reference\":\"B\",\"DeviceSignature\":\"c2ln\"}" }))
            {
                var client = server.Client();
                Func<Task> sign = () => client.SignAsync(Sale("A"));
                var invalid = await Check.ThrowsAsync<InvalidRequestException>(sign);
                Check.Same("400 InvalidRequest because\n  Date RCPT026 m", invalid.Message);
                Check.Same("no because SetAside Date r-1", $"{invalid.Title} {invalid.Detail} {invalid.Then} {invalid.Errors.Single().Field} {invalid.RequestId}");
                Check.Same(413, (await Check.ThrowsAsync<InvalidRequestException>(sign)).Status);
                await Check.ThrowsAsync<AccessDeniedException>(sign);
                await Check.ThrowsAsync<NotFoundException>(sign);
                await Check.ThrowsAsync<ConflictException>(sign);
                Check.Same(TimeSpan.FromHours(2), (await Check.ThrowsAsync<UnavailableException>(sign)).RetryAfter.Value);
                Check.Same("MethodNotAllowed", (await Check.ThrowsAsync<ProblemException>(sign)).Code);
                for (var i = 0; i < 4; i++) await Check.ThrowsAsync<NoAnswerException>(sign);
            }
        }

        public void An_answer_is_read_exactly()
        {
            Func<string, string, string, Answer> answer = (text, header, value) => new Answer(200, text, new Dictionary<string, string> { [header] = value });
            foreach (var told in new Dictionary<string, int> { ["0"] = 1, ["007"] = 7, ["301"] = 300, ["9999999999"] = 300, ["99999999999999999999999999"] = 300 })
                Check.Same(told.Value, (int)answer("", "Retry-After", told.Key).Pause.Value.TotalSeconds, told.Key);
            foreach (var told in new[] { "", "-1", "1.5", "٣" }) Check.Same(null, answer("", "Retry-After", told).Pause, told);
            foreach (var counter in new Dictionary<string, long?> { ["7"] = 7, ["7000000000"] = 7000000000, ["7.5"] = null, ["\"7\""] = null, ["null"] = null })
                Check.Same(counter.Value, answer($"{{\"GlobalCounter\":{counter.Key}}}", "", "").Number, counter.Key);
            Check.Same(false, answer("", "Date-Advanced", "-0").DateAdvanced < TimeSpan.Zero);
        }

        public async Task An_answer_is_not_read_beyond_16_MiB()
        {
            var length = 16 << 20;
            using (var server = new ScriptedServer(request => new Reply { Text = Reply.Seal(request).Text.PadRight(length) }))
            {
                await server.Client().SignAsync(Sale("A"));
                length++;
                await Check.ThrowsAsync<NoAnswerException>(() => server.Client().SignAsync(Sale("A")));
            }
        }

        public async Task A_word_that_is_newer_than_the_client_does_not_hide_the_seal()
        {
            using (var server = new ScriptedServer(new Reply { Text = "{\"Reference\":\"A\",\"DeviceSignature\":\"c2ln\",\"Type\":\"Quote\",\"Payments\":[{\"Type\":\"Shells\",\"Amount\":2}],\"VerificationCode\":\"V\"}" }))
            {
                var signed = await server.Client().SignAsync(Sale("A"));
                Check.Same("V 2", $"{signed.VerificationCode} {signed.Payments.Single().Amount}");
            }
        }

        public async Task An_attempt_is_given_up_in_time_and_can_be_cancelled()
        {
            using (var server = new ScriptedServer(request => Reply.Never))
            {
                var start = server.Clock.Elapsed;
                await Check.ThrowsAsync<NoAnswerException>(() => server.Client(TimeSpan.FromMilliseconds(200)).SignAsync(Sale("A")), "no answer within 0.2 s");
                using (var stop = new CancellationTokenSource(200)) await Check.ThrowsAsync<OperationCanceledException>(() => server.Client().SignAsync(Sale("A"), cancellation: stop.Token));
                // The usual limit of an attempt is 30 seconds.
                Check.True(server.Clock.Elapsed - start < TimeSpan.FromSeconds(25), "both end long before the answer");
            }
        }

        public async Task Call_reaches_every_other_operation()
        {
            using (var server = new ScriptedServer(request => new Reply { Text = "{\"Receipts\":[],\"NextCursor\":null}" }))
            {
                var page = await server.Client().CallAsync<Dictionary<string, object>>("GET", "/api/receipt", query: new Dictionary<string, object> { ["Reference"] = "A&B é", ["Limit"] = 5 });
                Check.Same("/api/receipt?Reference=A%26B%20%C3%A9&Limit=5", server.Requests.Single().Path);
                Check.Same(null, page["NextCursor"]);
            }
        }

        public async Task Events_come_in_order_across_pages_and_lost_answers_and_end_when_the_token_is_refused()
        {
            var turn = 0;
            using (var server = new ScriptedServer(request =>
            {
                var numbers = new[] { null, new[] { 1, 2 }, null, new[] { 3 } };
                if (turn == numbers.Length) return Reply.Problem(401, "Unauthorized");
                if (numbers[turn++] == null) return turn == 1 ? Reply.Cut : Reply.Problem(503, "Overloaded").With("Retry-After", "1");
                return new Reply { Text = Json.Write(new { Events = numbers[turn - 1].Select(number => new { Number = number, Type = "receipt.signed", Data = new { Reference = $"R-{number}" } }) }) };
            }))
            {
                var events = server.Client().Events(wait: TimeSpan.FromSeconds(5));
                var read = new List<string>();
                await Check.ThrowsAsync<AccessDeniedException>(async () => { while (await events.MoveNextAsync(CancellationToken.None)) read.Add((string)events.Current.Data["Reference"]); });
                Check.SameList("R-1 R-2 R-3", read);
                Check.SameList("0 0 2 2 3", server.Requests.Select(request => request.Path.Split('=', '&')[1]));
            }
        }

        public async Task Events_without_waiting_end_with_the_last_one_there_is()
        {
            using (var server = new ScriptedServer(Reply.Cut, new Reply { Text = "{\"Events\":[{\"Number\":1}]}" }, new Reply { Text = "{\"Events\":[]}" }, Reply.Problem(401, "Unauthorized")))
            {
                var events = server.Client().Events(wait: TimeSpan.Zero);
                Check.Same(true, await events.MoveNextAsync(CancellationToken.None));
                Check.Same(false, await events.MoveNextAsync(CancellationToken.None));
                await Check.ThrowsAsync<AccessDeniedException>(() => server.Client().Events().MoveNextAsync(CancellationToken.None));
                Check.SameList("0 0 0 30", server.Requests.Select(request => request.Path.Split('=').Last()));
            }
        }

        public void A_token_is_needed() => Check.Throws<ArgumentException>(() => new Client("http://127.0.0.1", ""));

        public void Completing_fills_in_a_single_payment_and_leaves_others_alone()
        {
            Check.Same(3.50m, Sale("A").Payments[0].Amount);
            var paid = new Receipt { ReceiptLines = { new ReceiptLine { LineTotal = 10 } }, Payments = { new Payment { Amount = 4 }, new Payment { Amount = 6 } } };
            TaxSums.Complete(paid);
            Check.Same("4 6", string.Join(" ", paid.Payments.Select(payment => payment.Amount)));
        }
    }
}
