import { Resvg } from '@resvg/resvg-js';
import type { Page, PageItem, TextItem } from '../core/page.ts';
import { QR_QUIET, qrMatrix, qrPath } from '../qr-matrix.ts';
import { drawnWidth, FONT_FILES } from './fonts.ts';
import type { TextRun, Typesetter } from './typesetter.ts';

/** Four bytes a pixel while it is drawn: what a longer document would take is not worth a picture. */
const MAX_PIXELS = 24_000_000;
const GAP = 8;

/** All pages one below the other, or undefined when that would be too large a picture. */
export function drawPng(
  pages: readonly Page[],
  logo: Uint8Array | undefined,
  zoom: number,
  typesetter: Typesetter,
): Uint8Array | undefined {
  const width = Math.max(...pages.map((page) => page.width));
  const height = pages.reduce((sum, page) => sum + page.height, 0) + GAP * (pages.length - 1);
  if (width * height * zoom * zoom > MAX_PIXELS) return undefined;
  const href = logo && `data:image/png;base64,${Buffer.from(logo).toString('base64')}`;
  let top = 0;
  const drawn = pages.map((page) => {
    const svg = `<g transform="translate(0 ${top})">${pageSvg(page, href, typesetter)}</g>`;
    top += page.height + GAP;
    return svg;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="#ccc"/>${drawn.join('')}</svg>`;
  return renderSvg(svg, zoom).asPng();
}

/** A small page, as pixels: RGBA. */
export function drawPixels(page: Page, zoom: number, typesetter: Typesetter) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${page.width}" height="${page.height}">${pageSvg(page, undefined, typesetter)}</svg>`;
  return renderSvg(svg, zoom);
}

function pageSvg(page: Page, logo: string | undefined, typesetter: Typesetter): string {
  const items = page.items.map((item) => (item.kind === 'text' ? textSvg(item, typesetter) : itemSvg(item, logo)));
  return `<rect width="${page.width}" height="${page.height}" fill="#fff"/>${items.join('')}`;
}

export function renderSvg(svg: string, zoom: number) {
  return new Resvg(svg, {
    fitTo: { mode: 'zoom', value: zoom },
    font: { loadSystemFonts: false, fontFiles: Object.values(FONT_FILES), defaultFontFamily: 'DejaVu Sans' },
  }).render();
}

/**
 * The logo on white, without transparency, 8 bits a colour: what every renderer takes, whatever kind of PNG it was. Not
 * larger than paper can show.
 */
export function flattenLogo(png: Uint8Array, { width, height }: { width: number; height: number }, widest: number) {
  const zoom = Math.min(1, widest / width, widest / height);
  const href = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="#fff"/><image width="${width}" height="${height}" href="${href}"/></svg>`;
  return renderSvg(svg, zoom);
}

const ANCHORS = { left: 'start', middle: 'middle', right: 'end' } as const;

function textSvg(item: TextItem, typesetter: Typesetter): string {
  const { size, font, align, room, baseline } = item;
  const runs = typesetter.runsOf(item.text, font);
  const fill = item.isFaint ? '#555' : '#000';
  const [only] = runs;
  if (runs.length === 1 && only?.kind === 'own') {
    const place = `transform="translate(${item.x} ${baseline})" text-anchor="${ANCHORS[align]}"`;
    return `<g ${place} fill="${fill}">${runSvg(only, 0, item)}</g>`;
  }
  const pieces = runs.map((run) => ({
    run,
    width: run.kind === 'own' ? drawnWidth(run.text, font, size) : (run.shaped.width / run.font.unitsPerEm) * size,
  }));
  const natural = pieces.reduce((sum, { width }) => sum + width, 0);
  const squeeze = room !== undefined && natural > room ? room / natural : 1;
  const left = item.x - natural * squeeze * { left: 0, middle: 0.5, right: 1 }[align];
  let x = 0;
  const drawn = pieces.map(({ run, width }) => {
    const svg = runSvg(run, x, item);
    x += width;
    return svg;
  });
  return `<g transform="translate(${left} ${baseline}) scale(${squeeze} 1)" fill="${fill}">${drawn.join('')}</g>`;
}

function runSvg(run: TextRun, x: number, { font, size }: TextItem): string {
  if (run.kind === 'cut') {
    const scale = size / run.font.unitsPerEm;
    const glyphs = run.shaped.glyphs.map(
      (glyph) => `<path transform="translate(${glyph.x} ${glyph.y})" d="${run.font.pathOf(glyph.id)}"/>`,
    );
    return `<g transform="translate(${x} 0) scale(${scale} ${-scale})">${glyphs.join('')}</g>`;
  }
  const isMono = font.startsWith('mono');
  const family = isMono ? 'DejaVu Sans Mono' : 'DejaVu Sans';
  const weight = font === 'bold' || font === 'monoBold' ? ' font-weight="bold"' : '';
  const stretch = isMono ? '' : ' font-stretch="condensed"';
  return `<text x="${x}" y="0" font-family="${family}" font-size="${size}"${weight}${stretch} xml:space="preserve">${escaped(run.text)}</text>`;
}

function itemSvg(item: Exclude<PageItem, TextItem>, logo: string | undefined): string {
  switch (item.kind) {
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
