/** Everything a biller can have, to take away from. */
export const EXAMPLE_BILLER = {
  Code: 'CITYWATER',
  Name: 'City Water',
  Description: 'Water accounts of the city council',
  Enabled: true,
  Currencies: ['USD', 'ZWG'],
  Fees: [{ Currency: 'USD', Fixed: 0.5, Percent: 1.5 }],
  MemberNumberRegex: '[0-9]{8}',
  Products: [
    { Code: 'PREPAID-10', Name: 'Prepaid water, 10 m³', Enabled: true, Prices: [{ Currency: 'USD', Price: 12.5 }] },
  ],
  VendorMustInvoicePayments: false,
  InvoiceHsCode: '22011000',
  InvoiceTaxPercent: 15.5,
  InvoiceTaxInclusive: true,
  AllowFeed: true,
  TargetAmount: 250_000,
  TargetUnits: 10_000,
  TargetAchievedSinceDate: '2026-01-01T00:00:00Z',
  Connector: 'Offline',
};
