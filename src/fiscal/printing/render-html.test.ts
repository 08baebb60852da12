import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeQr } from '../../../test/support/printing/decode-qr.ts';
import { fullReceipt, printInput } from '../../../test/support/printing/print-input.ts';
import type { PrintForm } from '../../contract/fiscal/printing.ts';
import { textsIn } from './core/map-texts.ts';
import { receiptDocument } from './core/receipt-document.ts';
import { htmlPolicy, receiptHtml } from './render-html.ts';
import { renderSvg } from './worker/draw-png.ts';
import { htmlFonts } from './worker/html-fonts.ts';

const input = printInput({ ...fullReceipt, BuyerName: `<img src=x onerror="alert('1')"> & Sons` });
const htmlOf = (form: PrintForm) => receiptHtml(receiptDocument(input, form), form, Uint8Array.of(1, 2, 3), undefined);

test.each(['Receipt48', 'InvoiceA4'] as const)('%s: the QR code in the page says QrCodeContent', (form) => {
  const [svg = ''] = /<svg.*<\/svg>/s.exec(htmlOf(form)) ?? [];
  const { pixels, width, height } = renderSvg(svg.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" '), 4);
  expect(decodeQr({ data: pixels, width, height })).toBe(input.seal.qrContent);
});

test.each(['Receipt48', 'InvoiceA4'] as const)(
  '%s: loads nothing, runs nothing, and shows what was written as it was written',
  (form) => {
    const html = htmlOf(form);
    expect(html).toContain('&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62; &#38; Sons');
    expect(html).not.toMatch(/<script|<link|<iframe|<[^>]*\s(on\w+|style)=|url\(|@import/);
    const sources = [...html.matchAll(/\s(?:src|href)="([^"]*)"/g)].map((match) => match[1]);
    expect(sources).toEqual(['data:image/png;base64,AQID']);
    const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? '';
    expect(htmlPolicy(html)).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  },
);

test('letters the reader may lack come with the page, and nothing else is allowed to', async () => {
  const foreign = printInput({ ...fullReceipt, BuyerName: 'شركة النور (ذ.م.م) 1️⃣', BuyerAddress: '北京市' });
  const document = receiptDocument(foreign, 'InvoiceA4');
  const fonts = await htmlFonts(textsIn(document));
  const html = receiptHtml(document, 'InvoiceA4', undefined, fonts);
  expect(html).toContain('<bdi>شركة النور (ذ.م.م) 1️⃣</bdi>');
  expect(fonts.match(/@font-face/g)?.length).toBeGreaterThanOrEqual(2);
  expect(fonts).toContain(`U+${'北'.codePointAt(0)?.toString(16)}`);
  const letters = fonts.split('\n').filter((face) => face.includes('"Tillseal scripts"'));
  expect(letters.join('\n')).not.toMatch(/U\+(31|28|20)[,;]/);
  expect(fonts.length).toBeLessThan(60_000);
  const policy = htmlPolicy(html);
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+'; font-src data:; /);
  expect(policy).toContain(createHash('sha256').update(fonts).digest('base64'));
});
