using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal
{
    /// <summary>Sends what is queued: each device's sales in order, the devices at the same time, so that none waits for another.</summary>
    internal sealed class Drain
    {
        private readonly Sender sender;
        private readonly OutboxFile file;
        private readonly Clock clock;
        private readonly Dictionary<long, Task> running = new Dictionary<long, Task>();
        private int signed, setAside;

        internal Drain(Sender sender, OutboxFile file, Clock clock)
        {
            this.sender = sender;
            this.file = file;
            this.clock = clock;
        }

        internal int Signed => signed;
        internal int SetAside => setAside;

        /// <summary>Starts with every device that has something queued and need not wait.</summary>
        /// <param name="isOver">Once true, no further attempt is started.</param>
        /// <returns>False when nothing is queued, or the outbox is halted.</returns>
        internal bool Start(Func<bool> isOver, CancellationToken cancellation)
        {
            var queued = file.Read(transaction => sender.IsHalted(transaction) ? new List<Row>() : transaction.Rows("select distinct device from sales where state = 'Queued'"));
            foreach (var device in queued.Select(row => row.Number("device")).Where(device => !running.ContainsKey(device) && sender.WaitsUntil(device) <= clock.Elapsed))
                running.Add(device, Task.Run(() => RunAsync(device, isOver, cancellation)));
            return queued.Count > 0;
        }

        internal async Task PauseAsync(TimeSpan pause, CancellationToken cancellation)
        {
            await Task.Delay(pause, cancellation);
            foreach (var ended in running.Where(each => each.Value.IsCompleted).ToList())
            {
                running.Remove(ended.Key);
                await ended.Value;
            }
        }

        internal Task EndAsync() => Task.WhenAll(running.Values);

        private async Task RunAsync(long device, Func<bool> isOver, CancellationToken cancellation)
        {
            do
            {
                var attempt = sender.Claim(device);
                if (attempt == null) return;
                await sender.SendAsync(attempt, Sender.GivenUpAfter, cancellation);
                if (attempt.Verdict == Verdict.Signed) Interlocked.Increment(ref signed);
                if (attempt.Verdict == Verdict.SetAside) Interlocked.Increment(ref setAside);
            } while (!isOver() && sender.WaitsUntil(device) <= clock.Elapsed);
        }
    }
}
