using System;
using System.Diagnostics;

namespace Tillseal
{
    /// <summary>A clock that nobody sets: a till's wall clock may jump by years when it reaches the network.</summary>
    internal static class Monotonic
    {
        private static readonly Stopwatch Watch = Stopwatch.StartNew();

        internal static TimeSpan Now => Watch.Elapsed;
    }
}
