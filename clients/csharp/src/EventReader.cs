using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal
{
    /// <summary>Something that happened to your receipts, days, devices, payments or billers.</summary>
    public sealed class TillsealEvent
    {
        /// <summary>Without gaps, in the order in which things happened. Store it: the next reader starts after it.</summary>
        public long Number { get; set; }
        /// <summary>For example receipt.submitted; <c>/docs</c> lists them with what their Data has.</summary>
        public string Type { get; set; }
        public DateTimeOffset At { get; set; }
        public Dictionary<string, object> Data { get; set; }
    }

    /// <summary>
    /// Reads events one after another and waits for new ones:
    /// <c>while (await events.MoveNextAsync(stop)) Handle(events.Current);</c>
    /// The names are those of IAsyncEnumerator, which came after .NET Standard 2.0.
    /// </summary>
    public sealed class EventReader
    {
        private readonly Client client;
        private readonly TimeSpan wait, timeout;
        private readonly Waits waits = new Waits();
        private Queue<TillsealEvent> read = new Queue<TillsealEvent>();
        private long last;

        internal EventReader(Client client, long after, TimeSpan wait, TimeSpan timeout)
        {
            this.client = client;
            this.wait = wait;
            this.timeout = timeout;
            last = after;
        }

        public TillsealEvent Current { get; private set; }

        /// <summary>Waits for the next event; lost connections, 429 and 5xx only make it wait longer.</summary>
        /// <returns>False when it was cancelled, or there is none and it was told not to wait.</returns>
        /// <exception cref="AccessDeniedException">The token may not read events.</exception>
        public async Task<bool> MoveNextAsync(CancellationToken cancellation)
        {
            try
            {
                while (read.Count == 0)
                {
                    if (await FetchAsync(cancellation).ConfigureAwait(false) && read.Count == 0 && Seconds == 0) return false;
                }
            }
            catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
            {
                return false;
            }
            Current = read.Dequeue();
            last = Current.Number;
            return true;
        }

        private int Seconds => (int)wait.TotalSeconds;

        /// <returns>Whether Tillseal answered.</returns>
        private async Task<bool> FetchAsync(CancellationToken cancellation)
        {
            TimeSpan pause;
            try
            {
                var request = client.Request("GET", $"/api/events?After={last}&Wait={Seconds}", null);
                var answer = await client.SendAsync(request, wait + timeout, cancellation).ConfigureAwait(false);
                if (answer.Status == 429 || answer.Status >= 500) pause = waits.Next(answer.Pause);
                else
                {
                    read = new Queue<TillsealEvent>(answer.As<Page>()?.Events ?? throw new NoAnswerException("the answer is not Tillseal's: it has no Events"));
                    waits.End();
                    return true;
                }
            }
            catch (NoAnswerException) { pause = waits.Next(null); }
            await Task.Delay(pause, cancellation).ConfigureAwait(false);
            return false;
        }

        private sealed class Page
        {
            public List<TillsealEvent> Events { get; set; }
        }
    }
}
