import { posix } from 'node:path';

const SECTIONS = {
  '/docs': 'API reference',
  '/docs/guides': 'Guides',
  '/docs/errors': 'Errors',
  '/openapi.json': 'OpenAPI',
};

/** An address as a page names it: relative, so that it works behind any prefix. */
export function addressesFrom(at: string): (address: string) => string {
  return (address) => posix.relative(posix.dirname(at), address) || `../${posix.basename(address)}`;
}

/** A page of the documentation at this address, with what all of them have around theirs. */
export function documentationPage(at: string, title: string, body: string): string {
  const to = addressesFrom(at);
  const links = Object.entries(SECTIONS).map(
    ([address, name]) => `<a href="${to(address)}"${address === at ? ' aria-current="page"' : ''}>${name}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Tillseal</title>
<link rel="icon" type="image/svg+xml" href="${to('/docs/icon.svg')}">
<link rel="stylesheet" href="${to('/docs/docs.css')}">
</head>
<body>
<header>
<a class="brand" href="${at === '/docs' ? './' : to('/docs')}"><img src="${to('/docs/icon.svg')}" alt="" width="24" height="24">Tillseal</a>
<nav aria-label="Documentation">${links.join('')}</nav>
</header>
${body}
</body>
</html>
`;
}

/** The same with a table of contents at the side. */
export function pageWithContents(at: string, title: string, contents: string, label: string, main: string): string {
  return documentationPage(
    at,
    title,
    `<div class="columns">
<nav class="contents" aria-label="${label}">
${contents}
</nav>
${main}
</div>`,
  );
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
