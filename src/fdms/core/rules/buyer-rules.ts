import type { Receipt } from '../receipt.ts';
import type { Report } from './report.ts';
import { checkLength } from './text-rules.ts';

const E_MAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** The buyer: RCPT043, and what the authority would refuse as malformed. */
export function checkBuyer(receipt: Receipt, report: Report): void {
  const { BuyerTIN, BuyerVAT, BuyerName } = receipt;
  const hasName = BuyerName !== undefined && BuyerName.trim() !== '';
  if (BuyerTIN !== undefined && !/^\d{10}$/.test(BuyerTIN)) {
    report('BuyerTIN', 'RCPT043', 'BuyerTIN must be exactly 10 digits');
  }
  if (BuyerVAT !== undefined && !/^\d{9}$/.test(BuyerVAT)) {
    report('BuyerVAT', 'RCPT043', 'BuyerVAT must be exactly 9 digits');
  }
  if (BuyerVAT !== undefined && BuyerTIN === undefined) {
    report('BuyerTIN', 'RCPT043', 'BuyerTIN is required when BuyerVAT is given');
  }
  if ((BuyerVAT !== undefined || BuyerTIN !== undefined) && !hasName) {
    report(
      'BuyerName',
      'RCPT043',
      `BuyerName is required when ${BuyerTIN === undefined ? 'BuyerVAT' : 'BuyerTIN'} is given`,
    );
  }
  checkBuyerLength('BuyerAddress', receipt.BuyerAddress, 400, report);
  checkBuyerLength('BuyerPhone', receipt.BuyerPhone, 20, report);
  checkBuyerLength('BuyerEmail', receipt.BuyerEmail, 100, report);
  checkLength('BuyerName', BuyerName, 250, report);
  if (receipt.BuyerEmail !== undefined && receipt.BuyerEmail.length <= 100 && !E_MAIL.test(receipt.BuyerEmail)) {
    report('BuyerEmail', 'Malformed', 'BuyerEmail must be an e-mail address, such as accounts@example.com');
  }
}

function checkBuyerLength(field: string, value: string | undefined, maximum: number, report: Report): void {
  if (value !== undefined && value.length > maximum) {
    report(field, 'RCPT043', `${field} has at most ${maximum} characters, got ${value.length}`);
  }
}
