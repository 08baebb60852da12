/**
 * The version of the API, not of the program: /api is version 1 and only grows. Raise the second number with what is
 * added, the third with what is only better described.
 */
export const API_VERSION = '1.4.0';

export const description = (publicUrl: string, productVersion: string) =>
  `
Version ${API_VERSION} of the API, as Tillseal ${productVersion} answers it: \`/api\` is version 1 and only grows.

Tillseal signs fiscal receipts and takes bill payments. Send a receipt; it is checked against every rule of the tax authority, sealed into the hash
chain of its fiscal device, and comes back with signature, counters and QR code.

**Guides**: [from zero to a signed receipt](${publicUrl}/docs/guide-zero-to-signed-receipt), [when Tillseal is away](${publicUrl}/docs/when-tillseal-is-away),
[all of them](${publicUrl}/docs/guides). The same operations as a [Postman collection](${publicUrl}/docs/postman.json).

**JSON** in PascalCase. Numbers are exact decimals of any length the fields allow: \`9999999999999999.99\` survives. Unknown
fields are refused unless they are null or empty, a decimal (\`format: decimal\`) may also be sent as text of digits (\`"12.50"\`) and is always answered as a number, and null and \`""\` mean the same as absent (except \`TaxPercent\`, where null is *exempt*).

**Errors** are problem details (RFC 9457). Programs look at \`Code\`, which is stable; people read \`detail\` and the messages in
\`errors\`, which name every field that is wrong. Each code is explained in the [error catalogue](${publicUrl}/docs/errors).

**Any address** may also answer what is not written beside it: 400 \`InvalidRequest\` when address or HTTP cannot be read, 404
\`NotFound\`, 405 \`MethodNotAllowed\`, 408 \`RequestTimeout\`, 431 \`HeadersTooLarge\`, and to an unexpected body 400
\`MalformedJson\`, 413 \`BodyTooLarge\` or 415 \`UnsupportedMediaType\`.

**Sending it again is safe.** \`Reference\` is unique per taxpayer: the same reference with the same content gives the same seal
and the header \`Idempotent-Replay: true\`. After a timeout, a cut line, 429 or any 5xx, send the same request again, not before
\`Retry-After\` where it is given.

**Limits**: bodies of 1 MiB, 2,000 lines, 50 payments and 50 taxes per receipt, and a number of requests per second and token.
`.trim();

export const TAGS = [
  { name: 'Receipts', description: 'Sign receipts and read them again.' },
  { name: 'Devices', description: 'The fiscal devices that sign.' },
  {
    name: 'Payments',
    description:
      'Bill payments, for vendors, with a token of the scope `pay` or `read`: Bearer, or Basic with `vendorCode:token`.',
  },
  { name: 'Events', description: 'What happened, in order, for taxpayers and vendors alike.' },
  {
    name: 'Administration',
    description:
      'For operators: a token of the scope `admin`, or the session of the console, whose role decides. Every change is in the audit log.',
  },
  { name: 'Operations', description: 'For the people who run the service.' },
];
