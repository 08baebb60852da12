import type { SellerFacts } from './printed-document.ts';

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
