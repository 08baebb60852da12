using System;
using System.Collections.Generic;

namespace Tillseal
{
    /// <summary>Passes reports to the application, repeated ones only from time to time; what its function throws must not stop a till.</summary>
    internal sealed class Reporter
    {
        private readonly Action<Report> report;
        private readonly Clock clock;
        private readonly Dictionary<string, TimeSpan> quietUntil = new Dictionary<string, TimeSpan>();

        internal Reporter(Action<Report> report, Clock clock)
        {
            this.report = report ?? (each => Print(each, ""));
            this.clock = clock;
        }

        internal void Say(Report each)
        {
            try { report(each); }
            catch (Exception error) { Print(each, $" (the function for reports threw: {error.Message})"); }
        }

        /// <summary>Standard error may be a file on a full disk.</summary>
        private static void Print(Report each, string more)
        {
            try { Console.Error.WriteLine($"Tillseal outbox: {each.Kind}: {each.Message}{more}"); }
            catch (Exception) { }
        }

        /// <param name="topic">It is not reported again within that time.</param>
        internal void SayOnceIn(TimeSpan pause, string topic, Report each)
        {
            lock (quietUntil)
            {
                if (quietUntil.TryGetValue(topic, out var until) && clock.Elapsed < until) return;
                quietUntil[topic] = clock.Elapsed + pause;
            }
            Say(each);
        }
    }
}
