/** A buyer's address in the authority's four parts. */
export interface Address {
  readonly houseNo: string;
  readonly street: string;
  readonly city: string;
  readonly province: string;
}

/**
 * Takes an address apart at commas or newlines: house number, street, city, province. One that does not come apart into
 * exactly four parts of 1 to 100 characters gives undefined: it is printed whole and not sent to the authority.
 */
export function parseBuyerAddress(text: string): Address | undefined {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length !== 4 || parts.some((part) => part.length > 100)) return undefined;
  const [houseNo, street, city, province] = parts as [string, string, string, string];
  return { houseNo, street, city, province };
}
