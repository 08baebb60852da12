using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Tillseal.Till
{
    /// <summary>What every language must compute alike.</summary>
    internal static class Vectors
    {
        /// <summary>Prints what failed. Whether all passed.</summary>
        internal static bool Run(string path)
        {
            var file = Members(Json.Read(File.ReadAllText(path)));
            var failed = new List<object>();
            var passed = 0;
            foreach (var each in ((List<object>)(file.ContainsKey("Cases") ? file["Cases"] : file["Vectors"])).Select(Members))
            {
                object expected, got;
                switch (Path.GetFileName(path))
                {
                    case "tax-sums.json": expected = Sums(each); got = Sums(Completed(each)); break;
                    case "webhooks.json": expected = each["IsGood"]; got = IsGenuine(each); break;
                    case "journals.json": expected = each.ContainsKey("Error") ? "an error" : each["Status"]; got = StatusOf(Convert.FromBase64String((string)each["Text"])); break;
                    default: throw new ArgumentException($"unknown vectors {path}");
                }
                if (Json.Write(expected) == Json.Write(got)) passed++;
                else failed.Add(new Dictionary<string, object> { ["Name"] = each["Name"], ["Expected"] = expected, ["Got"] = got });
            }
            Program.Print(new Dictionary<string, object> { ["Passed"] = passed, ["Failed"] = failed });
            return failed.Count == 0;
        }

        /// <summary>The sums as values: a percentage of 15.50 is one of 15.5.</summary>
        private static string Sums(Dictionary<string, object> each) =>
            string.Join(" ", ((List<object>)each["Taxes"]).Select(Members).Select(tax => $"{Value(tax["TaxPercent"]):0.##}%{Value(tax["SalesAmountWithTax"]):0.00}/{Value(tax["TaxAmount"]):0.00}")) + $" = {Value(each["TotalAmount"]):0.00}";

        private static Dictionary<string, object> Completed(Dictionary<string, object> each)
        {
            var receipt = new Receipt { ReceiptLinesTaxInclusive = (bool)each["ReceiptLinesTaxInclusive"] };
            foreach (var line in ((List<object>)each["ReceiptLines"]).Select(Members))
            {
                receipt.ReceiptLines.Add(new ReceiptLine { LineTotal = Value(line["LineTotal"]).Value, TaxPercent = Value(line["TaxPercent"]) });
            }
            TaxSums.Complete(receipt);
            return Members(Json.Read(Json.Write(receipt)));
        }

        private static decimal? Value(object value) => value == null ? (decimal?)null : decimal.Parse(value.ToString(), CultureInfo.InvariantCulture);

        private static bool IsGenuine(Dictionary<string, object> each)
        {
            var headers = Members(each["Headers"]);
            Func<string, string> header = name => headers.TryGetValue(name, out var value) ? (string)value : null;
            try
            {
                Webhook.Verify(header("webhook-id"), header("webhook-timestamp"), header("webhook-signature"), (string)each["Body"], (string)each["Secret"],
                    DateTimeOffset.FromUnixTimeSeconds((long)(decimal)each["Now"]));
                return true;
            }
            catch (WebhookException) { return false; }
        }

        private static object StatusOf(byte[] text)
        {
            var folder = Directory.CreateDirectory(Path.Combine(Path.GetTempPath(), "tillseal-" + Disk.RandomDigits())).FullName;
            var path = Path.Combine(folder, "till.journal");
            try
            {
                File.WriteAllBytes(path, text);
                return new Outbox(null, path).StatusAsync().GetAwaiter().GetResult();
            }
            catch (JournalException) { return File.ReadAllBytes(path).SequenceEqual(text) ? "an error" : "an error, and a changed file"; }
            finally { Directory.Delete(folder, true); }
        }

        private static Dictionary<string, object> Members(object value) => (Dictionary<string, object>)value;
    }
}
