import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { checkLogo } from './check-logo.ts';

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const bytes = Buffer.alloc(body.length + 8);
  bytes.writeUInt32BE(content.length, 0);
  body.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(body), body.length + 4);
  return bytes;
}

function png(width: number, height: number, pixels: Buffer, colour = 0, depth = 8, interlace = 0): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, interlace], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [signature, chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat(parts).toString('base64');
}

const violationOf = (base64: string) => {
  const checked = checkLogo(base64);
  return checked.kind === 'refused' ? `${checked.violation.Code}: ${checked.violation.Message}` : checked.kind;
};

test('a picture is taken with its size', () => {
  const drawn = PNG.sync.write(new PNG({ width: 30, height: 20 })).toString('base64');
  expect(checkLogo(drawn)).toMatchObject({ kind: 'logo', logo: { width: 30, height: 20 } });
  expect(violationOf(png(4, 2, Buffer.alloc(2 * 5)))).toBe('logo');
  expect(violationOf(png(4, 2, Buffer.alloc(2 * 2), 3, 1))).toBe('logo');
});

test('one that would unpack to more than it says is not unpacked', () => {
  expect(violationOf(png(4, 2, Buffer.alloc(50_000_000)))).toMatch(/^Malformed: is a damaged PNG/);
});

test.each([
  ['no PNG', Buffer.from('GIF89a').toString('base64'), /^Malformed: must be a whole PNG/],
  ['cut off', png(4, 2, Buffer.alloc(10)).slice(0, -24), /^Malformed: must be a whole PNG/],
  ['too few pixels', png(4, 2, Buffer.alloc(9)), /^Malformed: is a damaged PNG/],
  ['no pixels', png(0, 2, Buffer.alloc(10)), /^Malformed: must be a whole PNG/],
  ['an unknown colour type', png(4, 2, Buffer.alloc(10), 7), /^Malformed: must be a whole PNG/],
  ['not base64', '%%%%', /^Malformed: must be base64/],
  ['too wide', png(2001, 1, Buffer.alloc(2002)), /^TooLarge: at most 2000 × 2000 pixels, got 2001 × 1/],
])('%s is refused', (_name, base64, expected) => {
  expect(violationOf(base64)).toMatch(expected);
});
