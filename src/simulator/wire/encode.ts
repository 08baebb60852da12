/**
 * Answers as JSON. The protocol's types carry decimals as exact text; on the wire they are numbers, so the strings in these
 * fields are written without quotes.
 */
const DECIMAL_FIELDS = new Set(['taxPercent', 'fiscalCounterTaxPercent', 'fiscalCounterValue', 'receiptTotalAmount']);

export function encodeWire(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => encodeWire(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]: [string, unknown]) => {
      const isDecimal = typeof member === 'string' && DECIMAL_FIELDS.has(name);
      return `${JSON.stringify(name)}:${isDecimal ? member : encodeWire(member)}`;
    });
  return `{${members.join(',')}}`;
}
