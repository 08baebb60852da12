using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Tillseal.Till
{
    /// <summary>What every language must do alike.</summary>
    internal static class Vectors
    {
        /// <summary>Prints what failed. Whether all passed.</summary>
        internal static async Task<bool> RunAsync(string path)
        {
            var text = File.ReadAllText(path);
            var cases = path.EndsWith("outbox.sql", StringComparison.Ordinal)
                ? new List<Case> { new Case("outbox.sql", text, await TablesAsync()) }
                : ((List<object>)Members(Json.Read(text)).First(member => member.Value is List<object>).Value).Select(each => CaseOf(Path.GetFileName(path), Members(each))).ToList();
            var failed = cases.Where(each => Json.Write(each.Expected) != Json.Write(each.Got)).ToList();
            Program.Print(new { Passed = cases.Count - failed.Count, Failed = failed });
            return failed.Count == 0;
        }

        private static Case CaseOf(string file, Dictionary<string, object> each)
        {
            switch (file)
            {
                case "tax-sums.json": return new Case(each["Name"], Sums(each), Sums(Completed(each)));
                case "webhooks.json": return new Case(each["Name"], each["IsGood"], IsGenuine(each));
                case "verdicts.json":
                    var answer = new Answer((int)(decimal)each["Status"], (string)each["Body"], Headers(each));
                    var reference = (string)each["Reference"];
                    var pause = answer.IsTillsealsOn(reference) ? (int?)answer.Pause?.TotalSeconds : null;
                    return new Case(each["Name"], new[] { each["Verdict"], each["AfterSeconds"] }, new object[] { answer.VerdictOn(reference), pause });
                default: throw new ArgumentException($"unknown vectors {file}");
            }
        }

        /// <summary>The sums as values: a percentage of 15.50 is one of 15.5.</summary>
        private static string Sums(Dictionary<string, object> each) =>
            string.Join(" ", ((List<object>)each["Taxes"]).Select(Members).Select(tax => $"{Value(tax["TaxPercent"]):0.##}%{Value(tax["SalesAmountWithTax"]):0.00}/{Value(tax["TaxAmount"]):0.00}")) + $" = {Value(each["TotalAmount"]):0.00}";

        private static Dictionary<string, object> Completed(Dictionary<string, object> each)
        {
            var lines = ((List<object>)each["ReceiptLines"]).Select(Members).Select(line => new ReceiptLine { LineTotal = Value(line["LineTotal"]).Value, TaxPercent = Value(line["TaxPercent"]) });
            var receipt = new Receipt { ReceiptLinesTaxInclusive = (bool)each["ReceiptLinesTaxInclusive"], ReceiptLines = lines.ToList() };
            TaxSums.Complete(receipt);
            return Members(Json.Read(Json.Write(receipt)));
        }

        private static decimal? Value(object value) => value == null ? (decimal?)null : decimal.Parse(value.ToString(), CultureInfo.InvariantCulture);

        private static bool IsGenuine(Dictionary<string, object> each)
        {
            try
            {
                Webhook.Verify((string)each["Secret"], Headers(each), (string)each["Body"], DateTimeOffset.FromUnixTimeSeconds((long)(decimal)each["Now"]));
                return true;
            }
            catch (WebhookException) { return false; }
        }

        /// <summary>The tables of a new outbox.</summary>
        private static async Task<string> TablesAsync()
        {
            var folder = Directory.CreateDirectory(Path.Combine(Path.GetTempPath(), $"tillseal-{Guid.NewGuid()}")).FullName;
            try
            {
                var path = Path.Combine(folder, "till.outbox");
                using (var client = new Client("http://127.0.0.1", "none")) await client.OpenOutboxAsync(path, Program.Connect);
                using (var connection = Program.Connect(path))
                {
                    connection.Open();
                    return string.Concat(new Transaction(connection).Rows("select sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by rowid").Select(row => row.Text("sql") + ";\n"));
                }
            }
            finally { Directory.Delete(folder, true); }
        }

        private static Dictionary<string, string> Headers(Dictionary<string, object> each) => Members(each["Headers"]).ToDictionary(header => header.Key, header => (string)header.Value, StringComparer.OrdinalIgnoreCase);

        private static Dictionary<string, object> Members(object value) => (Dictionary<string, object>)value;

        private sealed class Case
        {
            internal Case(object name, object expected, object got)
            {
                Name = name;
                Expected = expected;
                Got = got;
            }

            public object Name { get; }
            public object Expected { get; }
            public object Got { get; }
        }
    }
}
