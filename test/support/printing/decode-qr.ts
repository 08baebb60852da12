import { inflateSync } from 'node:zlib';
import jsqr from 'jsqr';

export interface Picture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** What a phone would read. */
export function decodeQr({ data, width, height }: Picture): string | undefined {
  return jsqr.default(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data;
}

const SCALE = 4;

/**
 * The part of a PDF's first page that has black rectangles, with nothing else on it, drawn from the commands in the file: a
 * reader of its own for the one thing that has to be right to the last square.
 */
export function pdfQrPicture(pdf: Buffer): Picture {
  const rectangles = blackRectangles(pageCommands(pdf));
  const [left, top, right, bottom] = [
    Math.min(...rectangles.map(({ x }) => x)) - 10,
    Math.min(...rectangles.map(({ y }) => y)) - 10,
    Math.max(...rectangles.map(({ x, width }) => x + width)) + 10,
    Math.max(...rectangles.map(({ y, height }) => y + height)) + 10,
  ];
  const width = Math.ceil((right - left) * SCALE);
  const height = Math.ceil((bottom - top) * SCALE);
  const data = new Uint8Array(width * height * 4).fill(0xff);
  const dots = (points: number) => Math.round(points * SCALE);
  for (const one of rectangles) {
    const [from, to] = [dots(one.x - left), dots(one.x - left + one.width)];
    for (let row = dots(one.y - top); row < dots(one.y - top + one.height); row += 1) {
      for (let column = from; column < to; column += 1)
        data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
    }
  }
  return { data, width, height };
}

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The first stream is that of the first page. */
function pageCommands(pdf: Buffer): string {
  const start = pdf.indexOf('stream\n') + 'stream\n'.length;
  return inflateSync(pdf.subarray(start, pdf.indexOf('\nendstream', start))).toString('latin1');
}

/** Rectangles that are filled in black. The page is turned upside down first (`1 0 0 -1 0 h cm`), so y counts from the top. */
function blackRectangles(commands: string): Rectangle[] {
  const found: Rectangle[] = [];
  let path: Rectangle[] = [];
  let isBlack = false;
  for (const line of commands.split('\n')) {
    if (line.endsWith(' re')) {
      const [x = 0, y = 0, width = 0, height = 0] = line.split(' ').slice(0, 4).map(Number);
      path.push({ x, y, width, height });
    }
    if (line.endsWith(' scn')) isBlack = line === '0 0 0 scn';
    if (line === 'f') {
      if (isBlack) found.push(...path);
      path = [];
    }
  }
  return found;
}
