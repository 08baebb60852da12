using System;
using System.Diagnostics;

namespace Tillseal
{
    /// <summary>The time of day, which a person may set, and a monotonic time for waits and deadlines. Tests have their own clocks.</summary>
    internal class Clock
    {
        private static readonly Stopwatch Watch = Stopwatch.StartNew();

        internal virtual DateTimeOffset Now => DateTimeOffset.UtcNow;
        internal virtual TimeSpan Elapsed => Watch.Elapsed;

        internal long Seconds => Now.ToUnixTimeSeconds();
    }
}
