import { isProblemCode, PROBLEMS, problemDocument, thenOfCode } from '../../contract/shared/problem.ts';
import { escapeHtml, pageWithContents } from '../page/documentation-page.ts';
import { CHAPTERS, type ErrorCode } from './catalogue.ts';
import type { ErrorEntry, FieldExample, ProblemExample } from './entry.ts';

/** The catalogue as a page: no script, nothing from elsewhere, one anchor per code. */
export function errorsPage(): string {
  const chapters = entriesOf(CHAPTERS);
  const contents = chapters.map(
    ({ chapter, codes }) =>
      `<p class="chapter">${text(chapter.title)}</p>\n<ul>${codes.map(([code]) => link(code)).join('')}</ul>`,
  );
  const sections = chapters.map(
    ({ chapter, codes }) => `<section>
<h2>${text(chapter.title)}</h2>
<p class="about">${text(chapter.about)}</p>
${codes.map(([code, entry]) => article(code, entry)).join('\n')}
</section>`,
  );
  const main = `<main>
<h1>Error catalogue</h1>
<p class="lead">Every code the API answers with: what it means, how one gets there, and what to do. A refusal is
<a href="https://www.rfc-editor.org/rfc/rfc9457">problem details</a>; its <code>type</code> leads here. Codes are stable,
messages are for people and may get better. Its <code>Then</code> says what to do with the request: <code>Again</code>, send the same later;
<code>SetAside</code>, a person must change it; <code>Stop</code>, nothing of this token will pass.</p>
<details class="codes"><summary>All codes</summary><ul>${chapters
    .flatMap(({ codes }) => codes.map(([code]) => link(code)))
    .join('')}</ul></details>
${sections.join('\n')}
</main>`;
  return pageWithContents('/docs/errors', 'Error catalogue', contents.join('\n'), 'Codes', main);
}

function entriesOf(chapters: typeof CHAPTERS) {
  return chapters.map((chapter) => ({
    chapter,
    codes: Object.entries(chapter.entries as Partial<Record<ErrorCode, ErrorEntry>>) as [ErrorCode, ErrorEntry][],
  }));
}

function link(code: ErrorCode): string {
  return `<li><a href="#${code}">${code}</a></li>`;
}

function article(code: ErrorCode, entry: ErrorEntry): string {
  const { sentLabel, sent, answer } = exampleText(code, entry);
  return `<article id="${code}" aria-labelledby="${code}-title">
<h3 class="code" id="${code}-title"><a href="#${code}">${code}</a><span class="status s${String(statusOf(code))[0]}">${statusOf(code)}</span><span class="then">${thenOfCode(code)}</span></h3>
<p class="meaning">${text(entry.meaning)}</p>
<dl><dt>Cause</dt><dd>${text(entry.cause)}</dd><dt>Fix</dt><dd>${text(entry.fix)}</dd></dl>
<div class="example ${entry.example.kind}"><div><h4>${text(sentLabel)}</h4><pre tabindex="0">${escapeHtml(sent)}</pre></div>
<div><h4>Answer</h4><pre tabindex="0">${escapeHtml(answer)}</pre></div></div>
</article>`;
}

/** Words with code in backticks. */
function text(words: string): string {
  return escapeHtml(words).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** The example of an entry as texts: what was sent, and what came back. */
interface ExampleText {
  readonly sentLabel: string;
  readonly sent: string;
  readonly answer: string;
}

function exampleText(code: ErrorCode, { example }: ErrorEntry): ExampleText {
  return example.kind === 'problem' ? problemText(code, example) : fieldText(code, example);
}

function statusOf(code: ErrorCode): number {
  return isProblemCode(code) ? PROBLEMS[code].status : 400;
}

function problemText(code: ErrorCode, example: ProblemExample): ExampleText {
  if (!isProblemCode(code)) throw new Error(`${code} is of one field, so its example is no problem`);
  const answer = problemDocument({ ...example, code }, '…', '…');
  return { sentLabel: 'Request', sent: example.request, answer: JSON.stringify(answer, null, 2) };
}

const SENT_WITH = {
  invoice: 'an invoice',
  'credit note': 'a credit note',
  payment: 'a bill payment',
  biller: 'a biller',
  vendor: 'a vendor',
};

function fieldText(code: ErrorCode, example: FieldExample): ExampleText {
  const lines = Object.entries(example.sent).map(([path, value]) => `${path}: ${valueText(value)}`);
  const given = example.given === undefined ? [] : [`(${example.given})`];
  const item = { Field: example.field, Code: code, Message: example.message };
  return {
    sentLabel: `Sent with ${SENT_WITH[example.on ?? 'invoice']}`,
    sent: [...given, ...lines].join('\n'),
    answer: JSON.stringify(item, null, 2),
  };
}

function valueText(value: unknown): string {
  if (value === undefined) return '(left out)';
  if (Array.isArray(value) && value.length > 5) return `[ … ${value.length} entries ]`;
  return JSON.stringify(value);
}
