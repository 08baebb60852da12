/** Shows the reference. Its examples get the time of now and references of their own, so that they sign when sent. */

const EXAMPLE_DATE = '2026-11-15T11:58:20+02:00';
const EXAMPLE_REFERENCE = /"(INV|CN|DN)-(\d{6})"/g;

async function readDocument() {
  const answer = await fetch('openapi.json');
  const text = await answer.text();
  const now = new Date();
  const suffix = Math.floor(now.getTime() / 1000)
    .toString(36)
    .toUpperCase();
  const fresh = text
    .replaceAll(EXAMPLE_DATE, `${now.toISOString().slice(0, 19)}Z`)
    .replaceAll(EXAMPLE_REFERENCE, `"$1-$2-${suffix}"`);
  const described = JSON.parse(fresh).servers[0].url;
  // Links and requests go to where this page came from, whatever name it was called by: another would be another origin.
  return JSON.parse(fresh.replaceAll(described, new URL('.', globalThis.location.href).href.replace(/\/$/, '')));
}

const content = await readDocument();

globalThis.Scalar.createApiReference('#reference', {
  content,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  // As on the other pages, the system decides.
  hideDarkModeToggle: true,
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'Bearer' },
  orderSchemaPropertiesBy: 'preserve',
  theme: 'default',
});
