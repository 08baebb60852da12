using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Tillseal.Till
{
    /// <summary>Does what it is told line by line, and says what came of it.</summary>
    internal static class Script
    {
        private sealed class Told
        {
            public string Do { get; set; }
            public string Outbox { get; set; }
            public decimal Seconds { get; set; }
            public Receipt Receipt { get; set; }
            public string Reference { get; set; }
        }

        internal static async Task RunAsync(Client client)
        {
            Outbox outbox = null;
            for (var line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine())
            {
                var told = Json.Read<Told>(line);
                try
                {
                    if (told.Do == "open") outbox = await client.OpenOutboxAsync(told.Outbox, Program.Connect, report: one => Say("Report", $"{one.Kind} {one.Reference}"));
                    Say("Result", told.Do == "open" ? null : await DoAsync(outbox, told));
                }
                catch (OutboxException error) { Say("Error", error.Message); }
            }
        }

        private static async Task<object> DoAsync(Outbox outbox, Told told)
        {
            var within = TimeSpan.FromSeconds((double)told.Seconds);
            switch (told.Do)
            {
                case "sell": return Said(await outbox.SellAsync(told.Receipt, within));
                case "drain":
                    var drained = await outbox.DrainAsync(within: within);
                    return Line(("Signed", drained.Signed), ("SetAside", drained.SetAside), ("Status", Said(drained.Status)));
                case "status": return Said(await outbox.StatusAsync());
                case "find": return Said(await outbox.FindAsync(told.Reference));
                case "retry": await outbox.RetryAsync(told.Reference); return null;
                case "discard": await outbox.DiscardAsync(told.Reference); return null;
                default: await outbox.ResumeAsync(); return null;
            }
        }

        private static object Said(SellResult sold)
        {
            if (sold is Signed signed) return Line(("Reference", sold.Reference), ("Outcome", "Signed"), ("Number", signed.Number), ("ClockAheadSeconds", (int?)signed.ClockAhead?.TotalSeconds), ("HasReceipt", signed.Receipt != null));
            if (sold is SetAside aside) return Line(("Reference", sold.Reference), ("Outcome", "SetAside"), ("Status", aside.Problem.Status), ("Codes", aside.Problem.Errors.Select(error => error.Code)));
            return Line(("Reference", sold.Reference), ("Outcome", "Queued"), ("LastFailure", ((Queued)sold).LastFailure?.Message));
        }

        private static object Said(OutboxStatus status) =>
            Line(("Queued", status.Queued), ("LastFailure", status.LastFailure?.Message), ("SetAside", status.SetAside.Select(sale => $"{sale.Reference} {sale.Problem.Status}")), ("Halted", status.Halted?.Problem.Status));

        private static object Said(FoundSale sale) => sale == null ? null :
            Line(("Reference", sale.Reference), ("State", sale.State), ("Attempts", sale.Attempts), ("Number", sale.Number), ("HasReceipt", sale.Receipt != null), ("Status", sale.Problem?.Status), ("LastFailure", sale.LastFailure?.Message));

        /// <summary>What is null is written, too.</summary>
        private static Dictionary<string, object> Line(params (string Name, object Value)[] parts) => parts.ToDictionary(part => part.Name, part => part.Value);

        private static void Say(string word, object what) => Program.Print(new Dictionary<string, object> { [word] = what });
    }
}
