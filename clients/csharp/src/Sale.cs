using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

namespace Tillseal
{
    /// <summary>A receipt in the outbox, with its row.</summary>
    internal sealed class Sale
    {
        internal Sale(Receipt receipt)
        {
            Reference = receipt.Reference;
            Device = receipt.AuthorityDeviceId;
            Body = Json.Write(receipt);
            using (var sha = SHA256.Create()) BodySha256 = string.Concat(sha.ComputeHash(Encoding.UTF8.GetBytes(Body)).Select(each => each.ToString("x2")));
        }

        internal string Reference { get; }
        internal long Device { get; }
        internal string Body { get; }
        internal string BodySha256 { get; }

        internal static Row Find(Transaction transaction, string reference) => transaction.Row("select * from sales where reference = @1", reference);

        internal static Row FirstQueued(Transaction transaction, long device) =>
            transaction.Row("select * from sales where device = @1 and state = 'Queued' order by place limit 1", device);

        /// <summary>The queued sale that failed last, of one device or of all; null if none did.</summary>
        internal static Row LastFailed(Transaction transaction, long? device = null) =>
            transaction.Row("select * from sales where device = coalesce(@1, device) and state = 'Queued' and failure is not null order by failed_at desc, place limit 1", device);

        /// <summary>Null unless Tillseal's last answer was a problem that is still there.</summary>
        internal static ProblemException Problem(Row row) =>
            row.Text("answer") is string answer && row.Number("status") != 200 ? ProblemException.For((int)row.Number("status"), answer) : null;

        internal static LastFailure LastFailure(Row row) =>
            row?.Text("failure") is string failure ? new LastFailure { At = row.Time("failed_at").Value, Since = row.Time("failing_since").Value, Message = failure } : null;

        internal static Signed Signed(Row row, string answer) =>
            new Signed(row.Text("reference"), answer)
            {
                Number = row.NumberOrNull("number"),
                ClockAhead = row.NumberOrNull("clock_ahead") is long seconds ? TimeSpan.FromSeconds(seconds) : (TimeSpan?)null,
            };

        internal static string StateInWords(Row row)
        {
            switch (row.Text("state"))
            {
                case "Signed": return row.NumberOrNull("number") is long number ? $"signed as number {number}" : "signed";
                case "SetAside": return "set aside";
                default: return row.Text("state").ToLowerInvariant();
            }
        }
    }
}
