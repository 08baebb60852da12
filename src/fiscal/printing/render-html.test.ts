import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeQr } from '../../../test/support/decode-qr.ts';
import { fullReceipt, printInput } from '../../../test/support/print-input.ts';
import type { PrintForm } from './core/printed-document.ts';
import { receiptDocument } from './core/receipt-document.ts';
import { HTML_POLICY, receiptHtml } from './render-html.ts';
import { renderSvg } from './worker/draw-png.ts';

const input = printInput({ ...fullReceipt, BuyerName: `<img src=x onerror="alert('1')"> & Sons` });
const htmlOf = (form: PrintForm) => receiptHtml(receiptDocument(input, form), form, Uint8Array.of(1, 2, 3));

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
    expect(HTML_POLICY).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  },
);
