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

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const END = chunk('IEND', Buffer.alloc(0));

function header(width: number, height: number, colour = 0, depth = 8, interlace = 0): Buffer {
  const content = Buffer.alloc(13);
  content.writeUInt32BE(width, 0);
  content.writeUInt32BE(height, 4);
  content.set([depth, colour, 0, 0, interlace], 8);
  return chunk('IHDR', content);
}

const file = (...chunks: readonly Buffer[]) => Buffer.concat([SIGNATURE, ...chunks]).toString('base64');
const pixels = (content: Buffer) => chunk('IDAT', deflateSync(content));
const png = (width: number, height: number, content: Buffer, colour = 0, depth = 8, interlace = 0): string =>
  file(header(width, height, colour, depth, interlace), pixels(content), END);

const violationOf = async (base64: string) => {
  const checked = await checkLogo(base64);
  return checked.kind === 'refused' ? `${checked.violation.Code}: ${checked.violation.Message}` : checked.kind;
};

test('a picture is taken with its size', async () => {
  const drawn = PNG.sync.write(new PNG({ width: 30, height: 20 })).toString('base64');
  expect(await checkLogo(drawn)).toMatchObject({ kind: 'logo', logo: { width: 30, height: 20 } });
  expect(await violationOf(png(4, 2, Buffer.alloc(2 * 5)))).toBe('logo');
  const palette = chunk('PLTE', Buffer.alloc(6));
  expect(await violationOf(file(header(4, 2, 3, 1), palette, pixels(Buffer.alloc(2 * 2)), END))).toBe('logo');
  // Seven passes of a picture of 9 by 9: 2 × 3, 2 × 2, 1 × 4, 3 × 3, 2 × 6, 5 × 5, 4 × 10 bytes.
  expect(await violationOf(png(9, 9, Buffer.alloc(6 + 4 + 4 + 9 + 12 + 25 + 40), 0, 8, 1))).toBe('logo');
});

test('the largest that may be is looked at, and one that would unpack to more than it says is not unpacked', async () => {
  expect(await violationOf(png(2000, 2000, Buffer.alloc(2000 * 16_001), 6, 16))).toBe('logo');
  expect(await violationOf(png(4, 2, Buffer.alloc(50_000_000)))).toMatch(/^Malformed: is a damaged PNG/);
  expect(await violationOf(png(9, 9, Buffer.alloc(50_000_000), 0, 8, 1))).toMatch(/^Malformed: is a damaged PNG/);
});

test('only the picture is kept: no animation, no profile or remark that unpacks to gigabytes, nothing behind the end', async () => {
  const plain = [header(4, 2), pixels(Buffer.alloc(10)), END] as const;
  const bomb = deflateSync(Buffer.alloc(30_000_000));
  const named = (type: string) => chunk(type, Buffer.concat([Buffer.from('name\0\0'), bomb]));
  const frames = [chunk('acTL', Buffer.from([0, 0, 0, 9, 0, 0, 0, 0])), chunk('fcTL', Buffer.alloc(26))];
  const moving = [...frames, chunk('fdAT', Buffer.concat([Buffer.alloc(4), bomb.subarray(0, 1000)]))];
  const crowded = file(
    plain[0],
    named('iCCP'),
    named('zTXt'),
    ...moving,
    plain[1],
    END,
    Buffer.from('<script>1</script>'),
  );
  const checked = await checkLogo(crowded);
  expect(checked).toMatchObject({ kind: 'logo' });
  const kept = checked.kind === 'logo' ? Buffer.from(checked.logo.png).toString('base64') : '';
  expect(kept).toBe(file(...plain));
});

test('transparency is kept where it fits, and else left out rather than the whole picture', async () => {
  const keptOf = async (base64: string) => {
    const checked = await checkLogo(base64);
    return checked.kind === 'logo' ? Buffer.from(checked.logo.png).includes('tRNS') : checked.kind;
  };
  const palette = chunk('PLTE', Buffer.alloc(6));
  const alpha = (length: number) => chunk('tRNS', Buffer.alloc(length));
  expect(await keptOf(file(header(4, 2, 3), palette, alpha(2), pixels(Buffer.alloc(10)), END))).toBe(true);
  expect(await keptOf(file(header(4, 2, 3), palette, alpha(3), pixels(Buffer.alloc(10)), END))).toBe(false);
  expect(await keptOf(file(header(4, 2), alpha(2), pixels(Buffer.alloc(10)), END))).toBe(true);
  expect(await keptOf(file(header(4, 2), alpha(1), pixels(Buffer.alloc(10)), END))).toBe(false);
});

const SVG =
  '<!DOCTYPE svg [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/>&b;</svg>';

test.each([
  ['no PNG', Buffer.from('GIF89a').toString('base64'), /^Malformed: must be a whole PNG/],
  ['SVG with entities and references', Buffer.from(SVG).toString('base64'), /^Malformed: must be a whole PNG/],
  ['cut off', png(4, 2, Buffer.alloc(10)).slice(0, -24), /^Malformed: must be a whole PNG/],
  ['too few pixels', png(4, 2, Buffer.alloc(9)), /^Malformed: is a damaged PNG/],
  [
    'a row filtered in an unknown way',
    png(4, 2, Buffer.from([0, 1, 1, 1, 1, 5, 1, 1, 1, 1])),
    /^Malformed: is a damaged/,
  ],
  ['no pixels', png(0, 2, Buffer.alloc(10)), /^Malformed: must be a whole PNG/],
  ['an unknown colour type', png(4, 2, Buffer.alloc(10), 7), /^Malformed: must be a whole PNG/],
  ['a depth its colour type does not have', png(4, 2, Buffer.alloc(4), 2, 1), /^Malformed: must be a whole PNG/],
  ['colours by a palette that is not there', png(4, 2, Buffer.alloc(10), 3), /^Malformed: must be a whole PNG/],
  ['two headers', file(header(4, 2), header(9000, 9000), pixels(Buffer.alloc(10)), END), /^Malformed: must be a whole/],
  ['a chunk nobody can do without', file(header(4, 2), chunk('CgBI', Buffer.alloc(4)), END), /^Malformed: must be a/],
  ['not base64', '%%%%', /^Malformed: must be base64/],
  ['too wide', png(2001, 1, Buffer.alloc(2002)), /^TooLarge: at most 2000 × 2000 pixels, got 2001 × 1/],
  ['immense', file(header(0xffffffff, 0xffffffff, 6, 16), pixels(Buffer.alloc(10)), END), /^TooLarge: at most 2000/],
])('%s is refused', async (_name, base64, expected) => {
  expect(await violationOf(base64)).toMatch(expected);
});
