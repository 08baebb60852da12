using System;
using System.Data.Common;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal
{
    /// <summary>
    /// A till that never stops: a sale is on the disk before it is sent, and is sealed exactly once, in order, however often the
    /// network fails or a process is killed. Several threads and programs, also in other languages, may use one file (docs/outbox.md).
    /// </summary>
    public sealed class Outbox
    {
        private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(50), BetweenDrains = TimeSpan.FromSeconds(1), BetweenEmptyings = TimeSpan.FromMinutes(1);
        private static readonly string[] ProvesNoSeal = { "MaintenanceWindow", "FiscalDayNotOpen", "FiscalDayTooLong", "TaxUnclear", "DeviceOnHold" };
        private readonly Client client;
        private readonly OutboxFile file;
        private readonly Sender sender;
        private readonly Reporter reporter;
        private readonly Clock clock;
        private readonly TimeSpan usualDeadline;
        private TimeSpan emptiesAt;
        private CancellationTokenSource stop;
        private Task background = Task.CompletedTask;

        internal Outbox(Client client, string path, Func<string, DbConnection> connect, TimeSpan deadline, Action<Report> report, Clock clock)
        {
            this.client = client;
            this.clock = clock;
            usualDeadline = deadline;
            file = new OutboxFile(path, connect, clock);
            reporter = new Reporter(report, clock);
            sender = new Sender(client, file, reporter, clock);
            Empty();
        }

        /// <summary>
        /// Writes the sale to the disk, then tries to have it sealed. Never throws because of the network. The same receipt again is the same sale.
        /// </summary>
        /// <param name="deadline">After which the answer is Queued; by default the outbox's deadline.</param>
        /// <param name="cancellation">Ends the waiting: the answer is then Queued.</param>
        /// <exception cref="OutboxException">It could not be written (disk full, for example): nothing was sent, so do not hand over the goods.</exception>
        public Task<SellResult> SellAsync(Receipt receipt, TimeSpan? deadline = null, CancellationToken cancellation = default(CancellationToken))
        {
            if (string.IsNullOrEmpty(receipt.Reference)) throw new ArgumentException("the receipt needs a Reference", nameof(receipt));
            var sale = new Sale(receipt);
            var end = clock.Elapsed + (deadline ?? usualDeadline);
            return Task.Run(() => SellAsync(sale, end, cancellation));
        }

        /// <summary>Sends until nothing is queued, the outbox is halted, or the time is up.</summary>
        /// <param name="within">60 seconds by default.</param>
        public Task<Drained> DrainAsync(TimeSpan? within = null, CancellationToken cancellation = default(CancellationToken)) => Task.Run(async () =>
        {
            var end = clock.Elapsed + (within ?? TimeSpan.FromMinutes(1));
            Func<bool> isOver = () => clock.Elapsed >= end;
            var drain = new Drain(sender, file, clock);
            while (drain.Start(isOver, cancellation))
            {
                await drain.PauseAsync(Glance, cancellation);
                if (isOver()) break;
            }
            await drain.EndAsync();
            Empty();
            return new Drained { Signed = drain.Signed, SetAside = drain.SetAside, Status = file.Read(Status) };
        });

        /// <summary>Drains in the background, every second, until StopAsync. What goes wrong is reported.</summary>
        public void Start()
        {
            if (stop != null) return;
            stop = new CancellationTokenSource();
            var token = stop.Token;
            background = Task.Run(() => DrainForeverAsync(token));
        }

        /// <summary>Ends when the current attempts have ended.</summary>
        public Task StopAsync()
        {
            stop?.Cancel();
            stop = null;
            return background;
        }

        public Task<OutboxStatus> StatusAsync() => Task.Run(() => file.Read(Status));

        /// <summary>What became of a sale, for 90 days. Null if it is not there.</summary>
        public Task<FoundSale> FindAsync(string reference) => Task.Run(() =>
        {
            var row = file.Read(transaction => Sale.Find(transaction, reference));
            return row == null ? null : new FoundSale
            {
                Reference = reference,
                State = (SaleState)Enum.Parse(typeof(SaleState), row.Text("state")),
                SoldAt = row.Time("sold_at").Value,
                Attempts = (int)row.Number("attempts"),
                Number = row.NumberOrNull("number"),
                Receipt = row.Text("state") == "Signed" ? Sale.Signed(row, row.Text("answer")).Receipt : null,
                Problem = Sale.Problem(row),
                LastFailure = Sale.LastFailure(row),
            };
        });

        /// <summary>Sends a sale that is set aside again, at its old place, after its cause was fixed. Without a reference all of them.</summary>
        public Task RetryAsync(string reference = null) => Task.Run(() => file.Write(transaction =>
        {
            var row = reference == null ? null : Sale.Find(transaction, reference);
            if (reference != null && row?.Text("state") != "SetAside") throw Refused(reference, row, "only one that is set aside can be tried again");
            return transaction.Run("update sales set state = 'Queued', ended_at = null, leased_until = 0 where state = 'SetAside' and reference = coalesce(@1, reference)", reference);
        }));

        /// <summary>Gives up a sale that is set aside, was never sent, or whose last answer proves that it is not sealed. Its Reference is free again.</summary>
        public Task DiscardAsync(string reference) => Task.Run(() => file.Write(transaction =>
        {
            var row = Sale.Find(transaction, reference);
            var problem = row == null ? null : Sale.Problem(row);
            var isProved = problem != null && row.Number("answered") == row.Number("attempts") && (problem.Status == 400 || (problem.Status == 503 && ProvesNoSeal.Contains(problem.Code))) || row?.Number("attempts") == 0;
            if (row?.Text("state") != "SetAside" && !(row?.Text("state") == "Queued" && isProved))
                throw Refused(reference, row, "only one that is set aside, was never sent, or whose last answer proves that it is not sealed, can be discarded");
            return transaction.Run("update sales set state = 'Discarded', ended_at = @2 where reference = @1", reference, clock.Seconds);
        }));

        /// <summary>Sends again after the token was refused, in this and in all other programs that use the file.</summary>
        public Task ResumeAsync() => Task.Run(() => file.Write(Sender.Resume));

        private async Task<SellResult> SellAsync(Sale sale, TimeSpan end, CancellationToken cancellation)
        {
            var first = Write(sale, end);
            try { return await WaitForEndAsync(sale, first, end, cancellation); }
            // It is on the disk: even if something fails from here on, it will be sealed.
            catch (OperationCanceledException) { return new Queued(sale.Reference, null); }
            catch (OutboxException error) when (!error.IsGone)
            {
                reporter.Say(new Report(ReportKind.Failed, $"{sale.Reference} is queued: {error.Message}", sale.Reference));
                return new Queued(sale.Reference, null);
            }
            finally { Empty(); }
        }

        /// <returns>The first attempt, if it may be sent immediately.</returns>
        private Attempt Write(Sale sale, TimeSpan end)
        {
            Attempt first = null;
            Row other = null;
            try
            {
                file.Write(transaction =>
                {
                    var known = Sale.Find(transaction, sale.Reference);
                    var isNew = known == null || known.Text("state") == "Discarded";
                    other = isNew || known.Text("body_sha256") == sale.BodySha256 ? null : known;
                    return first = isNew ? Insert(transaction, sale, end) : null;
                });
            }
            catch (OutboxException error) when (error.IsAtCommit && IsThereAfterAll(sale)) { }
            catch (OutboxException error) { throw new OutboxException($"{error.Message}. Nothing was sent: the same receipt may be sold again, unchanged", error); }
            if (other == null) return first;
            throw new OutboxException($"{sale.Reference} is already in {file.Path} ({Sale.StateInWords(other)}) with other data. If this is the same sale, do not sell it again: "
                + $"FindAsync(\"{sale.Reference}\") says what became of it. If it is another sale, it needs a Reference of its own");
        }

        private Attempt Insert(Transaction transaction, Sale sale, TimeSpan end)
        {
            transaction.Run("delete from sales where reference = @1", sale.Reference);
            var isAlone = Sale.FirstQueued(transaction, sale.Device) == null;
            transaction.Run(@"insert into sales (reference, device, sold_at, state, body, body_sha256, attempts, answered, leased_until) values (@1, @2, @3, 'Queued', @4, @5, 0, 0, 0)",
                sale.Reference, sale.Device, clock.Seconds, sale.Body, sale.BodySha256);
            if (!isAlone || clock.Elapsed >= end || sender.WaitsUntil(sale.Device) > clock.Elapsed || sender.IsHalted(transaction)) return null;
            return sender.Lease(transaction, (long)transaction.Value("select last_insert_rowid()"), isLate: false);
        }

        /// <summary>Only the last flush failed. Changing the sale once more flushes it, but only if a value differs from before.</summary>
        private bool IsThereAfterAll(Sale sale)
        {
            try
            {
                return file.Write(transaction => transaction.Run("update sales set leased_until = leased_until + 1 where reference = @1 and body_sha256 = @2 and state <> 'Discarded'",
                    sale.Reference, sale.BodySha256)) > 0;
            }
            catch (OutboxException) { return false; }
        }

        private async Task<SellResult> WaitForEndAsync(Sale sale, Attempt attempt, TimeSpan end, CancellationToken cancellation)
        {
            while (true)
            {
                if (attempt != null)
                {
                    await sender.SendAsync(attempt, end - clock.Elapsed, cancellation);
                    // Also when the disk has become full, and it could not be recorded.
                    if (attempt.Verdict == Verdict.Signed && attempt.Reference == sale.Reference) return attempt.Signed;
                }
                var isHalted = false;
                var row = file.Read(transaction =>
                {
                    isHalted = sender.IsHalted(transaction);
                    return Sale.Find(transaction, sale.Reference);
                });
                // With other data it is another sale: this one was discarded, and its Reference sold again.
                var state = row?.Text("body_sha256") == sale.BodySha256 ? row.Text("state") : "Discarded";
                if (state == "Signed") return Sale.Signed(row, row.Text("answer") ?? await AskAgainAsync(sale, end - clock.Elapsed, cancellation));
                if (state == "SetAside") return new SetAside(sale.Reference, Sale.Problem(row));
                if (state != "Queued") throw new OutboxException($"{sale.Reference} was discarded meanwhile") { IsGone = true };
                if (isHalted || clock.Elapsed >= end || sender.WaitsUntil(sale.Device) >= end) return new Queued(sale.Reference, Sale.LastFailure(file.Read(transaction => Sale.LastFailed(transaction, sale.Device))));
                attempt = sender.WaitsUntil(sale.Device) > clock.Elapsed ? null : sender.Claim(sale.Device);
                if (attempt == null) await Task.Delay(Glance, cancellation);
            }
        }

        /// <summary>The seal of a sale that was sealed long ago and is no longer in the file. Null if there is no answer.</summary>
        private async Task<string> AskAgainAsync(Sale sale, TimeSpan timeout, CancellationToken cancellation)
        {
            try
            {
                var answer = await client.SendAsync(client.SignRequest(sale.Body, true), timeout < Sender.GivenUpAfter ? timeout : Sender.GivenUpAfter, cancellation);
                return answer.VerdictOn(sale.Reference) == Verdict.Signed ? answer.Text : null;
            }
            catch (NoAnswerException) { return null; }
        }

        private async Task DrainForeverAsync(CancellationToken stop)
        {
            var drain = new Drain(sender, file, clock);
            while (!stop.IsCancellationRequested)
            {
                try
                {
                    // A current attempt is not given up: its result would not be known.
                    drain.Start(() => stop.IsCancellationRequested, CancellationToken.None);
                    await drain.PauseAsync(BetweenDrains, stop);
                    Empty();
                }
                catch (OperationCanceledException) when (stop.IsCancellationRequested) { }
                catch (Exception error)
                {
                    reporter.SayOnceIn(TimeSpan.FromMinutes(5), "Failed", new Report(ReportKind.Failed, $"the queue could not be sent: {error.Message}"));
                    await Task.WhenAny(Task.Delay(BetweenDrains, stop));
                }
            }
            await Task.WhenAny(drain.EndAsync());
        }

        private OutboxStatus Status(Transaction transaction)
        {
            var queued = transaction.Row("select count(*) as queued, min(sold_at) as oldest from sales where state = 'Queued'");
            var meta = transaction.Row("select halted_at, halted_status as status, halted_answer as answer from meta");
            return new OutboxStatus
            {
                Queued = (int)queued.Number("queued"),
                Oldest = queued.Time("oldest"),
                LastFailure = Sale.LastFailure(Sale.LastFailed(transaction)),
                SetAside = transaction.Rows("select reference, status, answer from sales where state = 'SetAside' order by place").Select(row => new SetAside(row.Text("reference"), Sale.Problem(row))).ToList(),
                Halted = meta.Time("halted_at") is DateTimeOffset since ? new Halted { Since = since, Problem = Sale.Problem(meta) } : null,
            };
        }

        private OutboxException Refused(string reference, Row row, string rule) => new OutboxException($"{reference} is {(row == null ? "not" : Sale.StateInWords(row))} in {file.Path}: {rule}");

        /// <summary>Buyers' data must not stay on the till. If removing it fails, the call before it has still succeeded.</summary>
        private void Empty()
        {
            if (clock.Elapsed < emptiesAt) return;
            emptiesAt = clock.Elapsed + BetweenEmptyings;
            try
            {
                file.Write(transaction =>
                {
                    // Each condition is that of an index.
                    transaction.Run("update sales set body = null, answer = null where state in ('Signed', 'Discarded') and (body is not null or answer is not null) and ended_at <= @1", clock.Seconds - 60);
                    return transaction.Run("delete from sales where place in (select place from sales where body is null and answer is null and ended_at <= @1 limit 1000)", clock.Seconds - 90 * 24 * 60 * 60);
                }, isPatient: false);
            }
            catch (OutboxException) { }
        }
    }
}
