using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal.Tests
{
    public sealed class OutboxTests
    {
        private static Receipt Sale(string reference, int device = 1) => ClientTests.Sale(reference, device);

        private static async Task<string> Outcome(Outbox outbox, string reference, int device = 1) => (await outbox.SellAsync(Sale(reference, device))).GetType().Name;

        private static Outbox Unreachable(TemporaryFolder folder) => new Outbox(new TillsealClient($"http://127.0.0.1:{ScriptedServer.FreePort()}", "tsk_test"), folder.Journal);

        public async Task A_sale_is_sealed_at_once_when_all_is_well(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var outbox = server.Outbox(folder.Journal);
                var signed = (Signed)await outbox.SellAsync(Sale("A"));
                Check.Same("0000-0000-0000-0000", signed.Receipt.VerificationCode);
                Check.SameList(new[] { "A" }, server.Marks);
                Check.Same(0, (await outbox.StatusAsync()).Open);
            }
        }

        public async Task The_same_sale_again_is_answered_from_the_journal_and_other_content_is_refused(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var outbox = server.Outbox(folder.Journal);
                await outbox.SellAsync(Sale("A"));
                Check.Same("Signed", await Outcome(outbox, "A"));
                Check.Same(1, server.Requests.Count);
                var other = Sale("A");
                other.Currency = "ZWG";
                await Check.ThrowsAsync<ReferenceUsedException>(() => outbox.SellAsync(other));
            }
        }

        public async Task Whatever_the_network_does_a_sale_is_queued_and_sealed_later_as_a_late_one(TemporaryFolder folder)
        {
            var outbox = Unreachable(folder);
            outbox.Deadline = TimeSpan.FromMilliseconds(300);
            foreach (var reference in new[] { "A", "B", "C" }) Check.Same("Queued", await Outcome(outbox, reference));
            var status = await outbox.StatusAsync();
            Check.Same(3, status.Open);
            Check.True(DateTimeOffset.UtcNow - status.Oldest < TimeSpan.FromSeconds(30), "the oldest");
            using (var server = new ScriptedServer())
            {
                status = await server.Outbox(folder.Journal).DrainAsync();
                Check.Same(0, status.Open);
                Check.SameList(new[] { "A*", "B*", "C*" }, server.Marks);
            }
        }

        public async Task A_lost_answer_is_settled_by_the_same_request(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(Reply.Cut))
            {
                Check.Same("Signed", await Outcome(server.Outbox(folder.Journal), "A"));
                Check.SameList(new[] { "A", "A*" }, server.Marks);
                Check.True(server.Requests.Last().At - server.Requests.First().At >= TimeSpan.FromMilliseconds(950), "not at once");
                Check.Same(1, server.Requests.Select(request => request.Body).Distinct().Count());
            }
        }

        public async Task Every_status_has_its_consequence(TemporaryFolder folder)
        {
            var table = new Dictionary<string, Reply>
            {
                ["Refused 400"] = Reply.Problem(400, "InvalidRequest"), ["Refused 409"] = Reply.Problem(409, "ReferenceConflict"),
                ["Refused 413"] = new Reply { Status = 413, Text = "<html>" }, ["Refused 415"] = Reply.Problem(415, "UnsupportedMediaType"),
                ["Queued RCPT031"] = Reply.Problem(400, "InvalidRequest", "RCPT031"), ["Queued 429"] = Reply.Problem(429, "DeviceBusy"), ["Queued 500"] = Reply.Problem(500, "InternalError"),
                ["Queued 503"] = Reply.Problem(503, "MaintenanceWindow"), ["Queued 404"] = Reply.Problem(404, "NotFound"), ["Queued 302"] = new Reply { Status = 302, Headers = { ["Location"] = "/login" } },
                ["Queued portal 200"] = new Reply { Text = "<html>Welcome to our hotel" }, ["Queued other 200"] = new Reply { Text = "{\"Reference\":\"other\",\"DeviceSignature\":\"c2ln\"}" },
                ["Queued no seal"] = new Reply { Text = "{\"Reference\":\"S\"}" }, ["Queued proxy 400"] = new Reply { Status = 400, Text = "<html>" },
                ["Queued proxy 403"] = new Reply { Status = 403, Text = "{}" }, ["Queued proxy 409"] = new Reply { Status = 409, Text = "no" },
            };
            foreach (var row in table)
            {
                var path = folder[row.Key.Replace(' ', '-')];
                using (var server = new ScriptedServer(row.Value.RetryMuchLater()))
                {
                    var outbox = server.Outbox(path);
                    var parked = new List<string>();
                    outbox.Parked += (sender, sale) => parked.Add(sale.Reference);
                    Check.Same(row.Key.Split(' ')[0], await Outcome(outbox, "S"), row.Key);
                    Check.Same(row.Key.StartsWith("Refused", StringComparison.Ordinal) ? "S" : "", string.Join(" ", parked), row.Key);
                    var status = await outbox.StatusAsync();
                    Check.Same(1, status.Open + status.Parked.Count, row.Key);
                    Check.Same(null, status.Halted, row.Key);
                    Check.Same(1, server.Requests.Count, row.Key);
                }
            }
        }

        public async Task A_parked_sale_lets_the_next_ones_pass_and_waits_for_a_person(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(Reply.Problem(400, "InvalidRequest")))
            {
                var outbox = server.Outbox(folder.Journal);
                var refused = (Refused)await outbox.SellAsync(Sale("A"));
                Check.Same("RCPT026", refused.Problem.Errors.Single().Code);
                Check.Same("Signed", await Outcome(outbox, "B"));
                Check.Same("Refused", await Outcome(outbox, "A"));
                Check.Same("A 400", string.Join(" ", (await outbox.StatusAsync()).Parked.Select(sale => $"{sale.Reference} {sale.Status}")));
                await Check.ThrowsAsync<JournalException>(() => outbox.RetryAsync("B"));
                await outbox.RetryAsync("A");
                Check.Same(0, (await outbox.DrainAsync()).Parked.Count);
                Check.SameList(new[] { "A", "B", "A*" }, server.Marks);
            }
        }

        public async Task A_discarded_sale_is_never_sent_and_its_reference_is_free(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(Reply.Problem(400, "InvalidRequest")))
            {
                var outbox = server.Outbox(folder.Journal);
                await outbox.SellAsync(Sale("A"));
                await outbox.DiscardAsync("A");
                await outbox.DrainAsync();
                Check.Same(1, server.Requests.Count);
                var corrected = Sale("A");
                corrected.Currency = "ZWG";
                Check.Same(true, await outbox.SellAsync(corrected) is Signed);
                Check.SameList(new[] { "A", "A" }, server.Marks);
            }
        }

        public async Task A_refused_token_halts_everything_until_somebody_resumes(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(Reply.Problem(401, "Unauthorized")))
            {
                var outbox = server.Outbox(folder.Journal);
                var halts = new List<int>();
                outbox.Halted += (sender, halt) => halts.Add(halt.Status);
                var start = Monotonic.Now;
                foreach (var device in new[] { 1, 2 }) Check.Same("Queued", await Outcome(outbox, $"D{device}", device));
                Check.True(Monotonic.Now - start < outbox.Deadline, "nobody waits for a deadline that brings nothing");
                Check.Same(401, (await outbox.DrainAsync()).Halted.Status);
                Check.Same(1, server.Requests.Count);
                Check.Same(1, halts.Count);
                await outbox.ResumeAsync();
                Check.Same(0, (await outbox.DrainAsync()).Open);
                Check.SameList(new[] { "D1", "D1*", "D2*" }, server.Marks.OrderBy(mark => mark, StringComparer.Ordinal));
            }
        }

        public async Task Each_device_keeps_its_order_and_waits_for_itself_alone(TemporaryFolder folder)
        {
            var offline = Unreachable(folder);
            offline.Deadline = TimeSpan.Zero;
            foreach (var number in Enumerable.Range(1, 12)) await offline.SellAsync(Sale($"{number % 3}-{number:00}", number % 3));
            var isBusy = new ConcurrentDictionary<string, bool>();
            var others = 0;
            using (var server = new ScriptedServer(request =>
            {
                if (request.Reference[0] != '1' && Interlocked.Increment(ref others) > 0) return Reply.Seal(request);
                // Each sale of device 1 is told to come again in a second, the first one until the others are through: they do not wait for it.
                if (!isBusy.TryAdd(request.Reference, true) && others == 8) return Reply.Seal(request);
                var reply = Reply.Problem(429, "DeviceBusy");
                reply.Headers["Retry-After"] = "1";
                return reply;
            }))
            {
                Check.Same(0, (await server.Outbox(folder.Journal).DrainAsync()).Open);
                foreach (var device in new[] { "0", "2" })
                    Check.SameList(Enumerable.Range(1, 12).Where(number => number % 3 == int.Parse(device)).Select(number => $"{device}-{number:00}*"), server.Marks.Where(mark => mark.StartsWith(device, StringComparison.Ordinal)));
                var busy = server.Requests.Where(request => request.Reference[0] == '1').ToList();
                var later = busy.Skip(busy.Count(request => request.Reference == "1-01"));
                Check.SameList(new[] { "1-04*", "1-04*", "1-07*", "1-07*", "1-10*", "1-10*" }, later.Select(request => request.Mark));
                for (var i = 1; i < busy.Count; i++)
                    if (busy[i].Reference == busy[i - 1].Reference) Check.True(busy[i].At - busy[i - 1].At >= TimeSpan.FromMilliseconds(950), "Retry-After is obeyed");
            }
        }

        public async Task An_older_sale_goes_first_and_then_the_new_one_is_no_longer_the_first_attempt(TemporaryFolder folder)
        {
            var offline = Unreachable(folder);
            offline.Deadline = TimeSpan.Zero;
            await offline.SellAsync(Sale("A"));
            using (var server = new ScriptedServer())
            {
                Check.Same("Signed", await Outcome(server.Outbox(folder.Journal), "B"));
                Check.SameList(new[] { "A*", "B*" }, server.Marks);
            }
        }

        public async Task A_slow_answer_ends_at_the_deadline_and_not_later(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(new Reply { DelayMs = 600_000 }))
            {
                var outbox = new Outbox(server.Client(), folder.Journal) { Deadline = TimeSpan.FromMilliseconds(400) };
                var start = Monotonic.Now;
                Check.Same("Queued", await Outcome(outbox, "A"));
                // Without a deadline an attempt takes 30 seconds.
                Check.True(Monotonic.Now - start < TimeSpan.FromSeconds(20), $"took {Monotonic.Now - start}");
            }
        }

        public async Task A_seal_is_answered_even_if_the_disk_is_full_by_then(TemporaryFolder folder)
        {
            var isFull = true;
            using (var server = new ScriptedServer(request =>
            {
                // Nobody can append any more: the next generation of the lock cannot be created.
                if (isFull) Directory.CreateDirectory(folder["till.journal.append.2"]);
                return Reply.Seal(request);
            }))
            {
                var outbox = server.Outbox(folder.Journal);
                Check.Same("Signed", await Outcome(outbox, "A"));
                Check.Same(1, (await outbox.StatusAsync()).Open);
                isFull = false;
                Directory.Delete(folder["till.journal.append.2"]);
                Check.Same(0, (await outbox.DrainAsync()).Open);
                Check.SameList(new[] { "A", "A*" }, server.Marks);
            }
        }

        public async Task The_background_drains_and_stops(TemporaryFolder folder)
        {
            var offline = Unreachable(folder);
            offline.Deadline = TimeSpan.Zero;
            await offline.SellAsync(Sale("A"));
            using (var server = new ScriptedServer())
            using (var stop = new CancellationTokenSource())
            {
                var outbox = server.Outbox(folder.Journal);
                var draining = outbox.DrainForeverAsync(stop.Token);
                while ((await outbox.StatusAsync()).Open > 0) await Task.Delay(10);
                Check.Same("Signed", await Outcome(outbox, "B"));
                stop.Cancel();
                await draining;
            }
        }
    }
}
