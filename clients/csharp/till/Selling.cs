using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading.Tasks;

namespace Tillseal.Till
{
    internal static class Selling
    {
        internal static async Task<bool> RunAsync(Outbox outbox, Options options)
        {
            var path = $"{options.Text("outbox")}.{options.Text("prefix")}.state";
            var memory = File.Exists(path) ? Json.Read<Memory>(File.ReadAllText(path)) : new Memory { Number = 1 };
            for (var number = memory.Number; number <= options.Number("sales"); number++)
            {
                // A receipt that is remembered is sold again, unchanged: whether its sale had returned is not known.
                if (number != memory.Number || memory.Receipt == null) Remember(path, memory = new Memory { Number = number, Receipt = Build(number, options) });
                if (!await SellAsync(outbox, memory.Receipt)) return false;
                if (number < options.Number("sales")) await Task.Delay(options.Number("every-ms", 0));
            }
            return true;
        }

        private static async Task<bool> SellAsync(Outbox outbox, Receipt receipt)
        {
            var line = new Dictionary<string, object> { ["Reference"] = receipt.Reference };
            try
            {
                var result = await outbox.SellAsync(receipt);
                line["Outcome"] = result.GetType().Name;
                if (result is Signed signed)
                {
                    line["Number"] = signed.Number;
                    line["ClockAheadSeconds"] = (int?)signed.ClockAhead?.TotalSeconds;
                }
                if (result is SetAside setAside) line["Status"] = setAside.Problem.Status;
            }
            catch (OutboxException error)
            {
                line["Outcome"] = "Failed";
                line["Error"] = error.Message;
            }
            Program.Print(line);
            return !line.ContainsKey("Error");
        }

        private static Receipt Build(int number, Options options)
        {
            var receipt = new Receipt
            {
                AuthorityDeviceId = options.Number("device"),
                Type = ReceiptType.FiscalInvoice,
                Currency = "USD",
                Reference = $"{options.Text("prefix")}-{number}",
                Date = DateTimeOffset.UtcNow.AddSeconds(options.Number("ahead-seconds", 0)),
                ReceiptLinesTaxInclusive = true,
                ReceiptLines =
                {
                    Line("Coffee", "0901", 15.5m, (number % 997 + 1) * 7 / 100m),
                    Line("Bread", "19059010", 0, (number % 89 + 1) / 100m),
                    Line("Stamps", "49070000", null, 0.50m),
                },
                Payments = { new Payment { Type = PaymentType.Cash } },
            };
            TaxSums.Complete(receipt);
            var refuseEvery = options.Number("refuse-every", 0);
            if (refuseEvery > 0 && number % refuseEvery == 0) receipt.TotalAmount += 0.01m;
            return receipt;
        }

        private static ReceiptLine Line(string name, string hsCode, decimal? percent, decimal price) =>
            new ReceiptLine { Type = LineType.Sale, Name = name, HsCode = hsCode, UnitPrice = price, Quantity = 1, LineTotal = price, TaxPercent = percent };

        /// <summary>What a till would keep in its database: the receipt it is selling.</summary>
        private sealed class Memory
        {
            public int Number { get; set; }
            public Receipt Receipt { get; set; }
        }

        private static void Remember(string path, Memory memory)
        {
            var bytes = Encoding.UTF8.GetBytes(Json.Write(memory));
            using (var file = new FileStream(path + ".new", FileMode.Create))
            {
                file.Write(bytes, 0, bytes.Length);
                file.Flush(true);
            }
            if (rename(path + ".new", path) != 0) throw new IOException($"{path}.new could not be renamed");
        }

        [DllImport("libc")]
        private static extern int rename(string from, string to);
    }
}
