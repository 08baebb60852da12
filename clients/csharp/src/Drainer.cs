using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal
{
    /// <summary>A sale that its seller tries to have sealed before a deadline.</summary>
    internal sealed class Attempt
    {
        internal Attempt(string reference, int deviceId, bool isNew, TimeSpan end)
        {
            Reference = reference;
            DeviceId = deviceId;
            IsNew = isNew;
            End = end;
        }

        internal string Reference { get; }
        internal int DeviceId { get; }
        /// <summary>It was written just now and not sent yet: the first attempt is no late one.</summary>
        internal bool IsNew { get; set; }
        internal TimeSpan End { get; }
        /// <summary>Set when it was sealed but the disk had become full.</summary>
        internal SellResult Result { get; set; }
    }

    /// <summary>Sends the open sales of a journal: each device's strictly in order, the devices at the same time.</summary>
    internal sealed class Drainer
    {
        private static readonly TimeSpan AttemptTimeout = TimeSpan.FromSeconds(30);
        private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(50);
        private static readonly TimeSpan BetweenCompactions = TimeSpan.FromSeconds(60);
        private readonly TillsealClient client;
        private readonly Journal journal;
        private readonly ConcurrentDictionary<int, Device> devices = new ConcurrentDictionary<int, Device>();
        private TimeSpan compactsAt;

        internal Drainer(TillsealClient client, Journal journal)
        {
            this.client = client;
            this.journal = journal;
        }

        internal event Action<ParkedSale> Parked;
        internal event Action<Halt> Halted;

        /// <summary>Until when a device has to wait, on the monotonic clock.</summary>
        internal TimeSpan WaitsUntil(int deviceId) => DeviceOf(deviceId).WaitsUntil;

        /// <summary>Drains the device of one sale until that has its end, its deadline passes, or the device has to wait.</summary>
        /// <returns>False when another one drains, or the device waits: look again later.</returns>
        internal async Task<bool> TrySellAsync(Attempt attempt, CancellationToken cancellation)
        {
            if (WaitsUntil(attempt.DeviceId) > Monotonic.Now) return false;
            using (var drain = journal.TryTakeDrainLock())
            {
                if (drain == null) return false;
                await DrainDeviceAsync(attempt.DeviceId, drain, attempt, cancellation).ConfigureAwait(false);
                await CompactAsync(drain, cancellation).ConfigureAwait(false);
                return true;
            }
        }

        /// <summary>Sends what can be sent now: until every device is empty or has to wait, or the token is refused.</summary>
        internal async Task DrainAsync(FileLock drain, CancellationToken cancellation)
        {
            var running = new Dictionary<int, Task>();
            do
            {
                foreach (var ended in running.Where(entry => entry.Value.IsCompleted).ToList())
                {
                    running.Remove(ended.Key);
                    await ended.Value.ConfigureAwait(false);
                }
                var open = await journal.LookAsync(state => state.Halt != null ? new List<int>() : state.Open.Values.Select(sale => sale.DeviceId).Distinct().ToList(), cancellation).ConfigureAwait(false);
                foreach (var id in open.Where(id => !running.ContainsKey(id) && WaitsUntil(id) <= Monotonic.Now && drain.IsMine))
                {
                    running.Add(id, DrainDeviceAsync(id, drain, null, cancellation));
                }
                if (running.Count > 0) await Task.WhenAny(running.Values.Concat(new[] { Task.Delay(Glance, cancellation) })).ConfigureAwait(false);
            } while (running.Count > 0);
            await CompactAsync(drain, cancellation).ConfigureAwait(false);
        }

        /// <summary>At the end of a drain, not too often. One that fails leaves the journal as it was, so it is no reason to fail.</summary>
        private async Task CompactAsync(FileLock drain, CancellationToken cancellation)
        {
            if (Monotonic.Now < compactsAt) return;
            compactsAt = Monotonic.Now + BetweenCompactions;
            try { await journal.CompactAsync(drain, cancellation).ConfigureAwait(false); }
            catch (JournalException) { }
        }

        private async Task DrainDeviceAsync(int deviceId, FileLock drain, Attempt attempt, CancellationToken cancellation)
        {
            var device = DeviceOf(deviceId);
            while (device.WaitsUntil <= Monotonic.Now)
            {
                var sale = await journal.LookAsync(state => NextOf(state, deviceId, attempt), cancellation).ConfigureAwait(false);
                var timeout = attempt == null ? AttemptTimeout : Earlier(AttemptTimeout, attempt.End - Monotonic.Now);
                if (sale == null || timeout <= TimeSpan.Zero) return;
                journal.Flush(sale);
                if (!drain.IsMine) return;
                var isFirst = attempt != null && attempt.IsNew && attempt.Reference == sale.Reference;
                if (attempt != null) attempt.IsNew = false;
                var answer = await SendAsync(sale, !isFirst, timeout, cancellation).ConfigureAwait(false);
                // Another process thought this one dead and goes on from here: it gets the same answer.
                if (!drain.IsMine) return;
                await RecordAsync(device, sale, answer, attempt).ConfigureAwait(false);
            }
        }

        /// <summary>The first open sale of the device; none when the queue is halted, or the attempt's own sale has its end.</summary>
        private static Sale NextOf(JournalState state, int deviceId, Attempt attempt)
        {
            if (state.Halt != null || (attempt != null && state.Find(attempt.Reference)?.State != SaleState.Open)) return null;
            return state.Open.Values.FirstOrDefault(sale => sale.DeviceId == deviceId);
        }

        /// <summary>Null when no answer came.</summary>
        private async Task<Answer> SendAsync(Sale sale, bool isLate, TimeSpan timeout, CancellationToken cancellation)
        {
            try { return await client.SendAsync(client.SignRequest(sale.Body, isLate), timeout, cancellation).ConfigureAwait(false); }
            catch (NoAnswerException) { return null; }
        }

        private async Task RecordAsync(Device device, Sale sale, Answer answer, Attempt attempt)
        {
            var verdict = answer?.VerdictOn(sale.Reference) ?? Verdict.TryAgain;
            if (verdict == Verdict.TryAgain)
            {
                device.WaitsUntil = Monotonic.Now + device.Backoff.Next(answer?.RetryAfter);
                return;
            }
            device.Backoff.Reset();
            try
            {
                var isWritten = await journal.AppendAsync(state => RecordOf(state, sale, verdict, answer), CancellationToken.None).ConfigureAwait(false);
                if (isWritten && verdict == Verdict.Park) Parked?.Invoke(new ParkedSale(sale.Reference, answer.Status, answer.Text));
                if (isWritten && verdict == Verdict.Halt) Halted?.Invoke(new Halt(answer.Status, answer.Text));
            }
            catch (JournalException) when (verdict == Verdict.Signed && attempt?.Reference == sale.Reference)
            {
                // Sealed, but the disk is full by now: the sale stays open, and the next drain gets the same seal again.
                attempt.Result = new Signed(sale.Reference, answer.Text);
                device.WaitsUntil = Monotonic.Now + device.Backoff.Next(null);
            }
        }

        /// <summary>Null when it already has its end, written by another process.</summary>
        private static Dictionary<string, object> RecordOf(JournalState state, Sale sale, Verdict verdict, Answer answer)
        {
            if (verdict == Verdict.Halt)
            {
                return state.Halt != null ? null : new Dictionary<string, object> { ["Kind"] = "Halted", ["Status"] = answer.Status, ["Answer"] = answer.Text };
            }
            if (state.Find(sale.Reference)?.State != SaleState.Open) return null;
            var record = new Dictionary<string, object> { ["Kind"] = verdict == Verdict.Signed ? "Signed" : "Parked", ["Reference"] = sale.Reference };
            if (verdict == Verdict.Park) record["Status"] = answer.Status;
            record["Answer"] = answer.Text;
            return record;
        }

        private Device DeviceOf(int id) => devices.GetOrAdd(id, _ => new Device());

        private static TimeSpan Earlier(TimeSpan one, TimeSpan other) => one < other ? one : other;

        private sealed class Device
        {
            internal Backoff Backoff { get; } = new Backoff();
            internal TimeSpan WaitsUntil { get; set; }
        }
    }
}
