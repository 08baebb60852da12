using System;
using System.Collections.Generic;

namespace Tillseal.Tests
{
    public sealed class JsonTests
    {
        public void Decimals_keep_every_digit_and_their_zeros()
        {
            foreach (var number in new[] { "12.50", "0.10", "9999999999999999.99", "-3.5", "1234567890123456789.123456", "0", "15.5" })
                Check.Same(number, Json.Write(Json.Read(number)));
            Check.Same(100m, (decimal)Json.Read("1e2"));
        }

        public void A_number_that_a_decimal_cannot_hold_is_refused_rather_than_rounded()
        {
            foreach (var number in new[] { "1.00000000000000000000000000001", "1e-40", "1e40" }) Check.Throws<FormatException>(() => Json.Read(number));
        }

        public void What_an_application_has_is_written()
        {
            Check.Same("[1,2,3,4,5,18446744073709551615,\"2026-11-16T09:30:00Z\",null,true]",
                Json.Write(new object[] { (byte)1, (short)2, 3u, 4, 5L, ulong.MaxValue, new DateTimeOffset(2026, 11, 16, 9, 30, 0, TimeSpan.Zero), null, true }));
            Check.Same("{\"A\":{\"b\":1.50},\"Small\":[]}", Json.Write(new { A = new Dictionary<string, decimal> { ["b"] = 1.50m }, Small = new List<short>(), Missing = (string)null }));
        }

        private sealed class Endless { public Endless Next => this; }

        public void What_has_no_exact_meaning_is_refused_by_its_type()
        {
            var table = new Dictionary<string, object>
            {
                ["System.Double"] = 0.1, ["System.Single"] = 0.1f, ["System.DateTime"] = DateTime.Now, ["System.Guid"] = Guid.Empty, ["System.TimeSpan"] = TimeSpan.Zero, ["System.Char"] = 'x',
                ["System.Uri"] = new Uri("http://127.0.0.1"), ["System.Int32"] = new Dictionary<int, int> { [1] = 2 }, ["Endless"] = new Endless(),
            };
            foreach (var row in table)
            {
                var words = Check.Throws<ArgumentException>(() => Json.Write(new Dictionary<string, object> { ["A"] = row.Value })).Message;
                Check.True(words.Contains(row.Key), words);
            }
        }

        public void Texts_survive_both_ways()
        {
            var text = "\"\\/\b\f\n\r\t\u0001 é 東 🧾 \u2028";
            Check.Same(text, (string)Json.Read(Json.Write(text)));
            Check.Same("A🧾", (string)Json.Read("\"\\u0041\\ud83e\\uddfe\""));
            Check.Same("\"\\ud83e\"", Json.Write("\ud83e"));
        }

        public void What_is_not_JSON_is_refused()
        {
            foreach (var text in new[] { "", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "01", "1.", ".5", "-", "+1", "nul", "\"a", "\"\n\"", "\"\\x\"", "\"\\u12\"", "1 2", "{\"a\":1,\"a\":2}", "<html>", new string('[', 100) })
                Check.Throws<FormatException>(() => Json.Read(text));
        }

        public void A_receipt_is_written_as_the_API_names_it()
        {
            var receipt = new Receipt
            {
                AuthorityDeviceId = 1001, Type = ReceiptType.CreditNote, Currency = "USD", Reference = "R-1", Date = new DateTimeOffset(2026, 11, 16, 9, 30, 0, TimeSpan.FromHours(2)),
                ReceiptLines = { new ReceiptLine { Name = "Tea", LineTotal = -1.50m } },
            };
            Check.Same("{\"AuthorityDeviceId\":1001,\"Type\":\"CreditNote\",\"Currency\":\"USD\",\"Reference\":\"R-1\",\"Date\":\"2026-11-16T09:30:00+02:00\",\"ReceiptLinesTaxInclusive\":false,"
                + "\"ReceiptLines\":[{\"Type\":\"Sale\",\"Name\":\"Tea\",\"Quantity\":1,\"LineTotal\":-1.50,\"TaxPercent\":null}],\"Payments\":[]}", Json.Write(receipt));
            Check.Same(Json.Write(receipt), Json.Write(Json.Read<Receipt>(Json.Write(receipt))));
        }

        public void A_wrong_type_is_named_by_its_path()
        {
            var error = Check.Throws<FormatException>(() => Json.Read<Receipt>("{\"ReceiptLines\":[{\"Name\":\"Tea\"},{\"LineTotal\":\"x\"}]}"));
            Check.Same("ReceiptLines[1].LineTotal cannot be read as Decimal", error.Message);
            foreach (var number in new[] { "1.5", "3000000000" }) Check.Throws<FormatException>(() => Json.Read<Receipt>($"{{\"AuthorityDeviceId\":{number}}}"));
        }
    }
}
