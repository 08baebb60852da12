import { crc32, inflateSync } from 'node:zlib';
import type { Violation } from '../../kernel/refusal.ts';
import type { Logo } from './job.ts';

export const LOGO_BYTES = 100_000;
const LARGEST_SIDE = 2000;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Samples per pixel by colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export type LogoCheck =
  | { readonly kind: 'logo'; readonly logo: Logo }
  | { readonly kind: 'refused'; readonly violation: Violation };

/**
 * Whether these are the bytes of a picture that can be printed: looked at to the last pixel, because what is stored is drawn
 * for years, and bounded before it is unpacked, because a few bytes can unpack to gigabytes.
 */
export function checkLogo(base64: string): LogoCheck {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64').replaceAll('=', '') !== base64.replaceAll('=', '')) {
    return refused('Malformed', 'must be base64 of a PNG file');
  }
  if (bytes.length > LOGO_BYTES) return refused('TooLarge', `at most ${LOGO_BYTES} bytes, got ${bytes.length}`);
  const picture = readPng(bytes);
  if (picture === undefined) return refused('Malformed', 'must be a whole PNG file; save it again as PNG');
  const { width, height } = picture;
  if (width > LARGEST_SIDE || height > LARGEST_SIDE) {
    const most = `${LARGEST_SIDE} × ${LARGEST_SIDE}`;
    return refused('TooLarge', `at most ${most} pixels, got ${width} × ${height}; 600 pixels of width are plenty`);
  }
  if (!holdsPixels(picture)) return refused('Malformed', 'is a damaged PNG file: its pixels cannot be read');
  return { kind: 'logo', logo: { png: bytes, width, height } };
}

function refused(Code: 'Malformed' | 'TooLarge', Message: string): LogoCheck {
  const violation: Violation =
    Code === 'Malformed' ? { Field: 'Logo', Code: 'Malformed', Message } : { Field: 'Logo', Code: 'TooLarge', Message };
  return { kind: 'refused', violation };
}

interface Png {
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: number;
  readonly isInterlaced: boolean;
  readonly data: Buffer;
}

/** Header and pixel data when every chunk is whole and the last one is the end. */
function readPng(bytes: Buffer): Png | undefined {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return undefined;
  let header: Buffer | undefined;
  const data: Buffer[] = [];
  let at = 8;
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, end - 4);
    if (header === undefined && (type !== 'IHDR' || length !== 13)) return undefined;
    if (type === 'IHDR') header = content;
    if (type === 'IDAT') data.push(content);
    at = end;
    if (type === 'IEND') return header && pictureOf(header, Buffer.concat(data));
  }
  return undefined;
}

function pictureOf(header: Buffer, data: Buffer): Png | undefined {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth = 0, colour = 0, , , interlace = 0] = header.subarray(8);
  const samples = SAMPLES[colour];
  const isKnown = samples !== undefined && [1, 2, 4, 8, 16].includes(depth) && interlace <= 1;
  if (!isKnown || width === 0 || height === 0) return undefined;
  return { width, height, bitsPerPixel: samples * depth, isInterlaced: interlace === 1, data };
}

/** Each row has a byte before it; interlaced pictures have more and shorter rows, which at most doubles what rows cost. */
function holdsPixels({ width, height, bitsPerPixel, isInterlaced, data }: Png): boolean {
  const expected = height * (Math.ceil((width * bitsPerPixel) / 8) + 1);
  try {
    const { length } = inflateSync(data, { maxOutputLength: isInterlaced ? expected * 2 + 64 : expected });
    return isInterlaced ? length >= Math.floor((width * height * bitsPerPixel) / 8) : length === expected;
  } catch {
    return false;
  }
}
