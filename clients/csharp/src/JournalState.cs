using System;
using System.Collections.Generic;
using System.Globalization;

namespace Tillseal
{
    internal enum SaleState { Open, Signed, Parked, Discarded }

    internal sealed class Sale
    {
        internal string Reference;
        internal int DeviceId;
        internal string Body;
        internal DateTimeOffset At;
        /// <summary>Its place among all sales of the journal.</summary>
        internal long Number;
        /// <summary>Where its line ends in the file.</summary>
        internal long End;
        internal SaleState State;
        internal DateTimeOffset ChangedAt;
        internal int Status;
        internal string Answer;

        internal bool IsFinished => State == SaleState.Signed || State == SaleState.Discarded;
    }

    /// <summary>What the records of a journal amount to: pure, without a file. The last record of a Reference decides.</summary>
    internal sealed class JournalState
    {
        private readonly Dictionary<string, Sale> sales = new Dictionary<string, Sale>(StringComparer.Ordinal);
        private long lastNumber;

        /// <summary>In the order of the sales.</summary>
        internal SortedDictionary<long, Sale> Open { get; } = new SortedDictionary<long, Sale>();
        internal SortedDictionary<long, Sale> Parked { get; } = new SortedDictionary<long, Sale>();
        internal Halt Halt { get; private set; }
        internal bool HasEndedHalts { get; private set; }

        internal IEnumerable<Sale> Sales => sales.Values;

        internal Sale Find(string reference) => sales.TryGetValue(reference, out var sale) ? sale : null;

        /// <summary>One more record, whose line lies between these places in the file.</summary>
        internal void Apply(Dictionary<string, object> record, long start, long end)
        {
            switch (Text(record, "Kind"))
            {
                case "Sale": AddSale(record, end); break;
                case "Signed": Change(record, SaleState.Signed); break;
                case "Parked": Change(record, SaleState.Parked); break;
                case "Retried": Change(record, SaleState.Open); break;
                case "Discarded": Change(record, SaleState.Discarded); break;
                case "Halted":
                    HasEndedHalts |= Halt != null;
                    Halt = new Halt(Number(record, "Status"), Text(record, "Answer")) { Start = start };
                    break;
                case "Resumed":
                    HasEndedHalts = true;
                    Halt = null;
                    break;
            }
        }

        private void AddSale(Dictionary<string, object> record, long end)
        {
            var reference = Text(record, "Reference");
            // The same sale written twice, because the lock was lost in between, is one sale; a discarded one's Reference is free.
            if (Find(reference) is Sale known && known.State != SaleState.Discarded) return;
            var sale = new Sale
            {
                Reference = reference, DeviceId = Number(record, "AuthorityDeviceId"), Body = Text(record, "Body"),
                At = Moment(record), ChangedAt = Moment(record), Number = ++lastNumber, End = end,
            };
            sales[reference] = sale;
            Open.Add(sale.Number, sale);
        }

        private void Change(Dictionary<string, object> record, SaleState state)
        {
            var sale = Find(Text(record, "Reference"));
            if (sale == null) return;
            Open.Remove(sale.Number);
            Parked.Remove(sale.Number);
            if (state == SaleState.Open) Open.Add(sale.Number, sale);
            if (state == SaleState.Parked) Parked.Add(sale.Number, sale);
            sale.State = state;
            sale.ChangedAt = Moment(record);
            sale.Status = Number(record, "Status");
            sale.Answer = Text(record, "Answer");
        }

        internal static string Text(Dictionary<string, object> record, string name) =>
            record.TryGetValue(name, out var value) && value is string text ? text : "";

        private static int Number(Dictionary<string, object> record, string name) =>
            record.TryGetValue(name, out var value) && value is decimal number ? (int)number : 0;

        private static DateTimeOffset Moment(Dictionary<string, object> record) =>
            DateTimeOffset.TryParse(Text(record, "At"), CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var at) ? at : default(DateTimeOffset);
    }
}
