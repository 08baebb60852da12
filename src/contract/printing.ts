import { Type } from 'typebox';
import { operation } from './operation.ts';
import { answered, closed, Id, orNull, textOrNull } from './vocabulary.ts';

/** How large a logo may be. */
export const LOGO_BYTES = 100_000;

export const Printing = Type.Object(
  {
    Footer: textOrNull(),
    Logo: textOrNull({ description: 'The PNG, base64.' }),
    LogoWidth: orNull(Type.Integer()),
    LogoHeight: orNull(Type.Integer()),
  },
  { title: 'Printing' },
);
export type Printing = Type.Static<typeof Printing>;

export const PrintingChange = Type.Object(
  {
    Footer: Type.Optional(textOrNull({ maxLength: 500, description: 'Printed at the end. null: nothing.' })),
    Logo: Type.Optional(
      textOrNull({
        // Base64 takes four characters for three bytes; the bytes themselves are counted afterwards.
        maxLength: Math.ceil(LOGO_BYTES / 3) * 4 + 4,
        description: 'A PNG of at most 100 kB and 2000 × 2000 pixels, base64. null: none.',
      }),
    ),
  },
  { ...closed, title: 'PrintingChange' },
);
export type PrintingChange = Type.Static<typeof PrintingChange>;

/** One black pixel: small enough to read, and really a PNG. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg==';
const change = { Footer: 'Thank you for shopping with us!', Logo: pixel };
const example = { ...change, LogoWidth: 1, LogoHeight: 1 };

const one = {
  path: '/api/admin/taxpayers/:taxpayerId/printing',
  tag: 'Administration',
  params: Type.Object({ taxpayerId: Id }),
  refusals: ['NotFound'],
} as const;

export const getPrinting = operation({
  id: 'getPrinting',
  method: 'GET',
  ...one,
  access: 'viewer',
  summary: 'What a taxpayer has on its printed receipts',
  answer: answered('Logo and footer.', Printing, example),
});

export const changePrinting = operation({
  id: 'changePrinting',
  method: 'PATCH',
  ...one,
  access: 'admin',
  summary: "Change a taxpayer's logo and footer",
  description:
    'Only the fields that are sent change. The logo stands at the top of receipts and reports; the footer, of up to 500 ' +
    'characters and several lines, at the end of receipts. Receipts that were sealed before are printed with them too.',
  body: PrintingChange,
  bodyExamples: { both: { summary: 'A footer and a logo', value: change } },
  answer: answered('As it is now.', Printing, example),
});
