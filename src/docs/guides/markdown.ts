import { escapeHtml } from '../page/documentation-page.ts';
/** Markdown as our own guides use it, made into HTML. Everything that is not understood is text: nothing of a guide can become a tag. */

/** Where a link of a guide leads on these pages; undefined where its target is not served. */
export type LinkOf = (href: string) => string | undefined;

export interface Snippet {
  readonly language: string;
  readonly text: readonly string[];
}

/** The same in other languages; none where there are none. */
export type AlsoIn = (curl: string) => readonly Snippet[];

export function renderMarkdown(text: string, linkOf: LinkOf, alsoIn: AlsoIn = () => []): string {
  return blocks(text.split('\n'), { linkOf, alsoIn, groups: 0 });
}

interface Rendering {
  readonly linkOf: LinkOf;
  readonly alsoIn: AlsoIn;
  /** How many groups of snippets there are so far: each needs names for its tabs. */
  groups: number;
}

const FENCE = /^```(\w*)$/;
const HEADING = /^(#{1,4}) (.+)$/;
const ITEM = /^(?:-|\d+\.) +/;
const TABLE_RULE = /^\|(?: *:?-+:? *\|)+$/;

function blocks(lines: readonly string[], rendering: Rendering): string {
  const made: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const heading = HEADING.exec(line);
    if (line.trim() === '') at += 1;
    else if (FENCE.test(line)) at = snippets(lines, at, made, rendering);
    else if (heading?.[1] && heading[2]) {
      const level = heading[1].length;
      made.push(`<h${level} id="${anchor(heading[2])}">${inline(heading[2], rendering)}</h${level}>`);
      at += 1;
    } else if (line.startsWith('|') && TABLE_RULE.test(lines[at + 1] ?? '')) {
      const end = endOf(lines, at, (row) => row.startsWith('|'));
      made.push(table(lines.slice(at, end), rendering));
      at = end;
    } else if (ITEM.test(line)) at = list(lines, at, made, rendering);
    else if (line.startsWith('    ')) {
      const end = endOf(lines, at, (row) => row.startsWith('    '));
      made.push(code(lines.slice(at, end).map((row) => row.slice(4))));
      at = end;
    } else {
      const end = endOf(
        lines,
        at,
        (row) => row.trim() !== '' && !FENCE.test(row) && !ITEM.test(row) && !HEADING.test(row),
      );
      made.push(`<p>${inline(lines.slice(at, Math.max(end, at + 1)).join('\n'), rendering)}</p>`);
      at = Math.max(end, at + 1);
    }
  }
  return made.join('\n');
}

function endOf(lines: readonly string[], start: number, belongs: (line: string) => boolean): number {
  const length = lines.slice(start).findIndex((line) => !belongs(line));
  return length < 0 ? lines.length : start + length;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript',
  js: 'JavaScript',
  php: 'PHP',
  python: 'Python',
  csharp: 'C#',
};

/** A snippet; those of several languages that follow each other are tabs. No program is needed to change between them. */
function snippets(lines: readonly string[], start: number, made: string[], rendering: Rendering): number {
  const found: Snippet[] = [];
  let at = start;
  for (let next = start; FENCE.test(lines[next] ?? ''); ) {
    const language = FENCE.exec(lines[next] ?? '')?.[1] ?? '';
    const isAnother = LANGUAGES[language] !== undefined && found.every((one) => one.language !== language);
    if (found.length > 0 && (!isAnother || LANGUAGES[found[0]?.language ?? ''] === undefined)) break;
    const end = endOf(lines, next + 1, (line) => line !== '```');
    found.push({ language, text: lines.slice(next + 1, end) });
    at = end + 1;
    next = endOf(lines, at, (line) => line.trim() === '');
  }
  const [first] = found;
  if (first?.language === 'sh' && found.length === 1) found.push(...rendering.alsoIn(first.text.join('\n')));
  made.push(found.length === 1 ? code(first?.text ?? []) : tabs(found, rendering));
  return at;
}

function tabs(found: readonly Snippet[], rendering: Rendering): string {
  rendering.groups += 1;
  const group = `snippet-${rendering.groups}`;
  const parts = found.map(({ language, text }, index) => {
    const id = `${group}-${language}`;
    const isFirst = index === 0 ? ' checked' : '';
    return `<input type="radio" name="${group}" id="${id}"${isFirst}><label for="${id}">${LANGUAGES[language]}</label>\n${code(text)}`;
  });
  return `<div class="tabs">\n${parts.join('\n')}\n</div>`;
}

function code(lines: readonly string[]): string {
  return `<pre tabindex="0"><code>${escapeHtml(lines.join('\n').trimEnd())}</code></pre>`;
}

/** What is indented below an item belongs to it, and may be anything. */
function list(lines: readonly string[], start: number, made: string[], rendering: Rendering): number {
  const isOrdered = /^\d/.test(lines[start] ?? '');
  const items: string[] = [];
  let at = start;
  while (ITEM.test(lines[at] ?? '') && /^\d/.test(lines[at] ?? '') === isOrdered) {
    const end = endOf(lines, at + 1, (line) => line.startsWith('  ') || line.trim() === '');
    const [first = '', ...rest] = lines.slice(at, end);
    const inside = [first.replace(ITEM, ''), ...rest.map((line) => line.replace(/^ {2,3}/, ''))];
    const content = blocks(inside, rendering);
    const isOneParagraph = content.startsWith('<p>') && content.indexOf('</p>') === content.length - 4;
    items.push(`<li>${isOneParagraph ? content.slice(3, -4) : content}</li>`);
    at = end;
  }
  const tag = isOrdered ? 'ol' : 'ul';
  made.push(`<${tag}>\n${items.join('\n')}\n</${tag}>`);
  return at;
}

function table([head = '', , ...rows]: readonly string[], rendering: Rendering): string {
  const cells = (row: string, tag: string) =>
    row
      .slice(1, row.trimEnd().endsWith('|') ? row.trimEnd().length - 1 : undefined)
      .split(/(?<!\\)\|/)
      .map((cell) => `<${tag}>${inline(cell.trim().replaceAll('\\|', '|'), rendering)}</${tag}>`)
      .join('');
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
  return `<div class="table" tabindex="0"><table>\n<thead><tr>${cells(head, 'th')}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}

const INLINE = /`([^`]+)`|!?\[([^\]]*)\]\(([^)\s]+)\)|\*\*([^*]+(?:\*[^*]+)*?)\*\*|\*([^*\s][^*]*)\*/g;

function inline(text: string, rendering: Rendering): string {
  let made = '';
  let last = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, codeText, linkText, href, strong, emphasis] = found;
    made += escapeHtml(text.slice(last, found.index));
    last = found.index + all.length;
    if (codeText !== undefined) made += `<code>${escapeHtml(codeText)}</code>`;
    else if (linkText !== undefined && href !== undefined) made += anchorOf(linkText, href, rendering);
    else if (strong !== undefined) made += `<strong>${inline(strong, rendering)}</strong>`;
    else made += `<em>${inline(emphasis ?? '', rendering)}</em>`;
  }
  return made + escapeHtml(text.slice(last));
}

function anchorOf(text: string, href: string, rendering: Rendering): string {
  const target = rendering.linkOf(href);
  const shown = inline(text, rendering);
  return target === undefined ? shown : `<a href="${escapeHtml(target)}">${shown}</a>`;
}

/** As GitHub names the headings of a page, so that a link works in both places. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
