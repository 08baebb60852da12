import { addressesFrom, escapeHtml, pageWithContents } from '../page/documentation-page.ts';
import { callSnippets } from './call-snippets.ts';
import { CHAPTERS, type Guide, linkFrom, readGuide, titleOf } from './guides.ts';
import { renderMarkdown } from './markdown.ts';

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
  const at = `/docs/${slug}`;
  const to = addressesFrom(at);
  const links = CHAPTERS.map(({ title: chapter, guides }) => {
    const items = guides.map((guide) => {
      const current = guide.slug === slug ? ' aria-current="page"' : '';
      return `<li><a href="${to(`/docs/${guide.slug}`)}"${current}>${escapeHtml(titleOf(guide))}</a></li>`;
    });
    return `<p class="chapter">${chapter}</p>\n<ul>${items.join('')}</ul>`;
  });
  return pageWithContents(at, title, links.join('\n'), 'Guides', `<main class="guide">\n${main}\n</main>`);
}
