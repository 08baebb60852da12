import { CHAPTERS, titleOf } from './guides.ts';

/** The page for language models (llmstxt.org): what this is, and where to read on, as Markdown. */
export function llmsText(publicUrl: string): string {
  const link = (path: string, title: string, about: string) => `- [${title}](${publicUrl}${path}): ${about}`;
  const chapters = CHAPTERS.map(({ title, guides }) =>
    [`## ${title}`, '', ...guides.map((guide) => link(`/docs/${guide.slug}.md`, titleOf(guide), guide.about))].join(
      '\n',
    ),
  );
  return `# Tillseal

> Signs fiscal receipts for Zimbabwe's tax authority (ZIMRA, FDMS 7.2) and takes bill payments, over HTTP with JSON. A receipt is checked against every rule, sealed into the hash chain of its fiscal device and answered with signature, counters and QR code.

What to know before writing code against it:

- \`Reference\` is unique per taxpayer. Store the request before sending it; after a timeout, 429 or 5xx send exactly the same request again. Never build it anew with another date or reference.
- Amounts are exact decimals: send numbers with at most two decimals, or text of digits (\`"12.50"\`). Never compute them with binary floats.
- Tax is rounded once per percentage, half to even. \`POST /api/receipt/calculate\` computes it; \`POST /api/receipt/check\` checks a receipt without signing it.
- \`TaxPercent\` must be present on every line; null means exempt, which is not 0.
- Errors are problem details with a stable \`Code\` and an \`errors\` list that names every wrong field. \`Then\` says what to do: \`Again\`, send the same later; \`SetAside\`, a person must change it; \`Stop\`, nothing of this token will pass. Every code is explained at ${publicUrl}/docs/errors.

## Reference

${[
  link('/openapi.json', 'OpenAPI 3.1', 'every operation with schemas and examples'),
  link('/docs/postman.json', 'Postman collection', 'the same operations, ready to be sent'),
  link('/docs/errors', 'Errors', 'every code, its cause and its fix'),
].join('\n')}

${chapters.join('\n\n')}
`;
}
