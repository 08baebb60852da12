/**
 * The currencies of ISO 4217 in which money can be paid, as of 2026 (list one; without metals, funds, units of account
 * and testing codes). ZWG replaced ZWL in 2024, XCG replaced ANG in 2025, and BGN ended with 2025.
 */
const CURRENT = new Set(
  `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP
  CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD
  IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR
  MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
  SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG
  XOF XPF YER ZAR ZMW ZWG`.split(/\s+/),
);

export function isCurrentCurrency(code: string): boolean {
  return CURRENT.has(code);
}

/** Zimbabwe Gold is ZWG in ISO 4217; many tills still say ZIG. */
export function canonicalCurrency(code: string): string {
  return code === 'ZIG' ? 'ZWG' : code;
}
