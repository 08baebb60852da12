using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal
{
    /// <summary>
    /// A till that never stops: a sale is on the disk before it is sent, and is sealed exactly once, in order, however often the
    /// network fails or a process is killed. Several threads and programs may use one journal; keep it in a folder of its own on a local disk.
    /// </summary>
    public sealed class Outbox
    {
        private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(50);
        private readonly Drainer drainer;

        /// <param name="client">Null if you only want to look, retry, discard or resume.</param>
        /// <param name="path">The journal, for example /var/lib/till/till.journal. It is made when it does not exist.</param>
        public Outbox(TillsealClient client, string path)
        {
            Journal = new Journal(path);
            drainer = new Drainer(client, Journal);
            drainer.Parked += sale => Parked?.Invoke(this, sale);
            drainer.Halted += halt => Halted?.Invoke(this, halt);
        }

        /// <summary>A sale was refused for what it is. Those behind it go on.</summary>
        public event EventHandler<ParkedSale> Parked;

        /// <summary>The token was refused: nothing is sent any more.</summary>
        public event EventHandler<Halt> Halted;

        /// <summary>How long SellAsync tries before it answers Queued.</summary>
        public TimeSpan Deadline { get; set; } = TimeSpan.FromSeconds(5);

        internal Journal Journal { get; }

        /// <summary>
        /// Writes the sale to the disk, then tries to have it sealed. Never throws because of the network. The same receipt again is the same sale.
        /// </summary>
        /// <param name="cancellation">Once the sale is on the disk, it only ends the waiting: the answer is then Queued.</param>
        /// <exception cref="JournalException">It could not be written (disk full, for example): nothing was sent, so do not hand out the goods.</exception>
        public async Task<SellResult> SellAsync(Receipt receipt, CancellationToken cancellation = default(CancellationToken))
        {
            if (string.IsNullOrEmpty(receipt.Reference)) throw new ArgumentException("the receipt needs a Reference", nameof(receipt));
            var reference = receipt.Reference;
            var isWritten = await Journal.AppendAsync(SaleRecord(receipt, Json.Write(receipt)), cancellation).ConfigureAwait(false);
            var attempt = new Attempt(receipt.Reference, receipt.AuthorityDeviceId, isWritten, Monotonic.Now + Deadline);
            try { return await WaitForEndAsync(attempt, cancellation).ConfigureAwait(false); }
            // From here on the sale is on the disk: whatever goes wrong, it will be sealed.
            catch (Exception error) when (error is JournalException || error is OperationCanceledException) { return attempt.Result ?? new Queued(receipt.Reference); }
        }

        private async Task<SellResult> WaitForEndAsync(Attempt attempt, CancellationToken cancellation)
        {
            while (true)
            {
                var result = attempt.Result ?? await Journal.LookAsync(state => ResultOf(state, attempt.Reference), cancellation).ConfigureAwait(false);
                if (result != null) return result;
                if (Monotonic.Now >= attempt.End || drainer.WaitsUntil(attempt.DeviceId) >= attempt.End) return new Queued(attempt.Reference);
                var isDrained = await drainer.TrySellAsync(attempt, cancellation).ConfigureAwait(false);
                if (!isDrained) await Task.Delay(Glance, cancellation).ConfigureAwait(false);
            }
        }

        /// <summary>Sends until no sale is open or the token was refused, however long that takes: cancel it to stop earlier.</summary>
        public async Task<OutboxStatus> DrainAsync(CancellationToken cancellation = default(CancellationToken))
        {
            while (true)
            {
                var status = await StatusAsync(cancellation).ConfigureAwait(false);
                using (var drain = Journal.TryTakeDrainLock())
                {
                    if (drain != null)
                    {
                        await drainer.DrainAsync(drain, cancellation).ConfigureAwait(false);
                        status = await StatusAsync(cancellation).ConfigureAwait(false);
                    }
                }
                if (status.Open == 0 || status.Halted != null) return status;
                await Task.Delay(Glance, cancellation).ConfigureAwait(false);
            }
        }

        /// <summary>Drains in the background until it is stopped; for a hosted service, or a task of the till's program.</summary>
        public async Task DrainForeverAsync(CancellationToken stop)
        {
            try
            {
                while (true)
                {
                    try { await DrainAsync(stop).ConfigureAwait(false); }
                    // A full disk, which may be emptied. SellAsync and StatusAsync say so to those who can do it.
                    catch (JournalException error) when (!(error is DamagedJournalException)) { }
                    await Task.Delay(1000, stop).ConfigureAwait(false);
                }
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested) { }
        }

        public Task<OutboxStatus> StatusAsync(CancellationToken cancellation = default(CancellationToken)) =>
            Journal.LookAsync(state => new OutboxStatus
            {
                Open = state.Open.Count,
                Oldest = state.Open.Values.FirstOrDefault()?.At,
                Parked = state.Parked.Values.Select(sale => new ParkedSale(sale.Reference, sale.Status, sale.Answer)).ToList(),
                Halted = state.Halt,
            }, cancellation);

        /// <summary>Sends a parked sale again, at its old place: what stood in its way is mended.</summary>
        public Task RetryAsync(string reference, CancellationToken cancellation = default(CancellationToken)) => EndParking("Retried", reference, cancellation);

        /// <summary>Gives a parked sale up: it will never be sealed, and its Reference is free again.</summary>
        public Task DiscardAsync(string reference, CancellationToken cancellation = default(CancellationToken)) => EndParking("Discarded", reference, cancellation);

        /// <summary>Sends again after the token was refused, in this and in all other programs that use the journal.</summary>
        public Task ResumeAsync(CancellationToken cancellation = default(CancellationToken)) =>
            Journal.AppendAsync(state => state.Halt == null ? null : new Dictionary<string, object> { ["Kind"] = "Resumed" }, cancellation);

        private async Task EndParking(string kind, string reference, CancellationToken cancellation)
        {
            var isWritten = await Journal.AppendAsync(
                state => state.Find(reference)?.State == SaleState.Parked ? new Dictionary<string, object> { ["Kind"] = kind, ["Reference"] = reference } : null,
                cancellation).ConfigureAwait(false);
            if (!isWritten) throw new JournalException($"no sale with the Reference \"{reference}\" is parked");
        }

        internal static Func<JournalState, Dictionary<string, object>> SaleRecord(Receipt receipt, string body) => state =>
        {
            var known = state.Find(receipt.Reference);
            if (known != null && known.State != SaleState.Discarded)
                return known.Body == body ? (Dictionary<string, object>)null : throw new ReferenceUsedException(receipt.Reference);
            return new Dictionary<string, object>
            {
                ["Kind"] = "Sale", ["Reference"] = receipt.Reference, ["AuthorityDeviceId"] = receipt.AuthorityDeviceId, ["Body"] = body,
            };
        };

        private static SellResult ResultOf(JournalState state, string reference)
        {
            var sale = state.Find(reference);
            if (sale?.State == SaleState.Signed) return new Signed(reference, sale.Answer);
            if (sale?.State == SaleState.Parked) return new Refused(reference, sale.Status, sale.Answer);
            return sale?.State == SaleState.Open && state.Halt == null ? null : new Queued(reference);
        }
    }
}
