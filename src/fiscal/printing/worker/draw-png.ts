import { Resvg } from '@resvg/resvg-js';
import type { Page, PageItem } from '../core/page.ts';
import { QR_QUIET, qrMatrix, qrPath } from '../qr-matrix.ts';
import { FONT_FILES } from './fonts.ts';

/** Four bytes a pixel while it is drawn: what a longer document would take is not worth a picture. */
const MOST_PIXELS = 24_000_000;
const GAP = 8;

/** All pages one below the other, or undefined when that would be too large a picture. */
export function drawPng(pages: readonly Page[], logo: Uint8Array | undefined, zoom: number): Uint8Array | undefined {
  const width = Math.max(...pages.map((page) => page.width));
  const height = pages.reduce((sum, page) => sum + page.height, 0) + GAP * (pages.length - 1);
  if (width * height * zoom * zoom > MOST_PIXELS) return undefined;
  const href = logo && `data:image/png;base64,${Buffer.from(logo).toString('base64')}`;
  let top = 0;
  const drawn = pages.map((page) => {
    const items = page.items.map((item) => itemSvg(item, href)).join('');
    const svg = `<g transform="translate(0 ${top})"><rect width="${page.width}" height="${page.height}" fill="#fff"/>${items}</g>`;
    top += page.height + GAP;
    return svg;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="#ccc"/>${drawn.join('')}</svg>`;
  return renderSvg(svg, zoom).asPng();
}

export function renderSvg(svg: string, zoom: number) {
  return new Resvg(svg, {
    fitTo: { mode: 'zoom', value: zoom },
    font: { loadSystemFonts: false, fontFiles: Object.values(FONT_FILES), defaultFontFamily: 'DejaVu Sans' },
  }).render();
}

const ANCHORS = { left: 'start', middle: 'middle', right: 'end' } as const;

function itemSvg(item: PageItem, logo: string | undefined): string {
  switch (item.kind) {
    case 'text': {
      const isMono = item.font.startsWith('mono');
      const family = isMono ? 'DejaVu Sans Mono' : 'DejaVu Sans';
      const weight = item.font === 'bold' || item.font === 'monoBold' ? ' font-weight="bold"' : '';
      const stretch = isMono ? '' : ' font-stretch="condensed"';
      return `<text x="${item.x}" y="${item.baseline}" font-family="${family}" font-size="${item.size}"${weight}${stretch} text-anchor="${ANCHORS[item.align]}" fill="${item.isFaint ? '#555' : '#000'}" xml:space="preserve">${escaped(item.text)}</text>`;
    }
    case 'line': {
      const dash = item.isDashed ? ' stroke-dasharray="2 2"' : '';
      return `<path d="M${item.x} ${item.y}H${item.toX}" stroke="${item.isDashed ? '#000' : '#999'}" stroke-width="0.6"${dash}/>`;
    }
    case 'shade':
      return `<rect x="${item.x}" y="${item.y}" width="${item.width}" height="${item.height}" fill="#efefef"/>`;
    case 'qr': {
      const matrix = qrMatrix(item.content);
      const module = item.size / (matrix.size + 2 * QR_QUIET);
      return `<path transform="translate(${item.x} ${item.y}) scale(${module})" shape-rendering="crispEdges" d="${qrPath(matrix)}"/>`;
    }
    case 'logo':
      return logo === undefined
        ? ''
        : `<image x="${item.x}" y="${item.y}" width="${item.width}" height="${item.height}" href="${logo}"/>`;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
