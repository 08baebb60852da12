import { plainText } from './print-text.ts';
import type { Party, SellerFacts } from './printed-document.ts';

/** The seller as it is stored: address and contacts as the authority sent them, JSON text. */
export interface StoredSeller {
  readonly taxpayerName: string;
  readonly tin: string;
  readonly vatNumber: string | null;
  readonly branchName: string | null;
  readonly branchAddress: string | null;
  readonly branchContacts: string | null;
}

export function sellerFacts(stored: StoredSeller): SellerFacts {
  const address = partsOf(stored.branchAddress);
  const contacts = partsOf(stored.branchContacts);
  return {
    name: stored.taxpayerName,
    tin: stored.tin,
    vatNumber: stored.vatNumber ?? undefined,
    branchName: stored.branchName ?? undefined,
    address: ['houseNo', 'street', 'city', 'province'].map((part) => address[part] ?? ''),
    email: contacts['email'],
    phone: contacts['phoneNo'],
  };
}

/** Every part may be missing or null: newer authorities need none of them. */
function partsOf(json: string | null): Readonly<Record<string, string | undefined>> {
  if (json === null) return {};
  const parts = Object.entries(JSON.parse(json) as Record<string, unknown>);
  return Object.fromEntries(parts.flatMap(([name, part]) => (typeof part === 'string' ? [[name, part]] : [])));
}

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
