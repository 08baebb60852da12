using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal
{
    /// <summary>Sends the sales of a device one after another: claims, asks, records (docs/outbox.md, Sending).</summary>
    internal sealed class Sender
    {
        internal static readonly TimeSpan GivenUpAfter = TimeSpan.FromSeconds(30);
        private static readonly TimeSpan FiveMinutes = TimeSpan.FromMinutes(5);
        private readonly Client client;
        private readonly OutboxFile file;
        private readonly Reporter reporter;
        private readonly Clock clock;
        private readonly ConcurrentDictionary<long, Waits> waits = new ConcurrentDictionary<long, Waits>();

        internal Sender(Client client, OutboxFile file, Reporter reporter, Clock clock)
        {
            this.client = client;
            this.file = file;
            this.reporter = reporter;
            this.clock = clock;
        }

        /// <summary>Until when a device has to wait, as <see cref="Clock.Elapsed"/> counts.</summary>
        internal TimeSpan WaitsUntil(long device) => WaitsOf(device).Until;

        /// <summary>Nothing of this token or address passes, and it is not time for another try.</summary>
        internal bool IsHalted(Transaction transaction)
        {
            var meta = transaction.Row("select halted_at, tried_at from meta");
            var age = clock.Seconds - meta.Number("tried_at");
            return meta.NumberOrNull("halted_at") != null && age >= 0 && age < FiveMinutes.TotalSeconds;
        }

        /// <summary>Counts and leases a sale that has no known open attempt.</summary>
        internal Attempt Lease(Transaction transaction, long place, bool isLate)
        {
            transaction.Run("update meta set tried_at = @1 where halted_at is not null", clock.Seconds);
            transaction.Run("update sales set attempts = attempts + 1, leased_until = @2 where place = @1", place, clock.Now.ToUnixTimeMilliseconds() + (long)Attempt.Lease.TotalMilliseconds);
            return new Attempt(transaction, transaction.Row("select * from sales where place = @1", place), isLate, clock);
        }

        /// <summary>The first queued sale of the device; null when there is none, another process is sending it, or the outbox is halted.</summary>
        internal Attempt Claim(long device) => file.Write(transaction =>
        {
            var first = Sale.FirstQueued(transaction, device);
            if (first == null || IsHalted(transaction)) return null;
            var left = first.Number("leased_until") - clock.Now.ToUnixTimeMilliseconds();
            return left > 0 && left <= Attempt.Lease.TotalMilliseconds ? null : Lease(transaction, first.Number("place"), true);
        });

        internal async Task SendAsync(Attempt attempt, TimeSpan timeout, CancellationToken cancellation)
        {
            try
            {
                var request = client.SignRequest(attempt.Body, attempt.IsLate);
                request.Headers.Add("Outbox-Backlog", attempt.Backlog);
                attempt.Answer = await client.SendAsync(request, timeout < GivenUpAfter ? timeout : GivenUpAfter, cancellation);
            }
            catch (NoAnswerException error) { attempt.NoAnswer = error.Message; }
            Pace(attempt);
            try
            {
                foreach (var report in file.Write(transaction => Record(transaction, attempt))) reporter.Say(report);
            }
            catch (OutboxException error)
            {
                // A sealed sale stays queued here: the next attempt gets the same seal.
                WaitsOf(attempt.Device).Fail(clock.Elapsed, null);
                reporter.SayOnceIn(FiveMinutes, $"Failed {attempt.Device}", new Report(ReportKind.Failed, $"what became of {attempt.Reference} could not be recorded ({attempt.Verdict}): {error.Message}", attempt.Reference));
            }
            ReportOnceInAWhile(attempt);
        }

        private void Pace(Attempt attempt)
        {
            var device = WaitsOf(attempt.Device);
            if (attempt.Verdict != Verdict.Again) device.End();
            else if (!attempt.IsMisdated) device.Fail(clock.Elapsed, attempt.IsTillseals ? attempt.Answer.Pause : null);
        }

        /// <returns>What is to be reported once it is on the disk.</returns>
        private List<Report> Record(Transaction transaction, Attempt attempt)
        {
            var reports = new List<Report>();
            var sale = transaction.Row("select state, failing_since from sales where place = @1", attempt.Place);
            var state = sale?.Text("state");
            if (attempt.Verdict == Verdict.Stop)
            {
                if (transaction.Run("update meta set halted_at = @1 where halted_at is null", clock.Seconds) > 0)
                    reports.Add(new Report(ReportKind.Halted, $"nothing is sent: {attempt.Problem.Message}", attempt.Reference, attempt.Problem));
                transaction.Run("update meta set halted_status = @1, halted_answer = @2, tried_at = @3", attempt.Answer.Status, attempt.Answer.Text, clock.Seconds);
            }
            else if (attempt.IsTillseals) Resume(transaction);
            transaction.Run("update sales set leased_until = 0 where place = @1", attempt.Place);
            if (attempt.Verdict == Verdict.Signed)
            {
                transaction.Run(@"update sales set state = 'Signed', ended_at = @2, answered = @3, status = 200, answer = @4,
                    number = @5, clock_ahead = @6, failing_since = null, failed_at = null, failure = null where place = @1 and state <> 'Signed'",
                    attempt.Place, clock.Seconds, attempt.Number, attempt.Answer.Text, attempt.Answer.Number, (long?)attempt.ClockAhead?.TotalSeconds);
                if (state != "Queued" && state != "Signed")
                    reports.Add(new Report(ReportKind.SignedAfterAll, $"{attempt.Reference} is sealed{(attempt.Answer.Number is long number ? $" as number {number}" : "")} although it had been {(state == "SetAside" ? "set aside" : "discarded")}", attempt.Reference));
                return reports;
            }
            if (state != "Queued") return reports;
            if (attempt.IsTillseals)
                transaction.Run("update sales set answered = @2, status = @3, answer = @4 where place = @1 and (answered <= @2 or @5)",
                    attempt.Place, attempt.Number, attempt.Answer.Status, attempt.Answer.Text, attempt.Verdict == Verdict.SetAside ? 1 : 0);
            if (attempt.Verdict == Verdict.SetAside)
            {
                transaction.Run("update sales set state = 'SetAside', ended_at = @2, failing_since = null, failed_at = null, failure = null where place = @1", attempt.Place, clock.Seconds);
                reports.Add(new Report(ReportKind.SetAside, $"{attempt.Reference} is set aside: {attempt.Problem.Message}", attempt.Reference, attempt.Problem));
            }
            else
            {
                transaction.Run("update sales set failing_since = coalesce(failing_since, @2), failed_at = @2, failure = @3 where place = @1", attempt.Place, clock.Seconds, attempt.Failure);
                attempt.FailingFor = TimeSpan.FromSeconds(clock.Seconds - (sale.NumberOrNull("failing_since") ?? clock.Seconds));
            }
            return reports;
        }

        internal static int Resume(Transaction transaction) =>
            transaction.Run("update meta set halted_at = null, halted_status = null, halted_answer = null, tried_at = null where halted_at is not null");

        private void ReportOnceInAWhile(Attempt attempt)
        {
            if (attempt.Answer != null && !attempt.IsTillseals)
                reporter.SayOnceIn(FiveMinutes, $"Stranger {attempt.Device}", new Report(ReportKind.Stranger, $"something that is not Tillseal answered with {attempt.Answer.Status}: a captive portal, a proxy, or a wrong address", attempt.Reference));
            if (attempt.Verdict == Verdict.Signed && attempt.ClockAhead is TimeSpan ahead)
                reporter.SayOnceIn(FiveMinutes, $"ClockAhead {attempt.Device}", new Report(ReportKind.ClockAhead, $"this till's clock is {ahead.TotalSeconds} seconds ahead of Tillseal's", attempt.Reference));
            if (attempt.FailingFor >= FiveMinutes)
                reporter.SayOnceIn(TimeSpan.FromHours(1), $"Stuck {attempt.Device}", new Report(ReportKind.Stuck,
                    $"device {attempt.Device} has not been able to send {attempt.Reference} for {(int)attempt.FailingFor.TotalMinutes} minutes: {attempt.Failure}", attempt.Reference, attempt.IsTillseals ? attempt.Problem : null));
        }

        private Waits WaitsOf(long device) => waits.GetOrAdd(device, _ => new Waits());
    }
}
