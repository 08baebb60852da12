import { plainText } from './print-text.ts';
import type { Party, SellerFacts } from './printed-document.ts';

/** The head of every document: name, numbers, branch where it has a name of its own, address, contacts. */
export function sellerParty(seller: SellerFacts): Party {
  const [houseNo = '', street = '', ...place] = seller.address;
  return {
    name: plainText(seller.name),
    lines: [
      `TIN: ${seller.tin}`,
      seller.vatNumber === undefined ? '' : `VAT No: ${seller.vatNumber}`,
      seller.branchName === undefined || seller.branchName === seller.name ? '' : seller.branchName,
      `${houseNo} ${street}`,
      place.filter((part) => part !== '').join(', '),
      seller.email ?? '',
      seller.phone ?? '',
    ]
      .map(plainText)
      .filter((line) => line !== ''),
  };
}
