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
