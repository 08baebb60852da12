using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal.Till
{
    /// <summary>Appends and compacts without sending.</summary>
    internal static class Stress
    {
        internal static async Task RunAsync(Outbox outbox, Options options)
        {
            for (var i = 1; i <= options.Number("count"); i++)
            {
                var reference = $"{options["prefix"]}-{i}";
                await SellAsync(outbox, options, reference, null);
                Program.Print(new Dictionary<string, object> { ["Reference"] = reference });
                var hourAgo = DateTimeOffset.UtcNow.AddHours(-1);
                var old = $"{options["prefix"]}-old-{i}";
                await SellAsync(outbox, options, old, hourAgo);
                await outbox.Journal.AppendAsync(
                    state => state.Find(old)?.State != SaleState.Open ? null : new Dictionary<string, object> { ["Kind"] = "Signed", ["Reference"] = old, ["Answer"] = "{}" },
                    CancellationToken.None, hourAgo);
                if (i % 10 == 0) await CompactAsync(outbox);
            }
        }

        private static Task SellAsync(Outbox outbox, Options options, string reference, DateTimeOffset? at) =>
            outbox.Journal.AppendAsync(Outbox.SaleRecord(new Receipt { Reference = reference, AuthorityDeviceId = options.Number("device") }, "{}"), CancellationToken.None, at);

        private static async Task CompactAsync(Outbox outbox)
        {
            using (var drain = outbox.Journal.TryTakeDrainLock())
            {
                if (drain != null) await outbox.Journal.CompactAsync(drain, CancellationToken.None);
            }
        }
    }
}
