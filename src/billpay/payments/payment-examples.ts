/** What the reference shows and the error catalogue starts from; a test pays it. */
export const paymentExample = {
  VendorReference: 'V-000147',
  BillerCode: 'HARARE-WATER',
  MemberNumber: '10023456',
  MemberName: 'Tendai Moyo',
  Currency: 'USD',
  Amount: 10.0,
  Products: [{ Code: 'KL5', Quantity: 2, Price: 5.0 }],
  PaymentType: 'MobileWallet',
  MetaData: [{ Key: 'Meter', Value: '0142-77' }],
};

export const plainPaymentExample = {
  VendorReference: 'V-000148',
  BillerCode: 'CITY-RATES',
  MemberNumber: '88-2210',
  Currency: 'ZWG',
  Amount: 1250.5,
};

const recorded = {
  VendorReference: paymentExample.VendorReference,
  BillPayReference: 'P01KA3V2Q80X7M4B9T2HC',
  BillerCode: paymentExample.BillerCode,
  MemberNumber: paymentExample.MemberNumber,
  MemberName: paymentExample.MemberName,
  Currency: 'USD',
  Amount: 10.0,
  Fee: 0.35,
  TotalAmount: 10.35,
  Products: [{ Code: 'KL5', Name: 'Water, 5 kilolitres', Quantity: 2, Price: 5.0 }],
  PaymentType: paymentExample.PaymentType,
  MetaData: paymentExample.MetaData,
};

const noInvoice = { VendorInvoiceReference: null, VendorFiscalSignature: null, VendorFiscalMetadata: null };
const CREATED = '2026-11-15T10:00:00.000Z';
const PAID = '2026-11-15T10:00:00.004Z';

export const authorisedExample = {
  ...recorded,
  Status: 'Authorised',
  Narration: null,
  CreatedAt: CREATED,
  PaidAt: null,
  ReversedAt: null,
  ...noInvoice,
};

export const paidExample = { ...authorisedExample, Status: 'Paid', PaidAt: PAID };

export const failedExample = {
  ...authorisedExample,
  MemberNumber: 'PF-1',
  Status: 'Failed',
  Narration: 'The biller did not take the payment.',
};

export const reversedExample = { ...paidExample, Status: 'Reversed', ReversedAt: '2026-11-15T10:20:11.870Z' };

export const statusExample = {
  ...paidExample,
  VendorInvoiceReference: 'BP-7Q4M0ZK2D9XW3HT5RB81',
  VendorFiscalSignature: 'https://verify.example.com/00000010011511202600000001475D1E3A77C20B94F6',
  VendorFiscalMetadata: {
    VerificationCode: '5D1E-3A77-C20B-94F6',
    DeviceId: 1001,
    DeviceSerialNumber: 'SN-1001',
    FiscalDayNumber: 12,
    FiscalDayCounter: 31,
    GlobalCounter: 147,
  },
  Transitions: [{ From: null, To: 'Paid', At: PAID, Cause: 'accepted for the biller' }],
};
