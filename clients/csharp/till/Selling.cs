using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Threading.Tasks;

namespace Tillseal.Till
{
    internal static class Selling
    {
        internal static async Task<bool> RunAsync(Outbox outbox, Options options)
        {
            outbox.Deadline = TimeSpan.FromMilliseconds(options.Number("deadline-ms", 5000));
            var memory = new Memory($"{options["journal"]}.{options["prefix"]}.state");
            for (var number = memory.Number ?? 1; number <= options.Number("sales"); number++)
            {
                // A receipt that is remembered is sold again, unchanged: whether its sale had returned is not known.
                var receipt = number == memory.Number ? memory.Receipt : Build(number, options);
                if (number != memory.Number) memory.Remember(number, receipt);
                if (!await SellAsync(outbox, receipt)) return false;
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
                if (result is Signed signed) line["GlobalCounter"] = signed.Receipt.GlobalCounter;
                if (result is Refused refused) line["Status"] = refused.Problem.Status;
            }
            catch (JournalException error)
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
                Reference = $"{options["prefix"]}-{number}",
                Date = DateTimeOffset.UtcNow,
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
            private readonly string path;

            internal Memory(string path)
            {
                this.path = path;
                if (!File.Exists(path)) return;
                var stored = Json.Read<Stored>(File.ReadAllText(path));
                Number = stored.Number;
                Receipt = stored.Receipt;
            }

            internal int? Number { get; private set; }
            internal Receipt Receipt { get; private set; }

            internal void Remember(int number, Receipt receipt)
            {
                var bytes = Encoding.UTF8.GetBytes(Json.Write(new Stored { Number = number, Receipt = receipt }));
                Disk.Replace(path, file => file.Write(bytes, 0, bytes.Length), () => true);
            }

            private sealed class Stored
            {
                public int Number { get; set; }
                public Receipt Receipt { get; set; }
            }
        }
    }
}
