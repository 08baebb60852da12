import { promisify } from 'node:util';
import { crc32, inflate } from 'node:zlib';
import { LOGO_BYTES } from '../../contract/fiscal/printing.ts';
import type { Violation } from '../../kernel/refusal.ts';
import type { Logo } from './store.ts';

const MAX_SIDE = 2000;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const NEEDED: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND']);
const BY_PALETTE = 3;
/** Samples per pixel, and bits per sample, by colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
/** Of the one colour that is transparent, by colour type. */
const TRANSPARENT_COLOUR_BYTES: Readonly<Record<number, number>> = { 0: 2, 2: 6 };
const LAST_FILTER = 4;
/** Where each pass of an interlaced picture begins, and how far its pixels are apart. */
const INTERLACED = [
  { x: 0, y: 0, everyX: 8, everyY: 8 },
  { x: 4, y: 0, everyX: 8, everyY: 8 },
  { x: 0, y: 4, everyX: 4, everyY: 8 },
  { x: 2, y: 0, everyX: 4, everyY: 4 },
  { x: 0, y: 2, everyX: 2, everyY: 4 },
  { x: 1, y: 0, everyX: 2, everyY: 2 },
  { x: 0, y: 1, everyX: 1, everyY: 2 },
];
const inflated = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);

export type LogoCheck =
  | { readonly kind: 'logo'; readonly logo: Logo }
  | { readonly kind: 'refused'; readonly violation: Violation };

/**
 * Whether these are the bytes of a picture that can be printed: looked at to the last pixel, because what is stored is drawn
 * for years, and bounded before it is unpacked, because a few bytes can unpack to gigabytes. What is kept is the picture alone.
 */
export async function checkLogo(base64: string): Promise<LogoCheck> {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64').replaceAll('=', '') !== base64.replaceAll('=', '')) {
    return refused('Malformed', 'must be base64 of a PNG file');
  }
  if (bytes.length > LOGO_BYTES) return refused('TooLarge', `at most ${LOGO_BYTES} bytes, got ${bytes.length}`);
  const picture = readPng(bytes);
  if (picture === undefined) return refused('Malformed', 'must be a whole PNG file; save it again as PNG');
  const { width, height } = picture;
  if (width > MAX_SIDE || height > MAX_SIDE) {
    const most = `${MAX_SIDE} × ${MAX_SIDE}`;
    return refused('TooLarge', `at most ${most} pixels, got ${width} × ${height}; 600 pixels of width are plenty`);
  }
  if (!(await holdsPixels(picture))) return refused('Malformed', 'is a damaged PNG file: its pixels cannot be read');
  return { kind: 'logo', logo: { png: writePng(picture), width, height } };
}

function refused(Code: 'Malformed' | 'TooLarge', Message: string): LogoCheck {
  const violation: Violation =
    Code === 'Malformed' ? { Field: 'Logo', Code: 'Malformed', Message } : { Field: 'Logo', Code: 'TooLarge', Message };
  return { kind: 'refused', violation };
}

interface Png {
  readonly header: Buffer;
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: number;
  readonly isInterlaced: boolean;
  readonly palette: Buffer | undefined;
  readonly transparency: Buffer | undefined;
  readonly data: Buffer;
}

/**
 * What makes up the picture, when every chunk is whole and the last one is the end. What else a file may hold is left out: an
 * animation would move on a page and stand still on paper, and colour profiles and remarks may unpack to gigabytes.
 */
function readPng(bytes: Buffer): Png | undefined {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return undefined;
  const chunks = new Map<string, Buffer[]>();
  let at = 8;
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (chunks.size === 0 && type !== 'IHDR') return undefined;
    // A capital first letter says that the picture cannot be read without it.
    if (!NEEDED.has(type) && type[0] === type[0]?.toUpperCase()) return undefined;
    chunks.set(type, [...(chunks.get(type) ?? []), bytes.subarray(at + 8, end - 4)]);
    at = end;
    if (type === 'IEND') return pictureOf(chunks);
  }
  return undefined;
}

function pictureOf(chunks: ReadonlyMap<string, readonly Buffer[]>): Png | undefined {
  const [header, another] = chunks.get('IHDR') ?? [];
  if (header?.length !== 13 || another !== undefined) return undefined;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = header.subarray(8);
  const samples = SAMPLES[colour];
  const isKnown = samples !== undefined && DEPTHS[colour]?.includes(depth) && interlace <= 1;
  if (!isKnown || compression !== 0 || filter !== 0 || width === 0 || height === 0) return undefined;
  const [palette] = chunks.get('PLTE') ?? [];
  if (colour === BY_PALETTE && (palette === undefined || palette.length === 0 || palette.length % 3 !== 0))
    return undefined;
  return {
    header,
    width,
    height,
    bitsPerPixel: samples * depth,
    isInterlaced: interlace === 1,
    palette: colour === BY_PALETTE ? palette : undefined,
    transparency: transparencyOf(chunks.get('tRNS')?.[0], colour, palette),
    data: Buffer.concat(chunks.get('IDAT') ?? []),
  };
}

/** One that does not fit would keep some programs from drawing the picture at all. */
function transparencyOf(given: Buffer | undefined, colour: number, palette: Buffer | undefined): Buffer | undefined {
  const { length = 0 } = given ?? {};
  if (colour === BY_PALETTE) return length * 3 <= (palette?.length ?? 0) ? given : undefined;
  return length === TRANSPARENT_COLOUR_BYTES[colour] ? given : undefined;
}

/** Rows as they are stored, each with the byte before it that says how it was filtered. */
function rowLengths({ width, height, bitsPerPixel, isInterlaced }: Png): number[] {
  const passes = isInterlaced ? INTERLACED : [{ x: 0, y: 0, everyX: 1, everyY: 1 }];
  return passes.flatMap(({ x, y, everyX, everyY }) => {
    const columns = Math.ceil((width - x) / everyX);
    const rows = columns > 0 ? Math.max(0, Math.ceil((height - y) / everyY)) : 0;
    return Array.from({ length: rows }, () => Math.ceil((columns * bitsPerPixel) / 8) + 1);
  });
}

/** Not in the thread that seals: a few kilobytes may unpack to thirty megabytes, which is all that is allowed. */
async function holdsPixels(picture: Png): Promise<boolean> {
  const rows = rowLengths(picture);
  const expected = rows.reduce((sum, length) => sum + length, 0);
  try {
    const pixels = await inflated(picture.data, { maxOutputLength: expected });
    let at = 0;
    return (
      pixels.length === expected &&
      rows.every((length) => {
        const isFilter = (pixels[at] ?? LAST_FILTER + 1) <= LAST_FILTER;
        at += length;
        return isFilter;
      })
    );
  } catch {
    return false;
  }
}

function writePng({ header, palette, transparency, data }: Png): Buffer {
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...(palette === undefined ? [] : [chunk('PLTE', palette)]),
    ...(transparency === undefined ? [] : [chunk('tRNS', transparency)]),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const bytes = Buffer.alloc(content.length + 12);
  bytes.writeUInt32BE(content.length, 0);
  bytes.write(type, 4, 'latin1');
  content.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, content.length + 8)), content.length + 8);
  return bytes;
}
