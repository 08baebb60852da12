using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal.Tests
{
    public sealed class OutboxTests
    {
        private static Receipt Sale(string reference, int device = 1) => ClientTests.Sale(reference, device);

        private static async Task<string> Outcome(Outbox outbox, string reference, int device = 1) => (await outbox.SellAsync(Sale(reference, device))).GetType().Name;

        private static async Task<string> State(Outbox outbox, string reference) => (await outbox.FindAsync(reference))?.State.ToString();

        /// <summary>Sales that nobody has sent yet.</summary>
        private static async Task Queue(Outbox outbox, params string[] references)
        {
            foreach (var reference in references) Check.True(await outbox.SellAsync(Sale(reference), deadline: TimeSpan.Zero) is Queued, reference);
        }

        public async Task A_sale_is_sealed_at_once_when_all_is_well(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var outbox = await server.OutboxAsync(folder);
                var signed = (Signed)await outbox.SellAsync(Sale("A"));
                Check.Same("A 7 0000-0000-0000-0000 ", $"{signed.Reference} {signed.Number} {signed.Receipt.VerificationCode} {signed.ClockAhead}");
                Check.Same("A waiting=1, seconds=0", $"{server.Marks.Single()} {server.Requests.Single().Headers["Outbox-Backlog"]}");
                var found = await outbox.FindAsync("A");
                Check.Same("Signed 1 7 True  ", $"{found.State} {found.Attempts} {found.Number} {found.Receipt != null} {found.Problem} {found.LastFailure}");
                Check.Same(null, await outbox.FindAsync("B"));
                Check.Same(0, server.Reports.Count);
            }
        }

        public async Task The_same_sale_again_is_answered_from_the_file_and_other_data_are_refused(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var outbox = await server.OutboxAsync(folder);
                await outbox.SellAsync(Sale("A"));
                Check.Same("Signed", await Outcome(outbox, "A"));
                var other = Sale("A");
                other.Currency = "ZWG";
                await Check.ThrowsAsync<OutboxException>(() => outbox.SellAsync(other), $"A is already in {folder.Outbox} (signed as number 7) with other data. If this is the same sale, do not sell it again: FindAsync(\"A\")");
                Check.Same(1, server.Requests.Count);
            }
        }

        public async Task Whatever_the_network_does_sales_are_queued_and_sealed_later_in_order_as_late_ones(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(Reply.Cut))
            {
                var outbox = await server.OutboxAsync(folder, deadlineSeconds: 1);
                var queued = (Queued)await outbox.SellAsync(Sale("A"));
                Check.True(queued.LastFailure.Message.StartsWith("no answer", StringComparison.Ordinal), queued.LastFailure.Message);
                Check.True((await outbox.SellAsync(Sale("B")) as Queued)?.LastFailure != null, "B waits behind A");
                await Queue(outbox, "C");
                var status = await outbox.StatusAsync();
                Check.Same("3 True True 0 ", $"{status.Queued} {server.Clock.Now - status.Oldest < TimeSpan.FromMinutes(1)} {status.LastFailure.At >= status.LastFailure.Since} {status.SetAside.Count} {status.Halted}");
                var drained = await outbox.DrainAsync();
                Check.Same("3 0 0", $"{drained.Signed} {drained.SetAside} {drained.Status.Queued}");
                Check.SameList("A A* B* C*", server.Marks);
                Check.Same("waiting=3", server.Requests.ElementAt(1).Headers["Outbox-Backlog"].Split(',')[0]);
                Check.Same(null, drained.Status.LastFailure);
            }
        }

        public async Task A_queued_sale_tells_the_latest_failure_of_its_device(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var outbox = await server.OutboxAsync(folder);
                await Queue(outbox, "A", "B", "C");
                await outbox.SellAsync(Sale("D", 2), deadline: TimeSpan.Zero);
                folder.Sql("update sales set failing_since = 1, failed_at = case reference when 'A' then 1 when 'B' then 2 else 3 end, failure = reference where reference <> 'C'");
                Check.Same("B", ((Queued)await outbox.SellAsync(Sale("C"), deadline: TimeSpan.Zero)).LastFailure.Message);
                Check.Same("D", (await outbox.StatusAsync()).LastFailure.Message);
            }
        }

        public async Task A_sale_that_is_discarded_meanwhile_is_not_sold(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(request => Reply.Problem(503, "MaintenanceWindow").With("Retry-After", "20")))
            {
                var outbox = await server.OutboxAsync(folder);
                // The second: its Reference was free, and was sold again.
                foreach (var change in new[] { "state = 'Discarded'", "state = 'Signed', body_sha256 = 'other'" })
                {
                    var reference = $"S{server.Requests.Count}";
                    server.Clock.Ahead += TimeSpan.FromSeconds(60);
                    var sold = outbox.SellAsync(Sale(reference));
                    await Check.Soon(() => outbox.FindAsync(reference).Result?.Problem != null, "it waits");
                    folder.Sql($"update sales set {change}");
                    await Check.ThrowsAsync<OutboxException>(() => sold, $"{reference} was discarded meanwhile");
                }
            }
        }

        public async Task A_seal_without_a_number_or_with_words_newer_than_the_client_is_a_seal(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(new Reply { Text = "{\"Reference\":\"A\",\"DeviceSignature\":\"c2ln\",\"Type\":\"Quote\",\"VerificationCode\":\"V\"}" }))
            {
                var outbox = await server.OutboxAsync(folder);
                var signed = (Signed)await outbox.SellAsync(Sale("A"));
                Check.Same(" V", $"{signed.Number} {signed.Receipt.VerificationCode}");
                var found = await outbox.FindAsync("A");
                Check.Same(" V", $"{found.Number} {found.Receipt.VerificationCode}");
                Check.Same(null, ((Signed)await outbox.SellAsync(Sale("A"))).Number, "from the file");
            }
        }

        public async Task A_drain_ends_after_a_minute(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(request => Reply.Problem(503, "Overloaded")))
            {
                server.Clock.Speed = 100;
                var outbox = await server.OutboxAsync(folder);
                await Queue(outbox, "A");
                var start = server.Clock.Elapsed;
                Check.Same(1, (await outbox.DrainAsync()).Status.Queued);
                Check.True(server.Clock.Elapsed - start >= TimeSpan.FromMinutes(1), "not before");
            }
        }

        public async Task A_new_sale_waits_behind_an_older_one_of_its_device(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var outbox = await server.OutboxAsync(folder);
                await Queue(outbox, "A");
                Check.Same("Signed", await Outcome(outbox, "B"));
                Check.SameList("A* B*", server.Marks);
            }
        }

        public async Task A_slow_answer_ends_at_the_deadline_and_a_device_that_waits_longer_answers_at_once(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(Reply.Never, Reply.Problem(503, "MaintenanceWindow").With("Retry-After", "86400")))
            {
                var outbox = await server.OutboxAsync(folder);
                Check.True(await outbox.SellAsync(Sale("A"), deadline: TimeSpan.FromMilliseconds(300)) is Queued, "at the deadline");
                var start = server.Clock.Elapsed;
                Check.Same("Queued", await Outcome(outbox, "A"));
                Check.True(server.Clock.Elapsed - start < TimeSpan.FromSeconds(40), "at once");
                server.Clock.Ahead = TimeSpan.FromSeconds(200);
                Check.Same("Queued", await Outcome(outbox, "B"));
                Check.Same(2, server.Requests.Count, "not more than told, but");
                server.Clock.Ahead = TimeSpan.FromSeconds(370);
                Check.Same("Signed", await Outcome(outbox, "B"), "not for a day");
            }
        }

        public async Task A_sale_that_is_set_aside_lets_the_next_ones_pass_and_waits_for_a_person(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(Reply.Problem(400, "InvalidRequest"), Reply.Problem(409, "ReferenceConflict")))
            {
                var outbox = await server.OutboxAsync(folder);
                Check.Same("RCPT026", ((SetAside)await outbox.SellAsync(Sale("A"))).Problem.Errors.Single().Code);
                Check.Same("SetAside", await Outcome(outbox, "B"));
                Check.Same("Signed", await Outcome(outbox, "C"));
                Check.Same("SetAside", await Outcome(outbox, "A"));
                Check.SameList("A:400 B:409", (await outbox.StatusAsync()).SetAside.Select(sale => $"{sale.Reference}:{sale.Problem.Status}"));
                Check.SameList("SetAside SetAside", server.Kinds);
                await Check.ThrowsAsync<OutboxException>(() => outbox.RetryAsync("C"), "C is signed as number 7");
                await outbox.RetryAsync("B");
                Check.SameList("A", (await outbox.StatusAsync()).SetAside.Select(sale => sale.Reference));
                await outbox.RetryAsync();
                Check.Same(2, (await outbox.DrainAsync()).Signed);
                Check.SameList("A B C A* B*", server.Marks);
            }
        }

        public async Task Only_what_is_proved_not_to_be_sealed_is_discarded_and_its_reference_is_free(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(Reply.Problem(400, "InvalidRequest"), Reply.Problem(503, "FiscalDayNotOpen"), Reply.Cut, Reply.Problem(503, "Overloaded")))
            {
                var outbox = await server.OutboxAsync(folder, deadlineSeconds: 0);
                Func<Task> attempt = async () =>
                {
                    server.Clock.Ahead += TimeSpan.FromSeconds(90);
                    await outbox.DrainAsync(within: TimeSpan.Zero);
                };
                await Queue(outbox, "N", "A", "B");
                await outbox.DiscardAsync("N");
                await attempt();
                await outbox.DiscardAsync("A");
                await attempt();
                await attempt();
                await Check.ThrowsAsync<OutboxException>(() => outbox.DiscardAsync("B"), "proves"); // the last attempt may have arrived
                await attempt();
                await Check.ThrowsAsync<OutboxException>(() => outbox.DiscardAsync("B"), "proves");
                await attempt();
                await Check.ThrowsAsync<OutboxException>(() => outbox.DiscardAsync("B"), "B is signed");
                await Check.ThrowsAsync<OutboxException>(() => outbox.DiscardAsync("Z"), "Z is not in");
                Check.SameList("A* B* B* B* B*", server.Marks);
                var corrected = Sale("A");
                corrected.Currency = "ZWG";
                Check.True(await outbox.SellAsync(corrected, deadline: TimeSpan.FromSeconds(50)) is Signed, "the reference is free");
                Check.Same("A", server.Marks.Last());
            }
        }

        public async Task A_queued_sale_is_discarded_after_a_maintenance_window(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(Reply.Problem(503, "MaintenanceWindow").With("Retry-After", "300")))
            {
                var outbox = await server.OutboxAsync(folder);
                Check.Same("Queued", await Outcome(outbox, "A"));
                await outbox.DiscardAsync("A");
                Check.Same("Discarded 0", $"{await State(outbox, "A")} {(await outbox.DrainAsync()).Status.Queued}");
                Check.Same(1, server.Requests.Count);
            }
        }

        public async Task A_refused_token_halts_everything_and_is_tried_again_every_five_minutes_or_after_resuming(TemporaryFolder folder)
        {
            var answer = Reply.Problem(401, "Unauthorized");
            using (var server = new ScriptedServer(request => answer ?? Reply.Seal(request)))
            {
                var outbox = await server.OutboxAsync(folder);
                foreach (var device in new[] { 1, 2 }) Check.Same("Queued", await Outcome(outbox, $"D{device}", device));
                var halted = (await outbox.DrainAsync()).Status.Halted;
                Check.Same("401 1", $"{halted.Problem.Status} {server.Requests.Count}");
                server.Clock.Ahead += TimeSpan.FromSeconds(240);
                Check.Same("Queued 1", $"{await Outcome(outbox, "D2", 2)} {server.Requests.Count}");
                server.Clock.Ahead += TimeSpan.FromSeconds(61);
                Check.Same(true, (await outbox.DrainAsync()).Status.Halted.Since == halted.Since);
                Check.Same(2, server.Requests.Count, "one try");
                answer = Reply.Problem(503, "Overloaded");
                server.Clock.WronglySet = TimeSpan.FromDays(-1);
                await outbox.DrainAsync(within: TimeSpan.Zero);
                Check.Same(null, (await outbox.StatusAsync()).Halted, "any other answer ends it, and a clock that was ahead does not prolong it");
                answer = Reply.Problem(403, "Forbidden");
                server.Clock.Ahead += TimeSpan.FromMinutes(2);
                Check.Same(403, (await outbox.DrainAsync()).Status.Halted.Problem.Status);
                Check.SameList("Halted Halted", server.Kinds.Where(kind => kind != "Stuck"));
                answer = null;
                await outbox.ResumeAsync();
                Check.Same(2, (await outbox.DrainAsync()).Signed);
            }
        }

        public async Task A_sale_with_a_wrong_date_is_sent_again_at_once_as_late_and_a_clock_that_is_ahead_reported(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(request => request.IsLate ? Reply.Seal(request).With("Date-Advanced", "-7200") : Reply.Problem(400, "InvalidRequest", request.Reference == "A" ? "RCPT031" : "RCPT030", "SetAside")))
            {
                var outbox = await server.OutboxAsync(folder);
                foreach (var reference in new[] { "A", "B" }) Check.Same(TimeSpan.FromHours(2), ((Signed)await outbox.SellAsync(Sale(reference))).ClockAhead.Value);
                Check.Same(TimeSpan.FromHours(2), ((Signed)await outbox.SellAsync(Sale("A"))).ClockAhead.Value, "from the file");
                Check.SameList("A A* B B*", server.Marks);
                Check.SameList("ClockAhead", server.Kinds);
                Check.Same(2, (await outbox.FindAsync("A")).Attempts);
            }
        }

        public async Task A_stranger_is_reported_once_for_each_device_and_cannot_make_a_till_wait(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(new Reply { Status = 503, Text = "<html>" }.With("Retry-After", "86400"), new Reply { Status = 302 }.With("Location", "/login"), new Reply { Text = "{\"Reference\":\"other\",\"DeviceSignature\":\"c2ln\"}" }))
            {
                server.Clock.Speed = 20;
                Check.Same("Signed", await Outcome(await server.OutboxAsync(folder, deadlineSeconds: 1000), "A"));
                Check.SameList("A A* A* A*", server.Marks);
                Check.SameList("Stranger", server.Kinds);
            }
            using (var server = new ScriptedServer(request => new Reply { Text = "<html>" }))
            {
                var outbox = await server.OutboxAsync(folder, deadlineSeconds: 1);
                foreach (var device in new[] { 1, 2 }) Check.Same("Queued", await Outcome(outbox, $"D{device}", device));
                Check.SameList("Stranger Stranger", server.Kinds);
            }
        }

        public async Task A_device_that_is_stuck_is_reported_after_five_minutes_and_every_hour(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(request => Reply.Problem(500, "InternalError")))
            {
                var outbox = await server.OutboxAsync(folder);
                await Queue(outbox, "A");
                foreach (var minute in new[] { 0, 4, 6, 60, 67 })
                {
                    server.Clock.Ahead = TimeSpan.FromMinutes(minute);
                    await outbox.DrainAsync(within: TimeSpan.Zero);
                    Check.Same(minute < 6 ? 0 : minute < 67 ? 1 : 2, server.Reports.Count, $"{minute}");
                }
                Check.True(server.Reports.All(report => report.Kind == ReportKind.Stuck && report.Reference == "A" && report.Problem.Status == 500), server.Reports.First().Message);
            }
        }

        public async Task A_seal_beats_every_other_answer_and_is_reported_after_all(TemporaryFolder folder)
        {
            var refusal = Reply.Problem(400, "InvalidRequest");
            var overloaded = Reply.Problem(503, "Overloaded");
            // The first attempt's answer, null for a seal; the second one's, which comes before it; what was made of that; what in the end, by which of them.
            foreach (var row in new[]
            {
                (null, refusal, "SetAside", "Signed 1"), (null, overloaded, "Queued", "Signed 1"), (refusal, (Reply)null, "Signed", "Signed 2"), (null, null, "Signed", "Signed 2"), (refusal, overloaded, "Queued", "SetAside 1"),
            })
            {
                var (slow, quick, between, end) = row;
                var release = new TaskCompletionSource<bool>();
                using (var server = new ScriptedServer(request =>
                {
                    var reply = (request.IsLate ? quick : slow) ?? Reply.Seal(request);
                    if (!request.IsLate) reply.After = release.Task;
                    return reply;
                }))
                {
                    var outbox = await server.OutboxAsync(folder);
                    var reference = $"S{server.Url.Split(':')[2]}";
                    var first = Outcome(outbox, reference);
                    await Check.Soon(() => server.Requests.Count == 1, "the first attempt is on its way");
                    var other = await server.OutboxAsync(folder, new TestClock { Ahead = TimeSpan.FromSeconds(6) });
                    await other.DrainAsync(within: TimeSpan.Zero);
                    Check.Same(between, await State(outbox, reference));
                    if (between == "SetAside") await other.DiscardAsync(reference);
                    // As after a minute.
                    if (between == "Signed") folder.Sql($"update sales set answer = null, clock_ahead = 9 where reference = '{reference}'");
                    release.SetResult(true);
                    Check.Same(end.Split(' ')[0], await first);
                    Check.Same($"{end} {(end[1] == 'i' ? "7 200" : " 400")} 2 {(between == "Signed" ? "9" : "")}",
                        folder.Sql($"select state || ' ' || answered || ' ' || coalesce(number, '') || ' ' || status || ' ' || attempts || ' ' || coalesce(clock_ahead, '') from sales where reference = '{reference}'"));
                    Check.Same(between == "Signed", folder.Sql($"select answer is null from sales where reference = '{reference}'") == "1", "what was emptied stays empty");
                    Check.SameList(between == "SetAside" ? "SetAside SignedAfterAll" : end[1] == 'i' ? "" : "SetAside", server.Kinds);
                }
            }
        }

        public async Task Another_sender_is_left_its_five_seconds(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var outbox = await server.OutboxAsync(folder);
                await Queue(outbox, "A");
                folder.Sql($"update sales set leased_until = {server.Clock.Now.ToUnixTimeMilliseconds() + 4000}");
                await outbox.DrainAsync(within: TimeSpan.Zero);
                Check.Same(0, server.Requests.Count);
                folder.Sql($"update sales set leased_until = {server.Clock.Now.ToUnixTimeMilliseconds() + 3_600_000}");
                await outbox.DrainAsync(within: TimeSpan.Zero);
                Check.Same(1, server.Requests.Count, "a lease from a clock that was ahead");
            }
        }

        public async Task Each_device_keeps_its_order_and_waits_for_itself_alone(TemporaryFolder folder)
        {
            var others = 0;
            var isBusy = new ConcurrentDictionary<string, bool>();
            using (var server = new ScriptedServer(request =>
            {
                if (request.Reference[0] != '1' && Interlocked.Increment(ref others) > 0) return Reply.Seal(request);
                // Each sale of device 1 is told to come again, the first one until the others are through.
                return !isBusy.TryAdd(request.Reference, true) && others == 8 ? Reply.Seal(request) : Reply.Problem(429, "DeviceBusy").With("Retry-After", "0");
            }))
            {
                server.Clock.Speed = 10;
                var outbox = await server.OutboxAsync(folder);
                foreach (var number in Enumerable.Range(1, 12)) await outbox.SellAsync(Sale($"{number % 3}-{number:00}", number % 3), deadline: TimeSpan.Zero);
                Check.Same(12, (await outbox.DrainAsync()).Signed);
                foreach (var device in new[] { "0-03* 0-06* 0-09* 0-12*", "1-01* 1-04* 1-07* 1-10*", "2-02* 2-05* 2-08* 2-11*" })
                    Check.SameList(device, server.Marks.Where(mark => mark[0] == device[0]).Distinct());
            }
        }

        public async Task Buyers_data_go_after_a_minute_and_the_rest_after_90_days(TemporaryFolder folder)
        {
            var isThere = true;
            using (var server = new ScriptedServer(request => request.Reference == "X" ? Reply.Problem(400, "InvalidRequest") : isThere ? Reply.Seal(request) : Reply.Cut))
            {
                var outbox = await server.OutboxAsync(folder);
                foreach (var reference in new[] { "A", "X" }) await outbox.SellAsync(Sale(reference));
                Check.Same("4", folder.Sql("select count(body) + count(answer) from sales"));
                server.Clock.Ahead += TimeSpan.FromSeconds(61);
                Check.True(((Signed)await outbox.SellAsync(Sale("A"))).Receipt != null, "from the file, which is emptied behind it");
                Check.Same("2 X", folder.Sql("select (count(body) + count(answer)) || ' ' || max(reference) from sales where body is not null"));
                Check.Same("0000-0000-0000-0000", ((Signed)await outbox.SellAsync(Sale("A"))).Receipt.VerificationCode, "Tillseal is asked again");
                Check.SameList("A X A*", server.Marks);
                folder.Sql("update sales set number = 8, clock_ahead = 9");
                var asked = (Signed)await outbox.SellAsync(Sale("A"));
                Check.Same("8 9 True", $"{asked.Number} {asked.ClockAhead?.TotalSeconds} {asked.Receipt != null}", "the rest as the file has it");
                isThere = false;
                var unknown = (Signed)await outbox.SellAsync(Sale("A"));
                Check.Same("8 9 ", $"{unknown.Number} {unknown.ClockAhead?.TotalSeconds} {unknown.Receipt}");
                server.Clock.Ahead += TimeSpan.FromDays(90);
                await outbox.DrainAsync();
                Check.Same(" SetAside", $"{await State(outbox, "A")} {await State(outbox, "X")}");
            }
        }

        public async Task Stopping_waits_for_the_attempt_on_its_way_and_begins_no_other(TemporaryFolder folder)
        {
            var release = new TaskCompletionSource<bool>();
            using (var server = new ScriptedServer(request =>
            {
                var reply = Reply.Seal(request);
                reply.After = release.Task;
                return reply;
            }))
            {
                var outbox = await server.OutboxAsync(folder);
                await Queue(outbox, "A", "B");
                outbox.Start();
                await Check.Soon(() => server.Requests.Count == 1, "A is on its way");
                var stopped = outbox.StopAsync();
                Check.True(await Task.WhenAny(stopped, Task.Delay(300)) != stopped, "it waits");
                release.SetResult(true);
                await stopped;
                Check.Same("Signed Queued 1", $"{await State(outbox, "A")} {await State(outbox, "B")} {server.Requests.Count}");
            }
        }

        public async Task The_background_drains_survives_what_is_thrown_at_it_and_stops(TemporaryFolder folder)
        {
            var thrown = 0;
            using (var server = new ScriptedServer(new Reply { Text = "<html>" }))
            {
                var outbox = await server.Client().OpenOutboxAsync(folder.Outbox, TemporaryFolder.Connect, report: report =>
                {
                    Interlocked.Increment(ref thrown);
                    throw new InvalidOperationException("a report that throws");
                });
                await Queue(outbox, "A");
                outbox.Start();
                outbox.Start();
                await Check.Soon(() => State(outbox, "A").Result == "Signed", "drained in spite of it");
                System.IO.File.Move(folder.Outbox, folder["aside"]);
                await Check.Soon(() => thrown == 2, "Stranger and Failed");
                System.IO.File.Move(folder["aside"], folder.Outbox);
                await Queue(outbox, "B");
                await Check.Soon(() => State(outbox, "B").Result == "Signed", "as soon as the file is back");
                await outbox.StopAsync();
                await Queue(outbox, "C");
                await Task.Delay(1500);
                Check.Same("Queued", await State(outbox, "C"));
            }
        }
    }
}
