import { posix } from 'node:path';
import { callSnippets } from './call-snippets.ts';
import { CHAPTERS, type Guide, linkFrom, readGuide, titleOf } from './guides.ts';
import { escapeHtml, renderMarkdown } from './markdown.ts';

/** A guide as a page: no program, nothing from elsewhere. */
export function guidePage(guide: Guide, text = readGuide(guide)): string {
  const main = renderMarkdown(text, (href) => linkFrom(guide, href), callSnippets);
  return page(titleOf(guide), guide.slug, main);
}

/** The table of all guides. */
export function guidesPage(): string {
  const chapters = CHAPTERS.map(({ title, guides }) => {
    const items = guides.map(
      (guide) =>
        `<dt><a href="${guide.slug}">${escapeHtml(titleOf(guide))}</a></dt><dd>${escapeHtml(guide.about)}</dd>`,
    );
    return `<h2>${title}</h2>\n<dl class="guides">\n${items.join('\n')}\n</dl>`;
  });
  return page('Guides', 'guides', `<h1>Guides</h1>\n${chapters.join('\n')}`);
}

function page(title: string, slug: string, main: string): string {
  const to = (address: string) => posix.relative(posix.dirname(`/docs/${slug}`), address);
  const links = CHAPTERS.map(({ title: chapter, guides }) => {
    const items = guides.map((guide) => {
      const current = guide.slug === slug ? ' aria-current="page"' : '';
      return `<li><a href="${to(`/docs/${guide.slug}`)}"${current}>${escapeHtml(titleOf(guide))}</a></li>`;
    });
    return `<p class="chapter">${chapter}</p>\n<ul>${items.join('')}</ul>`;
  });
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
<a class="brand" href="${to('/docs')}"><img src="${to('/docs/icon.svg')}" alt="" width="24" height="24">Tillseal</a>
<nav aria-label="Documentation"><a href="${to('/docs')}">API reference</a><a href="${to('/docs/guides')}"${slug === 'guides' ? ' aria-current="page"' : ''}>Guides</a><a href="${to('/docs/errors')}">Errors</a><a href="${to('/openapi.json')}">OpenAPI</a></nav>
</header>
<div class="columns">
<nav class="contents" aria-label="Guides">
${links.join('\n')}
</nav>
<main class="guide">
${main}
</main>
</div>
</body>
</html>
`;
}
