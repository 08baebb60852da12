import type { Biller, ConnectorName } from './biller.ts';

/** Any member, no fee, no products, no invoice, no feed and no target: what a setting is where nothing is said of it. */
export const PLAIN_BILLER: Biller & { readonly Connector: ConnectorName } = {
  Code: '',
  Name: '',
  Description: null,
  Enabled: true,
  Currencies: ['USD', 'ZWG'],
  Fees: [],
  MemberNumberRegex: null,
  Products: [],
  VendorMustInvoicePayments: false,
  InvoiceHsCode: null,
  InvoiceTaxPercent: null,
  InvoiceTaxInclusive: null,
  AllowFeed: false,
  TargetAmount: null,
  TargetUnits: null,
  TargetAchievedSinceDate: null,
  Connector: 'Offline',
};
