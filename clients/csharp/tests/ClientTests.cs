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

        public async Task Sign_gives_the_seal_and_what_the_headers_say()
        {
            using (var server = new ScriptedServer(request =>
            {
                var reply = Reply.Seal(request);
                reply.Headers["Idempotent-Replay"] = "true";
                reply.Headers["Date-Advanced"] = "90";
                return reply;
            }))
            {
                var signed = await server.Client().SignAsync(Sale("A"), isLate: true);
                Check.Same("0000-0000-0000-0000", signed.VerificationCode);
                Check.Same(true, signed.IsReplay);
                Check.Same(TimeSpan.FromSeconds(90), signed.DateAdvanced);
                Check.Same("/api/receipt/sign A* Bearer tsk_test", string.Join("|", server.Requests.Select(request => $"{request.Path} {request.Mark} {request.Token}")));
            }
        }

        public async Task Check_and_calculate_give_the_receipt_back()
        {
            using (var server = new ScriptedServer(request => new Reply { Text = Json.Write(Sale("A")) }))
            {
                Check.Same(3.50m, (await server.Client().CheckAsync(Sale("A"))).TotalAmount);
                Check.Same(0.47m, (await server.Client().CalculateAsync(new Receipt { Reference = "A" })).Taxes.Single().TaxAmount);
                Check.SameList(new[] { "/api/receipt/check", "/api/receipt/calculate" }, server.Requests.Select(request => request.Path));
                Check.True(!server.Requests.Last().Body.Contains("Taxes"), "what is to be calculated is left out");
            }
        }

        public async Task Every_problem_has_its_exception()
        {
            var busy = Reply.Problem(503, "MaintenanceWindow");
            busy.Headers["Retry-After"] = "120";
            using (var server = new ScriptedServer(Reply.Problem(400, "InvalidRequest"), Reply.Problem(401, "Unauthorized"), Reply.Problem(404, "NotFound"), Reply.Problem(409, "ReferenceConflict"),
                Reply.Problem(413, "BodyTooLarge"), busy, Reply.Cut, new Reply { Text = "<html>" }))
            {
                var client = server.Client();
                Func<Task> sign = () => client.SignAsync(Sale("A"));
                var invalid = await Check.ThrowsAsync<InvalidRequestException>(sign);
                Check.Same("400 InvalidRequest because\n  Date RCPT026 m", invalid.Message);
                Check.Same("Date", invalid.Errors.Single().Field);
                await Check.ThrowsAsync<AccessDeniedException>(sign);
                await Check.ThrowsAsync<NotFoundException>(sign);
                Check.Same("r-1", (await Check.ThrowsAsync<ConflictException>(sign)).Problem.RequestId);
                Check.Same(413, (await Check.ThrowsAsync<ProblemException>(sign)).Status);
                Check.Same(TimeSpan.FromMinutes(2), (await Check.ThrowsAsync<TryAgainException>(sign)).RetryAfter.Value);
                await Check.ThrowsAsync<NoAnswerException>(sign);
                await Check.ThrowsAsync<NoAnswerException>(sign);
            }
        }

        public async Task An_attempt_is_given_up_in_time_and_can_be_cancelled()
        {
            using (var server = new ScriptedServer(request => new Reply { DelayMs = 600_000 }))
            {
                var client = server.Client();
                client.Timeout = TimeSpan.FromMilliseconds(200);
                var start = Monotonic.Now;
                await Check.ThrowsAsync<NoAnswerException>(() => client.SignAsync(Sale("A")));
                using (var stop = new CancellationTokenSource(200)) await Check.ThrowsAsync<OperationCanceledException>(() => server.Client().SignAsync(Sale("A"), cancellation: stop.Token));
                // The usual limit of an attempt is 30 seconds.
                Check.True(Monotonic.Now - start < TimeSpan.FromSeconds(25), "both end long before the answer");
            }
        }

        public async Task Call_reaches_every_other_operation()
        {
            using (var server = new ScriptedServer(request => new Reply { Text = "{\"Receipts\":[],\"NextCursor\":null}" }))
            {
                var page = await server.Client().CallAsync<Dictionary<string, object>>("GET", "/api/receipt?Currency=USD");
                Check.Same("/api/receipt?Currency=USD", server.Requests.Single().Path);
                Check.Same(null, page["NextCursor"]);
            }
        }

        public async Task Events_come_in_order_across_pages_and_lost_answers()
        {
            var isCut = false;
            using (var server = new ScriptedServer(request =>
            {
                isCut = !isCut;
                if (isCut) return Reply.Cut;
                var after = int.Parse(request.Path.Split('=', '&')[1]);
                var numbers = after == 0 ? new[] { 1, 2 } : after == 2 ? new[] { 3 } : new int[0];
                return new Reply
                {
                    DelayMs = numbers.Length == 0 ? 100 : 0,
                    Text = Json.Write(new Dictionary<string, object> { ["Events"] = numbers.Select(number => new TillsealEvent { Number = number, Type = "receipt.signed", Data = new Dictionary<string, object> { ["Reference"] = $"R-{number}" } }).ToList() }),
                };
            }))
            using (var stop = new CancellationTokenSource())
            {
                var events = server.Client().Events();
                var read = new List<string>();
                while (await events.MoveNextAsync(stop.Token))
                {
                    read.Add((string)events.Current.Data["Reference"]);
                    if (read.Count == 3) stop.CancelAfter(300);
                }
                Check.SameList(new[] { "R-1", "R-2", "R-3" }, read);
            }
        }

        public async Task Events_end_when_the_token_is_refused()
        {
            using (var server = new ScriptedServer(Reply.Problem(401, "Unauthorized")))
                await Check.ThrowsAsync<AccessDeniedException>(() => server.Client().Events().MoveNextAsync(CancellationToken.None));
        }

        public void A_token_is_needed() => Check.Throws<ArgumentException>(() => new TillsealClient("http://127.0.0.1", ""));
    }
}
