import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { callSnippets } from './call-snippets.ts';
import { guidePage, guidesPage } from './guide-page.ts';
import { GUIDES, llmsText } from './guides.ts';
import { anchor, renderMarkdown } from './markdown.ts';

const render = (text: string) => renderMarkdown(text, (href) => (href === 'gone.md' ? undefined : href));

test.each([
  ['a paragraph\nof two lines', '<p>a paragraph\nof two lines</p>'],
  ['## Tax sums & more', '<h2 id="tax-sums--more">Tax sums &amp; more</h2>'],
  ['**bold `code`** and *more*', '<p><strong>bold <code>code</code></strong> and <em>more</em></p>'],
  ['`a*b*c` <b>', '<p><code>a*b*c</code> &lt;b&gt;</p>'],
  ['[here](x.md) and [there](gone.md)', '<p><a href="x.md">here</a> and there</p>'],
  ['- one\n  more\n- two', '<ul>\n<li>one\nmore</li>\n<li>two</li>\n</ul>'],
  ['1. one\n\n   - inner\n2. two', '<ol>\n<li><p>one</p>\n<ul>\n<li>inner</li>\n</ul></li>\n<li>two</li>\n</ol>'],
  ['    a < b', '<pre tabindex="0"><code>a &lt; b</code></pre>'],
  ['```json\n{}\n```', '<pre tabindex="0"><code>{}</code></pre>'],
])('%j is shown as %j', (markdown, html) => {
  expect(render(markdown)).toBe(html);
});

test('a table has its cells, and a bar in a cell', () => {
  expect(render('| a | b |\n|---|---|\n| `x\\|y` | 2 |')).toContain('<tr><td><code>x|y</code></td><td>2</td></tr>');
});

test('snippets of several languages are tabs, of which one shows; two of one language are two snippets', () => {
  const html = render('```sh\ncurl\n```\n\n```python\nprint()\n```\n\n```sh\nagain\n```');
  expect(html.match(/<input type="radio" name="snippet-1"/g)).toHaveLength(2);
  expect(html.match(/ checked>/g)).toHaveLength(1);
  expect(html).toContain('<label for="snippet-1-python">Python</label>');
  expect(html).toMatch(/<\/div>\n<pre tabindex="0"><code>again/);
});

const PAY = `curl "$URL/api/payment/pay" -H 'Authorization: Bearer tsv_…' \\\n  -d '{"Member":"O_1","Amount":5.50,"Products":[{"Quantity":2}]}'`;

test.each([
  [
    'curl "$URL/api/payment/feed?billercode=A&currency=USD"',
    'ts',
    "await client.call('GET', '/api/payment/feed', { query: { billercode: 'A', currency: 'USD' } });",
  ],
  [
    'curl -o x.pdf "$URL/api/receipt/INV-42/print?form=InvoiceA4"',
    'ts',
    "await client.call('GET', '/api/receipt/:reference/print', { params: { reference: 'INV-42' }, query: { form: 'InvoiceA4' } });",
  ],
  [
    PAY,
    'ts',
    "await client.call('POST', '/api/payment/pay', { body: { Member: 'O_1', Amount: '5.5', Products: [{ Quantity: '2' }] } });",
  ],
  [
    PAY,
    'php',
    "$client->call('POST', '/api/payment/pay', body: ['Member' => 'O_1', 'Amount' => '5.5', 'Products' => [['Quantity' => '2']]]);",
  ],
  [
    PAY,
    'python',
    'client.call("POST", "/api/payment/pay", body={"Member": "O_1", "Amount": Decimal("5.5"), "Products": [{"Quantity": Decimal("2")}]})',
  ],
  [
    PAY,
    'csharp',
    'await client.CallAsync<object>("POST", "/api/payment/pay", new Dictionary<string, object> { ["Member"] = "O_1", ["Amount"] = 5.5m, ["Products"] = new object[] { new Dictionary<string, object> { ["Quantity"] = 2m } } });',
  ],
])('a call with curl is also shown with the clients: %s in %s', (curl, language, expected) => {
  const snippet = callSnippets(curl).find((one) => one.language === language);
  expect(snippet?.text.join('')).toContain(expected);
});

test('what is not one call of the API is shown as it is', () => {
  for (const curl of [
    'npx tillseal',
    'curl "$CONTROL_URL/faults"',
    'curl "$URL/api/admin/tokens"',
    'curl "$URL/api/receipt" -d @x',
  ])
    expect(callSnippets(curl), curl).toEqual([]);
});

/** Its ids, and where its links lead to. */
function linksOf(slug: string, html: string) {
  const main = html.slice(html.indexOf('<main'));
  const ids = new Set([...main.matchAll(/ id="([^"]+)"/g)].map((found) => found[1]));
  const targets = [...main.matchAll(/<a href="([^"]+)"/g)].map((found) => found[1] ?? '');
  return { ids, targets: targets.filter((href) => !href.startsWith('http')).map((href) => resolve(slug, href)) };
}

function resolve(slug: string, href: string): { readonly page: string; readonly hash: string | undefined } {
  const [path = '', hash] = href.split('#');
  return { page: path === '' ? slug : posix.join(posix.dirname(slug), path), hash };
}

test('every guide of the repository is served', () => {
  const files = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /^(operations\/)?[a-z-]+\.md$/.test(path));
  expect(GUIDES.map(({ slug }) => `${slug}.md`)).toEqual(expect.arrayContaining(files));
  for (const { slug, about } of GUIDES) expect(about, slug).not.toBe('');
});

test('every link of a guide leads to a page that is served, and to a heading that is there', () => {
  const pages = new Map(GUIDES.map((guide) => [guide.slug, linksOf(guide.slug, guidePage(guide))]));
  for (const [slug, { targets }] of pages) {
    for (const { page, hash } of targets) {
      const ids = pages.get(page)?.ids;
      expect(ids !== undefined || page === 'errors', `${slug} links to ${page}`).toBe(true);
      if (ids && hash !== undefined) expect(ids, `${slug} links to ${page}#${hash}`).toContain(hash);
    }
  }
  expect(linksOf('guides', guidesPage()).targets.map(({ page }) => page)).toEqual(GUIDES.map(({ slug }) => slug));
});

test('nothing of the Markdown is left over in a guide', () => {
  for (const guide of GUIDES) {
    const html = guidePage(guide);
    const words = html.slice(html.indexOf('<main')).replaceAll(/<(code|pre)\b.*?<\/\1>/gs, '');
    expect(words, guide.slug).not.toMatch(/```|\*\*|\]\(|^#|^\|/m);
  }
});

test('the page for language models names every guide as Markdown', () => {
  const text = llmsText('https://till.example');
  for (const { slug } of GUIDES) expect(text).toContain(`](https://till.example/docs/${slug}.md): `);
  expect(text).toMatch(/^# Tillseal\n\n> /);
});

test('headings are named as GitHub names them', () => {
  expect(anchor('What may be credited')).toBe('what-may-be-credited');
  expect(anchor("The client's `call()`, C#")).toBe('the-clients-call-c');
});
