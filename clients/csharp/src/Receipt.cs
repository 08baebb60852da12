using System;
using System.Collections.Generic;

namespace Tillseal
{
    public enum ReceiptType { FiscalInvoice, CreditNote, DebitNote }

    public enum LineType { Sale, Discount }

    public enum PaymentType { Cash, Card, MobileWallet, Coupon, Credit, BankTransfer, Other }

    public enum PrintForm { Receipt48, InvoiceA4 }

    /// <summary>What a till sends to be signed. The names are those of the API; <c>/docs</c> of the service describes each.</summary>
    public class Receipt
    {
        /// <summary>The fiscal device that signs.</summary>
        public int AuthorityDeviceId { get; set; }
        public ReceiptType Type { get; set; }
        /// <summary>ISO 4217.</summary>
        public string Currency { get; set; }
        /// <summary>Yours, and unique: sending the same receipt again under it is safe. At most 50 characters.</summary>
        public string Reference { get; set; }
        public DateTimeOffset Date { get; set; }
        public bool ReceiptLinesTaxInclusive { get; set; }
        /// <summary>With all taxes. <see cref="TaxSums.Complete"/> fills it in.</summary>
        public decimal? TotalAmount { get; set; }
        public List<ReceiptLine> ReceiptLines { get; set; } = new List<ReceiptLine>();
        public List<Payment> Payments { get; set; } = new List<Payment>();
        /// <summary>One entry for each percentage on the lines. <see cref="TaxSums.Complete"/> fills it in.</summary>
        public List<Tax> Taxes { get; set; }
        /// <summary>Credit and debit notes: the invoice they refer to.</summary>
        public string OriginalReference { get; set; }
        /// <summary>This and the next two: only when the original was not sealed by Tillseal.</summary>
        public int? OriginalFiscalDayNumber { get; set; }
        public int? OriginalGlobalCounter { get; set; }
        public int? OriginalAuthorityDeviceId { get; set; }
        /// <summary>Credit and debit notes: the reason.</summary>
        public string Notes { get; set; }
        public PrintForm? ReceiptPrintForm { get; set; }
        public string BuyerTIN { get; set; }
        public string BuyerVAT { get; set; }
        public string BuyerName { get; set; }
        public string BuyerAddress { get; set; }
        public string BuyerPhone { get; set; }
        public string BuyerEmail { get; set; }
        public string Cashier { get; set; }
    }

    public class ReceiptLine
    {
        public LineType Type { get; set; }
        public string Name { get; set; }
        /// <summary>4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt.</summary>
        public string HsCode { get; set; }
        /// <summary>If given, LineTotal = UnitPrice × Quantity exactly.</summary>
        public decimal? UnitPrice { get; set; }
        public decimal Quantity { get; set; } = 1;
        public decimal? LineTotal { get; set; }
        /// <summary>15.5 for 15.5 %. Null means exempt, which is not 0.</summary>
        [WrittenWhenNull]
        public decimal? TaxPercent { get; set; }
    }

    public class Payment
    {
        public PaymentType Type { get; set; }
        /// <summary>May be null where the receipt has only this payment and is completed first.</summary>
        public decimal? Amount { get; set; }
    }

    public class Tax
    {
        [WrittenWhenNull]
        public decimal? TaxPercent { get; set; }
        public decimal SalesAmountWithTax { get; set; }
        public decimal TaxAmount { get; set; }
    }

    /// <summary>The receipt as it was sealed, with its seal. Print VerificationCode and QrCodeContent on it.</summary>
    public class SignedReceipt : Receipt
    {
        public string DeviceSignature { get; set; }
        public string DeviceHash { get; set; }
        public string DeviceSerialNumber { get; set; }
        public int FiscalDayNumber { get; set; }
        public int FiscalDayCounter { get; set; }
        public int GlobalCounter { get; set; }
        public string VerificationCode { get; set; }
        public string QrCodeContent { get; set; }
        /// <summary>Pending, Submitted, Refused or Undeliverable. The seal is valid in any of them.</summary>
        public string SubmissionState { get; set; }
        public string SubmissionFailed { get; set; }
        public string SubmissionError { get; set; }
        /// <summary>The authority's. With a Red one, do not treat the receipt as simply accepted.</summary>
        public List<Remark> Remarks { get; set; } = new List<Remark>();
        /// <summary>It was sealed before: this is the stored seal.</summary>
        [NotInJson]
        public bool IsReplay { get; internal set; }
        /// <summary>By how many seconds the date was moved to be later than the device's receipt before it; null: not at all.</summary>
        [WrittenWhenNull]
        public int? DateAdvanced { get; set; }
        /// <summary>Fields of the buyer that are printed and not sent to the authority; null: everything is sent.</summary>
        public List<string> NotSent { get; set; }

        /// <summary>What cannot be read, such as a word newer than this client, is left out, so that the rest of the seal can be printed.</summary>
        internal static SignedReceipt Of(string answer) => (SignedReceipt)JsonBinder.Bind(Json.TryReadObject(answer), typeof(SignedReceipt), "", isLenient: true);
    }

    public class Remark
    {
        public string Code { get; set; }
        public string Colour { get; set; }
        public string Message { get; set; }
    }
}
