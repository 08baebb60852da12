using System;
using System.Diagnostics;

namespace Tillseal
{
    /// <summary>The time of day, which somebody may set, and one for waits and deadlines, which nobody does. Tests have clocks of their own.</summary>
    internal class Clock
    {
        private static readonly Stopwatch Watch = Stopwatch.StartNew();

        internal virtual DateTimeOffset Now => DateTimeOffset.UtcNow;
        internal virtual TimeSpan Elapsed => Watch.Elapsed;

        internal long Seconds => Now.ToUnixTimeSeconds();
    }
}
