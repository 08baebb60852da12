/** A buyer's address in the authority's four parts. */
export interface Address {
  readonly houseNo?: string;
  readonly street?: string;
  readonly city?: string;
  readonly province?: string;
}

/**
 * Takes an address apart at commas or newlines: house number, street, city, province; what is too much is part of the street. One of
 * less than four parts is sent only to an authority that takes it: the first of several is the house number if it looks like one. With a part
 * of more than 100 characters it gives undefined: it is printed whole and not sent.
 */
export function parseBuyerAddress(text: string, takesPartial: boolean): Address | undefined {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const hasNumber = parts.length >= 4 || (parts.length > 1 && /^\d+\s?\w?$/.test(parts[0] ?? ''));
  const [houseNo] = hasNumber ? parts.splice(0, 1) : [];
  const surplus = Math.max(1, parts.length - 2);
  const street = parts.splice(0, surplus).join(', ');
  const [city, province] = parts;
  const address: Address = {
    ...(houseNo && { houseNo }),
    ...(street && { street }),
    ...(city && { city }),
    ...(province && { province }),
  };
  const given = Object.values(address);
  const isTaken = given.length === 4 || (takesPartial && given.length > 0);
  return isTaken && given.every((part) => part.length <= 100) ? address : undefined;
}
