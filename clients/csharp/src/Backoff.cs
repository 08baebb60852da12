using System;

namespace Tillseal
{
    /// <summary>How long to wait before the next attempt: as told, or 1 s, 2 s, 4 s … at most 60 s, with up to a fifth more at random.</summary>
    internal sealed class Backoff
    {
        private static readonly Random Random = new Random();
        private int attempts;

        internal TimeSpan Next(TimeSpan? told)
        {
            var seconds = told?.TotalSeconds ?? Math.Min(60, Math.Pow(2, Math.Min(attempts, 6)));
            attempts++;
            lock (Random) return TimeSpan.FromSeconds(told == null ? seconds * (1 + Random.NextDouble() / 5) : seconds);
        }

        internal void Reset() => attempts = 0;
    }
}
