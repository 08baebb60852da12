/** What the reference shows of payments and the error catalogue starts from; a test pays them. */
export const paymentExamples = {
  products: {
    VendorReference: 'V-000147',
    BillerCode: 'HARARE-WATER',
    MemberNumber: '10023456',
    MemberName: 'Tendai Moyo',
    Currency: 'USD',
    Amount: 10,
    Products: [{ Code: 'KL5', Quantity: 2, Price: 5 }],
    PaymentType: 'MobileWallet',
    MetaData: [{ Key: 'Meter', Value: '0142-77' }],
  },
  plain: {
    VendorReference: 'V-000148',
    BillerCode: 'CITY-RATES',
    MemberNumber: '88-2210',
    Currency: 'ZWG',
    Amount: 1250.5,
  },
} as const;

const PAID_AT = '2026-11-15T10:00:00.004Z';
const REVERSED_AT = '2026-11-15T10:20:11.870Z';

export const paidExample = {
  ...paymentExamples.products,
  BillPayReference: 'P01KA3V2Q80X7M4B9T2HC',
  Fee: 0.35,
  TotalAmount: 10.35,
  Products: [{ Code: 'KL5', Name: 'Water, 5 kilolitres', Quantity: 2, Price: 5 }],
  Status: 'Paid',
  Narration: null,
  CreatedAt: '2026-11-15T10:00:00.000Z',
  PaidAt: PAID_AT,
  ReversedAt: null,
  VendorInvoiceReference: null,
  VendorFiscalSignature: null,
  VendorFiscalMetadata: null,
};

export const failedExample = {
  ...paidExample,
  MemberNumber: 'PF-1',
  Status: 'Failed',
  Narration: 'The biller did not take the payment.',
  PaidAt: null,
};

export const reversedExample = { ...paidExample, Status: 'Reversed', ReversedAt: REVERSED_AT };

const paidTransition = { From: null, To: 'Paid', At: PAID_AT, Cause: 'accepted for the biller' };

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
  Transitions: [paidTransition],
};

const REASON = 'Confirmed by telephone, receipt 55121';

export const settledExample = {
  ...paidExample,
  Narration: REASON,
  Transitions: [
    { From: null, To: 'BeingPaid', At: '2026-11-15T10:00:00.000Z', Cause: 'the biller is asked to take it' },
    { From: 'BeingPaid', To: 'Flagged', At: '2026-11-15T10:00:00.212Z', Cause: 'the biller answered' },
    { From: 'Flagged', To: 'Paid', At: REVERSED_AT, Cause: `settled by hand: ${REASON}` },
  ],
};

export const takenBackExample = {
  ...reversedExample,
  Transitions: [paidTransition, { From: 'Paid', To: 'Reversed', At: REVERSED_AT, Cause: 'taken back: Paid twice' }],
};
