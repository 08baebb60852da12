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
