using System;
using System.Collections.Generic;
using System.Linq;

namespace Tillseal
{
    /// <summary>
    /// The sums that Tillseal and the authority expect, exact, without asking either: tax is computed once per percentage on the sum
    /// of its lines, and rounded once, to 2 decimals, half to even.
    /// </summary>
    public static class TaxSums
    {
        /// <summary>One entry for each percentage, in the order in which the lines first have it.</summary>
        public static List<Tax> Of(IEnumerable<ReceiptLine> lines, bool isTaxInclusive) =>
            lines.GroupBy(line => line.TaxPercent).Select(group => Entry(group.Key, group.Sum(line => line.LineTotal ?? throw new ArgumentException($"{line.Name} needs its LineTotal")), isTaxInclusive)).ToList();

        /// <summary>Fills in Taxes and TotalAmount, and the amount of a single payment that has none.</summary>
        public static void Complete(Receipt receipt)
        {
            receipt.Taxes = Of(receipt.ReceiptLines, receipt.ReceiptLinesTaxInclusive);
            receipt.TotalAmount = receipt.Taxes.Sum(tax => tax.SalesAmountWithTax);
            if (receipt.Payments.Count == 1 && receipt.Payments[0].Amount == null) receipt.Payments[0].Amount = receipt.TotalAmount;
        }

        private static Tax Entry(decimal? percent, decimal sum, bool isTaxInclusive)
        {
            // Exempt and 0 % carry no tax. A decimal's 28 digits leave at least 9 behind the point of any amount that may be signed: far
            // more than it takes to tell a quotient by such a percentage from a half.
            var rate = (percent ?? 0) / 100;
            var tax = isTaxInclusive ? sum - Round(sum / (1 + rate)) : Round(sum * rate);
            return new Tax { TaxPercent = percent, TaxAmount = tax, SalesAmountWithTax = isTaxInclusive ? sum : sum + tax };
        }

        private static decimal Round(decimal amount) => Math.Round(amount, 2, MidpointRounding.ToEven);
    }
}
