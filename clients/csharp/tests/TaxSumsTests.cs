using System.Linq;

namespace Tillseal.Tests
{
    public sealed class TaxSumsTests
    {
        private static string Sums(bool isTaxInclusive, params ReceiptLine[] lines) =>
            string.Join(" ", TaxSums.Of(lines, isTaxInclusive).Select(tax => $"{tax.TaxPercent}:{tax.SalesAmountWithTax}/{tax.TaxAmount}"));

        private static ReceiptLine Line(decimal? percent, decimal total) => new ReceiptLine { TaxPercent = percent, LineTotal = total };

        public void Tax_is_rounded_once_per_percentage_half_to_even()
        {
            Check.Same("15.5:3.50/0.47 0:2.00/0.00 :0.50/0.00", Sums(true, Line(15.5m, 1.75m), Line(0, 2.00m), Line(null, 0.50m), Line(15.5m, 1.75m)));
            // 0.5 and 1.5 cents: to the even one.
            Check.Same("5:0.10/0.00", Sums(false, Line(5, 0.10m)));
            Check.Same("5:0.32/0.02", Sums(false, Line(5, 0.30m)));
        }

        public void The_largest_amount_is_exact() =>
            Check.Same("15.5:99999999999999999.99/13419913419913419.91", Sums(true, Line(15.5m, 99999999999999999.99m)));

        public void Completing_fills_in_a_single_payment_and_leaves_others_alone()
        {
            var receipt = new Receipt { ReceiptLines = { Line(15.5m, 100m) }, Payments = { new Payment() } };
            TaxSums.Complete(receipt);
            Check.Same(115.50m, receipt.TotalAmount);
            Check.Same(115.50m, receipt.Payments[0].Amount);
            var paid = new Receipt { ReceiptLines = { Line(0, 10m) }, Payments = { new Payment { Amount = 4 }, new Payment { Amount = 6 } } };
            TaxSums.Complete(paid);
            Check.Same("4 6", string.Join(" ", paid.Payments.Select(payment => payment.Amount)));
        }
    }
}
