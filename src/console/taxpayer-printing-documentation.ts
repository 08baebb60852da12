import { Type } from 'typebox';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { textOrNull } from './schemas.ts';

const wholeOrNull = Type.Unsafe<number | null>({ type: ['integer', 'null'] });

const PrintingSchema = Type.Object(
  {
    Footer: textOrNull({}),
    Logo: textOrNull({ description: 'The PNG, base64.' }),
    LogoWidth: wholeOrNull,
    LogoHeight: wholeOrNull,
  },
  { title: 'Printing' },
);

/** One black pixel: small enough to read, and really a PNG. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg==';
const change = { Footer: 'Thank you for shopping with us!', Logo: pixel };
const answer = (description: string) => ({
  description,
  schema: PrintingSchema,
  examples: { printing: { summary: 'Both are set', value: { ...change, LogoWidth: 1, LogoHeight: 1 } } },
});

export const getPrintingDocumentation: RouteDocumentation = {
  operationId: 'getPrinting',
  tag: 'Administration',
  summary: 'What a taxpayer has on its printed receipts',
  answers: { 200: answer('Logo and footer.') },
  refusals: ['NotFound'],
};

export const changePrintingDocumentation: RouteDocumentation = {
  operationId: 'changePrinting',
  tag: 'Administration',
  summary: "Change a taxpayer's logo and footer",
  description:
    'Only the fields that are sent change. The logo stands at the top of receipts and reports; the footer, of up to 500 ' +
    'characters and several lines, at the end of receipts. Receipts that were sealed before are printed with them too.',
  bodyExamples: { both: { summary: 'A footer and a logo', value: change } },
  answers: { 200: answer('As it is now.') },
  refusals: ['NotFound'],
};
