using System;

namespace Tillseal
{
    /// <summary>How long to wait after a failure: as told, or 1 s, 2 s, 4 s … at most 60 s, with up to a fifth more at random.</summary>
    internal sealed class Waits
    {
        private static readonly Random Chance = new Random();
        private int failures;

        /// <summary>Until when, as <see cref="Clock.Elapsed"/> counts.</summary>
        internal TimeSpan Until { get; private set; }

        internal void Fail(TimeSpan now, TimeSpan? told) => Until = now + Next(told);

        internal TimeSpan Next(TimeSpan? told)
        {
            var seconds = told?.TotalSeconds ?? Math.Min(60, Math.Pow(2, Math.Min(failures, 6)));
            failures++;
            return TimeSpan.FromSeconds(seconds * (1 + Random(1000) / 5000.0));
        }

        internal void End()
        {
            failures = 0;
            Until = TimeSpan.Zero;
        }

        internal static int Random(int below)
        {
            lock (Chance) return Chance.Next(below);
        }
    }
}
